/**
 * Room for what the sources say about each symbol of one prediction: one slot a symbol, arrays that are made once. It
 * knows no source and gives the numbers no meaning.
 */

/** How many symbols one prediction looks at; more are left out. */
export const limit = 512;
export const sourceCount = 4;

export class Slots {
  /** How many slots are taken. */
  count = 0;
  /** By slot; what is per source lies at slot * sourceCount + source. */
  readonly symbols = new Int32Array(limit);
  readonly chain = new Float64Array(limit * sourceCount);
  readonly longest = new Uint8Array(limit * sourceCount);
  readonly support = new Float32Array(limit * sourceCount);
  readonly atLongest = new Float32Array(limit * sourceCount);
  /** The chain as it stood after two and after four tokens. */
  readonly early = new Float64Array(limit * sourceCount * 2);
  readonly like = new Float32Array(limit);
  readonly likeCopy = new Float32Array(limit);
  readonly class = new Float32Array(limit);
  readonly syntaxToken = new Float32Array(limit);
  readonly pointer = new Float32Array(limit);
  /** What the syntax of the files near by says: the same three, and names made by what differs from like places. */
  readonly nearClass = new Float32Array(limit);
  readonly nearToken = new Float32Array(limit);
  readonly nearPointer = new Float32Array(limit);
  readonly made = new Float32Array(limit);
  readonly nearMade = new Float32Array(limit);
  /** What stood after the same outline in this file, and in calls of the same in this file and in others. */
  readonly outlined = new Float32Array(limit);
  readonly called = new Float32Array(limit);
  readonly nearCalled = new Float32Array(limit);
  /** 1 where it is a member of the type before the cursor. */
  readonly member = new Float32Array(limit);
  /** 1 where it is called for by a file beside or a word just written. */
  readonly named = new Float32Array(limit);
  readonly mixed = new Float64Array(limit);
  /** By which the symbols worth describing are chosen. */
  readonly score = new Float64Array(limit);
  readonly now = new Float64Array(limit);
  #places = new Int32Array(1 << 16);
  #stamps = new Int32Array(1 << 16);
  #stamp = 0;
  readonly #ordered = new Float64Array(limit);

  /** How many may be taken for now: the last are kept for what comes later and is rarer. */
  most: number = limit;

  clear(): void {
    this.count = 0;
    this.most = limit;
    this.#stamp += 1;
  }

  /** The slot of a symbol, taken now where it has none; -1 when all are taken. */
  of(symbol: number): number {
    if (symbol >= this.#places.length) this.#grow(symbol);
    if (this.#stamps[symbol] === this.#stamp) return this.#places[symbol] ?? -1;
    if (this.count >= this.most) return -1;
    const slot = this.count;
    this.count += 1;
    this.#stamps[symbol] = this.#stamp;
    this.#places[symbol] = slot;
    this.symbols[slot] = symbol;
    // Loops, for filling a few numbers costs more as a call.
    const from = slot * sourceCount;
    for (let cell = from; cell < from + sourceCount; cell += 1) {
      this.chain[cell] = 0;
      this.longest[cell] = 0;
      this.support[cell] = 0;
      this.atLongest[cell] = 0;
      this.early[cell * 2] = 0;
      this.early[cell * 2 + 1] = 0;
    }
    this.like[slot] = 0;
    this.likeCopy[slot] = 0;
    this.class[slot] = 0;
    this.syntaxToken[slot] = 0;
    this.pointer[slot] = 0;
    this.nearClass[slot] = 0;
    this.nearToken[slot] = 0;
    this.nearPointer[slot] = 0;
    this.made[slot] = 0;
    this.nearMade[slot] = 0;
    this.outlined[slot] = 0;
    this.called[slot] = 0;
    this.nearCalled[slot] = 0;
    this.member[slot] = 0;
    this.named[slot] = 0;
    return slot;
  }

  #grow(symbol: number): void {
    const stamps = new Int32Array(symbol * 2);
    stamps.set(this.#stamps);
    this.#stamps = stamps;
    const slots = new Int32Array(symbol * 2);
    slots.set(this.#places);
    this.#places = slots;
  }

  /** What `score` must reach to be among the largest `wanted`, and no more than `behind` below the largest. */
  bar(wanted: number, behind: number): number {
    let most = -Infinity;
    for (let slot = 0; slot < this.count; slot += 1) most = Math.max(most, this.score[slot] ?? most);
    return Math.max(most - behind, this.#nth(wanted));
  }

  /** The score of the last of the largest `wanted`. */
  #nth(wanted: number): number {
    if (this.count <= wanted) return -Infinity;
    const ordered = this.#ordered.subarray(0, this.count);
    ordered.set(this.score.subarray(0, this.count));
    let low = 0;
    let high = this.count - 1;
    const place = this.count - wanted;
    while (low < high) {
      const pivot = ordered[(low + high) >> 1] ?? 0;
      let from = low;
      let to = high;
      while (from <= to) {
        while ((ordered[from] ?? 0) < pivot) from += 1;
        while ((ordered[to] ?? 0) > pivot) to -= 1;
        if (from > to) break;
        const swapped = ordered[from] ?? 0;
        ordered[from] = ordered[to] ?? 0;
        ordered[to] = swapped;
        from += 1;
        to -= 1;
      }
      if (place <= to) high = to;
      else if (place >= from) low = from;
      else break;
    }
    return ordered[place] ?? 0;
  }
}
