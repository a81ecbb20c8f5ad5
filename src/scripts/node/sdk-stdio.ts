/** Connects the SDK client to a server process, in whichever era the server speaks, without starting it twice. */
import { type Client, ProtocolError } from '@modelcontextprotocol/client';
import type { CallOptions, Connection, ConnectOptions } from './connection.ts';
import { Fault } from './fault.ts';
import type { JsonObject } from './json.ts';
import { callTool, hearRaw, newClient, readResource } from './sdk-call.ts';
import { classify } from './sdk-faults.ts';
import { ProcessTransport, ServerProcess } from './stdio.ts';
import type { Target } from './variables.ts';

/** The stateless revision; a server that refuses `initialize` is asked for it. */
const MODERN_REVISION = '2026-07-28';
/** How long a broken pipe waits for the exit code that explains it. */
const EXIT_WAIT_MS = 300;

/**
 * `initialize` goes first: every server but a modern-only one understands it, and some end at any other first
 * message. A refusal is an answer, so the same process can then be asked with `server/discover`.
 */
async function handshake(server: ServerProcess, timeoutMs: number, signal: AbortSignal): Promise<Client> {
  const first = newClient({ versionNegotiation: { mode: 'legacy' } });
  try {
    await first.connect(new ProcessTransport(server), { timeout: timeoutMs, signal });
    return first;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const second = newClient({ versionNegotiation: { mode: { pin: MODERN_REVISION } } });
    try {
      const transport = new ProcessTransport(server);
      await second.connect(transport, { timeout: timeoutMs, signal });
      hearRaw(transport);
      return second;
    } catch (again) {
      throw again instanceof ProtocolError ? error : again;
    }
  }
}

async function explain(
  error: unknown,
  server: ServerProcess,
  options: Pick<ConnectOptions, 'timeoutMs' | 'allowedMs' | 'mask'>,
  tool?: string,
): Promise<Fault> {
  const timeoutMs = options.allowedMs ?? options.timeoutMs;
  const fault = classify(error, { timeoutMs, mask: options.mask, tool });
  if (fault.kind === 'timeout') {
    const { kind, message, remedy } = fault;
    return new Fault(kind, `${message}${server.lastWords()}`, { remedy });
  }
  if (!fault.lost) return fault;
  const late = new Promise<Fault>((resolve) => {
    setTimeout(() => resolve(fault), EXIT_WAIT_MS).unref();
  });
  return Promise.race([server.ended, late]);
}

class ProcessConnection implements Connection {
  readonly #server: ServerProcess;
  readonly #client: Client;
  readonly #options: ConnectOptions;

  constructor(server: ServerProcess, client: Client, options: ConnectOptions) {
    this.#server = server;
    this.#client = client;
    this.#options = options;
  }

  get alive(): boolean {
    return !this.#server.hasEnded;
  }

  call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    return this.#ask(tool, options, (signal) => callTool(this.#client, tool, args, { ...options, signal }));
  }

  read(uri: string, options: CallOptions): Promise<JsonObject> {
    return this.#ask(uri, options, (signal) => readResource(this.#client, uri, { ...options, signal }));
  }

  async close(): Promise<void> {
    await this.#client.close().catch(() => {});
    await this.#server.stop();
  }

  kill(): void {
    this.#server.kill();
  }

  async #ask(
    what: string,
    options: CallOptions,
    send: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    try {
      return await send(AbortSignal.timeout(options.timeoutMs + 50));
    } catch (error) {
      throw await explain(error, this.#server, { ...options, mask: this.#options.mask }, what);
    }
  }
}

/** Starts the server and shakes hands. Throws Fault; the process is gone then. */
export async function connectProcess(target: Target & { kind: 'stdio' }, options: ConnectOptions): Promise<Connection> {
  const server = new ServerProcess(target, options.mask);
  const onExit = (): void => server.kill();
  process.once('exit', onExit);
  try {
    const client = await handshake(server, options.timeoutMs, AbortSignal.timeout(options.timeoutMs + 50));
    return new ProcessConnection(server, client, options);
  } catch (error) {
    const fault = await explain(error, server, options);
    await server.stop();
    throw fault;
  }
}
