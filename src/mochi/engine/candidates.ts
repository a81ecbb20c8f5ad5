/**
 * Gathers what may come next from all sources, and what each source knows about it, as one row of numbers a candidate.
 * It weighs nothing for good: the ranker turns rows into probabilities.
 */
import { kinds, stringClass } from '../learn/vocabulary.ts';
import { Alike } from './alike.ts';
import { Calls } from './calls.ts';
import { Chains, latestCount } from './chains.ts';
import { Members } from './members.ts';
import { NamedStrings } from './named-strings.ts';
import type { OpenFile } from './open-file.ts';
import { weighSlots } from './shortlist.ts';
import { limit, Slots, sourceCount } from './slots.ts';
import type { Sources } from './sources.ts';
import { Traits, traitCount } from './traits.ts';
import { Uses, useWidth } from './uses.ts';

/** How many symbols are described, at most, and how far behind the best of the short list one is not worth it. */
export const kept = 62;
const hopeless = 8;
/** Slots kept for what stood where the syntax was alike, and for names that stand nowhere yet. */
const forAlike = 48;
const forNamed = 16;
/** What is no known member is so many times less likely, as a logarithm: inherited members are not read. */
const noMember = 5;
/** How many tokens back names are taken from. */
const reach = 600;
const perSource = 7;
const fromPointer = perSource * sourceCount;
const fromNear = fromPointer + 9;
/** What a candidate has of the most that any has: of each source, and of all together. */
const fromCalls = fromNear + 10;
const fromBest = fromCalls + 8;
/** Whether it followed the last place with the same one, two, three or five tokens. */
const fromLatest = fromBest + sourceCount + 3;
const fromUse = fromLatest + latestCount;
/** How many numbers describe a candidate, and how many all candidates of a prediction share. */
export const width: number = fromUse + useWidth + 1;
export const sharedWidth: number = sourceCount * 3 + 17;
/** The number that tells "none of these" from candidates. */
const none = width - 1;
/** How many kinds of syntax before the cursor are told apart where what counts is weighed. */
export const gates = 128;
const floor = 1e-5;
/** From 0 without evidence to about 1.9 for what is certain. */
const scaled = (probability: number): number => (probability <= 0 ? 0 : Math.log(probability / floor + 1) / 6);

/** One prediction's candidates: `symbols[i]` is described by `rows[i * width …]`. The first is "none of these". */
export class Candidates {
  count = 0;
  readonly symbols = new Int32Array(kept + 1);
  readonly rows = new Float32Array((kept + 1) * width);
  readonly shared = new Float32Array(sharedWidth);
  /** Which of {@link gates} sets of direct weights the syntax before the cursor calls for. */
  gate = 0;
  /** `traitCount` places in the table of traits for each candidate. */
  readonly traits = new Int32Array((kept + 1) * traitCount);
  /** By how much each is less likely than its numbers say, as a logarithm. */
  readonly doubts = new Float32Array(kept + 1);
  readonly #slots = new Slots();
  readonly #best = new Float64Array(sourceCount + 2);
  readonly #chains = new Chains(this.#slots);
  readonly #alike = new Alike(this.#slots);
  readonly #calls = new Calls(this.#slots);
  readonly #members = new Members();
  #memberCount = 0;
  readonly #named = new NamedStrings();
  readonly #hashed = new Traits();
  readonly #uses = new Uses();

