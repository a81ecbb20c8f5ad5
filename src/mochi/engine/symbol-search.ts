/**
 * Finds declarations by what is said about them: BM25F over name, doc comment, path and body, widened by the words that
 * the workspace's own comments and code use together. Built from what was learned; reads no files.
 */

import type { KnownFile, Memory } from '../learn/memory.ts';
import type { CodeSymbol } from '../learn/symbols.ts';
import { kinds } from '../learn/vocabulary.ts';
import { englishFor } from './glossary.ts';
import { isCjk, termsOfIdentifier, termsOfText } from './terms.ts';

export interface SearchOptions {
  /** Weights of the fields. */
  readonly name?: number;
  readonly doc?: number;
  readonly path?: number;
  readonly body?: number;
  /** How much words that go together count beside the words asked for; 0 turns it off. */
  readonly widen?: number;
  /** No priors and no weight for covering the question: BM25 as it stands in books. */
  readonly plain?: boolean;
  /** Symbols whose doc comment is kept out, for measuring. */
  readonly heldOut?: ReadonlySet<CodeSymbol>;
}

export interface Hit {
  readonly file: KnownFile;
  readonly symbol: CodeSymbol;
  readonly score: number;
  /** Part of the weight of the question's words, 0 to 1, that the symbol says. */
  readonly coverage: number;
}

interface Posting {
  readonly docs: number[];
  readonly weights: number[];
}

const longestBody = 240;
const k1 = 1.1;
/** Milliseconds of building before others get their turn. */
const sliceMs = 8;

export class SymbolSearch {
  /** Holes are symbols that are gone. */
  readonly #docs: ({ readonly file: KnownFile; readonly symbol: CodeSymbol; readonly prior: number } | undefined)[] =
    [];
  readonly #docsOf = new Map<string, number[]>();
  #caughtUp: number;
  readonly #postings = new Map<string, Posting>();
  readonly #related = new Map<string, Map<string, number>>();
  readonly #options: Required<SearchOptions>;
  readonly #memory: Memory;
  readonly #termsOfToken = new Map<number, readonly string[]>();

