/**
 * The one place where the extension's parts are built and bound to each other. Building them starts no process, opens
 * no socket and reads no file; the heavy ones are loaded when a part first needs them. The others are loaded and built
 * one after the other, each in a turn of its own, because other extensions wait for this thread while a window opens.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { nextTurn } from '#node/next-turn.ts';
import { createApprovals } from './approval.ts';
import { askForInput, askForKey, askToStart } from './consent.ts';
import { commandIds, settingIds } from './contributions.ts';
import { readWithProgress, withProgress } from './generate-command.ts';
import { createInputAnswers } from './input-answers.ts';
import { countFailure, failureSentence, messages, problemText, problemTitle, teachProblems } from './messages.ts';
import { createServersView } from './servers-view.ts';
import { readSettings } from './settings.ts';
import type { Turns } from './turns.ts';
import { VirtualDocuments } from './virtual-documents.ts';
import type { Workshop } from './workshop.ts';
import { createWorkspaceModel, type ModelPorts, type WorkspaceModel } from './workspace-model.ts';

const KEY_SECRET = 'mochi.anthropicKey';
/** Each is a message that VS Code writes at once. */
const COMMANDS_AT_ONCE = 12;

/** What is running: `stop` also waits for servers to end, as long as VS Code lets it. */
export interface Composition extends Disposable {
  stop(): Promise<void>;
}

/**
 * Builds everything; disposing of the result lets go of everything, the last built first. Where a part cannot be built,
 * nothing stays.
 */
export async function compose(context: vscode.ExtensionContext, turns: Turns): Promise<Composition> {
  const owned: Disposable[] = [];
  const dispose = (): void => {
    for (const part of owned.splice(0).reverse()) part.dispose();
  };
  try {
    return await composeInto(owned, dispose, context, turns);
  } catch (error) {
    dispose();
    throw error;
  }
}

