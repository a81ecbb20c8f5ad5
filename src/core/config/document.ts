/**
 * A parsed config file, whatever its syntax: plain nodes that know where they stand, with duplicate keys kept and
 * every key plain data. Reading the syntaxes is in `read-json.ts`, `read-toml.ts` and `read-yaml.ts`.
 */
import type { Problem } from '../problem.ts';

/** Bytes of a config file that are read at most. */
export const MAX_FILE_BYTES = 5_000_000;
/** Levels of nesting that are followed at most. */
export const MAX_DEPTH = 64;

/** `at` is an offset into the text in UTF-16 units. */
export type Node =
  | { readonly kind: 'object'; readonly at: number; readonly fields: readonly Field[] }
  | { readonly kind: 'array'; readonly at: number; readonly items: readonly Node[] }
  | { readonly kind: 'value'; readonly at: number; readonly value: string | number | boolean | null };

export interface Field {
  readonly key: string;
  /** Offset of the key. */
  readonly at: number;
  readonly value: Node;
}

export type ObjectNode = Extract<Node, { kind: 'object' }>;
export type FileSyntax = 'json' | 'jsonc' | 'toml' | 'yaml';

/** What a reader of one syntax found: the tree, or the first error that makes the file unreadable. */
export interface ReadResult {
  readonly root?: Node;
  readonly faults: readonly Fault[];
}

/** A problem that is not yet bound to a file. */
export interface Fault extends Pick<Problem, 'kind' | 'severity' | 'message' | 'remedy'> {
  readonly offset: number;
}

/** The last field of that name, as every JSON parser would pick it. */
export function fieldOf(node: Node | undefined, key: string): Field | undefined {
  return node?.kind === 'object' ? node.fields.findLast((field) => field.key === key) : undefined;
}

/** The value of a string, number or boolean node; undefined for anything else. */
export function scalarOf(node: Node | undefined): string | number | boolean | null | undefined {
  return node?.kind === 'value' ? node.value : undefined;
}

/** What a person would call the node's type. */
export function typeOf(node: Node): string {
  if (node.kind === 'object') return 'an object';
  if (node.kind === 'array') return 'a list';
  if (node.value === null) return 'null';
  return typeof node.value === 'boolean' ? 'true or false' : `a ${typeof node.value}`;
}

/** Line and column of an offset, both from 1, columns in UTF-16 units. */
export type Locate = (offset: number) => { readonly line: number; readonly column: number };

/** Indexes the lines of a text; LF, CRLF and CR end a line. */
export function locator(text: string): Locate {
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) starts.push(at + 1);
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(0, offset - (starts[low] ?? 0)) + 1 };
  };
}

/** A piece of foreign text for a message: in quotes, escapes visible, at most 60 characters. */
export function quoted(text: string): string {
  const visible = text.replace(
    /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const points = [...visible.slice(0, 400)];
  return `"${points.length > 60 ? `${points.slice(0, 60).join('')}…` : points.join('')}"`;
}

/** The problem of a file nested beyond {@link MAX_DEPTH}. */
export function tooDeep(offset: number): Fault {
  return {
    kind: 'config-too-deep',
    severity: 'error',
    message: `The file nests deeper than ${MAX_DEPTH} levels, so it is not read.`,
    remedy: 'Flatten the file, or move the servers into a file of their own.',
    offset,
  };
}
