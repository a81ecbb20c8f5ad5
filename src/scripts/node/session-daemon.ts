/**
 * The hidden program behind `--session`: holds one connection to the server, serves one call after another on a
 * user-only socket, ends itself and the server when nobody calls. Secrets live in its memory only.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, closeSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { DirectCaller } from './caller.ts';
import { Fault, faultData, toFault } from './fault.ts';
import { asJsonObject, isObject, own, ownString, parseJson, writeJson } from './json.ts';
import type { ServerDefinition } from './server-config.ts';
import type { SessionOrder } from './session-caller.ts';
import { filesOf, isAlive, type SessionFacts, type SessionFiles } from './session-place.ts';
import { onLines } from './session-wire.ts';

/** Parse wall: the order comes from this same script, over a pipe that only its parent holds. */
function isOrder(value: unknown): value is SessionOrder {
  return isObject(value) && isDefinition(value['definition']) && typeof value['key'] === 'string';
}
function isDefinition(value: unknown): value is ServerDefinition {
  return own(value, 'kind') === 'stdio' || own(value, 'kind') === 'http';
}

/** Takes the lock of a session; false where a living daemon holds it. */
export function takeLock(path: string, pid: number): boolean {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    try {
      const descriptor = openSync(path, 'wx', 0o600);
      writeSync(descriptor, String(pid));
      closeSync(descriptor);
      return readFileSync(path, 'utf8') === String(pid);
    } catch {
      let holder: number;
      try {
        holder = Number(readFileSync(path, 'utf8'));
      } catch {
        continue;
      }
      // An empty lock is one being written right now.
      if (holder === 0 || Number.isNaN(holder)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
      else if (isAlive(holder)) return false;
      else rmSync(path, { force: true });
    }
  }
  return false;
}

class Daemon {
  readonly #order: SessionOrder;
  readonly #files: SessionFiles;
  readonly #token = process.platform === 'win32' ? randomBytes(24).toString('hex') : undefined;
  readonly #server: Server;
  readonly #closed: Promise<void>;
  #finish: () => void = () => {};
  #caller: DirectCaller | undefined;
  #turn: Promise<void> = Promise.resolve();
  #busy = 0;
  #last = Date.now();
  #everConnected = false;
  #hadServer = false;
  #stopping = false;
  #speak: (line: string) => void = () => {};

