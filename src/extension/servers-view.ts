/**
 * The tree of sources, servers and tools. It shows what the model holds and changes nothing but which tools are wanted;
 * foreign text appears as plain, visible characters.
 */
import * as vscode from 'vscode';
import type { Tool } from '#core/model.ts';
import type { Disposable } from '#core/ports.ts';
import type { Problem } from '#core/problem.ts';
import { SERVERS_VIEW } from './contributions.ts';
import { failureText, messages, problemText, problemTitle } from './messages.ts';
import { shownText } from './shown-text.ts';
import type { ServerEntry, WorkspaceModel } from './workspace-model.ts';

/** Elements are made anew after every change; their `id` keeps what was unfolded unfolded. */
export type TreeNode =
  | { readonly kind: 'source'; readonly id: string }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly path: string; readonly id: string }
  | { readonly kind: 'server'; readonly id: string }
  | { readonly kind: 'tool'; readonly id: string; readonly server: string; readonly tool: Tool };

/** The server that a command was called for from the tree. */
export function serverOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null) return undefined;
  const { kind, id, server } = { kind: undefined, id: undefined, server: undefined, ...argument };
  const wanted = kind === 'tool' ? server : id;
  return typeof wanted === 'string' ? wanted : undefined;
}

export function createServersView(model: WorkspaceModel, onFailure: (error: unknown) => void): Disposable {
  const changed = new vscode.EventEmitter<undefined>();
  const provider: vscode.TreeDataProvider<TreeNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) => itemOf(node, model),
    async getChildren(node) {
      if (node === undefined) await model.load();
      return childrenOf(node, model);
    },
  };
  const view = vscode.window.createTreeView(SERVERS_VIEW, {
    treeDataProvider: provider,
    showCollapseAll: true,
    manageCheckboxStateManually: true,
  });
  const listening = model.onDidChange(() => changed.fire(undefined));
  const checking = view.onDidChangeCheckboxState(({ items }) => {
    select(items, model).catch(onFailure);
  });
  return {
    dispose() {
      for (const part of [listening, checking, view, changed]) part.dispose();
    },
  };
}

type Checked = readonly (readonly [TreeNode, vscode.TreeItemCheckboxState])[];

async function select(items: Checked, model: WorkspaceModel): Promise<void> {
  const servers = new Set(items.flatMap(([node]) => (node.kind === 'tool' ? [node.server] : [])));
  for (const id of servers) {
    const entry = model.entry(id);
    if (entry?.state.kind !== 'read') continue;
    const wanted = new Set(entry.state.catalog.tools.map((tool) => tool.name));
    for (const name of entry.excluded) wanted.delete(name);
    for (const [node, state] of items) {
      if (node.kind !== 'tool' || node.server !== id) continue;
      if (state === vscode.TreeItemCheckboxState.Checked) wanted.add(node.tool.name);
      else wanted.delete(node.tool.name);
    }
    await model.setIncluded(id, [...wanted]);
  }
}

function childrenOf(node: TreeNode | undefined, model: WorkspaceModel): TreeNode[] {
  if (node === undefined) return model.sources.map((source): TreeNode => ({ kind: 'source', id: source.id }));
  switch (node.kind) {
    case 'source': {
      const source = model.sources.find((one) => one.id === node.id);
      if (source === undefined) return [];
      const problems = model.problems.filter((one) => one.at?.file === source.display && one.severity !== 'info');
      const servers = model.entries.filter(({ server }) => server.source.id === node.id);
      return [
        ...servers.map(({ server }): TreeNode => ({ kind: 'server', id: server.id })),
        ...problems.map((problem, index): TreeNode => {
          return { kind: 'problem', problem, path: source.path, id: `${node.id}!${index}` };
        }),
      ];
    }
    case 'server': {
      const state = model.entry(node.id)?.state;
      if (state?.kind !== 'read') return [];
      return state.catalog.tools.map((tool): TreeNode => {
        return { kind: 'tool', id: `${node.id}/${tool.name}`, server: node.id, tool };
      });
    }
    case 'problem':
    case 'tool':
      return [];
    default:
      return node satisfies never;
  }
}

function itemOf(node: TreeNode, model: WorkspaceModel): vscode.TreeItem {
  switch (node.kind) {
    case 'source':
      return sourceItem(node.id, model);
    case 'problem':
      return problemItem(node);
    case 'server': {
      const entry = model.entry(node.id);
      return entry === undefined ? new vscode.TreeItem('') : serverItem(entry);
    }
    case 'tool':
      return toolItem(node, model);
    default:
      return node satisfies never;
  }
}

function sourceItem(id: string, model: WorkspaceModel): vscode.TreeItem {
  const source = model.sources.find((one) => one.id === id);
  const item = new vscode.TreeItem(source?.label ?? '', vscode.TreeItemCollapsibleState.Expanded);
  item.id = id;
  item.contextValue = 'source';
  item.iconPath = new vscode.ThemeIcon('file-code');
  if (source === undefined) return item;
  item.description = shownText(source.display);
  item.accessibilityInformation = { label: `${source.label}, ${item.description}` };
  item.command = openCommand(vscode.Uri.file(source.path), undefined);
  return item;
}

