/**
 * What a session costs in money when its prompt is cached, and what a server's tools add to it in each form. A model,
 * not a measurement: every round sends the whole context once more, and only what changed since is computed again.
 * Counts of tokens come from elsewhere; prices are data with a date and a source, and a person may give others.
 */
import { isRecord, own } from './catalog/read-json.ts';
import type { Problem, Reported } from './problem.ts';
import type { FormCost } from './tokens.ts';

/** US dollars for a million tokens. */
interface Rates {
  /** Input that is not cached. */
  readonly miss: number;
  /** Input that is put into the cache, for five minutes. */
  readonly write: number;
  /** Input that was found there. */
  readonly read: number;
  readonly output: number;
}

export interface Prices extends Rates {
  readonly model: string;
  /** When these were the prices, ISO 8601. */
  readonly asOf: string;
  readonly source: string;
  /** Other rates for every token of a round whose prompt is longer than `above` tokens. */
  readonly longPrompt?: Rates & { readonly above: number };
}

const SOURCE = 'platform.claude.com/docs/en/about-claude/pricing';

function claude(model: string, asOf: string, miss: number, read: number, output: number): Prices {
  return { model, asOf, source: SOURCE, miss, write: miss * 1.25, read, output };
}

/** The first is the default. */
export const PRICES: readonly [Prices, ...Prices[]] = [
  claude('claude-sonnet-5-5', '2026-10-24', 2, 0.1, 10),
  claude('claude-opus-5-5', '2026-10-24', 4, 0.2, 20),
  claude('claude-fable-5-1', '2026-10-24', 10, 0.25, 50),
  {
    ...claude('claude-haiku-5-5', '2026-10-24', 0.1, 0.01, 0.5),
    longPrompt: { above: 100_000, miss: 0.5, write: 0.625, read: 0.05, output: 2.5 },
  },
  claude('claude-opus-5', '2026-10-24', 5, 0.5, 25),
  claude('claude-sonnet-4-5', '2026-10-24', 3, 0.3, 15),
];

/** A session as an agent has it. All sizes in tokens. */
export interface Session {
  readonly rounds: number;
  /** System prompt, tools and whatever else stands before the first message. */
  readonly prefix: number;
  /** What each round appends: the last answer, results of tools, a new message. */
  readonly additions: number;
  /** What the model writes in a round. */
  readonly output: number;
  /** The context never grows beyond this. */
  readonly window?: number;
}

/**
 * The session found for the specification's example (skill-mechanism.md): it states the two sums and the fifty rounds
 * and nothing else. These are the roundest figures that give both at the prices of Claude Sonnet 4.5; others do too, so
 * they are a finding and no fact about that example.
 */
export const EXAMPLE_SESSION: Session = { rounds: 50, prefix: 68_000, additions: 1_000, output: 50 };

/** What people do to a running context, and how much of it stays as it was from one round to the next. */
export interface Habit {
  readonly name: 'append-only' | 'dynamic-prompt' | 'compaction' | 'sliding-window' | 'editing';
  /** The share of the context, from its start, that the next round finds in the cache. */
  readonly stable: number;
  /** A context that is cut to a window, as a share of what it would have grown to. */
  readonly window?: number;
  /** The specification's factors, from and to; absent for the habit that all others are compared with. */
  readonly stated?: readonly [from: number, to: number];
}

/**
 * The specification's anti-patterns. Where a context is replaced or edited is not stated there: three quarters and half
 * of it are assumptions. Its factors fit the tokens that are computed anew; in money no habit can cost more than the
 * price of a miss over that of a read, 10 to 40 times, which is why both are given.
 */
export const HABITS: readonly Habit[] = [
  { name: 'append-only', stable: 1 },
  { name: 'dynamic-prompt', stable: 0, stated: [20, 50] },
  { name: 'compaction', stable: 0.75, stated: [5, 15] },
  { name: 'sliding-window', stable: 0, window: 0.85, stated: [30, 50] },
  { name: 'editing', stable: 0.5, stated: [10, 30] },
];

export interface SessionCost {
  /** Tokens by what became of them. */
  readonly read: number;
  readonly written: number;
  readonly missed: number;
  readonly output: number;
  readonly dollars: number;
}

/** What a session costs; `stable` as in {@link Habit}. A part that no later round reads is a miss, never a write. */
export function sessionCost(session: Session, prices: Prices, stable = 1): SessionCost {
  const total = { read: 0, written: 0, missed: 0, output: 0, dollars: 0 };
  let cached = 0;
  for (let round = 1; round <= session.rounds; round++) {
    const context = Math.min(session.prefix + session.additions * round, session.window ?? Number.POSITIVE_INFINITY);
    const kept = context * stable;
    const written = Math.max(0, kept - cached);
    const read = kept - written;
    const missed = context - kept;
    const rates = ratesFor(context, prices);
    total.read += read;
    total.written += written;
    total.missed += missed;
    total.output += session.output;
    total.dollars +=
      (read * rates.read + written * rates.write + missed * rates.miss + session.output * rates.output) / 1e6;
    cached = kept;
  }
  return total;
}

