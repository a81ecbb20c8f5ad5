/**
 * Knows the lines of the files that are trained on, so that nothing is measured by code that stands there as well. It
 * keeps numbers made of lines, never code; lines in another order count as the same code.
 */

/** Characters, without the space around lines; less than this is said everywhere and gives nothing away. */
const SHORTEST = 60;

export class KnownLines {
  readonly #lines = new Set<number>();

  add(text: string): void {
    for (const line of linesOf(text)) this.#lines.add(numberOf(line));
  }

  /** Whether every line of the code is known, and the code is long enough for that to tell anything. */
  hold(code: string): boolean {
    const lines = linesOf(code);
    if (code.replace(/\s+/g, ' ').trim().length <= SHORTEST) return false;
    return lines.every((line) => this.#lines.has(numberOf(line)));
  }
}

/** Without space and closing marks at the ends, which samples are cut at. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/g, ' ')
        .replace(/[)\]};,'"` ]+$/, '')
        .trimStart(),
    )
    .filter((line) => line !== '');
}

/** Two hashes in one number, so that unlike lines do not meet. */
function numberOf(line: string): number {
  let one = 0x811c_9dc5;
  let two = 0x9e37_79b9;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    one = Math.imul(one ^ code, 0x0100_0193);
    two = Math.imul(two ^ code, 0x85eb_ca6b);
  }
  return (one >>> 0) * 2 ** 20 + ((two >>> 12) & 0xf_ffff);
}
