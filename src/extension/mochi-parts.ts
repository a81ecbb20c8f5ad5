/**
 * Everything of Mochi in the editor, built and bound together: the host of its process, the status, the commands, the
 * tools for chat and the definition for other clients. Building it starts nothing; the heavy half is loaded on first need.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import type { Counts } from '#node/acceptance-counts.ts';
import { systemClock } from '#node/managed-process.ts';
import { nextTurn } from '#node/next-turn.ts';
import { type Action, trusted } from './command-actions.ts';
import type { Companion } from './companion.ts';
import { type CommandId, commandIds, settingIds } from './contributions.ts';
import { askDomain, learnWorkspace, suggestPattern } from './mochi-ask.ts';
import { addToClaudeCode, registerDefinitions } from './mochi-definitions.ts';
import { createMochiHost, type DocumentPlace, type FullHost } from './mochi-host.ts';
import { mochiMessages as messages } from './mochi-messages.ts';
import { createPause } from './mochi-pause.ts';
import {
  isCompletionEnabled,
  type LearningSettings,
  readLearningSettings,
  readModelUrl,
  readServerWords,
} from './mochi-settings.ts';
import { createStatusItem, showStatusMenu, toggleLanguage } from './mochi-status.ts';
import { registerTools } from './mochi-tools.ts';
import { createWitness, type Witness } from './mochi-witness.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

export interface MochiPartsOptions {
  readonly context: vscode.ExtensionContext;
  readonly log: vscode.LogOutputChannel;
  readonly documents: VirtualDocuments;
  readonly program: { readonly name: string; readonly version: string };
  /** The folders on a disk. */
  folders(): readonly string[];
}

export interface MochiParts extends Disposable {
  readonly host: FullHost;
  readonly actions: ReadonlyMap<CommandId, Action>;
  /** Resolves when no process of Mochi runs any more and the counts are kept. */
  stop(): Promise<void>;
}

const MODEL_KEY = 'mochi.modelKey';
/** Milliseconds that a restart is waited for. */
const START_MS = 60_000;
/** Minutes of a snooze whose length nobody gave. */
const SNOOZE = 10;

