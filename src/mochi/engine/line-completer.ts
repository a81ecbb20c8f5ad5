/**
 * Searches for the likeliest rest of a line, token by token: first greedily, then along the turns that could still beat
 * what was found. Confidence is the joint probability of the tokens and of stopping there. It writes no spaces.
 */
import { kinds } from '../learn/vocabulary.ts';
import { Candidates } from './candidates.ts';
import { type Choice, type Offers, weigh } from './offers.ts';
import type { OpenFile } from './open-file.ts';
import type { Ranker } from './ranker.ts';
import type { Sources } from './sources.ts';

/** A found line: the symbols to write and the chance that the line is exactly this. */
export interface FoundLine {
  readonly symbols: readonly number[];
  readonly probability: number;
  /** For each symbol the chance that the line begins like this up to it; never grows, never below `probability`. */
  readonly steps: readonly number[];
}

export interface LineOptions {
  /** Whether the first token begins a line; undefined where the text before the cursor does not tell. */
  readonly begins?: boolean | undefined;
  /** The first token must pass this: what is typed of a word must go on. */
  readonly accepts?: (token: number) => boolean;
  /** The token that follows the line in the file, where that is known. */
  readonly followedBy?: { readonly token: number; readonly onNewLine: boolean } | undefined;
  /** Names that a language server offers for the first token. */
  readonly offers?: Offers | undefined;
}

const mostTokens = 24;
/** How often the next token is asked for in one search; the likeliest line is followed to its end in any case. */
const mostSteps = 20;

/**
 * A line that begins as thought goes on as thought more often than the product of its tokens' chances says: they are not
 * independent. The power that makes that product right, found on training files; what follows the line makes it needless.
 */
const bound = 0.75;

interface Turn {
  readonly symbols: readonly number[];
  /** Log probability of the symbols up to each. */
  readonly scores: readonly number[];
}

const scoreOf = ({ scores }: Turn): number => scores.at(-1) ?? 0;

export class LineCompleter {
  readonly #ranker: Ranker;
  readonly #candidates = new Candidates();

  constructor(ranker: Ranker) {
    this.#ranker = ranker;
  }

  /** Likeliest first. The file is left as it was. */
  complete(file: OpenFile, sources: Sources, options: LineOptions = {}): readonly FoundLine[] {
    const search = new Search(file.length);
    search.turns.push({ symbols: [], scores: [] });
    while (search.steps < mostSteps && search.turns.length > 0) {
      const best = search.next();
      if (best === undefined) break;
      this.#follow(best, file, sources, options, search);
    }
    return search.lines();
  }

