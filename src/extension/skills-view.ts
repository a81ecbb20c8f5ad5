/**
 * The tree of installed skills, by the folder they lie in: what each costs, what is wrong with it, and whether it still
 * fits its server. It shows and follows what is on disk, in Restricted Mode too, and changes nothing.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import type { Problem } from '#core/problem.ts';
import type { InstalledSkill } from '#core/skill/library.ts';
import type { SkillRoot } from '#core/skill/library-places.ts';
import { commandIds, SKILLS_VIEW, settingIds } from './contributions.ts';
import { messages, problemText, problemTitle } from './messages.ts';
import { shownText } from './shown-text.ts';
import { skillsMessages } from './skills-messages.ts';
import type { DriftState, SkillsModel } from './skills-model.ts';

/** Elements are made anew after every change; their `id` keeps what was unfolded unfolded. */
export type SkillNode =
  | { readonly kind: 'root'; readonly id: string; readonly root: SkillRoot }
  | { readonly kind: 'skill'; readonly id: string; readonly skill: InstalledSkill }
  | { readonly kind: 'problem'; readonly id: string; readonly problem: Problem; readonly path: string | undefined };

export interface SkillsViewParts {
  readonly model: SkillsModel;
  /** Workspace folders, absolute. */
  folders(): readonly string[];
  /** The home folder, where it may be read. */
  home(): string | undefined;
  onFailure(error: unknown): void;
}

/** Milliseconds to wait for the rest of a change: editors write in several steps. */
const SETTLE_MS = 200;

export function createSkillsView(parts: SkillsViewParts): Disposable {
  const { model } = parts;
  const changed = new vscode.EventEmitter<undefined>();
  const provider: vscode.TreeDataProvider<SkillNode> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (node) => itemOf(node, model),
    async getChildren(node) {
      if (node === undefined) await model.load();
      return childrenOf(node, model);
    },
  };
  const view = vscode.window.createTreeView(SKILLS_VIEW, { treeDataProvider: provider, showCollapseAll: true });
  const following = followChanges(parts, view.onDidChangeVisibility);
  const listening = model.onDidChange(() => {
    const { listing } = model.skills ?? {};
    const all = (listing?.described.length ?? 0) + (listing?.named.length ?? 0);
    // An empty string takes the place of nothing: VS Code keeps the last one otherwise.
    view.description = listing === undefined || all === 0 ? '' : skillsMessages.fits(listing.described.length, all);
    view.message =
      listing === undefined || listing.named.length === 0
        ? ''
        : skillsMessages.overBudget(listing.named, listing.limit);
    changed.fire(undefined);
  });
  return {
    dispose() {
      for (const part of [listening, following, view, changed]) part.dispose();
    },
  };
}

const WATCHED = [
  '**/.{claude,github,agents}',
  '**/.{claude,github,agents}/skills',
  '**/.{claude,github,agents}/skills/**',
  '**/.claude/plugins/**',
];

/** Reads again when skills, folders, settings or trust change, once something was read at all. */
function followChanges(
  { model, folders, home, onFailure }: SkillsViewParts,
  onDidChangeVisibility: vscode.Event<vscode.TreeViewVisibilityChangeEvent>,
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    if (model.skills === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void model.refresh().catch(onFailure), SETTLE_MS);
  };
  let watchers: Disposable[] = [];
  const watch = (): void => {
    for (const watcher of watchers) watcher.dispose();
    const own = home();
    const places = [
      ...folders().flatMap((folder) => WATCHED.map((glob) => [folder, glob] as const)),
      ...(own === undefined
        ? []
        : ['.claude', '.copilot', '.agents'].map((top) => [`${own}/${top}/skills`, '**'] as const)),
    ];
    watchers = places.flatMap(([base, glob]) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(base), glob));
      return [watcher.onDidChange(later), watcher.onDidCreate(later), watcher.onDidDelete(later), watcher];
    });
  };
  const loaded = model.onDidChange(() => {
    loaded.dispose();
    watch();
  });
  const again = (): void => {
    if (model.skills !== undefined) watch();
    later();
  };
  const listening = [
    loaded,
    vscode.workspace.onDidChangeWorkspaceFolders(again),
    vscode.workspace.onDidGrantWorkspaceTrust(later),
    // A watcher takes a while to start, misses what comes with a new folder, and not every place has one.
    onDidChangeVisibility(({ visible }) => {
      if (visible) later();
    }),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) later();
    }),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (/\/skill\.md$/i.test(uri.path)) later();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(settingIds.userFiles)) again();
    }),
  ];
  return {
    dispose() {
      clearTimeout(timer);
      for (const part of [...listening, ...watchers]) part.dispose();
    },
  };
}

