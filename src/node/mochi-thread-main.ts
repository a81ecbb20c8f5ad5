/**
 * The program of the thread that runs Mochi for an extension host, the bundle `dist/mochi-thread.cjs`: starts its
 * processes, speaks their protocol and checks what they answer. Starting a process holds up who does it for
 * milliseconds, and here nobody types.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { addAcceptance, readAcceptance, total } from './acceptance-counts.ts';
import { openStdioLink, type StdioLink } from './connect-stdio.ts';
import { createFiles } from './files.ts';
import { acceptanceFolder, indexFile } from './learned-place.ts';
import { createManagedProcess, type ManagedProcess, type ProcessState } from './managed-process.ts';
import { greetMochi, type MochiClient } from './mochi-client.ts';
import { createLogReplay } from './mochi-log.ts';
import {
  type Call,
  type FromThread,
  type Greeted,
  type Line,
  type LogLevel,
  type StartWords,
  sentError,
  type ThreadSetup,
  type ToThread,
} from './mochi-thread-messages.ts';
import { isOnBattery } from './power.ts';

const port = parentPort;
if (port === null) throw new Error('This is the program of a thread.');

const setup: ThreadSetup = workerData;
const { env, platform, home } = setup;
const around = { env, platform, home };
const files = createFiles();
const say = (message: FromThread): void => port.postMessage(message);

/** The one way to give a key: what is on a command line can be read by every other process. */
const MODEL_KEY_VARIABLE = 'MOCHI_MODEL_KEY';
/** Besides what every server inherits: an authority of the person's own, for a model server. */
const PASSED_ON = ['NODE_EXTRA_CA_CERTS'];

const logged =
  (level: LogLevel) =>
  (message: string): void =>
    say({ kind: 'log', level, message });
const logger: Logger = {
  trace: logged('trace'),
  debug: logged('debug'),
  info: logged('info'),
  warn: logged('warn'),
  error: logged('error'),
};

/** A folder's process, and the greeted one of it that calls go to. */
interface Running {
  readonly process: ManagedProcess<MochiClient>;
  /** The last turn that the host wanted something. */
  turn: number;
  line: Line | undefined;
  client: MochiClient | undefined;
}

const running = new Map<string, Running>();
const calls = new Map<number, AbortController>();
const wordsWanted = new Map<number, (words: StartWords) => void>();
let [connections, asks] = [0, 0];

function of(folder: string): Running {
  const known = running.get(folder);
  if (known !== undefined) return known;
  const process = createManagedProcess({
    name: 'Mochi',
    logger,
    spawn: () => spawn(folder),
    greet: (link, signal) => greetMochi(link, { clientInfo: setup.clientInfo }, signal),
  });
  const one: Running = { process, turn: 0, line: undefined, client: undefined };
  process.onDidChange((state) => say({ kind: 'state', folder, turn: one.turn, state: follow(folder, one, state) }));
  running.set(folder, one);
  return one;
}

/** Starts the process and tells the host its number, so that it can end it where this thread cannot any more. */
async function spawn(folder: string): Promise<StdioLink> {
  const { words, key } = await startWords();
  const link = await openStdioLink({
    server: 'Mochi',
    endpoint: {
      kind: 'stdio',
      command: setup.runtime,
      args: [setup.program, `--workspace=${folder}`, ...words],
      env: {
        ...Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
        ...(key === undefined ? {} : { [MODEL_KEY_VARIABLE]: key }),
        ELECTRON_RUN_AS_NODE: '1',
      },
    },
    env,
    cwd: folder,
    platform,
    onErrorOutput: createLogReplay(logger, 'Mochi'),
  });
  const { pid } = link;
  say({ kind: 'spawned', pid });
  return { ...link, close: () => link.close().finally(() => say({ kind: 'gone', pid })) };
}

function startWords(): Promise<StartWords> {
  asks += 1;
  const id = asks;
  return new Promise((resolve) => {
    wordsWanted.set(id, resolve);
    say({ kind: 'needs-words', id });
  });
}

/** Gives a greeted process its number, and passes on what it tells unasked. */
function follow(folder: string, one: Running, state: ProcessState<MochiClient>): ProcessState<Greeted> {
  if (state.kind !== 'ready') {
    one.line = undefined;
    one.client = undefined;
    return state;
  }
  connections += 1;
  const line = { folder, connection: connections };
  const client = state.connection;
  one.line = line;
  one.client = client;
  client.onDidChangeResources(() => say({ kind: 'resources', line }));
  client.onDidProgress((learning) => say({ kind: 'progress', line, learning }));
  return { ...state, connection: { connection: connections, version: client.version } };
}

/** Throws OperationError `crashed` where that process is gone, also where another took its place. */
function clientOf({ folder, connection }: Line): MochiClient {
  const { line, client } = of(folder);
  if (client === undefined || line?.connection !== connection) throw new OperationError('crashed', 'Mochi ended.');
  return client;
}

async function answerTo(call: Call, signal: AbortSignal): Promise<unknown> {
  switch (call.what) {
    case 'isLearned':
      return (await files.stat(indexFile(call.given.folder, around)).catch(() => undefined))?.kind === 'file';
    case 'isOnBattery':
      return isOnBattery(platform);
    case 'acceptance':
      return total(readAcceptance(acceptanceFolder(call.given.folder, around)));
    case 'addAcceptance':
      return total(await addAcceptance(acceptanceFolder(call.given.folder, around), call.given.more));
    case 'stop':
      return wanted(call.given).stop();
    case 'restart':
      return wanted(call.given).restart();
    case 'complete':
      return clientOf(call.given).complete(call.given.request, signal);
    case 'ask':
      return clientOf(call.given).ask(call.given.request, signal);
    case 'suggest':
      return clientOf(call.given).suggest(call.given.request, signal);
    case 'call':
      return clientOf(call.given).call(call.given.tool, call.given.args, signal);
    case 'readStats':
      return clientOf(call.given).readStats(signal);
    default:
      return call satisfies never;
  }
}

function wanted({ folder, turn }: { readonly folder: string; readonly turn: number }): ManagedProcess<MochiClient> {
  const one = of(folder);
  one.turn = turn;
  return one.process;
}

async function answer(id: number, call: Call): Promise<void> {
  const stop = new AbortController();
  calls.set(id, stop);
  try {
    const value = await answerTo(call, stop.signal);
    if (!stop.signal.aborted) say({ kind: 'answer', id, value });
  } catch (error) {
    if (!stop.signal.aborted) say({ kind: 'failed', id, error: sentError(error) });
  } finally {
    calls.delete(id);
  }
}

port.on('message', (message: ToThread) => {
  switch (message.kind) {
    case 'call':
      return void answer(message.id, message.call);
    case 'cancel':
      return calls.get(message.id)?.abort(new Error('cancelled'));
    case 'start':
      return wanted(message).start();
    case 'changed':
      return running.get(message.line.folder)?.line?.connection === message.line.connection
        ? running.get(message.line.folder)?.client?.filesChanged(message.paths)
        : undefined;
    case 'words':
      wordsWanted.get(message.id)?.(message.words);
      wordsWanted.delete(message.id);
      return undefined;
    case 'end':
      return port.close();
    default:
      return message satisfies never;
  }
});