  /** Goes on from a turn, always by the likeliest token, and notes the turns not taken. */
  #follow(turn: Turn, file: OpenFile, sources: Sources, options: LineOptions, search: Search): void {
    let { symbols, scores } = turn;
    let score = scoreOf(turn);
    for (const symbol of symbols) file.push(symbol >> 1, (symbol & 1) === 1 ? 2 : 0);
    while (symbols.length < mostTokens) {
      search.steps += 1;
      this.#candidates.gather(file, sources);
      this.#ranker.rank(this.#candidates);
      const isFirst = symbols.length === 0;
      if (!isFirst) {
        const { stop, fit } = this.#stop(options);
        search.finish({ symbols, scores }, score + Math.log(stop + 1e-9), fit);
      }
      const choices = this.#choices(isFirst, options, file);
      const [top, ...others] = choices;
      if (top === undefined) break;
      for (const other of others)
        search.note({ symbols: [...symbols, other.symbol], scores: [...scores, score + other.score] });
      score += top.score;
      symbols = [...symbols, top.symbol];
      scores = [...scores, score];
      if (score < search.bar) break;
      file.push(top.symbol >> 1, (top.symbol & 1) === 1 ? 2 : 0);
    }
    while (file.length > search.length) file.pop();
  }

  /** The chance that the line ends here, and how well what follows in the file fits that. */
  #stop({ followedBy }: LineOptions): { stop: number; fit: number } {
    const { symbols, count } = this.#candidates;
    const wanted = followedBy === undefined ? -2 : followedBy.token * 2 + (followedBy.onNewLine ? 1 : 0);
    let ends = 0;
    let follows = 0;
    for (let at = 1; at < count; at += 1) {
      const probability = this.#ranker.probabilities[at] ?? 0;
      if (((symbols[at] ?? 0) & 1) === 1) ends += probability;
      if (symbols[at] === wanted) follows += probability;
    }
    if (followedBy === undefined) return { stop: ends, fit: 1 };
    if (!followedBy.onNewLine) return { stop: follows, fit: 1 };
    return { stop: ends, fit: (follows + 0.02 * ends) / (ends + 1e-6) };
  }

  #choices(
    isFirst: boolean,
    { begins, accepts, offers }: LineOptions,
    file: OpenFile,
  ): { symbol: number; score: number }[] {
    const { symbols, count } = this.#candidates;
    const none = this.#ranker.probabilities[0] ?? 0;
    let allowed: Choice[] = [];
    for (let at = 1; at < count; at += 1) {
      const symbol = symbols[at] ?? 0;
      const isLine = (symbol & 1) === 1;
      if (isFirst ? begins !== undefined && isLine !== begins : isLine) continue;
      allowed.push({ symbol, probability: this.#ranker.probabilities[at] ?? 0 });
    }
    if (isFirst && offers !== undefined) {
      const isWord = (token: number): boolean => file.vocabulary.kind(token) === kinds.word;
      allowed = [...weigh(allowed, none, offers, isWord)];
    }
    if (isFirst && accepts !== undefined) allowed = allowed.filter(({ symbol }) => accepts(symbol >> 1));
    const of = isFirst ? allowed.reduce((sum, { probability }) => sum + probability, none) : 1;
    allowed.sort((one, two) => two.probability - one.probability);
    return allowed.slice(0, 4).map(({ symbol, probability }) => ({ symbol, score: Math.log(probability / of + 1e-9) }));
  }
}

/** The turns still open and the lines found. */
class Search {
  turns: Turn[] = [];
  steps = 0;
  /** Tokens in the file before the search. */
  readonly length: number;
  readonly #found: { readonly turn: Turn; readonly score: number; readonly fit: number }[] = [];
  /** Below this log probability nothing is worth following. */
  bar: number = Math.log(1e-5);

  constructor(length: number) {
    this.length = length;
  }

  next(): Turn | undefined {
    this.turns.sort((one, two) => scoreOf(two) - scoreOf(one));
    const turn = this.turns.shift();
    return turn !== undefined && scoreOf(turn) > this.bar ? turn : undefined;
  }

  note(turn: Turn): void {
    if (scoreOf(turn) > this.bar) this.turns.push(turn);
  }

  finish(turn: Turn, score: number, fit: number): void {
    this.#found.push({ turn, score, fit });
    // The third best is kept alive, for the alternatives.
    if (this.#found.length >= 3) {
      const scores = this.#found.map((line) => line.score).sort((one, two) => two - one);
      this.bar = Math.max(this.bar, scores[2] ?? this.bar);
    }
  }

  lines(): readonly FoundLine[] {
    const known = this.#found.reduce((sum, line) => sum + Math.exp(line.score), 0);
    const evidence = this.#found.reduce((sum, line) => sum + Math.exp(line.score) * line.fit, 0);
    const isFitted = this.#found.some((line) => line.fit !== 1);
    const rest = Math.max(0, 1 - known) * 0.15;
    const of = isFitted ? evidence + rest : 1;
    const lines = this.#found
      .map(({ turn, score, fit }) => ({
        ...turn,
        probability: isFitted ? Math.min(1, (Math.exp(score) * fit) / of) : Math.min(1, Math.exp(bound * score)),
      }))
      .sort((one, two) => two.probability - one.probability);
    return lines.slice(0, 4).map(({ symbols, scores, probability }) => ({
      symbols,
      probability,
      steps: symbols.map((_, at) => {
        const own = scores[at] ?? 0;
        if (!isFitted) return Math.min(1, Math.exp(bound * own));
        // What follows in the file may speak for this beginning more than the tokens alone do.
        const alike = lines.filter((line) =>
          symbols.slice(0, at + 1).every((symbol, it) => line.symbols[it] === symbol),
        );
        const shared = alike.reduce((sum, line) => sum + line.probability, 0);
        return Math.min(1, Math.max(Math.exp(own), shared));
      }),
    }));
  }
}
