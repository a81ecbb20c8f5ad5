/**
 * A server as a child process that speaks JSON lines. It is started once whatever revision it speaks: the SDK's own
 * transport would start a second process to find out. Also guards size: a line without end is refused.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { childEnvironment, planSpawn } from './child-command.ts';
import { Fault, oneLine } from './fault.ts';
import { isObject, own, parseJson, writeJson } from './json.ts';
import { signalTree, stopTree } from './process-tree.ts';
import type { Target } from './variables.ts';

/** Largest message a server may send, bytes. */
export const MESSAGE_LIMIT = 64 * 1024 * 1024;
const LOG_LINES = 5;
const LOG_BYTES = 16 * 1024;
const NEWLINE = 0x0a;

/** Parse wall: a line of the server's output that is a JSON-RPC message; the SDK checks it further. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isObject(value) && own(value, 'jsonrpc') === '2.0';
}

/** The child process with its lines; transports come and go on it. */
export class ServerProcess {
  readonly child: ChildProcess;
  /** Resolves with the reason when the process is gone or broke the rules. */
  readonly ended: Promise<Fault>;
  onmessage: ((message: JSONRPCMessage) => void) | undefined;
  readonly #log: Buffer[] = [];
  readonly #mask: (text: string) => string;
  readonly #end: (fault: Fault) => void;
  #parts: Buffer[] = [];
  #size = 0;
  #stopping: Promise<void> | undefined;
  #fault: Fault | undefined;

  constructor(target: Target & { kind: 'stdio' }, mask: (text: string) => string) {
    this.#mask = mask;
    const env = childEnvironment(process.env, target.env, process.platform);
    const plan = planSpawn(target.command, target.args, {
      platform: process.platform,
      cwd: target.cwd,
      env,
      exists: existsSync,
    });
    let end: (fault: Fault) => void = () => {};
    this.ended = new Promise((resolve) => {
      end = resolve;
    });
    this.#end = (fault) => {
      this.#fault ??= fault;
      end(this.#fault);
    };
    this.child = spawn(plan.command, plan.args, {
      env,
      cwd: target.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      windowsVerbatimArguments: plan.verbatim,
      // A group of its own, so that what the server starts can be ended with it.
      detached: process.platform !== 'win32',
    });
    this.#listen(target);
  }

  /** The last lines of standard error, masked, oldest first, as the end of a sentence; empty where it was silent. */
  lastWords(): string {
    const text = this.#mask(Buffer.concat(this.#log).subarray(-LOG_BYTES).toString('utf8'));
    const lines = text
      .split(/\r?\n/)
      .map((line) => oneLine(line))
      .filter((line) => line !== '')
      .slice(-LOG_LINES);
    return lines.length === 0 ? '' : `: ${lines.join(' | ')}`;
  }

  get hasEnded(): boolean {
    return this.#fault !== undefined;
  }

  send(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.child.stdin;
      if (stdin === null || !stdin.writable) {
        reject(this.#fault ?? new Fault('crashed', 'the server no longer takes requests', { lost: true }));
        return;
      }
      stdin.write(`${writeJson(message)}\n`, (error) => {
        if (error) reject(new Fault('crashed', 'the server closed its input', { lost: true }));
        else resolve();
      });
    });
  }

  /** Ends the process and everything it started. */
  stop(): Promise<void> {
    this.#stopping ??= stopTree(this.child, { graceMs: 400, termMs: 2000 });
    return this.#stopping;
  }

  /** The same without waiting, for a process that must end at once. */
  kill(): void {
    const { pid, exitCode, signalCode } = this.child;
    if (pid !== undefined && exitCode === null && signalCode === null) signalTree(pid, 'SIGKILL');
  }

  #listen(target: Target & { kind: 'stdio' }): void {
    const { child } = this;
    child.on('error', (error) => {
      this.#end(startFault(target, this.#mask, error));
    });
    child.on('close', (code, signal) => {
      const how = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      const remedy = 'Run its command by hand to see why';
      this.#end(new Fault('crashed', `the server ${how}${this.lastWords()}`, { remedy, lost: true }));
    });
    child.stdin?.on('error', () => {});
    child.stdout?.on('error', () => {});
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#log.push(chunk);
      while (this.#log.length > 1 && this.#log.reduce((sum, part) => sum + part.length, 0) > 2 * LOG_BYTES)
        this.#log.shift();
    });
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.#parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      this.#size = 0;
      from = at + 1;
      this.#line(line);
    }
    if (from < chunk.length) {
      this.#parts.push(chunk.subarray(from));
      this.#size += chunk.length - from;
    }
    if (this.#size > MESSAGE_LIMIT) {
      this.#parts = [];
      this.child.stdout?.destroy();
      this.#end(tooLarge());
      void this.stop();
    }
  }

  #line(line: string): void {
    // Servers print banners and log lines here, against the rules; only messages count.
    if (!line.trimStart().startsWith('{')) return;
    let value: unknown;
    try {
      value = parseJson(line);
    } catch {
      return;
    }
    if (isMessage(value)) this.onmessage?.(value);
  }
}

function startFault(target: Target & { kind: 'stdio' }, mask: (text: string) => string, error: Error): Fault {
  const command = mask(JSON.stringify(target.command));
  if (own(error, 'code') !== 'ENOENT') {
    return new Fault('not-found', mask(`cannot start ${command}: ${error.message}`), {
      remedy: 'Check the command in references/mcp.json',
      cause: error,
    });
  }
  if (!existsSync(target.cwd)) {
    return new Fault('not-found', mask(`the server's working folder does not exist: ${target.cwd}`), {
      remedy: 'Correct cwd in references/mcp.json',
      cause: error,
    });
  }
  return new Fault('not-found', `the command ${command} was not found`, {
    remedy: 'Install it or put it on PATH',
    cause: error,
  });
}

/** The server sent more than a message may hold. */
export function tooLarge(): Fault {
  return new Fault('protocol', `the server sent a message of more than ${MESSAGE_LIMIT / 1024 / 1024} MB`, {
    remedy: 'Ask the tool for less',
  });
}

/** A transport of the SDK over a running server process; closing it leaves the process to its owner. */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #server: ServerProcess;
  #closed = false;

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  async start(): Promise<void> {
    this.#server.onmessage = (message) => {
      if (!this.#closed) this.onmessage?.(message);
    };
    void this.#server.ended.then((fault) => {
      this.onerror?.(fault);
      void this.close();
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#server.send(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}