function childrenOf(node: SkillNode | undefined, model: SkillsModel): SkillNode[] {
  const library = model.skills?.library;
  if (library === undefined) return [];
  if (node === undefined) {
    const filled = library.roots.filter((root) => library.skills.some((skill) => skill.root === root));
    return [
      ...filled.map((root): SkillNode => ({ kind: 'root', id: root.path, root })),
      ...library.problems.map((problem, index): SkillNode => {
        return { kind: 'problem', id: `!${index}`, problem, path: undefined };
      }),
    ];
  }
  switch (node.kind) {
    case 'root':
      return library.skills
        .filter((skill) => skill.root.path === node.root.path)
        .map((skill): SkillNode => ({ kind: 'skill', id: skill.path, skill }));
    case 'skill':
      return node.skill.problems.map((problem, index): SkillNode => {
        return { kind: 'problem', id: `${node.id}!${index}`, problem, path: node.skill.path };
      });
    case 'problem':
      return [];
    default:
      return node satisfies never;
  }
}

function itemOf(node: SkillNode, model: SkillsModel): vscode.TreeItem {
  switch (node.kind) {
    case 'root':
      return rootItem(node.root);
    case 'skill':
      return skillItem(node.skill, model);
    case 'problem':
      return problemItem(node);
    default:
      return node satisfies never;
  }
}

function rootItem(root: SkillRoot): vscode.TreeItem {
  const item = new vscode.TreeItem(shownText(root.display), vscode.TreeItemCollapsibleState.Expanded);
  item.id = root.path;
  item.contextValue = 'skills';
  const icons = { project: 'folder-library', nested: 'folder-library', personal: 'account', plugin: 'extensions' };
  item.iconPath = new vscode.ThemeIcon(icons[root.scope]);
  const readers = root.readBy.map((client) => (client === 'claude-code' ? 'Claude Code' : 'VS Code'));
  const several = (vscode.workspace.workspaceFolders?.length ?? 0) > 1 && root.scope !== 'personal';
  const folder = several ? vscode.workspace.getWorkspaceFolder(vscode.Uri.file(root.path))?.name : undefined;
  const about = [
    ...(folder === undefined ? [] : [shownText(folder)]),
    ...(root.plugin === undefined ? [] : [skillsMessages.plugin(root.plugin)]),
    readers.length === 0 ? skillsMessages.readByNobody() : readers.join(', '),
  ];
  item.description = about.join(' · ');
  item.tooltip = shownText(root.path, 400);
  item.accessibilityInformation = { label: `${shownText(root.display)}, ${about.join(', ')}` };
  return item;
}

function skillItem(skill: InstalledSkill, model: SkillsModel): vscode.TreeItem {
  const { None, Collapsed } = vscode.TreeItemCollapsibleState;
  const name = skill.name === '' ? skill.folderName : skill.name;
  const item = new vscode.TreeItem(shownText(name), skill.problems.length > 0 ? Collapsed : None);
  const states = statesOf(skill, model);
  item.id = skill.path;
  item.description = states.join(' · ');
  item.tooltip = tooltipOf(skill, model, states);
  item.iconPath = new vscode.ThemeIcon(iconOf(skill, model.driftOf(skill)));
  item.contextValue = `skill.${skill.root.scope === 'plugin' ? 'plugin' : 'own'}`;
  item.command = { command: commandIds.openSkill, title: '', arguments: [{ kind: 'skill', id: skill.path, skill }] };
  item.accessibilityInformation = { label: `${shownText(name)}, ${states.join(', ')}` };
  return item;
}