  constructor(order: SessionOrder, files: SessionFiles) {
    this.#order = order;
    this.#files = files;
    this.#server = createServer((socket) => this.#attend(socket));
    this.#closed = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  async listen(): Promise<void> {
    rmSync(this.#files.socket, { force: true });
    const port = await new Promise<number | undefined>((resolve, reject) => {
      this.#server.once('error', reject);
      if (this.#token === undefined) this.#server.listen(this.#files.socket, () => resolve(undefined));
      else {
        this.#server.listen(0, '127.0.0.1', () => {
          const address = this.#server.address();
          resolve(isObject(address) ? Number(address['port']) : undefined);
        });
      }
    });
    if (this.#token === undefined) chmodSync(this.#files.socket, 0o600);
    const facts: SessionFacts = {
      name: this.#order.name,
      server: this.#order.definition.name,
      config: this.#order.config,
      pid: process.pid,
      ...(port === undefined || this.#token === undefined ? {} : { port, token: this.#token }),
    };
    writeFileSync(this.#files.facts, `${JSON.stringify(facts)}\n`, { mode: 0o600 });
  }

  /** Serves until it is told to stop or nobody has called for long enough; then everything is gone. */
  async serve(): Promise<void> {
    const idleMs = this.#order.idleSeconds * 1000;
    const timer = setInterval(
      () => {
        if (this.#busy === 0 && Date.now() - this.#last > idleMs) this.stop();
      },
      Math.min(1000, Math.max(idleMs / 4, 20)),
    );
    await this.#closed;
    clearInterval(timer);
    this.#server.close();
    for (const path of [this.#files.socket, this.#files.facts]) rmSync(path, { force: true });
    await this.#caller?.close().catch(() => {});
    rmSync(this.#files.lock, { force: true });
  }

  stop(): void {
    this.#stopping = true;
    this.#finish();
  }

  kill(): void {
    this.#caller?.kill();
  }

  #attend(socket: Socket): void {
    let admitted = this.#token === undefined;
    let asked = false;
    socket.on('error', () => {});
    onLines(socket, (line) => {
      if (!admitted) {
        admitted = this.#isToken(line);
        if (!admitted) socket.destroy();
        return;
      }
      if (asked) return;
      asked = true;
      this.#busy += 1;
      void this.#answer(line, socket).finally(() => {
        this.#busy -= 1;
        this.#last = Date.now();
      });
    });
  }

  #isToken(line: string): boolean {
    const given = Buffer.from(line.trim());
    const wanted = Buffer.from(this.#token ?? '');
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  async #answer(line: string, socket: Socket): Promise<void> {
    let answer: unknown;
    try {
      answer = await this.#perform(parseJson(line), socket);
    } catch (error) {
      answer = { ok: false, error: faultData(toFault(error)) };
    }
    if (socket.writable) socket.end(`${writeJson(answer)}\n`);
  }

  async #perform(request: unknown, socket: Socket): Promise<unknown> {
    switch (own(request, 'op')) {
      case 'ping':
        return { ok: true, idle: (Date.now() - this.#last) / 1000, busy: this.#busy - 1 };
      case 'stop':
        // The caller waits for the end of this process, not only for this answer.
        setImmediate(() => this.stop());
        return { ok: true };
      case 'call':
        return this.#queue(request, socket, (timeoutMs) => this.#call(request, timeoutMs, socket));
      case 'read':
        return this.#queue(request, socket, (timeoutMs) => this.#read(request, timeoutMs));
      default:
        throw new Fault('usage', 'unknown operation');
    }
  }

  async #queue(request: unknown, socket: Socket, act: (timeoutMs: number) => Promise<unknown>): Promise<unknown> {
    if (this.#stopping) return { ok: false, ending: true };
    if (own(request, 'hash') !== this.#order.hash) {
      this.stop();
      return { ok: false, stale: true };
    }
    const given = own(request, 'timeoutMs');
    const timeoutMs = typeof given === 'number' ? given : 60_000;
    const end = Date.now() + timeoutMs;
    const before = this.#turn;
    let done: () => void = () => {};
    this.#turn = new Promise((resolve) => {
      done = resolve;
    });
    try {
      await before;
      if (this.#stopping) return { ok: false, ending: true };
      if (Date.now() >= end) {
        throw new Fault('timeout', 'other calls of this session took too long', {
          remedy: 'Give --timeout more seconds',
        });
      }
      // Who went away while waiting is not owed a call.
      if (socket.destroyed || socket.readableEnded) return { ok: false };
      return await act(end - Date.now());
    } finally {
      done();
    }
  }

  async #read(request: unknown, timeoutMs: number): Promise<unknown> {
    if (this.#caller === undefined) throw new Fault('unreachable', 'the session has no server');
    return { ok: true, result: await this.#caller.read(ownString(request, 'uri') ?? '', { timeoutMs }) };
  }

  async #call(request: unknown, timeoutMs: number, socket: Socket): Promise<unknown> {
    const notes: string[] = [];
    this.#speak = (line) => void (socket.writable && socket.write(`${writeJson({ tell: line })}\n`));
    try {
      this.#caller ??= new DirectCaller(this.#order.definition, this.#order.project, (line) => this.#speak(line));
      if (this.#hadServer && !this.#caller.alive) {
        await this.#caller.close();
        notes.push('the server had ended and was started again; what it held in memory is gone');
      }
      const args = asJsonObject(own(request, 'args')) ?? {};
      const schema = asJsonObject(own(request, 'schema'));
      const result = await this.#caller.call(ownString(request, 'tool') ?? '', args, { timeoutMs, schema });
      this.#everConnected = true;
      return { ok: true, result, notes };
    } catch (error) {
      // Started with the wrong environment or a broken server: the next call begins afresh.
      this.#everConnected ||= this.#caller?.connected ?? false;
      if (!this.#everConnected) this.stop();
      return { ok: false, error: faultData(toFault(error)), notes };
    } finally {
      this.#hadServer = this.#everConnected;
    }
  }
}

async function readOrder(): Promise<SessionOrder> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (!isOrder(value)) throw new Fault('usage', 'the session was started without an order');
  return value;
}

/** Runs a daemon to its end; the exit code. */
export async function runDaemon(folder: string): Promise<number> {
  const order = await readOrder();
  const files = filesOf(folder, order.key);
  if (!takeLock(files.lock, process.pid)) {
    writeSync(1, 'held\n');
    return 0;
  }
  const daemon = new Daemon(order, files);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => daemon.stop());
  process.on('exit', () => daemon.kill());
  try {
    await daemon.listen();
  } catch (error) {
    rmSync(files.lock, { force: true });
    writeSync(1, `cannot listen: ${toFault(error).message}\n`);
    return 3;
  }
  process.chdir(dirname(files.lock));
  writeSync(1, 'ready\n');
  await daemon.serve();
  return 0;
}