export function createMochiParts(options: MochiPartsOptions): MochiParts {
  const { context, log, documents, program, folders } = options;
  const owned: Disposable[] = [];
  const own = <T extends Disposable>(part: T): T => {
    owned.push(part);
    return part;
  };
  const modelKey = async (): Promise<string | undefined> =>
    readModelUrl() === '' ? undefined : context.secrets.get(MODEL_KEY);
  const server = {
    path: context.asAbsolutePath('dist/mochi.mjs'),
    version: program.version,
    words: readServerWords,
    modelKey,
  };
  const around = {
    env: process.env,
    platform: process.platform,
    home: process.env['HOME'] ?? process.env['USERPROFILE'] ?? '',
  };
  const load = async (): Promise<Companion> => {
    // Whoever types is answered before it is loaded, and others are before it is used.
    await nextTurn();
    const { createCompanion } = await import('./companion.ts');
    await nextTurn();
    const made = createCompanion({
      logger: log,
      ...around,
      runtime: process.execPath,
      program: server.path,
      thread: context.asAbsolutePath('dist/mochi-thread.cjs'),
      clientInfo: program,
      words: readServerWords,
      modelKey,
    });
    made.begin();
    await nextTurn();
    return made;
  };
  let loading: Promise<Companion> | undefined;
  const companion = (): Promise<Companion> => {
    loading ??= load();
    return loading;
  };
  const endThread = async (): Promise<void> => (await loading?.catch(() => undefined))?.end();
  const settings = keptSettings();
  const counts = new Map<string, Counts>();
  const witness: Witness = own(
    createWitness({
      clock: systemClock,
      logger: log,
      folder: () => host.lastFolder,
      async add(folder, happened) {
        counts.set(folder, await (await companion()).addAcceptance(folder, happened));
      },
    }),
  );
  const pause = own(
    createPause({
      memory: memoryIn(context, 'mochi.pause'),
      clock: systemClock,
      today: Date.now,
      onDidChange: () => host.refresh(),
    }),
  );
  const host: FullHost = createMochiHost({
    logger: log,
    isTrusted: () => vscode.workspace.isTrusted,
    isEnabled: settings.isEnabled,
    placeOf,
    companion,
    witness,
    pause: pause.current,
    learning: learningPorts(context, companion, settings.learning, (folder) => void host.learn(folder)),
  });
  /** What was counted before this window opened is read when the heavy half is there anyway. */
  const acceptance = (folder: string): Counts | undefined => {
    if (counts.has(folder) || loading === undefined) return counts.get(folder);
    void loading
      .then((loaded) => loaded.acceptance(folder))
      .then(
        (kept) => counts.set(folder, counts.get(folder) ?? kept),
        (error: unknown) => log.debug(`no counts: ${error instanceof Error ? error.message : typeof error}`),
      );
    return undefined;
  };
  own(createStatusItem({ host, witness, acceptance }));
  for (const part of [
    ...registerDefinitions(server, folders),
    ...registerTools(host, () => openFolder() ?? folders()[0]),
    ...followTheEditor(host, folders, settings.forget),
    context.secrets.onDidChange(({ key }) => {
      if (key === MODEL_KEY) void host.restart('running');
    }),
  ])
    own(part);
  const asking = { host, documents, logger: log, showLog: () => log.show() };
  return {
    host,
    actions: new Map<CommandId, Action>([
      [commandIds.askDomain, trusted((given) => askDomain(asking, given))],
      [commandIds.suggestPattern, trusted((given) => suggestPattern(asking, given))],
      [commandIds.learnWorkspace, trusted(() => learnWorkspace(asking))],
      [commandIds.restartServer, trusted(() => restart(host, openFolder() ?? folders()[0]))],
      [commandIds.setModelKey, () => askForModelKey(context.secrets)],
      [commandIds.fetchModel, trusted(async () => (await import('./model-fetch.ts')).fetchModel(around))],
      [commandIds.addToClaudeCode, trusted(() => addToClaudeCode(server, documents))],
      [commandIds.pauseCompletions, () => pause.begin().then(() => host.rest())],
      [commandIds.resumeCompletions, () => resume(pause.end)],
      [commandIds.snoozeCompletions, (given) => pause.begin(typeof given === 'number' ? given : SNOOZE)],
      [commandIds.toggleLanguage, () => toggleLanguage()],
      [commandIds.showStatus, () => showStatusMenu(host)],
    ]),
    dispose() {
      void host.stop();
      void endThread();
      for (const part of owned.splice(0).reverse()) part.dispose();
    },
    async stop() {
      await Promise.all([host.stop(), witness.flush()]);
      await endThread();
    },
  };
}

/** Settings that are asked for at every key and every word of progress: reading one takes VS Code up to a millisecond. */
function keptSettings() {
  let isEnabled: boolean | undefined;
  let learning: LearningSettings | undefined;
  return {
    isEnabled(): boolean {
      isEnabled ??= isCompletionEnabled();
      return isEnabled;
    },
    learning(): LearningSettings {
      learning ??= readLearningSettings();
      return learning;
    },
    forget(): void {
      isEnabled = undefined;
      learning = undefined;
    },
  };
}

function memoryIn({ workspaceState }: vscode.ExtensionContext, key: string) {
  return { get: (): unknown => workspaceState.get(key), set: (value: unknown) => workspaceState.update(key, value) };
}

function placeOf({ uri }: vscode.TextDocument): DocumentPlace | undefined {
  return placeIn(uri);
}

function placeIn(uri: vscode.Uri): DocumentPlace | undefined {
  const folder = uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
  if (folder === undefined) return undefined;
  const path = vscode.workspace.asRelativePath(uri, false).replaceAll('\\', '/');
  return { folder: folder.uri.fsPath, path };
}

function openFolder(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document === undefined ? undefined : placeOf(document)?.folder;
}

