/**
 * JSON-RPC over the streams of a child of ours: requests with a deadline that can be cancelled, and what the other side
 * tells unasked. It speaks to one server whose contract we share, so that it needs none of what a client of foreign
 * servers does; `mcp-client.ts` is that one.
 */
import { isRecord, own } from '#core/catalog/read-json.ts';
import { OperationError } from '#core/problem.ts';
import type { StdioLink } from './connect-stdio.ts';

/** What the other side sent, unread. */
export type WireResult = Readonly<Record<string, unknown>>;

export interface WireOptions {
  readonly link: Pick<StdioLink, 'send' | 'listen' | 'ended'>;
  /** Hears of every notification. */
  onNotification(method: string, params: unknown): void;
}

export interface Wire {
  /**
   * The result as it was sent. Throws OperationError: `timeout` after `ms`, `crashed` when the process ends, `protocol`
   * for an error of the protocol; and the signal's reason. The other side is told of a cancelled or late request.
   */
  request(method: string, params: object, signal: AbortSignal, ms: number): Promise<WireResult>;
  notify(method: string, params: object): void;
}

interface Waiting {
  readonly resolve: (result: WireResult) => void;
  readonly reject: (error: unknown) => void;
}

export function createWire({ link, onNotification }: WireOptions): Wire {
  const waiting = new Map<number, Waiting>();
  let next = 0;
  let isGone = false;
  const send = (message: object): void => void link.send({ jsonrpc: '2.0', ...message });
  const gone = (): OperationError => new OperationError('crashed', 'Mochi ended before it answered.');

  link.listen((message) => {
    if (!isRecord(message)) return;
    const [id, method] = [own(message, 'id'), own(message, 'method')];
    if (typeof method === 'string') {
      if (id === undefined) onNotification(method, own(message, 'params'));
      // We offer nothing that a server could ask for, but a ping is always answered.
      else if (method === 'ping') send({ id, result: {} });
      else send({ id, error: { code: -32_601, message: 'Method not found' } });
      return;
    }
    const one = typeof id === 'number' ? waiting.get(id) : undefined;
    const result = own(message, 'result');
    if (one === undefined) return;
    if (isRecord(result)) one.resolve(result);
    else one.reject(protocolError(own(message, 'error')));
  });
  void link.ended.then(() => {
    isGone = true;
    for (const { reject } of waiting.values()) reject(gone());
  });

  return {
    notify: (method, params) => send({ method, params }),
    async request(method, params, signal, ms) {
      signal.throwIfAborted();
      if (isGone) throw gone();
      next += 1;
      const id = next;
      const cancel = (reason: string): void => {
        // The protocol does not let a client cancel its greeting.
        if (method !== 'initialize') send({ method: 'notifications/cancelled', params: { requestId: id, reason } });
      };
      let leave = (): void => {};
      try {
        return await new Promise<WireResult>((resolve, reject) => {
          const abort = (): void => {
            cancel('cancelled');
            reject(signal.reason);
          };
          const timer = setTimeout(() => {
            cancel('too late');
            reject(new OperationError('timeout', `Mochi did not answer within ${ms / 1_000} s.`));
          }, ms);
          signal.addEventListener('abort', abort, { once: true });
          leave = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', abort);
            waiting.delete(id);
          };
          waiting.set(id, { resolve, reject });
          send({ id, method, params });
        });
      } finally {
        leave();
      }
    },
  };
}

function protocolError(error: unknown): OperationError {
  const message = isRecord(error) ? own(error, 'message') : undefined;
  return new OperationError('protocol', `Mochi refused: ${typeof message === 'string' ? message : 'no reason given'}`);
}
