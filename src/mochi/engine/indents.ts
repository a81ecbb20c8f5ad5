/**
 * How far the lines of a completion are indented: by the brackets and blocks they stand in, and where those do not tell,
 * by what the learned code does between two such lines. It knows the indentation of what is typed, and of what it gave.
 */
import { gaps, startsLine } from '../learn/lexer.ts';
import type { OpenFile } from './open-file.ts';
import type { Sources } from './sources.ts';
import { gapBefore } from './spacing.ts';

/** How a file is indented. */
export interface IndentRules {
  /** One step. */
  readonly unit: string;
  /** Whether a colon opens a block that ends with its indentation. */
  readonly isByColon: boolean;
  /** The white space before the line of a typed token, by its position in the open file; undefined for other places. */
  readonly indentAt: (position: number) => string | undefined;
}

/** The indentation of lines written after the end of an open file, one after the other. */
export class Indents {
  readonly #file: OpenFile;
  readonly #rules: IndentRules;
  readonly #given = new Map<number, string>();

  /** `indent` stands before the cursor's line. */
  constructor(file: OpenFile, rules: IndentRules, indent: string) {
    this.#file = file;
    this.#rules = rules;
    this.#given.set(file.length, indent);
  }

  /** The white space before a line that begins with `token` at the end of the file, and the gap byte that tells of it. */
  next(token: number, sources: Sources): { readonly indent: string; readonly gap: number } {
    const before = this.#lineOf(this.#file.length - 1);
    const indent = this.#indentOf(token, before, sources);
    this.#given.set(this.#file.length, indent);
    const grown = indent.length - before.length;
    const isMuch = -grown > this.#rules.unit.length;
    const less = isMuch ? gaps.muchShallower : gaps.shallower;
    return { indent, gap: grown === 0 ? gaps.line : grown > 0 ? gaps.deeper : less };
  }

  #indentOf(token: number, before: string, sources: Sources): string {
    const file = this.#file;
    const { unit, isByColon } = this.#rules;
    const last = file.vocabulary.textOf(file.ids[file.length - 1] ?? 0);
    const bracketAt = file.bracketAt;
    const around = this.#known(file.lineStarts[bracketAt] ?? 0);
    const isInBracket = bracketAt > 0 && around !== undefined;
    if (file.closes(token) === 1) return around ?? shorter(before, unit);
    if (/^[([{]$/.test(last)) return before + unit;
    const statement = this.#known(this.#statementAt()) ?? before;
    if (isByColon && last === ':' && !isInBracket) return statement + unit;
    const isFirstLine = isInBracket && file.lineStarts[file.length - 1] === file.lineStarts[bracketAt];
    if (isFirstLine) return around + unit;
    const gap = gapBefore(file, token, true, sources);
    const mayGrow = isByColon ? isInBracket : !/^[,;}]$/.test(last);
    if (gap === gaps.line || (gap === gaps.deeper && !mayGrow)) return statement;
    if (gap === gaps.deeper) return statement + unit;
    if (isInBracket) return this.#known(bracketAt + 1) ?? around + unit;
    if (isByColon) return this.#outer(token, statement) ?? shorter(statement, unit);
    return gap === gaps.muchShallower ? shorter(shorter(statement, unit), unit) : shorter(statement, unit);
  }

  /** The indentation of the nearest line above that begins with the same token further left. */
  #outer(token: number, than: string): string | undefined {
    const file = this.#file;
    for (let at = file.last.get(token) ?? -1; at >= 0; at = file.previous[at] ?? -1) {
      const indent = startsLine(file.gaps[at] ?? 0) ? this.#known(at) : undefined;
      if (indent !== undefined && indent.length < than.length) return indent;
    }
    return undefined;
  }

  /** The position of the first token of the last statement: of the line on which its outermost bracket was opened. */
  #statementAt(): number {
    const { lineStarts, enclosing, bracketAt, length } = this.#file;
    let at = lineStarts[length - 1] ?? 0;
    for (let bracket = enclosing[at] ?? 0; bracket > bracketAt; bracket = enclosing[at] ?? 0)
      at = lineStarts[bracket] ?? 0;
    return at;
  }

  #lineOf(position: number): string {
    return this.#known(this.#file.lineStarts[position] ?? 0) ?? '';
  }

  #known(position: number): string | undefined {
    return this.#given.get(position) ?? this.#rules.indentAt(position);
  }
}

const shorter = (indent: string, unit: string): string => indent.slice(0, Math.max(0, indent.length - unit.length));
