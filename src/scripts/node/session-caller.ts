/** Calls tools through the daemon of a session, starting it when there is none. Loads no SDK: a warm call is quick. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Caller } from './caller.ts';
import type { CallOptions } from './connection.ts';
import { Fault, isFaultKind, oneLine } from './fault.ts';
import { asJsonObject, type JsonObject, own, ownString } from './json.ts';
import type { NamedServer, ServerDefinition } from './server-config.ts';
import { openSessionFolder, type SessionFiles, sessionFiles } from './session-place.ts';
import { converse, reach } from './session-wire.ts';

/** What a daemon is told on its standard input when it starts. Variables in the definition are unresolved. */
export interface SessionOrder {
  readonly name: string;
  readonly definition: ServerDefinition;
  readonly hash: string;
  readonly project: string;
  readonly config: string;
  readonly key: string;
  readonly idleSeconds: number;
}

export interface SessionWish {
  readonly name: string;
  readonly server: NamedServer;
  /** The server chosen with `--server`, part of the key. */
  readonly chosen: string | undefined;
  readonly project: string;
  readonly idleSeconds: number;
  /** Path of this script. */
  readonly script: string;
  readonly tell: (line: string) => void;
}

const ATTEMPTS = 100;
/** The daemon answers in the call's own time; this much later it is given up. */
const ANSWER_MARGIN_MS = 15_000;
const START_MS = 15_000;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** A fault as it came over the socket. */
function receivedFault(error: unknown): Fault {
  const kind = own(error, 'kind');
  const retryAfter = own(error, 'retryAfter');
  return new Fault(isFaultKind(kind) ? kind : 'protocol', ownString(error, 'message') ?? 'unknown failure', {
    remedy: ownString(error, 'remedy'),
    transient: own(error, 'transient') === true,
    retryAfter: typeof retryAfter === 'number' ? retryAfter : undefined,
  });
}

export class SessionCaller implements Caller {
  readonly #wish: SessionWish;
  readonly #files: SessionFiles;
  readonly #hash: string;

  constructor(wish: SessionWish) {
    this.#wish = wish;
    this.#files = sessionFiles(openSessionFolder(), wish.server.place, wish.chosen, wish.name);
    this.#hash = createHash('sha256').update(JSON.stringify(wish.server.definition)).digest('hex');
  }

  async call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { timeoutMs, schema } = options;
    const request = { op: 'call', tool, args, timeoutMs, schema: schema ?? null, hash: this.#hash };
    const tell = (line: string): void => this.#wish.tell(line);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const socket = await reach(this.#files);
      if (socket === undefined) {
        await this.#start();
        continue;
      }
      const answer = await converse(socket, request, timeoutMs + ANSWER_MARGIN_MS, tell);
      if (own(answer, 'stale') === true) {
        tell(`session ${this.#wish.name}: the configuration changed, the server is started again`);
        await pause(50);
        continue;
      }
      if (own(answer, 'ending') === true) {
        await pause(20);
        continue;
      }
      if (answer === undefined) {
        throw new Fault('crashed', 'the session ended during the call', {
          remedy: 'Call again: it will be started anew',
          transient: true,
        });
      }
      return this.#result(answer);
    }
    throw new Fault('crashed', 'the session cannot be started', { remedy: 'Run without --session to see why' });
  }

  async read(uri: string, options: CallOptions): Promise<JsonObject> {
    const { timeoutMs } = options;
    const socket = await reach(this.#files);
    const request = { op: 'read', uri, timeoutMs, hash: this.#hash };
    const tell = (line: string): void => this.#wish.tell(line);
    const answer =
      socket === undefined ? undefined : await converse(socket, request, timeoutMs + ANSWER_MARGIN_MS, tell);
    // What a new session's server would answer is not what the link of the old one meant.
    if (answer === undefined) throw new Fault('crashed', 'the session ended');
    return this.#result(answer);
  }

  /** The daemon has masked what it says already. */
  mask(text: string): string {
    return text;
  }

  async close(): Promise<void> {}

  kill(): void {}

  #result(answer: unknown): JsonObject {
    const notes = own(answer, 'notes');
    for (const note of Array.isArray(notes) ? notes : []) {
      this.#wish.tell(`session ${this.#wish.name}: ${oneLine(String(note), 500)}`);
    }
    const result = asJsonObject(own(answer, 'result'));
    if (own(answer, 'ok') !== true || result === undefined) throw receivedFault(own(answer, 'error'));
    return result;
  }

  /** Starts the daemon, detached, and waits until it listens. */
  async #start(): Promise<void> {
    const { name, server, project, idleSeconds, script } = this.#wish;
    const order: SessionOrder = {
      name,
      definition: server.definition,
      hash: this.#hash,
      project,
      config: server.place,
      key: this.#files.key,
      idleSeconds,
    };
    const daemon = spawn(process.execPath, [script, '--session-daemon'], {
      detached: true,
      windowsHide: true,
      cwd: dirname(this.#files.socket),
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    daemon.stdin.on('error', () => {});
    daemon.stdin.end(JSON.stringify(order));
    const word = await new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve(''), START_MS);
      let text = '';
      daemon.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        if (text.includes('\n')) resolve(text.trim());
      });
      daemon.stdout.on('end', () => resolve(text.trim()));
      daemon.on('error', (error) => resolve(error.message));
      daemon.stdout.on('close', () => clearTimeout(timer));
    });
    daemon.stdout.destroy();
    daemon.unref();
    if (word === 'held') await pause(50);
    else if (word !== 'ready') {
      throw new Fault('crashed', `the session cannot be started${word === '' ? '' : `: ${oneLine(word)}`}`, {
        remedy: 'Run without --session to see why',
      });
    }
  }
}
