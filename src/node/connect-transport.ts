/**
 * Two channels in the shape of the SDK's transports, without knowing the SDK: a process as a channel, and a tap
 * that keeps the raw lists of tools out of the SDK's hands. `M` is the SDK's message, `O` its
 * options for sending, `X` what it says of a message beside it.
 */
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { StdioLink } from './connect-stdio.ts';

/** What both ends of a tap have in common. */
interface Channel<M, O, X> {
  start(): Promise<void>;
  send(message: M, options?: O): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: M, extra?: X) => void) | undefined;
  readonly hasPerRequestStream?: boolean;
  readonly sessionId?: string | undefined;
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** A process as the SDK sees a transport. Closing it lets go of the process, which its owner ends. */
export class LinkTransport<M> {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: M) => void;
  readonly #link: StdioLink;
  readonly #offset: number;
  #isOpen = true;

  /**
   * `read` throws for JSON that is no message: noise. What `consumes` takes, the SDK never sees. Every client counts
   * its requests from 0; `again` keeps the numbers of a second one on the same link apart from the first one's.
   */
  constructor(link: StdioLink, read: (value: unknown) => M, consumes: (value: unknown) => boolean, again: boolean) {
    this.#link = link;
    this.#offset = again ? SECOND_CLIENT : 0;
    link.listen((value) => {
      if (!this.#isOpen || consumes(value)) return;
      let message: M;
      try {
        message = read(this.#incoming(value));
      } catch {
        return;
      }
      this.onmessage?.(message);
    });
    link.ended.then(() => this.close());
  }

  async start(): Promise<void> {}

  send(message: M): Promise<void> {
    return this.#link.send(this.#offset === 0 ? message : this.#outgoing(message));
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onclose?.();
  }

  #outgoing(message: M): unknown {
    if (!isRecord(message) || own(message, 'method') === undefined) return message;
    const id = own(message, 'id');
    if (typeof id === 'number') return { ...message, id: id + this.#offset };
    const params = own(message, 'params');
    const request = isRecord(params) ? own(params, 'requestId') : undefined;
    if (!isRecord(params) || typeof request !== 'number') return message;
    return { ...message, params: { ...params, requestId: request + this.#offset } };
  }

  #incoming(value: unknown): unknown {
    if (this.#offset === 0 || !isRecord(value) || own(value, 'method') !== undefined) return value;
    const id = own(value, 'id');
    return typeof id === 'number' && id >= this.#offset ? { ...value, id: id - this.#offset } : undefined;
  }
}

const SECOND_CLIENT = 1_000_000;

/** Under this key a list that was taken out has its number, in the empty result that stands in for it. */
const LISTING = 'mochiListing';

/**
 * Passes messages through, and keeps the raw result of `tools/list` to itself: the SDK would throw a whole list
 * away for one tool that is not to its taste, in the modern era before any schema of ours is asked.
 */
export class TapTransport<M extends object, O, X> {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: M, extra?: X) => void;
  readonly #inner: Channel<M, O, X>;
  readonly #standIn: (id: string | number, result: Record<string, unknown>) => M;
  readonly #asked = new Set<unknown>();
  readonly #listings = new Map<number, unknown>();
  #count = 0;

  constructor(inner: Channel<M, O, X>, standIn: (id: string | number, result: Record<string, unknown>) => M) {
    this.#inner = inner;
    this.#standIn = standIn;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.onmessage?.(this.#tap(message), extra);
  }

  get hasPerRequestStream(): boolean {
    return this.#inner.hasPerRequestStream ?? false;
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  send(message: M, options?: O): Promise<void> {
    if (isRecord(message) && own(message, 'method') === 'tools/list') this.#asked.add(own(message, 'id'));
    return this.#inner.send(message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** The raw list for which `result` stands in; `result` itself where it is no stand-in. */
  takeListing(result: unknown): unknown {
    const number = isRecord(result) ? own(result, LISTING) : undefined;
    if (typeof number !== 'number' || !this.#listings.has(number)) return result;
    const listing = this.#listings.get(number);
    this.#listings.delete(number);
    return listing;
  }

  #tap(message: M): M {
    if (!isRecord(message) || !Object.hasOwn(message, 'result')) return message;
    const id = own(message, 'id');
    if ((typeof id !== 'number' && typeof id !== 'string') || !this.#asked.delete(id)) return message;
    this.#count++;
    this.#listings.set(this.#count, own(message, 'result'));
    return this.#standIn(id, {
      resultType: 'complete',
      tools: [],
      ttlMs: 0,
      cacheScope: 'private',
      [LISTING]: this.#count,
    });
  }
}