async function composeInto(
  owned: Disposable[],
  dispose: () => void,
  context: vscode.ExtensionContext,
  turns: Turns,
): Promise<Composition> {
  const own = <T extends Disposable>(part: T): T => {
    owned.push(part);
    return part;
  };
  // Loading this file was a turn of its own.
  await nextTurn();
  const { name, version } = programOf(context);
  const log = own(vscode.window.createOutputChannel('Mochi', { log: true }));
  const documents = own(new VirtualDocuments());
  const approvals = createApprovals({
    memory: memoryIn(context.globalState, 'mochi.approvals'),
    ask: (server, definition) => askToStart(server, definition, documents, log),
  });
  const inputs = createInputAnswers({
    secrets: context.secrets,
    index: memoryIn(context.workspaceState, 'mochi.inputs'),
    workspace: workspaceName,
    ask: askForInput,
  });
  const home = process.env['HOME'] ?? process.env['USERPROFILE'] ?? '';
  let loading: Promise<Workshop> | undefined;
  const workshop = (): Promise<Workshop> => {
    loading ??= import('./workshop.ts').then(({ createWorkshop }) => {
      const made = createWorkshop({
        logger: log,
        approvals,
        env: process.env,
        platform: process.platform,
        home,
        cacheFolder: vscode.Uri.joinPath(context.globalStorageUri, 'catalogs').fsPath,
        scriptsFolder: context.asAbsolutePath('dist/scripts'),
        program: { name, version },
        folders,
        readsUserFiles: () => readSettings().userFiles,
        timeoutMs: () => readSettings().timeoutMs,
        runtime: () => readSettings().runtime,
        answer: inputs.answer,
        anthropic: () => anthropicOf(context.secrets),
        language: vscode.env.language,
      });
      teachProblems(made.sayProblem);
      return made;
    });
    return loading;
  };
  const model = own(createWorkspaceModel(portsOf(workshop, approvals, context, log)));
  const diagnostics = own(vscode.languages.createDiagnosticCollection('mochi-skills'));
  const parts = { model, documents, logger: log, diagnostics, workshop, folders };
  const forgetting = { approvals, inputs, forgetKey: () => context.secrets.delete(KEY_SECRET) };
  await turns.take(() => own(createServersView(model, (error) => log.error(textOf(error)))));
  const editing = await turns.take(() => import('./config-editing.ts'));
  await turns.take(() => own(editing.createConfigEditing(model)));
  const { createSkillsParts } = await turns.take(() => import('./skills-parts.ts'));
  const skills = await turns.take(() => own(createSkillsParts({ servers: model, log, home, workshop, folders })));
  const { createPreviewPanel } = await turns.take(() => import('./preview-panel.ts'));
  const panel = await turns.take(() =>
    own(
      createPreviewPanel({
        model,
        documents,
        toolTokenizer: 'o200k_base',
        words: { problemTitle, problemText, failure: (error) => failureSentence(error) },
        logger: log,
        root: context.extensionUri,
        memory: memoryIn(context.workspaceState, 'mochi.panel'),
        defaultMode: () => readSettings().mode,
        readTools: (ids) => readWithProgress(ids, model),
        countExactly: (id) => countExactly(id, model, context.secrets),
        write: async (ids, mode) =>
          void (await vscode.commands.executeCommand(commandIds.generateSkill, { ids, mode })),
        showLog: () => log.show(),
      }),
    ),
  );
  own(refreshOnChange(model, log, { files: editing.CONFIG_FILES, glob: editing.CONFIG_GLOB }));
  await turns.take(() => import('./mochi-messages.ts'));
  await turns.take(() => import('./mochi-ask.ts'));
  const { createMochiParts } = await turns.take(() => import('./mochi-parts.ts'));
  const mochi = await turns.take(() =>
    own(createMochiParts({ context, log, documents, program: { name, version }, folders })),
  );
  const { createGatewayParts } = await turns.take(() => import('./gateway-parts.ts'));
  const gateway = await turns.take(() =>
    own(
      createGatewayParts({
        log,
        documents,
        program: context.asAbsolutePath('dist/mochi-gateway.mjs'),
        version,
        desk: async () => (await workshop()).gateway,
      }),
    ),
  );
  await turns.take(() => import('#core/completion/suggestions.ts'));
  await turns.take(() => import('#core/completion/sight.ts'));
  const { createInlineCompletions } = await turns.take(() => import('./inline-completions.ts'));
  await turns.take(() => own(createInlineCompletions({ host: mochi.host, logger: log })));
  const { commandActions } = await turns.take(() => import('./command-actions.ts'));
  const actions = commandActions({
    ...parts,
    ...forgetting,
    openPanel: async (id) => panel.open(id),
    showLog: () => log.show(),
  });
  const all = [...actions, ...skills.actions, ...mochi.actions, ...gateway.actions];
  for (let from = 0; from < all.length; from += COMMANDS_AT_ONCE)
    await turns.take(() => {
      for (const [id, run] of all.slice(from, from + COMMANDS_AT_ONCE))
        own(
          vscode.commands.registerCommand(id, (...given: unknown[]) => reportingFailure(id, () => run(...given), log)),
        );
    });

  log.info(`Mochi ${version} is active`);
  return {
    dispose,
    async stop() {
      // Its counts are passed on before what holds them is let go.
      await mochi.stop();
      dispose();
      await (await loading)?.idle();
    },
  };
}

function programOf(context: vscode.ExtensionContext): { readonly name: string; readonly version: string } {
  const manifest: { readonly name?: unknown; readonly version?: unknown } = context.extension.packageJSON;
  return { name: String(manifest.name), version: String(manifest.version) };
}

function portsOf(
  workshop: () => Promise<Workshop>,
  approvals: ReturnType<typeof createApprovals>,
  context: vscode.ExtensionContext,
  logger: vscode.LogOutputChannel,
): ModelPorts {
  return {
    logger,
    folders,
    isTrusted: () => vscode.workspace.isTrusted,
    discover: async () => (await workshop()).discover(),
    definitionHash: async (server) => (await workshop()).definitionHash(server),
    skillNames: async (names) => (await workshop()).skillNames(names),
    recorded: async (server) => (await workshop()).recorded(server),
    wasApproved: async (server) => approvals.looksApproved(server, await (await workshop()).definitionHash(server)),
    list: async (server, signal) => (await workshop()).list(server, signal),
    makeForms: async (request, signal) => (await workshop()).makeForms(request, signal),
    basis: () => readSettings().runtime,
    measureTools: async (whole, signal) => (await workshop()).measureTools(whole, signal),
    hash: async (value) => (await workshop()).hash(value),
    plan: async (skill, root, within, force) => (await workshop()).plan(skill, root, within, force),
    apply: async (plan, within, signal) => (await workshop()).apply(plan, within, signal),
    exists: (path) =>
      Promise.resolve(vscode.workspace.fs.stat(vscode.Uri.file(path))).then(
        () => true,
        () => false,
      ),
    memory: {
      get: (key) => context.workspaceState.get(`mochi.${key}`),
      set: (key, value) => context.workspaceState.update(`mochi.${key}`, value),
    },
  };
}