  /** Fills in the candidates for the token after the last of `file`. */
  gather(file: OpenFile, sources: Sources): void {
    this.#slots.clear();
    this.#chains.clear();
    // First, for the slots are soon taken by whatever ever followed a common token.
    this.#recent(file);
    this.#calls.find(file, sources.near, sources.base);
    this.#memberCount = this.#members.find(file, [sources.near, sources.base], (symbol) => {
      const slot = this.#slots.of(symbol);
      if (slot >= 0) this.#slots.member[slot] = 1;
    });
    this.#slots.most = limit - forAlike - forNamed;
    this.#chains.fromFile(file);
    this.#chains.fromIndex(1, sources.folder, file);
    this.#chains.fromIndex(2, sources.near, file);
    this.#chains.fromIndex(3, sources.base, file);
    this.#slots.most = limit - forNamed;
    this.#alike.fromIndexes(file, sources);
    this.#alike.fromFile(file);
    this.#slots.most = limit;
    // Strings have one class; it is asked for only where one is likely.
    const isString = (this.#alike.classes[stringClass * 2] ?? 0) > 0.03;
    this.#named.find(file, sources, isString, (token) => {
      const slot = this.#slots.of(token * 2);
      if (slot >= 0) this.#slots.named[slot] = 1;
    });
    this.#choose(file);
  }

  /** Names and values of the last tokens may always be said again. */
  #recent(file: OpenFile): void {
    for (const id of file.suggested) this.#slots.of(id * 2);
    for (let at = file.length - 1; at > 0 && at > file.length - reach; at -= 1) {
      const kind = file.kinds[at] ?? 0;
      if (kind === kinds.word || kind === kinds.string || kind === kinds.number)
        this.#slots.of((file.ids[at] ?? 0) * 2);
    }
  }

  #choose(file: OpenFile): void {
    const orders = [0, 1, 2, 3].map((source) => this.#chains.reach[source * 3] ?? 0);
    weighSlots(this.#slots, file, orders, this.#alike.classes, this.#alike.nearClasses);
    const bar = this.#slots.bar(kept, hopeless);
    this.#share(file);
    this.gate = Math.imul(file.keys[file.length - 1] ?? 0, 0x9e3779b1) >>> 25;
    this.#compare(bar);
    this.#hashed.begin(file, this.#calls.argument);
    this.#uses.begin(file, this.#calls.expected);
    this.symbols[0] = -1;
    this.rows.fill(0, 0, (kept + 1) * width);
    this.rows[none] = 1;
    this.traits.fill(0, 0, traitCount);
    this.count = 1;
    // Many may be as good as the last that is chosen: they must not take the room of the better ones.
    let level = kept;
    for (let slot = 0; slot < this.#slots.count; slot += 1) if ((this.#slots.score[slot] ?? 0) > bar) level -= 1;
    for (let slot = 0; slot < this.#slots.count && this.count <= kept; slot += 1) {
      const score = this.#slots.score[slot] ?? 0;
      if (score < bar) continue;
      if (score === bar) {
        if (level <= 0) continue;
        level -= 1;
      }
      const symbol = this.#slots.symbols[slot] ?? 0;
      this.symbols[this.count] = symbol;
      this.#describe(this.count * width, slot, file.vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1));
      this.#uses.describe(this.rows, this.count * width + fromUse, symbol);
      this.doubts[this.count] = this.#isDoubtful(slot, symbol >> 1, file) ? noMember : 0;
      this.#hashed.write(this.traits, this.count * traitCount, symbol, file);
      this.count += 1;
    }
  }

  /** Whether members are called for, and this is none and never stood behind the same receiver. */
  #isDoubtful(slot: number, token: number, file: OpenFile): boolean {
    if (this.#memberCount === 0 || this.#slots.member[slot] === 1) return false;
    if (file.vocabulary.kind(token) !== kinds.word) return false;
    for (let source = 0; source < sourceCount; source += 1)
      if ((this.#slots.longest[slot * sourceCount + source] ?? 0) > 1) return false;
    return true;
  }

  /** Notes the most that any of those chosen has. */
  #compare(bar: number): void {
    const best = this.#best;
    best.fill(0);
    best[sourceCount + 1] = -Infinity;
    for (let slot = 0; slot < this.#slots.count; slot += 1) {
      const score = this.#slots.score[slot] ?? 0;
      if (score < bar) continue;
      for (let source = 0; source < sourceCount; source += 1)
        best[source] = Math.max(best[source] ?? 0, this.#slots.chain[slot * sourceCount + source] ?? 0);
      best[sourceCount] = Math.max(best[sourceCount] ?? 0, this.#slots.mixed[slot] ?? 0);
      best[sourceCount + 1] = Math.max(best[sourceCount + 1] ?? 0, score);
    }
  }

  /** What is the same for all candidates of one prediction. */
  #share(file: OpenFile): void {
    const { shared } = this;
    shared.fill(0);
    for (let source = 0; source < sourceCount; source += 1) {
      shared[source * 3] = (this.#chains.reach[source * 3] ?? 0) / 8;
      shared[source * 3 + 1] = Math.log1p(this.#chains.reach[source * 3 + 1] ?? 0) / 6;
      shared[source * 3 + 2] = this.#chains.reach[source * 3 + 2] ?? 0;
    }
    const rest = sourceCount * 3;
    shared[rest + (file.kinds[file.length - 1] ?? 0)] = 1;
    shared[rest + 6] = this.#alike.reach / 12;
    shared[rest + 7] = Math.log1p(this.#alike.total) / 6;
    shared[rest + 8] = 1;
    shared[rest + 9] = this.#alike.nearReach / 12;
    shared[rest + 10] = Math.log1p(this.#alike.nearTotal) / 6;
    shared[rest + 11] = Math.log1p(this.#calls.here) / 3;
    shared[rest + 12] = Math.log1p(this.#calls.near) / 3;
    shared[rest + 13] = Math.log1p(this.#calls.outlines) / 8;
    shared[rest + 14] = Math.min(6, this.#calls.argument) / 6;
    shared[rest + 15] = this.#calls.isFresh ? 1 : 0;
    shared[rest + 16] = this.#memberCount > 0 ? 1 : 0;
  }

  #describe(row: number, slot: number, place: number): void {
    const { rows } = this;
    for (let source = 0; source < sourceCount; source += 1) {
      const cell = slot * sourceCount + source;
      const chain = this.#slots.chain[cell] ?? 0;
      if (chain <= 0) continue;
      const into = row + source * perSource;
      const longest = this.#slots.longest[cell] ?? 0;
      rows[into] = scaled(chain);
      rows[into + 1] = longest / 8;
      rows[into + 2] = longest > 0 && longest === this.#chains.reach[source * 3] ? 1 : 0;
      rows[into + 3] = Math.log1p(this.#slots.support[cell] ?? 0) / 4;
      rows[into + 4] = this.#slots.atLongest[cell] ?? 0;
      rows[into + 5] = scaled(this.#slots.early[cell * 2] ?? 0);
      rows[into + 6] = scaled(this.#slots.early[cell * 2 + 1] ?? 0);
    }
    const pointed = row + fromPointer;
    rows[pointed] = this.#slots.pointer[slot] ?? 0;
    rows[pointed + 1] = scaled(this.#slots.pointer[slot] ?? 0);
    rows[pointed + 2] = scaled(this.#slots.class[slot] ?? 0);
    rows[pointed + 3] = scaled(this.#slots.syntaxToken[slot] ?? 0);
    rows[pointed + 4] = scaled(this.#slots.mixed[slot] ?? 0);
    rows[pointed + 5] = this.#slots.like[slot] ?? 0;
    rows[pointed + 6] = scaled(this.#slots.like[slot] ?? 0);
    rows[pointed + 7] = this.#slots.likeCopy[slot] ?? 0;
    rows[pointed + 8] = scaled(this.#slots.likeCopy[slot] ?? 0);
    const calls = row + fromCalls;
    rows[calls] = this.#slots.outlined[slot] ?? 0;
    rows[calls + 1] = scaled(this.#slots.outlined[slot] ?? 0);
    rows[calls + 2] = this.#slots.called[slot] ?? 0;
    rows[calls + 3] = scaled(this.#slots.called[slot] ?? 0);
    rows[calls + 4] = this.#slots.nearCalled[slot] ?? 0;
    rows[calls + 5] = scaled(this.#slots.nearCalled[slot] ?? 0);
    rows[calls + 7] = this.#slots.member[slot] ?? 0;
    rows[calls + 6] = this.#calls.outlines > 0 ? scaled((this.#calls.classes[place] ?? 0) / this.#calls.outlines) : 0;
    const compared = row + fromBest;
    const best = this.#best;
    for (let source = 0; source < sourceCount; source += 1) {
      const most = best[source] ?? 0;
      if (most > 0) rows[compared + source] = (this.#slots.chain[slot * sourceCount + source] ?? 0) / most;
    }
    const mixed = (this.#slots.mixed[slot] ?? 0) / ((best[sourceCount] ?? 0) + 1e-12);
    rows[compared + sourceCount] = mixed;
    rows[compared + sourceCount + 1] = Math.max(0, 1 + Math.log(mixed + 1e-9) / 8);
    rows[compared + sourceCount + 2] = Math.max(
      0,
      1 - ((best[sourceCount + 1] ?? 0) - (this.#slots.score[slot] ?? 0)) / 6,
    );
    for (let it = 0; it < latestCount; it += 1) if (this.#chains.latest[it] === slot) rows[row + fromLatest + it] = 1;
    const near = row + fromNear;
    rows[near] = this.#slots.nearPointer[slot] ?? 0;
    rows[near + 1] = scaled(this.#slots.nearPointer[slot] ?? 0);
    rows[near + 2] = scaled(this.#slots.nearClass[slot] ?? 0);
    rows[near + 3] = this.#slots.nearToken[slot] ?? 0;
    rows[near + 4] = scaled(this.#slots.nearToken[slot] ?? 0);
    rows[near + 5] = this.#slots.made[slot] ?? 0;
    rows[near + 6] = scaled(this.#slots.made[slot] ?? 0);
    rows[near + 7] = this.#slots.nearMade[slot] ?? 0;
    rows[near + 8] = scaled(this.#slots.nearMade[slot] ?? 0);
    rows[near + 9] = this.#slots.named[slot] ?? 0;
  }
}
