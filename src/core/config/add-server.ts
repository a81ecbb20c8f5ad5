/** Adds one server to the text of a config file, or changes it, and leaves every other character as it was. */
import { type Edit, modify, type ParseError, parse } from 'jsonc-parser';
import { isRecord, own } from '../catalog/read-json.ts';
import type { Json, JsonObject } from '../model.ts';

/**
 * The new text; undefined where the file cannot be read as an object with an object of servers under `root` (such as
 * `mcpServers`), so that nothing of it would be lost. `text` is undefined where there is no file. The same text where the
 * server stands already.
 */
export function withServer(
  text: string | undefined,
  root: string,
  name: string,
  entry: JsonObject,
): string | undefined {
  const before = text === undefined || text.trim() === '' ? '{}\n' : text.replace(/^\uFEFF/, '');
  const errors: ParseError[] = [];
  const value: unknown = parse(before, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(value)) return undefined;
  const servers = own(value, root);
  if (servers !== undefined && !isRecord(servers)) return undefined;
  if (servers !== undefined && JSON.stringify(own(servers, name)) === JSON.stringify(entry)) return text;
  const style = styleOf(before);
  const [key, added, depth]: readonly [string, Json, number] =
    servers === undefined ? [root, { [name]: entry }, 1] : [name, entry, 2];
  // The library's own formatting would touch what stands beside.
  const [edit] = modify(before, servers === undefined ? [root] : [root, name], entry, {});
  return edit === undefined ? undefined : applied(before, edit, { key, added, depth }, style);
}

/** How a file indents and ends its lines. */
export interface Style {
  readonly indent: string;
  readonly eol: string;
}

/** The style of the first indented line; two spaces where there is none. */
export function styleOf(text: string): Style {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return { indent: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** The place of the edit, with what is put there spelt in the style of the file. */
function applied(
  text: string,
  { offset, length, content }: Edit,
  { key, added, depth }: { readonly key: string; readonly added: Json; readonly depth: number },
  { indent, eol }: Style,
): string {
  const [start, rest] = [text.slice(0, offset), text.slice(offset + length)];
  const lines = JSON.stringify(added, undefined, indent).split('\n');
  const value = lines.join(`${eol}${indent.repeat(depth)}`);
  // Another entry of the name is replaced: its key stays.
  if (length > 0) return start + value + rest;
  const property = `${eol}${indent.repeat(depth)}${JSON.stringify(key)}: ${value}`;
  if (content.startsWith(',')) return `${start},${property}${rest}`;
  const closing = /^\s*?(\r?\n)\s*\}/.test(rest) ? '' : `${eol}${indent.repeat(depth - 1)}`;
  return start + property + closing + rest.replace(/^[ \t]+(?=\})/, '');
}
