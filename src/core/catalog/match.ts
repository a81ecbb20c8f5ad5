/**
 * Catalogs of many servers in one file (`mcp_tool_catalog.yaml`), and which of its servers a name means. The
 * tools of a server are read only when it is asked for. No file is opened here.
 */
import { LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { Catalog } from '../model.ts';
import type { Problem, Reported } from '../problem.ts';
import { readTools } from './catalog.ts';
import { isRecord, own } from './read-json.ts';

/** One entry of `servers` in a catalog file, its tools not yet read. */
export interface ToolCatalogEntry {
  readonly id: string;
  readonly status?: string;
  readonly errorMessage?: string;
  readonly tools: unknown;
}

/** A catalog file. */
export interface ToolCatalog {
  /** For people. */
  readonly file: string;
  readonly servers: readonly ToolCatalogEntry[];
}

/** Reads `servers[].id/status/error_message/tools`. JSON is read as well, since YAML holds it. */
export function readToolCatalog(yamlText: string, file: string): Reported<ToolCatalog> {
  const lines = new LineCounter();
  const document = parseDocument(yamlText.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false });
  const problems: Problem[] = document.errors.map((error) => syntaxProblem(error, lines, file));
  if (problems.some((problem) => problem.severity === 'error')) return { value: { file, servers: [] }, problems };
  const root = toValue(() => document.toJS());
  const list = isRecord(root) ? own(root, 'servers') : undefined;
  if (!Array.isArray(list)) {
    problems.push(invalid('error', 'The catalog has no list under "servers".', file));
    return { value: { file, servers: [] }, problems };
  }
  const servers = new Map<string, ToolCatalogEntry>();
  const entries: readonly unknown[] = list;
  for (const [index, entry] of entries.entries()) {
    const read = readEntry(entry);
    if (read === undefined) problems.push(invalid('warning', `Server ${index + 1} has no id; it is left out.`, file));
    else if (servers.has(read.id)) {
      problems.push(
        invalid('warning', `Server ${index + 1} repeats the id "${read.id}"; the first one is used.`, file),
      );
    } else servers.set(read.id, read);
  }
  return { value: { file, servers: [...servers.values()] }, problems };
}

/**
 * The server that `name` means: the one of exactly this id, else the only one whose id holds `name`, case
 * ignored (peers-and-seed-behaviour.md, B1). None or several: `undefined` and a problem that lists them.
 */
export function matchCatalog(catalog: ToolCatalog, name: string): Reported<Catalog | undefined> {
  const exact = catalog.servers.filter((server) => server.id === name);
  const wanted = name.toLowerCase();
  const part = wanted === '' ? [] : catalog.servers.filter((server) => server.id.toLowerCase().includes(wanted));
  const found = exact.length > 0 ? exact : part;
  const [server] = found;
  if (server === undefined || found.length > 1) {
    return { value: undefined, problems: [noMatch(catalog, name, found)] };
  }
  const read = readTools(server.tools ?? [], { server: server.id, at: { file: catalog.file } });
  return {
    value: { server: server.id, origin: 'file', tools: read.value },
    problems: [...statusProblems(server, catalog.file), ...read.problems],
  };
}

function readEntry(entry: unknown): ToolCatalogEntry | undefined {
  if (!isRecord(entry)) return undefined;
  const id = own(entry, 'id');
  // A bare number is an id that someone forgot to quote.
  const name = typeof id === 'number' ? String(id) : id;
  if (typeof name !== 'string' || name === '') return undefined;
  const status = own(entry, 'status');
  const errorMessage = own(entry, 'error_message');
  return {
    id: name,
    tools: own(entry, 'tools'),
    ...(typeof status === 'string' && { status }),
    ...(typeof errorMessage === 'string' && { errorMessage }),
  };
}

function statusProblems(server: ToolCatalogEntry, file: string): readonly Problem[] {
  if (server.status?.toLowerCase() !== 'error') return [];
  const why = server.errorMessage === undefined || server.errorMessage === '' ? '' : `: ${server.errorMessage}`;
  return [
    {
      ...invalid('warning', `The catalog marks "${server.id}" as failed${why}.`, file),
      remedy: 'Make the catalog again when the server runs; until then its tools may be missing or old.',
      server: server.id,
    },
  ];
}

const LISTED = 20;

function noMatch(catalog: ToolCatalog, name: string, found: readonly ToolCatalogEntry[]): Problem {
  const candidates = found.length > 0 ? found : catalog.servers;
  const ids = candidates.slice(0, LISTED).map((server) => server.id);
  const more = candidates.length > LISTED ? ` and ${candidates.length - LISTED} more` : '';
  const list = ids.length === 0 ? 'it is empty' : `${ids.join(', ')}${more}`;
  return {
    kind: 'catalog-match',
    severity: 'error',
    message:
      found.length > 1
        ? `"${name}" fits ${found.length} servers of the catalog: ${list}.`
        : `No server of the catalog fits "${name}" (${list}).`,
    remedy: 'Give one of these ids in full.',
    at: { file: catalog.file },
    server: name,
  };
}

function syntaxProblem(error: YAMLError, lines: LineCounter, file: string): Problem {
  const { line, col } = lines.linePos(error.pos[0]);
  const repeated = error.code === 'DUPLICATE_KEY';
  return {
    kind: 'catalog-invalid',
    severity: repeated ? 'warning' : 'error',
    message: repeated
      ? 'A key is given twice; the last one is used.'
      : `The catalog is not valid YAML (${error.code}).`,
    remedy: repeated ? 'Remove one of them.' : 'Correct the YAML at this place.',
    at: { file, line, column: col },
  };
}

function invalid(severity: 'error' | 'warning', message: string, file: string): Problem {
  return {
    kind: 'catalog-invalid',
    severity,
    message,
    remedy: 'A catalog holds "servers", each with "id" and "tools".',
    at: { file },
  };
}

/** The yaml library throws where aliases would multiply without end. */
function toValue(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
