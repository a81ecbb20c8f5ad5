/**
 * The panel in the editor: builds its page, tells it what the model knows, and does what the person asks of it. It keeps
 * one panel, brings it back after a restart, and believes nothing that the page says without looking.
 */
import * as vscode from 'vscode';
import type { Mode, Skill } from '#core/model.ts';
import type { Disposable, Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { FromWebview, SessionChoice, ToWebview } from '#protocol/preview.ts';
import { panelHtml } from './panel-html.ts';
import { choiceFrom, messageFrom } from './panel-incoming.ts';
import { panelMessages, panelStrings } from './panel-messages.ts';
import { ALL, isUsable, type PanelWords, panelStateOf, usualSession } from './panel-state.ts';
import { shownText } from './shown-text.ts';
import type { VirtualDocuments } from './virtual-documents.ts';
import type { WorkspaceModel } from './workspace-model.ts';

/** What the manifest calls the panel in its activation event. */
export const PANEL_TYPE = 'mochi.preview';

export interface PanelParts {
  readonly model: WorkspaceModel;
  /** By what the model counts single tools, for example `o200k_base`. */
  readonly toolTokenizer: string;
  readonly documents: VirtualDocuments;
  readonly words: PanelWords;
  readonly logger: Logger;
  /** The extension's own folder. */
  readonly root: vscode.Uri;
  /** What the person chose last in this workspace; it also outlives a panel that was closed. */
  readonly memory: { get(): unknown; set(value: unknown): PromiseLike<void> };
  /** The mode of a panel that was never opened before. */
  defaultMode(): Mode;
  /** Reads the tools of servers, after consent, with progress; throws OperationError where that failed. */
  readTools(ids: readonly string[]): Promise<void>;
  /** Counts by Anthropic, after asking for a key where there is none. Gives why that failed, in a sentence. */
  countExactly(id: string): Promise<string | undefined>;
  /** Goes on to where skills are planned, confirmed and written. */
  write(ids: readonly string[], mode: Mode): Promise<void>;
  showLog(): void;
}

export interface PreviewPanel extends Disposable {
  /** Shows the panel, on the server of that id where one is given. */
  open(id?: string): void;
}

export function createPreviewPanel(parts: PanelParts): PreviewPanel {
  return new Panel(parts);
}

class Panel implements PreviewPanel {
  readonly #parts: PanelParts;
  readonly #owned: Disposable[] = [];
  #panel: vscode.WebviewPanel | undefined;
  #selected: string | undefined;
  #mode: Mode | undefined;
  #session: SessionChoice | undefined;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#takeChoice(parts.memory.get());
    this.#owned.push(
      parts.model.onDidChange(() => this.#tell()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#tell()),
      vscode.window.registerWebviewPanelSerializer(PANEL_TYPE, {
        deserializeWebviewPanel: async (panel, kept: unknown) => {
          this.#takeChoice(kept);
          if (this.#panel === undefined) this.#adopt(panel);
          else panel.dispose();
        },
      }),
    );
  }

  open(id?: string): void {
    if (id !== undefined) this.#choose({ selected: id });
    if (this.#panel === undefined) {
      const title = panelMessages.panelTitle(vscode.l10n);
      this.#adopt(vscode.window.createWebviewPanel(PANEL_TYPE, title, vscode.ViewColumn.Active));
    } else {
      this.#panel.reveal();
      this.#tell();
    }
  }

  dispose(): void {
    this.#panel?.dispose();
    for (const part of this.#owned.splice(0)) part.dispose();
  }

  /** What was chosen before, unless something is chosen already. */
  #takeChoice(kept: unknown): void {
    const { selected, mode, session } = choiceFrom(kept);
    this.#selected ??= selected;
    this.#mode ??= mode;
    this.#session ??= session;
  }

  #choose(choice: { readonly selected?: string; readonly mode?: Mode; readonly session?: SessionChoice }): void {
    this.#selected = choice.selected ?? this.#selected;
    this.#mode = choice.mode ?? this.#mode;
    this.#session = choice.session ?? this.#session;
    void this.#parts.memory.set({ selected: this.#selected, mode: this.#mode, session: this.#session });
  }

  #adopt(panel: vscode.WebviewPanel): void {
    const dist = vscode.Uri.joinPath(this.#parts.root, 'dist');
    this.#panel = panel;
    panel.iconPath = vscode.Uri.joinPath(this.#parts.root, 'media', 'icon.png');
    panel.onDidDispose(() => {
      if (this.#panel === panel) this.#panel = undefined;
    });
    panel.webview.onDidReceiveMessage((data: unknown) => this.#receive(data));
    panel.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const file = (name: string) => panel.webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    panel.webview.html = panelHtml({
      cspSource: panel.webview.cspSource,
      script: file('webview.js'),
      style: file('webview.css'),
      nonce: newNonce(),
      styleNonce: newNonce(),
      title: panelMessages.panelTitle(vscode.l10n),
      language: vscode.env.language,
    });
  }

  #post(message: ToWebview): void {
    void this.#panel?.webview.postMessage(message);
  }

  #tell(): void {
    if (this.#panel === undefined) return;
    const { model, words, toolTokenizer } = this.#parts;
    this.#mode ??= this.#parts.defaultMode();
    const { isLoaded, entries } = model;
    const [selected, mode] = [this.#selected, this.#mode];
    const session = this.#session;
    const facts = { isLoaded, isTrusted: vscode.workspace.isTrusted, entries, selected, mode, session };
    this.#post({ kind: 'state', state: panelStateOf(facts, words, toolTokenizer) });
  }

  async #receive(data: unknown): Promise<void> {
    const message = messageFrom(data);
    if (message === undefined) {
      this.#parts.logger.warn('A message of an unknown shape from the panel was dropped.');
      return;
    }
    try {
      await this.#act(message);
    } catch (error) {
      this.#fail(error, message.kind);
    }
  }

  #fail(error: unknown, during: FromWebview['kind']): void {
    const { logger, words } = this.#parts;
    logger.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    // A no is not a failure, and a server that could not be read says so in its own place.
    const isTold = OperationError.is(error, 'consent-needed') || (during === 'readTools' && OperationError.is(error));
    if (!isTold)
      this.#post({
        kind: 'failed',
        text: OperationError.is(error) ? words.failure(error) : panelMessages.unexpected(vscode.l10n),
      });
    this.#tell();
  }

  async #act(message: FromWebview): Promise<void> {
    const { model } = this.#parts;
    switch (message.kind) {
      case 'ready':
        this.#post({ kind: 'strings', strings: panelStrings(vscode.l10n), language: vscode.env.language });
        this.#tell();
        return model.load();
      case 'selectServer':
        if (message.id === ALL || model.entry(message.id) !== undefined) this.#choose({ selected: message.id });
        return this.#tell();
      case 'selectMode':
        this.#choose({ mode: message.mode });
        return this.#tell();
      case 'selectSession':
        // Two fields may change before the page has heard of the first.
        this.#choose({ session: { ...usualSession, ...this.#session, ...sessionIn(message) } });
        return this.#tell();
      case 'readTools':
        return this.#busy(() => this.#parts.readTools(this.#idsToRead(message.id)));
      case 'setTools':
        return this.#setTools(message.id, message.included);
      case 'openFile':
        return this.#openFile(message.id, message.mode, message.path);
      case 'compare':
        return this.#compare(message.id, message.left, message.right);
      case 'acceptFindings':
        for (const id of this.#idsRead(message.id)) await model.acceptFindings(id, message.accepted);
        return;
      case 'countExactly':
        return this.#busy(() => this.#countExactly(message.id));
      case 'write':
        return this.#busy(() => this.#parts.write(this.#idsRead(message.id), message.mode));
      case 'addServer':
        return openNewConfig();
      case 'trustWorkspace':
        await vscode.commands.executeCommand('workbench.trust.manage');
        return;
      case 'showLog':
        return this.#parts.showLog();
      default:
        return message satisfies never;
    }
  }

  async #busy(work: () => Promise<void>): Promise<void> {
    this.#post({ kind: 'busy', text: panelMessages.working(vscode.l10n) });
    try {
      await work();
    } finally {
      this.#post({ kind: 'busy' });
    }
  }

  async #countExactly(id: string): Promise<void> {
    const text = await this.#parts.countExactly(id);
    if (text !== undefined) this.#post({ kind: 'failed', text });
  }

  async #setTools(id: string, included: readonly string[]): Promise<void> {
    const { model } = this.#parts;
    if (model.entry(id)?.state.kind === 'read') await model.setIncluded(id, included);
  }

  #idsToRead(id: string): readonly string[] {
    const { entries } = this.#parts.model;
    if (id !== ALL) return entries.some((entry) => entry.server.id === id) ? [id] : [];
    return entries.filter((entry) => isUsable(entry) && entry.state.kind !== 'read').map((entry) => entry.server.id);
  }

  #idsRead(id: string): readonly string[] {
    const read = this.#parts.model.entries.filter((entry) => entry.state.kind === 'read');
    return read
      .filter((entry) => (id === ALL ? isUsable(entry) : entry.server.id === id))
      .map(({ server }) => server.id);
  }

  #skill(id: string, mode: Mode): Skill | undefined {
    return this.#parts.model.forms(id)?.skills.find((skill) => skill.mode === mode);
  }

  async #openFile(id: string, mode: Mode, path: string): Promise<void> {
    const skill = this.#skill(id, mode);
    const file = skill?.files.find((one) => one.path === path);
    if (skill === undefined || file === undefined) return;
    const uri = this.#parts.documents.put(`${skill.name} (${mode})/${file.path}`, file.text);
    await vscode.window.showTextDocument(uri, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  /** Two forms of SKILL.md in VS Code's own diff: what an agent reads when the skill is activated. */
  async #compare(id: string, left: Mode, right: Mode): Promise<void> {
    const [before, after] = [left, right].map((mode) => this.#skill(id, mode));
    if (before === undefined || after === undefined) return;
    const put = (skill: Skill) => {
      const text = skill.files.find((file) => file.path === 'SKILL.md')?.text ?? '';
      return this.#parts.documents.put(`${skill.name} (${skill.mode})/SKILL.md`, text);
    };
    const title = panelMessages.diffTitle(vscode.l10n, shownText(before.name), left, right);
    await vscode.commands.executeCommand('vscode.diff', put(before), put(after), title);
  }
}

function sessionIn({ model, rounds }: Partial<SessionChoice>): Partial<SessionChoice> {
  return { ...(model === undefined ? {} : { model }), ...(rounds === undefined ? {} : { rounds }) };
}

/** A config file to fill in, unsaved: nothing is written before the person saves it. */
async function openNewConfig(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  const content = `${JSON.stringify({ mcpServers: { everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything'] } } }, undefined, 2)}\n`;
  if (folder === undefined) {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'json', content }));
    return;
  }
  const uri = vscode.Uri.joinPath(folder.uri, '.mcp.json').with({ scheme: 'untitled' });
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
  if (editor.document.getText() === '') await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), content));
}

function newNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
