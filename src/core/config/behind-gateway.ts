/**
 * Moves servers from `.mcp.json` to the file that the gateway reads, and back. Entries are moved as they are spelt, with
 * their comments; everything else stays. Nothing is read, written or started here; what cannot be done without losing
 * something is a problem, and then nothing is done.
 */
import { applyEdits, modify, parse, stripComments } from 'jsonc-parser';
import { isRecord, own } from '../catalog/read-json.ts';
import type { Endpoint, JsonObject, Mode } from '../model.ts';
import { styleOf } from './add-server.ts';
import { CONFIG_FILE, GATEWAY_FILE, GATEWAY_NAME } from './gateway-files.ts';
import { type Piece, type Pieces, putTogether, takeApart } from './server-pieces.ts';

const ROOT = 'mcpServers';
/** The key of the gateway's file that says in which order all servers stood; no server. */
const NOTES = 'mochi';

/** The two texts; undefined where there is no such file. */
export interface GatewayFiles {
  readonly config: string | undefined;
  readonly gateway: string | undefined;
}

export type GatewayProblem =
  /** No file, or no servers in it. */
  | { readonly kind: 'missing'; readonly file: string }
  /** No JSON object of servers, or one with a name twice: moving an entry could lose the other. */
  | { readonly kind: 'unreadable'; readonly file: string }
  | { readonly kind: 'unknown'; readonly file: string; readonly name: string }
  /** Another server has the name there. */
  | { readonly kind: 'taken'; readonly file: string; readonly name: string };

export type GatewayChange =
  | ({ readonly kind: 'change' } & GatewayFiles)
  | { readonly kind: 'problem'; readonly problem: GatewayProblem };

/**
 * What `.mcp.json` says to start the gateway. `program` is its file, absolute. Claude Code replaces the variable; for
 * others the folder is where they start it.
 */
export function gatewayEntry(program: string, mode: Mode): JsonObject {
  const folder = '${CLAUDE_PROJECT_DIR:-.}';
  return {
    type: 'stdio',
    command: 'node',
    args: [
      program,
      `--workspace=${folder}`,
      `--mcp-config=${folder}/${GATEWAY_FILE}`,
      '--only-config',
      `--mode=${mode}`,
    ],
  };
}

/** Names in `.mcp.json` that can be put behind the gateway, in order; undefined where the file cannot be read. */
export function serversInFront(config: string): readonly string[] | undefined {
  const names = takeApart(config, ROOT)?.pieces.map(({ name }) => name);
  return names?.filter((name) => name !== GATEWAY_NAME);
}

/** Names of the servers behind the gateway, in order; undefined where the file cannot be read. */
export function serversBehind(gateway: string): readonly string[] | undefined {
  return takeApart(gateway, ROOT)?.pieces.map(({ name }) => name);
}

/** Puts servers behind the gateway, and the gateway in their place. Those that are behind it already stay there. */
export function putBehindGateway(files: GatewayFiles, names: readonly string[], entry: JsonObject): GatewayChange {
  const { config } = files;
  if (config === undefined) return problem({ kind: 'missing', file: CONFIG_FILE });
  const front = takeApart(config, ROOT);
  if (front === undefined) return problem({ kind: 'unreadable', file: CONFIG_FILE });
  const before = files.gateway ?? emptyFile(config);
  const behind = withTrail(takeApart(before, ROOT), before);
  if (behind === undefined) return problem({ kind: 'unreadable', file: GATEWAY_FILE });
  const there = front.pieces.find(({ name }) => name === GATEWAY_NAME);
  if (there !== undefined && !isOurs(there)) return problem({ kind: 'taken', file: CONFIG_FILE, name: GATEWAY_NAME });
  const others = front.pieces.filter((piece) => piece !== there);
  for (const name of names) {
    if (!others.some((piece) => piece.name === name)) return problem({ kind: 'unknown', file: CONFIG_FILE, name });
    if (behind.pieces.some((piece) => piece.name === name)) return problem({ kind: 'taken', file: GATEWAY_FILE, name });
  }
  const moved = others.filter(({ name }) => names.includes(name));
  const places = placesOf(others, behind.pieces, files.gateway);
  const stay = others.filter((piece) => !moved.includes(piece));
  const gateway = gatewayPiece(entry, there, front, config);
  return {
    kind: 'change',
    config: putTogether({ ...front, pieces: [...stay, gateway] }),
    gateway: noted(putTogether({ ...behind, pieces: [...behind.pieces, ...moved] }), places),
  };
}

/**
 * Takes servers from behind the gateway, each to where it stood. When none is left, the gateway goes from `.mcp.json`
 * and its file away. The same text as before {@link putBehindGateway} where nothing was changed since.
 */