function ratesFor(context: number, prices: Prices): Rates {
  return prices.longPrompt !== undefined && context > prices.longPrompt.above ? prices.longPrompt : prices;
}

/** How much worse a habit is than only appending, in the same session. */
export interface Multiplier {
  readonly habit: Habit['name'];
  /** Tokens computed, not read: what the specification's factors fit. */
  readonly computed: number;
  readonly dollars: number;
}

export function multipliers(session: Session, prices: Prices): readonly Multiplier[] {
  const best = sessionCost(session, prices);
  const grown = session.prefix + session.additions * session.rounds;
  return HABITS.map(({ name, stable, window }) => {
    const cut = window === undefined ? session : { ...session, window: Math.round(grown * window) };
    const cost = sessionCost(cut, prices, stable);
    return {
      habit: name,
      computed: (cost.written + cost.missed) / (best.written + best.missed),
      dollars: cost.dollars / best.dollars,
    };
  });
}

// ---- one server's tools in a session ----------------------------------------------------------------------------

/** How a session uses one server. */
export interface Usage {
  /** The round of the first call, from 1. */
  readonly firstCall: number;
  /** How many different tools are called, so that their definitions or references are read. */
  readonly toolsUsed: number;
}

/** Rounds of a session where nobody says how many, and the most that are added up. */
export const USUAL_ROUNDS = 50;
export const MOST_ROUNDS = 10_000;

export const USUAL: Usage = { firstCall: 1, toolsUsed: 3 };

/** What one form of a server's tools adds to a session. */
export interface FormSession {
  readonly form: FormCost['form'];
  /** US dollars for the whole session with the server never used, and used as the usage says. */
  readonly idle: number;
  readonly used: number;
  /**
   * The break-even round: first called there or later, this form costs no more than native MCP over the session. 1 is
   * always cheaper; absent where it is dearer even idle. Called in round 1, cheap stays cheap and dear stays dear.
   */
  readonly breakEvenRound?: number;
}

/** Tokens that come in at a round are written once and read in every round after it. */
function carried(tokens: number, from: number, until: number, prices: Prices): number {
  return until < from ? 0 : (tokens * (prices.write + (until - from) * prices.read)) / 1e6;
}

function addedUntil(form: FormCost, round: number, usage: Usage, prices: Prices): number {
  const onUse = form.activation.tokens + form.beforeCall.tokens * usage.toolsUsed;
  return carried(form.always.tokens, 1, round, prices) + carried(onUse, usage.firstCall, round, prices);
}

/** Every form over a session of `rounds`, with the context only appended to. The forms are those of a token report. */
export function formSessions(
  forms: readonly FormCost[],
  rounds: number,
  prices: Prices,
  usage: Usage = USUAL,
): readonly FormSession[] {
  const native = forms.find((form) => form.form === 'native');
  return forms.map((form) => {
    let breakEvenRound: number | undefined;
    for (let firstCall = rounds + 1; native !== undefined && form !== native && firstCall >= 1; firstCall--) {
      const later = { ...usage, firstCall };
      if (addedUntil(form, rounds, later, prices) > addedUntil(native, rounds, later, prices)) break;
      breakEvenRound = firstCall;
    }
    return {
      form: form.form,
      idle: carried(form.always.tokens, 1, rounds, prices),
      used: addedUntil(form, rounds, usage, prices),
      ...(breakEvenRound === undefined ? {} : { breakEvenRound }),
    };
  });
}

// ---- prices of one's own ----------------------------------------------------------------------------------------

/**
 * Prices from a person's file: an object from a model's name to `miss`, `write`, `read` and `output` in US dollars for
 * a million tokens. An entry that lacks one, or has something else than a number from 0 up, is left out with a problem.
 */
export function readPrices(value: unknown, file: string): Reported<readonly Prices[]> {
  const problems: Problem[] = [];
  const wrong = (message: string): void => {
    const remedy = 'Give an object such as {"my-model": {"miss": 2, "write": 2.5, "read": 0.1, "output": 10}}.';
    problems.push({ kind: 'entry-invalid', severity: 'error', message, remedy, at: { file } });
  };
  if (!isRecord(value)) {
    wrong('The prices are not an object.');
    return { value: [], problems };
  }
  const prices = Object.entries(value).flatMap(([model, entry]): readonly Prices[] => {
    const rate = (name: string): number => {
      const found = isRecord(entry) ? own(entry, name) : undefined;
      return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : Number.NaN;
    };
    const rates = { miss: rate('miss'), write: rate('write'), read: rate('read'), output: rate('output') };
    const missing = Object.entries(rates).flatMap(([name, found]) => (Number.isNaN(found) ? [name] : []));
    if (missing.length === 0) return [{ model, asOf: '', source: file, ...rates }];
    wrong(`The prices of "${model}" lack ${missing.join(', ')}.`);
    return [];
  });
  return { value: prices, problems };
}
