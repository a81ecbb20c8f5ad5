/**
 * Who is next at a model that does one thing at a time per lane: answers in the order they were asked, completions with
 * the newest first, so that nobody waits for what was asked for text that has since changed.
 */
import { MochiFault } from '../../limits.ts';

type Order = 'first' | 'newest';

interface Waiting {
  readonly start: () => void;
  readonly refuse: (reason: unknown) => void;
}

/** Beyond this, waiting would outlast every deadline. */
const MOST_WAITING = 64;

export class Lane {
  readonly #order: Order;
  #waiting: Waiting[] = [];
  #isBusy = false;
  #idle: (() => void)[] = [];

  /** `newest`: one that waits is dropped when another comes, with a fault of kind `busy`. */
  constructor(order: Order) {
    this.#order = order;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Resolves when nothing runs or waits here. */
  async idle(): Promise<void> {
    while (this.#isBusy) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Runs `work` when it is its turn. One that waits leaves when its signal is aborted. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#isBusy) await this.#wait(signal);
    this.#isBusy = true;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    if (this.#order === 'newest') for (const older of this.#waiting.splice(0)) older.refuse(superseded());
    if (this.#waiting.length >= MOST_WAITING)
      throw new MochiFault('busy', `${MOST_WAITING} questions wait for the model.`, { remedy: 'Try again later.' });
    return new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== entry);
        reject(signal.reason);
      };
      const entry: Waiting = {
        start: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (reason) => {
          signal.removeEventListener('abort', leave);
          reject(reason);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(entry);
    });
  }

  /** Hands the lane over without a moment in between in which it is free. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.start();
      return;
    }
    this.#isBusy = false;
    for (const tell of this.#idle.splice(0)) tell();
  }
}

function superseded(): MochiFault {
  return new MochiFault('busy', 'A newer completion took the place of this one.', {
    remedy: 'Ask for the newest text.',
  });
}