function memoryIn(memento: vscode.Memento, key: string) {
  return { get: (): unknown => memento.get(key), set: (value: unknown) => memento.update(key, value) };
}

/** The folders on a disk; others cannot be read by a server. */
function folders(): readonly string[] {
  const all = vscode.workspace.workspaceFolders ?? [];
  return all.flatMap(({ uri }) => (uri.scheme === 'file' ? [uri.fsPath] : []));
}

function workspaceName(): string {
  return vscode.workspace.workspaceFile?.toString() ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? '';
}

/** The key is asked for once and never leaves the secret storage but for Anthropic. */
async function anthropicOf(
  secrets: vscode.SecretStorage,
): Promise<{ readonly apiKey: string; readonly model: string }> {
  const model = readSettings().claudeModel;
  const known = await secrets.get(KEY_SECRET);
  if (known !== undefined) return { apiKey: known, model };
  const apiKey = await askForKey(model);
  if (apiKey === undefined) throw new OperationError('consent-needed', 'No Anthropic key was given.');
  await secrets.store(KEY_SECRET, apiKey);
  return { apiKey, model };
}

/** A key that Anthropic refuses is forgotten, so that another is asked for. Gives why there is no count. */
async function countExactly(
  id: string,
  model: WorkspaceModel,
  secrets: vscode.SecretStorage,
): Promise<string | undefined> {
  let ended: AbortSignal | undefined;
  try {
    await withProgress(messages.counting(), (_progress, signal) => {
      ended = signal;
      return model.countExactly(id, signal);
    });
    return undefined;
  } catch (error) {
    if (ended?.aborted === true || OperationError.is(error, 'consent-needed')) return undefined;
    if (OperationError.is(error, 'auth-needed')) await secrets.delete(KEY_SECRET);
    if (OperationError.is(error)) return countFailure(error, readSettings().claudeModel);
    throw error;
  }
}

/** Once something was read, changes of config files, folders, trust and settings are followed. */
function refreshOnChange(
  model: WorkspaceModel,
  log: vscode.LogOutputChannel,
  configs: { readonly files: vscode.DocumentSelector; readonly glob: string },
): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    if (!model.isLoaded) return;
    clearTimeout(timer);
    // Editors write a file in several steps.
    timer = setTimeout(() => {
      model.refresh().catch((error: unknown) => log.error(textOf(error)));
    }, 150);
  };
  let watchers: Disposable[] = [];
  const watch = (): void => {
    for (const watcher of watchers) watcher.dispose();
    watchers = (vscode.workspace.workspaceFolders ?? []).flatMap((folder) => {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, configs.glob));
      return [watcher.onDidChange(later), watcher.onDidCreate(later), watcher.onDidDelete(later), watcher];
    });
  };
  const loaded = model.onDidChange(() => {
    loaded.dispose();
    watch();
  });
  const listening = [
    loaded,
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      if (model.isLoaded) watch();
      later();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(later),
    // A watcher takes a while to start, and none looks at the home folder.
    vscode.workspace.onDidSaveTextDocument((document) => {
      if (vscode.languages.match(configs.files, document) > 0) later();
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if ([settingIds.userFiles, settingIds.runtime].some((id) => event.affectsConfiguration(id))) later();
    }),
  ];
  return {
    dispose() {
      clearTimeout(timer);
      for (const part of [...listening, ...watchers]) part.dispose();
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Runs a command. A failure goes to the log in full, and to the person as one sentence that leads there. */
async function reportingFailure(id: string, run: () => unknown, log: vscode.LogOutputChannel): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    log.error(`${id}: ${textOf(error)}`);
    const choice = await vscode.window.showErrorMessage(messages.commandFailed(id), messages.showLog());
    if (choice !== undefined) log.show();
    return undefined;
  }
}
