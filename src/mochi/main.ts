/**
 * The program `dist/mochi.mjs`: from argv and environment to a running server, and to its end. The only file that
 * touches the process; it is spawned, never imported.
 */
import { fstatSync } from 'node:fs';
import { homedir } from 'node:os';
import process from 'node:process';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { readAcceptance } from '#node/acceptance-counts.ts';
import { createFiles } from '#node/files.ts';
import { acceptanceFolder, indexFile, isTooWide } from '#node/learned-place.ts';
import { TOKEN_VARIABLE } from '#protocol/mochi.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Adapter } from './adapter.ts';
import { type Background, createBackground } from './background.ts';
import type { ContextSource } from './context/source.ts';
import { withContext } from './context/with-context.ts';
import type { ModelEngine } from './engine/model-engine.ts';
import { withModel } from './engine/policy-adapter.ts';
import { watchFolders } from './folder-watch.ts';
import { isLoopback } from './http/guard.ts';
import { ThreadedWorkspace } from './learn/threaded-workspace.ts';
import { createMemoryGuard } from './limits.ts';
import { createLog, type LogLevel } from './log.ts';
import { createModelEngine, tellStates } from './model-engines.ts';
import { MODEL_VARIABLES } from './model-options.ts';
import { parseOptions, type ServeOptions } from './options.ts';
import { reserveOutput, type Serving, serve } from './serve.ts';
import { createMochi } from './server.ts';
import { createSkillShelf, type SkillShelf } from './skill-shelf.ts';
import { watchSkills } from './skill-watch.ts';

const EXIT = { ok: 0, attention: 1, usage: 2, failed: 3, cancelled: 130 } as const;
/** Milliseconds the end may take before it is forced. */
const END_MS = 5_000;
/** Milliseconds that the learning thread may take to say which folders it learned. */
const FOLDERS_MS = 10_000;

let level: LogLevel = 'info';
const log = () => createLog((line) => process.stderr.write(line), level);
const output = reserveOutput(process.stdout, log);

/** Whoever holds the other end of a pipe started us; a terminal, a file or /dev/null says nothing by its end. */
function endsWithInput(): boolean {
  try {
    const input = fstatSync(0);
    return input.isFIFO() || input.isSocket();
  } catch {
    return false;
  }
}

/** `learn` learns the folder and ends, `dataset` makes data of it and ends; anything else is the words of a server. */
async function run(): Promise<number> {
  const { env, argv } = process;
  const [first, ...others] = argv.slice(2);
  if (argv.slice(2).some((word) => word === '--help' || word === '-h')) {
    process.stderr.write('This is the server of Mochi. See "mochi serve --help".\n');
    return EXIT.ok;
  }
  if (first === 'dataset') return datasetOnce(others);
  const isLearning = first === 'learn';
  const files = createFiles();
  const options = await parseOptions(isLearning ? others : argv.slice(2), { env, cwd: process.cwd(), files });
  if (options.isChosen && (await files.stat(options.workspace))?.kind !== 'folder')
    throw new OperationError('usage', `There is no folder ${options.workspace}.`, { remedy: 'Name one that exists.' });
  // Nothing that is started from here, and no report of a crash, gets to see it.
  delete env[TOKEN_VARIABLE];
  delete env[MODEL_VARIABLES.key];
  level = options.logLevel;
  const logger = log();
  const home = homedir();
  const around = { env, platform: process.platform, home };
  const model = isLearning ? undefined : createModelEngine(options, around, logger);
  const memory = createMemoryGuard(options.memoryLimit, () => process.memoryUsage.rss() + (model?.memoryBytes ?? 0));
  const store = indexFile(options.workspace, around);
  let announce = (_message: string): void => {};
  const workspace = new ThreadedWorkspace({ root: options.workspace, store });
  const kiri = isLearning ? undefined : await kiriFor(options, env, logger);
  const background = createBackground({
    learner: workspace,
    engine: kiri === undefined ? undefined : withContext(workspace.engine, kiri),
    memory,
    // The file, and the arrays and words made of it.
    needed: async () => 3 * ((await files.stat(store))?.size ?? 0),
    logger,
    announce: (message) => announce(message),
  });
  if (isLearning) return learnOnce(background, store);

  const adapter = adapterFor(background, options, model);
  const skills = skillsFor(options, home, logger);
  const mochi = createMochi({
    adapter,
    memory,
    logger,
    skills,
    version: manifest.version,
    acceptance: () => readAcceptance(acceptanceFolder(options.workspace, around)),
  });
  announce = mochi.announce;
  const say = (message: string): void => {
    logger.info(message);
    mochi.announce(message);
  };
  const complain = (message: string): void => {
    logger.error(message);
    mochi.announce(message);
  };
  const alone = options.models.engine === 'auto' ? 'the embedded engine' : undefined;
  const telling = model === undefined ? undefined : tellStates(model, { say, complain }, alone);
  const serving = await serve(mochi, options, { input: process.stdin, output }, logger);
  const learned = adapter.onDidLearn(() => serving.resourcesChanged());
  const watching = watchFolders({
    root: options.workspace,
    folders: () => workspace.folders(AbortSignal.timeout(FOLDERS_MS)),
    isBusy: () => background.adapter.isBusy === true,
    onChange: (paths) => background.adapter.refresh?.(paths),
  });
  if (!isTooWide(options.workspace, home)) background.adapter.onDidLearn(() => void watching.update());
  skills.onDidChange(() => serving.toolsChanged());
  // What is wrong is told by its state.
  model?.load().catch(() => undefined);
  if (options.isChosen || !isTooWide(options.workspace, home)) void background.start();
  else
    logger.warn(
      `Nothing is learned of ${options.workspace}: it holds more than one project. Name the folder of one project with --workspace.`,
    );
  await Promise.race([serving.ended, ...endings(options.transport)]);
  logger.info('ending');
  learned.dispose();
  watching.dispose();
  skills.dispose();
  telling?.dispose();
  model?.dispose();
  await Promise.all([background.close(), kiri?.close(), closed(serving)]);
  return EXIT.ok;
}

