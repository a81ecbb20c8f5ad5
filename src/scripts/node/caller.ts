/** Calls tools over a connection of our own, made at the first call and again after it was lost. */
import type { CallOptions, Connection } from './connection.ts';
import { Fault, toFault } from './fault.ts';
import type { JsonObject } from './json.ts';
import type { ServerDefinition } from './server-config.ts';
import { resolveServer, surroundings, type Target, Variables } from './variables.ts';

/** Whatever calls tools: a connection of this process, or a session's daemon. */
export interface Caller {
  call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** Reads a resource on the connection that the last call used; never makes a new one. Throws Fault. */
  read(uri: string, options: CallOptions): Promise<JsonObject>;
  close(): Promise<void>;
  /** Ends what a dying process would leave behind; must not wait. */
  kill(): void;
  /** Takes secrets out of text. */
  mask(text: string): string;
}

export class DirectCaller implements Caller {
  readonly #target: Target;
  readonly #variables: Variables;
  readonly #tell: (line: string) => void;
  #connection: Connection | undefined;

  /** Throws `unresolved-variable` before anything is started. `tell` speaks to the person while a call waits. */
  constructor(definition: ServerDefinition, project: string, tell: (line: string) => void) {
    this.#variables = new Variables(surroundings(project));
    this.#target = resolveServer(definition, this.#variables, project);
    this.#tell = tell;
  }

  async call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    const end = Date.now() + options.timeoutMs;
    try {
      return await this.#attempt(tool, args, options, end);
    } catch (error) {
      const fault = toFault(error);
      // A forgotten session was not even looked at: the call may be made again, once, in a new one.
      if (fault.status !== 404 || !fault.lost) throw fault;
      return this.#attempt(tool, args, options, end);
    }
  }

  async read(uri: string, options: CallOptions): Promise<JsonObject> {
    if (this.#connection === undefined || !this.#connection.alive) {
      throw new Fault('unreachable', 'the connection to the server was lost');
    }
    try {
      return await this.#connection.read(uri, options);
    } catch (error) {
      if (error instanceof Fault && error.lost) await this.close().catch(() => {});
      throw error;
    }
  }

  /** Whether a connection was made and not given up. */
  get connected(): boolean {
    return this.#connection !== undefined;
  }

  /** Whether a call can still reach the server on the connection there is. */
  get alive(): boolean {
    return this.#connection?.alive ?? false;
  }

  mask(text: string): string {
    return this.#variables.mask(text);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  kill(): void {
    this.#connection?.kill();
  }

  async #attempt(tool: string, args: JsonObject, options: CallOptions, end: number): Promise<JsonObject> {
    const left = (): number => Math.max(1, end - Date.now());
    if (this.#connection !== undefined && !this.#connection.alive) await this.close().catch(() => {});
    if (this.#connection === undefined) {
      const { connect } = await import('./connection.ts');
      this.#connection = await connect(this.#target, {
        timeoutMs: left(),
        allowedMs: options.timeoutMs,
        mask: (text) => this.#variables.mask(text),
        tell: this.#tell,
      });
      // A person who had to authorize took as long as it took.
      if (Date.now() >= end) end = Date.now() + options.timeoutMs;
    }
    try {
      return await this.#connection.call(tool, args, { ...options, timeoutMs: left(), allowedMs: options.timeoutMs });
    } catch (error) {
      if (error instanceof Fault && error.lost) await this.close().catch(() => {});
      throw error;
    }
  }
}