export function takeFromGateway(files: GatewayFiles, names: readonly string[]): GatewayChange {
  const { gateway } = files;
  if (gateway === undefined) return problem({ kind: 'missing', file: GATEWAY_FILE });
  const behind = withTrail(takeApart(gateway, ROOT), gateway);
  if (behind === undefined) return problem({ kind: 'unreadable', file: GATEWAY_FILE });
  const config = files.config ?? emptyFile(gateway);
  const front = takeApart(config, ROOT);
  if (front === undefined) return problem({ kind: 'unreadable', file: CONFIG_FILE });
  const there = front.pieces.find((piece) => piece.name === GATEWAY_NAME && isOurs(piece));
  for (const name of names) {
    if (!behind.pieces.some((piece) => piece.name === name))
      return problem({ kind: 'unknown', file: GATEWAY_FILE, name });
    if (front.pieces.some((piece) => piece.name === name && piece !== there))
      return problem({ kind: 'taken', file: CONFIG_FILE, name });
  }
  const others = front.pieces.filter((piece) => piece !== there);
  const notes = readPlaces(gateway);
  const places = placesOf(others, behind.pieces, gateway);
  const taken = behind.pieces.filter(({ name }) => names.includes(name));
  const left = behind.pieces.filter((piece) => !taken.includes(piece));
  const now = [...others];
  for (const piece of [...taken].sort(
    (a, b) => (notes.get(a.name) ?? now.length) - (notes.get(b.name) ?? now.length),
  )) {
    const place = notes.get(piece.name) ?? Number.MAX_SAFE_INTEGER;
    const before = left.filter(({ name }) => (notes.get(name) ?? Number.MAX_SAFE_INTEGER) < place).length;
    now.splice(Math.max(0, place - before), 0, piece);
  }
  const stays = left.length > 0 && there !== undefined ? [...now, there] : now;
  const rest = noted(putTogether({ ...behind, pieces: left }), places);
  return {
    kind: 'change',
    config: putTogether({ ...front, pieces: stays }),
    gateway: left.length === 0 && isEmptyGateway(rest) ? undefined : rest,
  };
}

/** A gateway is configured beside the servers it fronts, and must not start itself. */
export function isGateway(endpoint: Endpoint): boolean {
  if (endpoint.kind !== 'stdio') return false;
  if (endpoint.args.some((word) => /(?:^|[\\/])mochi-gateway\.mjs$/.test(word))) return true;
  if (!endpoint.args.includes('gateway')) return false;
  const program = /(?:^|[\\/])(?:mochi(?:\.cmd|\.exe)?|mochi-skills(?:@[^\\/]*)?|cli\.mjs)$/;
  return [endpoint.command, ...endpoint.args].some((word) => program.test(word));
}

function problem(what: GatewayProblem): GatewayChange {
  return { kind: 'problem', problem: what };
}

/** Someone's own server may have the name by chance. */
function isOurs({ body }: Piece): boolean {
  return body.includes(GATEWAY_FILE);
}

/** Where every server stands among all, those behind the gateway included. */
function placesOf(
  front: readonly Piece[],
  behind: readonly Piece[],
  gateway: string | undefined,
): ReadonlyMap<string, number> {
  const notes = gateway === undefined ? new Map<string, number>() : readPlaces(gateway);
  const all = front.map(({ name }) => name);
  const known = behind.filter(({ name }) => notes.has(name));
  for (const { name } of known.sort((a, b) => (notes.get(a.name) ?? 0) - (notes.get(b.name) ?? 0)))
    all.splice(notes.get(name) ?? 0, 0, name);
  return new Map(all.map((name, place) => [name, place]));
}

function readPlaces(gateway: string): ReadonlyMap<string, number> {
  const value: unknown = parse(gateway.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
  const notes = isRecord(value) ? own(value, NOTES) : undefined;
  const order = isRecord(notes) ? own(notes, 'order') : undefined;
  if (!Array.isArray(order)) return new Map();
  return new Map(order.flatMap((name, place) => (typeof name === 'string' ? [[name, place] as const] : [])));
}

/** The gateway's file with the order of all servers noted in it. */
function noted(text: string, places: ReadonlyMap<string, number>): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const rest = text.slice(mark.length);
  const { indent, eol } = styleOf(rest);
  const formattingOptions = indent.startsWith('\t')
    ? { insertSpaces: false, tabSize: 1, eol }
    : { insertSpaces: true, tabSize: indent.length, eol };
  return mark + applyEdits(rest, modify(rest, [NOTES, 'order'], [...places.keys()], { formattingOptions }));
}

/** Whether nothing of a person's own is in the gateway's file. */
function isEmptyGateway(text: string): boolean {
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
  const isBare = stripComments(text) === text;
  return isBare && isRecord(value) && Object.keys(value).every((key) => key === ROOT || key === NOTES);
}

function emptyFile(like: string): string {
  const { indent, eol } = styleOf(like);
  return `{${eol}${indent}"${ROOT}": {${eol}${indent}}${eol}}${eol}`;
}

/** What stood between the last entry and its comma, when it was moved, belongs to it and not to the file. */
function withTrail(file: Pieces | undefined, text: string): Pieces | undefined {
  const last = file?.pieces.at(-1);
  const { indent, eol } = styleOf(text);
  const end = file?.tail.indexOf(`${eol}${indent}}`) ?? -1;
  if (file === undefined || last === undefined || file.hasTrailingComma || end <= 0) return file;
  const pieces = [...file.pieces.slice(0, -1), { ...last, trail: last.trail + file.tail.slice(0, end) }];
  return { ...file, pieces, tail: file.tail.slice(end) };
}

/** The gateway's entry, last among the servers and in their style. */
function gatewayPiece(entry: JsonObject, there: Piece | undefined, { pieces }: Pieces, config: string): Piece {
  const { indent, eol } = styleOf(config);
  const last = pieces.at(-1)?.lead ?? `${eol}${indent}${indent}`;
  const lead = there?.lead ?? (/^\s*$/.test(last) ? last : `${eol}${indent}${indent}`);
  const isLines = lead.includes('\n');
  const value = isLines
    ? JSON.stringify(entry, undefined, indent).replaceAll('\n', `${eol}${indent}${indent}`)
    : JSON.stringify(entry);
  const body = `${JSON.stringify(GATEWAY_NAME)}:${isLines ? ' ' : ''}${value}`;
  return { name: GATEWAY_NAME, lead, body, trail: there?.trail ?? '' };
}
