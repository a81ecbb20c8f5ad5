/**
 * TOML to nodes. The library gives values without places, so a small scan of the text finds where each table and
 * key begins; it only locates, it never decides a value.
 */
import { parse, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import { MAX_DEPTH, type Node, type ReadResult, tooDeep } from './document.ts';

export function readToml(text: string): ReadResult {
  let table: TomlTable;
  try {
    table = parse(text, { integersAsBigInt: 'asNeeded', maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof TomlError)) return { faults: [tooDeep(0)] };
    const offset = offsetAt(text, error.line, error.column);
    // Only the first line: the rest of the message quotes the file.
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    if (reason.includes('nested')) return { faults: [tooDeep(offset)] };
    return {
      faults: [
        {
          kind: 'config-syntax',
          severity: 'error',
          message: `The TOML is not valid: ${reason}.`,
          remedy: 'Correct the file here; until then none of its servers is read.',
          offset,
        },
      ],
    };
  }
  const places = keyPlaces(text);
  try {
    return { root: convert(table, [], 0, places, 0), faults: [] };
  } catch (error) {
    if (error instanceof RangeError) return { faults: [tooDeep(0)] };
    throw error;
  }
}

type Places = ReadonlyMap<string, number>;

function convert(value: TomlValue, path: readonly string[], at: number, places: Places, depth: number): Node {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deep');
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return { kind: 'value', at, value };
  }
  if (typeof value === 'bigint') return { kind: 'value', at, value: String(value) };
  if (Array.isArray(value)) {
    return { kind: 'array', at, items: value.map((item) => convert(item, path, at, places, depth + 1)) };
  }
  if (!isTable(value)) return { kind: 'value', at, value: String(value) };
  return {
    kind: 'object',
    at,
    fields: Object.entries(value).map(([key, item]) => {
      const inner = [...path, key];
      const place = places.get(JSON.stringify(inner)) ?? at;
      return { key, at: place, value: convert(item, inner, place, places, depth + 1) };
    }),
  };
}

function isTable(value: TomlValue): value is TomlTable {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function offsetAt(text: string, line: number, column: number): number {
  let start = 0;
  for (let count = 1; count < line; count += 1) {
    const next = text.indexOf('\n', start);
    if (next < 0) break;
    start = next + 1;
  }
  return Math.min(text.length, start + Math.max(0, column - 1));
}

/** Offsets of tables and keys by their path, as JSON. Assumes valid TOML. */
function keyPlaces(text: string): Places {
  const places = new Map<string, number>();
  let current: readonly string[] = [];
  let at = 0;
  const record = (path: readonly string[], offset: number): void => {
    for (let length = 1; length <= Math.min(path.length, MAX_DEPTH); length += 1) {
      const key = JSON.stringify(path.slice(0, length));
      if (!places.has(key)) places.set(key, offset);
    }
  };
  while (at < text.length) {
    const character = text[at] ?? '';
    if (/\s/.test(character)) {
      at += 1;
    } else if (character === '#') {
      at = lineEnd(text, at);
    } else if (character === '[') {
      const header = readKeys(text, text[at + 1] === '[' ? at + 2 : at + 1);
      current = header.keys;
      record(current, at);
      at = lineEnd(text, header.end);
    } else {
      const { keys, end } = readKeys(text, at);
      record([...current, ...keys], at);
      at = valueEnd(text, Math.max(end, at + 1));
    }
  }
  return places;
}

/** A dotted key, bare or quoted, up to `=` or `]`. */
function readKeys(text: string, from: number): { keys: readonly string[]; end: number } {
  const keys: string[] = [];
  let at = from;
  for (;;) {
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = stringEnd(text, at);
      keys.push(unquote(text.slice(at, end)));
      at = end;
    } else {
      const start = at;
      while (at < text.length && /[A-Za-z0-9_-]/.test(text[at] ?? '')) at += 1;
      keys.push(text.slice(start, at));
    }
    while (text[at] === ' ' || text[at] === '\t') at += 1;
    if (text[at] !== '.') return { keys, end: at };
    at += 1;
  }
}

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text.slice(1, -1);
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

/** The end of a value: the first line end outside strings and brackets. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const character = text[at];
    if (character === '"' || character === "'") {
      at = stringEnd(text, at);
      continue;
    }
    if (character === '#') {
      at = lineEnd(text, at);
      continue;
    }
    if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') depth -= 1;
    else if (character === '\n' && depth <= 0) return at;
    at += 1;
  }
  return at;
}

function stringEnd(text: string, from: number): number {
  const quote = text[from] ?? '';
  const triple = quote.repeat(3);
  const mark = text.startsWith(triple, from) ? triple : quote;
  let at = from + mark.length;
  while (at < text.length) {
    if (quote === '"' && text[at] === '\\') at += 2;
    else if (text.startsWith(mark, at)) {
      at += mark.length;
      // A multi-line string may end in up to two quotes of its own.
      while (mark.length === 3 && text[at] === quote) at += 1;
      return at;
    } else at += 1;
  }
  return text.length;
}