/** What was learned, with the model that is wanted beside it or in its place. */
function adapterFor(
  { adapter }: Background,
  { models: { engine } }: ServeOptions,
  model: ModelEngine | undefined,
): Adapter {
  return model === undefined ? adapter : withModel(adapter, model, engine === 'auto' ? 'auto' : 'model');
}

/** Only the person who starts Mochi can name a command; no file of the workspace is asked. Loaded where it is used. */
async function kiriFor(
  { kiri: words, workspace: root }: ServeOptions,
  env: NodeJS.ProcessEnv,
  logger: Logger,
): Promise<ContextSource | undefined> {
  if (words === undefined) return undefined;
  const { createKiri } = await import('./context/kiri.ts');
  return createKiri({ words, root, env, logger, version: manifest.version, files: createFiles({ confineTo: [root] }) });
}

/** To other machines the places on this one mean nothing, so that paths start at the workspace. */
function skillsFor(options: ServeOptions, home: string, logger: Logger): SkillShelf {
  const { workspace, isChosen, user, host } = options;
  return createSkillShelf({
    places: { folders: isChosen || !isTooWide(workspace, home) ? [workspace] : [], home: user ? home : undefined },
    confined: (within) => createFiles({ confineTo: [within] }),
    logger,
    watch: watchSkills,
    ...(isLoopback(host) ? {} : { folderOf: ({ root, folderName }) => `${root.display}/${folderName}` }),
  });
}

/** Loaded where it is used: no server makes data. */
async function datasetOnce(words: readonly string[]): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => stop.abort(new Error('ended')));
  const { runDataset } = await import('./dataset/command.ts');
  try {
    await runDataset(words, { cwd: process.cwd(), logger: log(), signal: stop.signal });
    return EXIT.ok;
  } catch (error) {
    if (stop.signal.aborted) return EXIT.cancelled;
    if (!OperationError.is(error, 'conflict')) throw error;
    log().error(`${error.message}${error.remedy === undefined ? '' : ` ${error.remedy}`}`);
    return EXIT.attention;
  }
}

async function learnOnce(background: Background, store: string): Promise<number> {
  let isCancelled = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      isCancelled = true;
      background.dispose();
    });
  await background.start();
  const { knowledge, refusal } = background.adapter;
  const isEmpty = knowledge?.stats.files === 0;
  // What stopped on the way has counted only what was there before.
  const stats = refusal === undefined || isEmpty ? knowledge?.stats : undefined;
  await background.close();
  // One line for whoever started this.
  if (stats !== undefined) {
    const line = `${JSON.stringify({ ...stats, leftOut: Object.fromEntries(stats.leftOut) })}\n`;
    await new Promise<void>((done) => output.write(line, () => done()));
  }
  if (isCancelled) return EXIT.cancelled;
  if (isEmpty) return EXIT.attention;
  if (refusal !== undefined) return EXIT.failed;
  if (!background.isKept)
    throw new OperationError('io', `What was learned could not be kept in ${store}.`, {
      remedy: 'Make room and see that it can be written there, then learn again.',
    });
  return EXIT.ok;
}

/** What ends a server besides its client: a signal, or the end of the input of whoever started it. */
function endings(transport: 'stdio' | 'http'): readonly Promise<unknown>[] {
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map(
    (signal) => new Promise((resolve) => process.once(signal, resolve)),
  );
  if (transport === 'stdio' || !endsWithInput()) return signals;
  const input = new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve).once('error', resolve).resume();
  });
  return [...signals, input];
}

async function closed(serving: Serving): Promise<void> {
  setTimeout(() => process.exit(EXIT.failed), END_MS).unref();
  await serving.close();
}

/** Where an error came from, without its message, which may quote what was read. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /\n\s+at (?!.*\bnode:)(.*)/.exec(error.stack ?? '')?.[1] : undefined;
  return `${error instanceof Error ? error.name : 'unknown'}${frame === undefined ? '' : ` at ${frame}`}`;
}

process.on('uncaughtException', (error) => {
  log().error(`ended by an error: ${placeOf(error)}`);
  process.exit(EXIT.failed);
});

run().then(
  (code) => process.exit(code),
  (error: unknown) => {
    if (!OperationError.is(error)) throw error;
    log().error(`${error.message}${error.remedy === undefined ? '' : ` ${error.remedy}`}`);
    process.exit(error.kind === 'usage' ? EXIT.usage : EXIT.failed);
  },
);
