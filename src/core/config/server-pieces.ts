/**
 * Takes the text of a config file apart at the commas between its servers, and puts it together again: every character
 * stands in exactly one part. Only JSON with comments; what else the file holds is kept as it is.
 */
import { createScanner, type Node as JsonNode, type ParseError, parseTree } from 'jsonc-parser';

/** One server with what stands around it, up to the commas. `body` is the key and its value. */
export interface Piece {
  readonly name: string;
  readonly lead: string;
  readonly body: string;
  readonly trail: string;
}

/** A file: `head` ends with the brace that opens the servers, `tail` begins behind the last one. */
export interface Pieces {
  readonly head: string;
  readonly pieces: readonly Piece[];
  readonly hasTrailingComma: boolean;
  readonly tail: string;
}

/** The text of {@link takeApart}, also with other pieces in it. */
export function putTogether({ head, pieces, hasTrailingComma, tail }: Pieces): string {
  const list = pieces.map(({ lead, body, trail }) => lead + body + trail).join(',');
  return head + list + (hasTrailingComma && pieces.length > 0 ? ',' : '') + tail;
}

/** Undefined where the file is no object with one object of servers under `root`, or names a server twice. */
export function takeApart(text: string, root: string): Pieces | undefined {
  const errors: ParseError[] = [];
  // An offset stays an offset where the mark is a space.
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
  if (errors.length > 0 || tree?.type !== 'object') return undefined;
  const roots = (tree.children ?? []).filter((property) => nameOf(property) === root);
  const servers = roots[0]?.children?.[1];
  if (servers?.type !== 'object' || roots.length > 1) return undefined;
  const properties = servers.children ?? [];
  if (new Set(properties.map(nameOf)).size < properties.length) return undefined;
  const end = servers.offset + servers.length - 1;
  const pieces: Piece[] = [];
  let at = servers.offset + 1;
  let hasTrailingComma = false;
  for (const [index, property] of properties.entries()) {
    const behind = property.offset + property.length;
    const comma = commaIn(text, behind, properties[index + 1]?.offset ?? end);
    const body = text.slice(property.offset, behind);
    const trail = comma === undefined ? '' : text.slice(behind, comma);
    pieces.push({ name: nameOf(property), lead: text.slice(at, property.offset), body, trail });
    hasTrailingComma = comma !== undefined;
    at = comma === undefined ? behind : comma + 1;
  }
  return { head: text.slice(0, servers.offset + 1), pieces, hasTrailingComma, tail: text.slice(at) };
}

/** What the scanner calls a comma; its own name for it is gone when its types are. */
const COMMA = 5;

function nameOf(property: JsonNode): string {
  return String(property.children?.[0]?.value ?? '');
}

/** Where the comma stands between two offsets, which comments may hold others of. */
function commaIn(text: string, from: number, to: number): number | undefined {
  const scanner = createScanner(text.slice(from, to), true);
  const found = scanner.scan();
  return found === COMMA ? from + scanner.getTokenOffset() : undefined;
}