/** Where nothing runs yet, the folder of the open file is meant. */
async function restart(host: FullHost, folder: string | undefined): Promise<void> {
  if (host.folders.length > 0) await host.restart();
  else if (folder !== undefined) await host.client(folder, AbortSignal.timeout(START_MS));
}

async function resume(end: () => Promise<void>): Promise<void> {
  await end();
  if (isCompletionEnabled()) return;
  await vscode.workspace
    .getConfiguration()
    .update(settingIds.completionsEnabled, true, vscode.ConfigurationTarget.Global);
}

/** The setting is the machine's, so no workspace decides where the key goes. */
async function askForModelKey(secrets: vscode.SecretStorage): Promise<void> {
  const url = readModelUrl();
  if (url === '') {
    const settings = messages.settings();
    if ((await vscode.window.showInformationMessage(messages.noServer(), settings)) === settings)
      await vscode.commands.executeCommand('workbench.action.openSettings', settingIds.modelUrl);
    return;
  }
  const box = { title: messages.keyTitle(), prompt: messages.keyPrompt(url), password: true, ignoreFocusOut: true };
  const key = (await vscode.window.showInputBox(box))?.trim();
  if (key === undefined) return;
  await (key === '' ? secrets.delete(MODEL_KEY) : secrets.store(MODEL_KEY, key));
}

/** A folder that was agreed to stays so for this workspace; the question is asked once. */
function learningPorts(
  context: vscode.ExtensionContext,
  companion: () => Promise<Companion>,
  settings: () => LearningSettings,
  learn: (folder: string) => void,
) {
  const [agreed, asked] = [memoryIn(context, 'mochi.learningAgreed'), memoryIn(context, 'mochi.learningAsked')];
  const has = (memory: typeof agreed, folder: string): boolean => listIn(memory.get()).includes(folder);
  const add = (memory: typeof agreed, folder: string): void => {
    if (!has(memory, folder)) void memory.set([...listIn(memory.get()), folder]);
  };
  return {
    now: systemClock.now,
    after: systemClock.after,
    async waitsFor(folder: string) {
      const { isLearned, isOnBattery, isTooWide } = await companion();
      if (isTooWide(folder)) return 'large' as const;
      if (settings().onBattery || (await isOnBattery()) !== true) return undefined;
      return (await isLearned(folder)) ? undefined : ('battery' as const);
    },
    isLarge: (files: number) => files > settings().askAboveFiles,
    hasAgreed: (folder: string) => has(agreed, folder),
    agree: (folder: string) => add(agreed, folder),
    onLarge(folder: string, files?: number) {
      if (has(asked, folder)) return;
      add(asked, folder);
      const name = folder.split(/[/\\]/).at(-1) ?? folder;
      const text = files === undefined ? messages.wide(name) : messages.large(name, files);
      const yes = messages.learn();
      void vscode.window.showInformationMessage(text, yes, messages.notNow()).then((choice) => {
        if (choice === yes) learn(folder);
      });
    },
  };
}

function listIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** Trust, settings and folders, as they change. */
function followTheEditor(
  host: FullHost,
  folders: () => readonly string[],
  forgetSettings: () => void,
): readonly Disposable[] {
  const changed = (uris: readonly vscode.Uri[]): void => {
    for (const uri of uris) {
      const place = placeIn(uri);
      if (place !== undefined) host.changed(place);
    }
  };
  return [
    vscode.workspace.onDidSaveTextDocument(({ uri }) => changed([uri])),
    vscode.workspace.onDidCreateFiles(({ files }) => changed(files)),
    vscode.workspace.onDidDeleteFiles(({ files }) => changed(files)),
    vscode.workspace.onDidRenameFiles(({ files }) => changed(files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]))),
    vscode.workspace.onDidGrantWorkspaceTrust(() => host.refresh()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => host.retain(folders())),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('mochi')) forgetSettings();
      if (event.affectsConfiguration('mochi.completions')) host.refresh();
      // What it is told at its start is another.
      if (event.affectsConfiguration('mochi.server')) void host.restart('running');
    }),
  ];
}
