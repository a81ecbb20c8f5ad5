/**
 * One connection to one server through the official SDK: a process, streamable HTTP, or legacy HTTP+SSE, in either
 * protocol era. It calls tools, reads resources and classifies what goes wrong; what a lost connection means is for its callers.
 */
import type { JsonObject } from './json.ts';
import type { Target } from './variables.ts';

/** A way to call tools; lives until it is closed or found lost. */
export interface Connection {
  /** Whether a call can still reach the server. */
  readonly alive: boolean;
  /** The result of `tools/call` as it came. Throws Fault. */
  call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** The result of `resources/read` as it came. Throws Fault, also where the server declares no resources. */
  read(uri: string, options: CallOptions): Promise<JsonObject>;
  close(): Promise<void>;
  /** Ends what a dying process would leave behind; must not wait. */
  kill(): void;
}

export interface CallOptions {
  /** Deadline of this call, connecting included, milliseconds. */
  readonly timeoutMs: number;
  /** What the person had allowed for all of it, for the message of a timeout. */
  readonly allowedMs?: number;
  /** The tool's input schema where the reference knows it: some parameters travel as HTTP headers too. */
  readonly schema?: JsonObject | undefined;
}

export interface ConnectOptions {
  readonly timeoutMs: number;
  /** As in {@link CallOptions}. */
  readonly allowedMs?: number;
  /** Takes secrets out of text. */
  readonly mask: (text: string) => string;
  /** Tells the person something while waiting; goes to standard error. */
  readonly tell: (line: string) => void;
}

/** Connects to a server. The SDK is loaded here and not before. */
export async function connect(target: Target, options: ConnectOptions): Promise<Connection> {
  if (target.kind === 'stdio') {
    const { connectProcess } = await import('./sdk-stdio.ts');
    return connectProcess(target, options);
  }
  const { connectHttp } = await import('./sdk-http.ts');
  return connectHttp(target, options);
}