function problemItem({ problem, path, id }: TreeNode & { readonly kind: 'problem' }): vscode.TreeItem {
  const item = new vscode.TreeItem(problemTitle(problem.kind));
  item.id = id;
  item.contextValue = 'problem';
  item.description = shownText(problemText(problem.message), 400);
  item.tooltip = shownText(`${problemText(problem.message)} ${problemText(problem.remedy ?? '')}`.trim(), 1_000);
  const isError = problem.severity === 'error';
  item.iconPath = new vscode.ThemeIcon(isError ? 'error' : 'warning');
  const said = [isError ? messages.error() : messages.warning(), item.label, item.tooltip];
  item.accessibilityInformation = { label: said.join(', ') };
  item.command = openCommand(vscode.Uri.file(path), problem.at);
  return item;
}

function serverItem(entry: ServerEntry): vscode.TreeItem {
  const { server, state } = entry;
  const isRead = state.kind === 'read' && server.shadowedBy === undefined;
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(shownText(server.name), isRead ? Collapsed : None);
  item.id = server.id;
  item.description = stateText(entry);
  item.tooltip = tooltipOf(entry);
  item.iconPath = new vscode.ThemeIcon(iconOf(entry));
  item.contextValue = server.shadowedBy !== undefined ? 'server.shadowed' : isRead ? 'server.read' : 'server';
  const said = [shownText(server.name), item.description, ...(needsLook(entry) ? [messages.needsLook()] : [])];
  item.accessibilityInformation = { label: said.join(', ') };
  return item;
}

function stateText({ server, state, approved }: ServerEntry): string {
  if (server.shadowedBy !== undefined) return messages.shadowed();
  const off = server.disabled ? `${messages.disabled()} · ` : '';
  switch (state.kind) {
    case 'unread':
      return off + (approved ? messages.notReadButApproved() : messages.notRead());
    case 'reading':
      return messages.reading();
    case 'failed':
      return `${messages.failed()}: ${failureText(state.error.kind)}`;
    case 'read': {
      const { report } = state.forms;
      const native = report.forms.find((form) => form.form === 'native')?.always.tokens ?? 0;
      return off + messages.toolsAndTokens(report.tools, native);
    }
    default:
      return state satisfies never;
  }
}

function iconOf({ server, state, findingsAccepted }: ServerEntry): string {
  if (server.shadowedBy !== undefined || server.disabled) return 'circle-slash';
  switch (state.kind) {
    case 'unread':
      return 'server';
    case 'reading':
      return 'loading~spin';
    case 'failed':
      return 'error';
    case 'read':
      return findingsAccepted ? 'server-environment' : 'warning';
    default:
      return state satisfies never;
  }
}

/** What its icon shows, in words for those who do not see it. */
function needsLook({ server, state, findingsAccepted }: ServerEntry): boolean {
  return state.kind === 'read' && server.shadowedBy === undefined && !findingsAccepted;
}

function tooltipOf(entry: ServerEntry): string {
  const { server, state, approved } = entry;
  const lines = [shownText(server.name), messages.configuredIn(server.source.display)];
  if (server.shadowedBy !== undefined) return [...lines, messages.shadowed()].join('\n');
  if (state.kind === 'failed') lines.push(failureText(state.error.kind), shownText(state.error.message, 600));
  if (state.kind === 'failed' && state.error.remedy !== undefined) lines.push(shownText(state.error.remedy, 600));
  if (state.kind === 'read' && state.catalog.origin === 'cache') lines.push(messages.fromRecord());
  if (state.kind === 'read') lines.push(messages.countedBy(state.forms.report.tokenizer));
  if (needsLook(entry)) lines.push(messages.needsLook());
  return [...lines, approved ? messages.approved() : messages.notApproved()].join('\n');
}

function toolItem({ id, server, tool }: TreeNode & { readonly kind: 'tool' }, model: WorkspaceModel): vscode.TreeItem {
  const entry = model.entry(server);
  const item = new vscode.TreeItem(shownText(tool.name));
  item.id = id;
  item.contextValue = 'tool';
  item.tooltip = shownText(tool.description, 600);
  const cost = entry?.state.kind === 'read' ? entry.state.tools.get(tool.name) : undefined;
  if (cost !== undefined) item.description = messages.tokens(cost.native);
  const isOut = entry?.excluded.includes(tool.name) === true;
  const label = [shownText(tool.name), item.description ?? '', isOut ? messages.leftOut() : '']
    .filter(Boolean)
    .join(', ');
  const accessibilityInformation = { label };
  item.accessibilityInformation = accessibilityInformation;
  item.checkboxState = {
    state: isOut ? vscode.TreeItemCheckboxState.Unchecked : vscode.TreeItemCheckboxState.Checked,
    accessibilityInformation,
  };
  return item;
}

function openCommand(uri: vscode.Uri, at: Problem['at']): vscode.Command {
  const place = new vscode.Position(Math.max(0, (at?.line ?? 1) - 1), Math.max(0, (at?.column ?? 1) - 1));
  const selection = new vscode.Range(place, place);
  return { command: 'vscode.open', title: '', arguments: [uri, at === undefined ? {} : { selection }] };
}