/** What stands beside a skill's name: its cost first, then what needs a look. */
function statesOf(skill: InstalledSkill, model: SkillsModel): readonly string[] {
  const cost = model.skills?.costs.get(skill.path);
  const listed = cost?.listed ?? 'no';
  const isOfOthers = skill.root.readBy.length > 0 && !skill.root.readBy.includes('claude-code');
  const collides = skill.problems.some(({ kind, severity }) => kind === 'skill-collision' && severity !== 'info');
  const wrong = skill.problems.filter(({ kind, severity }) => kind !== 'skill-collision' && severity !== 'info').length;
  const drift = driftText(model.driftOf(skill));
  return [
    ...(cost === undefined
      ? []
      : [
          listed !== 'no'
            ? skillsMessages.cost(cost.listing, cost.body)
            : isOfOthers
              ? skillsMessages.costElsewhere(cost.body)
              : skillsMessages.costOfManual(cost.body),
        ]),
    ...(listed === 'name' ? [skillsMessages.isNamedOnly()] : []),
    ...(collides ? [skillsMessages.collides()] : []),
    ...(wrong === 0 ? [] : [skillsMessages.problems(wrong)]),
    ...(drift === undefined ? [] : [drift]),
  ];
}

function driftText(drift: DriftState | undefined): string | undefined {
  switch (drift?.kind) {
    case undefined:
    case 'unknown':
      return undefined;
    case 'same':
      return messages.upToDate();
    case 'no-server':
      return messages.serverGone(drift.server);
    case 'drift': {
      const { added, removed, changed, same } = drift.drift;
      return same ? messages.redefined() : messages.drifted(added.length, removed.length, changed.length);
    }
    default:
      return drift satisfies never;
  }
}

function iconOf({ problems }: InstalledSkill, drift: DriftState | undefined): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'error';
  const isOld = drift?.kind === 'drift' || drift?.kind === 'no-server';
  return isOld || problems.some(({ severity }) => severity === 'warning') ? 'warning' : 'book';
}

function tooltipOf(skill: InstalledSkill, model: SkillsModel, states: readonly string[]): string {
  return [
    shownText(skill.description, 600),
    shownText(skill.path, 400),
    ...(skill.server === undefined ? [] : [skillsMessages.madeFor(skill.server)]),
    ...states,
    ...(model.skills === undefined ? [] : [skillsMessages.costMeaning(model.skills.tokenizer)]),
  ]
    .filter((line) => line !== '')
    .join('\n');
}

function problemItem({ id, problem, path }: SkillNode & { readonly kind: 'problem' }): vscode.TreeItem {
  const item = new vscode.TreeItem(problemTitle(problem.kind));
  const { file, line } = problem.at ?? { file: '', line: undefined };
  const place = path === undefined ? `${file}: ` : '';
  item.id = id;
  item.contextValue = 'problem';
  const says = problemText(problem.message);
  item.description = shownText(`${place}${says}`, 400);
  item.tooltip = shownText([place, says, problemText(problem.remedy ?? '')].join(' ').trim(), 1_000);
  const icons = { error: 'error', warning: 'warning', info: 'info' };
  item.iconPath = new vscode.ThemeIcon(icons[problem.severity]);
  item.accessibilityInformation = { label: `${problemTitle(problem.kind)}, ${item.description}` };
  if (path === undefined) return item;
  const at = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
  const selection = new vscode.Range(at, at);
  item.command = { command: 'vscode.open', title: '', arguments: [vscode.Uri.file(path), { selection }] };
  return item;
}