  /** Built at once, unless it is said to stay empty. */
  constructor(memory: Memory, options: SearchOptions = {}, isEmpty = false) {
    this.#memory = memory;
    this.#options = { name: 3, doc: 1, path: 2, body: 0.2, widen: 0.15, plain: false, heldOut: new Set(), ...options };
    this.#caughtUp = memory.changes.length;
    if (!isEmpty) for (const _ of this.#build());
  }

  /** Built in slices, so that whatever else waits for the thread is not kept waiting. */
  static async inSlices(memory: Memory): Promise<SymbolSearch> {
    const search = new SymbolSearch(memory, {}, true);
    let began = performance.now();
    for (const _ of search.#build()) {
      if (performance.now() - began < sliceMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
    return search;
  }

  *#build(): Generator<void> {
    for (const file of this.#memory.files.values()) {
      for (const symbol of file.record.symbols) this.#add(file, symbol);
      yield;
    }
    if (this.#options.widen > 0) yield* this.#relate();
  }

  get size(): number {
    return this.#docs.length;
  }

  /** Takes up the files that were relearned since. What they said before stays in the postings, but is never found. */
  catchUp(): void {
    const { changes, files } = this.#memory;
    for (const path of new Set(changes.slice(this.#caughtUp))) {
      for (const doc of this.#docsOf.get(path) ?? []) this.#docs[doc] = undefined;
      this.#docsOf.delete(path);
      const file = files.get(path);
      for (const symbol of file?.record.symbols ?? []) if (file !== undefined) this.#add(file, symbol);
    }
    this.#caughtUp = changes.length;
  }

  #add(file: KnownFile, symbol: CodeSymbol): void {
    const { name, doc, path, body, heldOut } = this.#options;
    const doctext = heldOut.has(symbol) ? '' : symbol.doc;
    const weights = new Map<string, number>();
    const put = (terms: readonly string[], weight: number, typical: number): void => {
      const each = weight / (0.35 + (0.65 * terms.length) / typical);
      for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + each);
    };
    put(termsOfIdentifier(symbol.name), name, 3);
    if (doctext !== '' && doc > 0) put(termsOfText(doctext), doc, 14);
    put(termsOfText(file.record.path), path, 6);
    put(this.#bodyTerms(file, symbol), body, 60);
    const place = this.#docs.length;
    const isTest = /(^|[/._-])(tests?|spec|__tests__|examples?|bench)([/._-]|$)/.test(file.record.path);
    const prior = (symbol.isExported ? 1.12 : 1) * (symbol.kind === 'constant' ? 0.92 : 1) * (isTest ? 0.75 : 1);
    this.#docs.push({ file, symbol, prior });
    const siblings = this.#docsOf.get(file.record.path);
    if (siblings === undefined) this.#docsOf.set(file.record.path, [place]);
    else siblings.push(place);
    for (const [term, weight] of weights) {
      let posting = this.#postings.get(term);
      if (posting === undefined) {
        posting = { docs: [], weights: [] };
        this.#postings.set(term, posting);
      }
      posting.docs.push(place);
      posting.weights.push(weight);
    }
  }

  #bodyTerms(file: KnownFile, symbol: CodeSymbol): readonly string[] {
    const { ids } = this.#memory.tokensOf(file);
    const terms: string[] = [];
    const to = Math.min(symbol.to, symbol.from + longestBody, ids.length);
    for (let at = symbol.from; at < to; at += 1) terms.push(...this.#tokenTerms(ids[at] ?? 0));
    return terms;
  }

  #tokenTerms(id: number): readonly string[] {
    const known = this.#termsOfToken.get(id);
    if (known !== undefined) return known;
    const { vocabulary } = this.#memory;
    const kind = vocabulary.kind(id);
    const text = vocabulary.textOf(id);
    const terms = kind === kinds.word ? termsOfIdentifier(text) : kind === kinds.string ? termsOfText(text) : [];
    this.#termsOfToken.set(id, terms);
    return terms;
  }

  /** Which words of names go with which words of comments, by the documented symbols. */
  *#relate(): Generator<void> {
    const together = new Map<string, Map<string, number>>();
    const said = new Map<string, number>();
    const named = new Map<string, number>();
    let total = 0;
    for (const doc of this.#docs) {
      yield;
      if (doc === undefined || doc.symbol.doc === '' || this.#options.heldOut.has(doc.symbol)) continue;
      const { symbol } = doc;
      total += 1;
      const names = new Set(termsOfIdentifier(symbol.name));
      for (const term of names) named.set(term, (named.get(term) ?? 0) + 1);
      for (const word of new Set(termsOfText(symbol.doc).slice(0, 24))) {
        said.set(word, (said.get(word) ?? 0) + 1);
        const row = together.get(word) ?? new Map<string, number>();
        together.set(word, row);
        for (const term of names) if (term !== word) row.set(term, (row.get(term) ?? 0) + 1);
      }
    }
    for (const [word, row] of together) {
      yield;
      const near = [...row]
        .filter(([, count]) => count >= 3)
        .map(([term, count]): [string, number] => {
          const expected = ((said.get(word) ?? 1) * (named.get(term) ?? 1)) / total;
          return [term, count > 3 * expected ? count / (said.get(word) ?? 1) : 0];
        })
        .filter(([, share]) => share > 0.08)
        .sort(([, one], [, two]) => two - one)
        .slice(0, 4);
      if (near.length > 0) this.#related.set(word, new Map(near));
    }
  }

  /** Best first. */
  search(question: string, most: number): readonly Hit[] {
    const asked = new Map<string, number>();
    for (const term of termsOfQuestion(question)) asked.set(term, (asked.get(term) ?? 0) + 1);
    const words = [...asked];
    const widened = new Map(words.map(([term, count]): [string, number] => [term, 1 + 0.3 * Math.log(count)]));
    for (const [term] of words) {
      for (const [near, share] of this.#related.get(term) ?? []) {
        if (!asked.has(near))
          widened.set(near, Math.max(widened.get(near) ?? 0, this.#options.widen * Math.sqrt(share)));
      }
    }
    const scores = new Float64Array(this.#docs.length);
    const covered = new Float64Array(this.#docs.length);
    let all = 0;
    for (const [term, weight] of widened) {
      const posting = this.#postings.get(term);
      // Two signs side by side need not be a word; only what is found counts.
      if (posting === undefined && isCjk(term)) continue;
      const frequency = posting?.docs.length ?? 0;
      const rarity = Math.log(1 + (this.#docs.length - frequency + 0.5) / (frequency + 0.5));
      if (asked.has(term)) all += rarity;
      if (posting === undefined) continue;
      for (let at = 0; at < posting.docs.length; at += 1) {
        const doc = posting.docs[at] ?? 0;
        const tf = posting.weights[at] ?? 0;
        scores[doc] = (scores[doc] ?? 0) + (weight * rarity * tf * (k1 + 1)) / (tf + k1);
        if (asked.has(term)) covered[doc] = (covered[doc] ?? 0) + rarity;
      }
    }
    return this.#best(scores, covered, all, most);
  }

  #best(scores: Float64Array, covered: Float64Array, all: number, most: number): readonly Hit[] {
    const hits: Hit[] = [];
    let bar = 0;
    for (let doc = 0; doc < scores.length; doc += 1) {
      const known = this.#docs[doc];
      const coverage = all > 0 ? (covered[doc] ?? 0) / all : 0;
      const weight = this.#options.plain ? 1 : (known?.prior ?? 1) * (0.6 + 0.4 * coverage);
      const score = (scores[doc] ?? 0) * weight;
      if (known === undefined || score <= bar) continue;
      hits.push({ file: known.file, symbol: known.symbol, score, coverage });
      if (hits.length > most * 8) {
        hits.sort((one, two) => two.score - one.score).splice(most * 4);
        bar = hits.at(-1)?.score ?? 0;
      }
    }
    hits.sort((one, two) => two.score - one.score);
    // Overloads and the parts of one declaration are one place to whoever asks.
    const seen = new Set<string>();
    return hits
      .filter(({ file, symbol }) => {
        const key = `${file.record.path}\n${symbol.name}`;
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      })
      .slice(0, most);
  }
}

/** The terms of its words, and of what code calls them. */
function termsOfQuestion(question: string): readonly string[] {
  const own = termsOfText(question);
  return isCjk(question) ? [...own, ...englishFor(question).flatMap(termsOfText)] : own;
}

/** The chance that the first hit is the place asked for; fitted on questions made from doc comments. */
export function confidenceOf(hits: readonly Hit[]): number {
  const [first, second] = hits;
  if (first === undefined) return 0;
  const lead = 1 - (second?.score ?? 0) / first.score;
  const evidence = -4.47 + 3.41 * lead + 0.64 * first.coverage + 0.95 * Math.log(first.score);
  return 1 / (1 + Math.exp(-evidence));
}
