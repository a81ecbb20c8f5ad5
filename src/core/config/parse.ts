/**
 * Bytes of one config file to servers and problems. It never throws: an entry that cannot be used costs that entry, a
 * file that cannot be read costs that file.
 *
 * Servers under a root key that the client does not read are listed, but switched off and never preferred to others:
 * the client would not start them, and a person should see what a renamed key would bring.
 */
import type { Server, Source } from '../model.ts';
import type { Problem } from '../problem.ts';
import { type Fault, type Field, fieldOf, type Locate, type Node, quoted, scalarOf, typeOf } from './document.ts';
import { readEntry } from './entry.ts';
import { duplicateFault, missingInputFault, nameFault, wrongRootFault } from './entry-faults.ts';
import { inputIdsOf, readInputs } from './inputs.ts';
import { type ConfigDocument, problemOf, readDocument } from './read-document.ts';
import { type FolderKey, follow, foreignRoots, isServerMap, type Root } from './roots.ts';
import type { FileDialect, Platform } from './sources.ts';
import type { VariableSyntax } from './variables.ts';

/** Servers that one file may name. */
export const MAX_SERVERS = 2000;

export interface ParseContext {
  readonly source: Source;
  readonly form: FileDialect;
  readonly platform: Platform;
  /** The file may be the map of servers itself. */
  readonly bare: boolean;
}

export interface ParsedConfig {
  readonly servers: readonly Server[];
  readonly problems: readonly Problem[];
  /** Whether the file names servers, rightly or not. */
  readonly named: boolean;
  /** Ids of servers that stand under a key the client does not read. */
  readonly ignored: ReadonlySet<string>;
}

/** Both steps at once, for a file that is read once. */
export function parseConfig(bytes: Uint8Array, context: ParseContext): ParsedConfig {
  const document = readDocument(bytes, context.form.syntax, context.source.display);
  const parsed = readServers(document, context);
  return { ...parsed, problems: [...document.problems, ...parsed.problems] };
}

/** The servers of a parsed file. Problems of the document itself are not repeated. */
export function readServers(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { root } = document;
  const problems: Problem[] = [];
  const report = (fault: Fault, server?: string): void => {
    problems.push(problemOf(fault, context.source.display, document.locate, server));
  };
  const ignored = new Set<string>();
  const nothing = { servers: [], problems, ignored };
  if (root === undefined) return { ...nothing, named: document.problems.length > 0 };
  if (root.kind !== 'object') {
    report({
      kind: 'config-wrong-root',
      severity: 'error',
      message: `The file holds ${typeOf(root)}, not an object.`,
      remedy: `Write an object with the key \`${context.form.root.join('.')}\`.`,
      offset: root.at,
    });
    return { ...nothing, named: true };
  }
  const folder =
    context.source.folder === undefined ? undefined : { path: context.source.folder, platform: context.platform };
  const own = ownRoot(root, context, folder, report);
  const servers = own === undefined ? [] : [...serversOf(own, root, context, document.locate, folder, report)];
  const foreign = context.form.file.perFolder === true ? [] : wrongRoots(root, own, context);
  for (const wrong of foreign) {
    report(wrongRootFault(wrong, context.form, own !== undefined));
    for (const server of serversOf(wrong, root, context, document.locate, folder, report)) {
      if (servers.some((other) => other.id === server.id)) continue;
      servers.push({ ...server, disabled: true });
      ignored.add(server.id);
    }
  }
  const shared = context.form.file.shared === true;
  if (own === undefined && problems.length === 0 && !shared && root.fields.length > 0) {
    report({
      kind: 'config-wrong-root',
      severity: 'warning',
      message: `The file has no \`${context.form.root.join('.')}\`, where ${context.form.dialect.label} looks for servers.`,
      remedy: `Put the servers under \`${context.form.root.join('.')}\`.`,
      offset: root.at,
    });
  }
  return {
    servers,
    problems,
    named: !shared || own !== undefined || foreign.length > 0 || problems.length > 0,
    ignored,
  };
}

type Report = (fault: Fault, server?: string) => void;

/** The map or list under the key that the client reads. */
function ownRoot(root: Node, context: ParseContext, folder: FolderKey | undefined, report: Report): Root | undefined {
  const keys = context.form.root;
  noteRepeatedRoot(root, keys, report);
  const field = follow(root, keys, folder);
  if (field === undefined) return context.bare && isServerMap(root) ? { keys: [], node: root, at: root.at } : undefined;
  const { value } = field;
  if (value.kind === 'object' || (value.kind === 'array' && context.form.dialect.list === true)) {
    return { keys, node: value, at: field.at };
  }
  if (scalarOf(value) === null) return { keys, node: { kind: 'object', at: value.at, fields: [] }, at: field.at };
  // A plugin may name a file instead; its own `.mcp.json` is read anyway.
  const path = scalarOf(value);
  if (typeof path === 'string' && /^(?:\.\/)?\.mcp\.json$/.test(path)) return undefined;
  const names = typeof path === 'string' && context.form.file.path.endsWith('plugin.json');
  report({
    kind: names ? 'entry-unsupported' : 'config-wrong-root',
    severity: names ? 'warning' : 'error',
    message: names
      ? `\`${keys.join('.')}\` names another file, which is not followed.`
      : `\`${keys.join('.')}\` is ${typeOf(value)}, not an object.`,
    remedy: names ? 'Pass that file with `--mcp-config`.' : 'Write an object with a key for each server.',
    offset: value.at,
  });
  return undefined;
}

function noteRepeatedRoot(root: Node, keys: readonly string[], report: Report): void {
  const [first] = keys;
  if (root.kind !== 'object' || first === undefined) return;
  for (const field of root.fields.filter(({ key }) => key === first).slice(0, -1)) {
    report({
      kind: 'entry-duplicate',
      severity: 'warning',
      message: `The key ${quoted(first)} appears again below, and only the last one counts.`,
      remedy: 'Join both into one.',
      offset: field.at,
    });
  }
}

function wrongRoots(root: Node, own: Root | undefined, context: ParseContext): readonly Root[] {
  if (own !== undefined && own.keys.length === 0) return [];
  const foreign = foreignRoots(root, context.form.root);
  if (foreign.length > 0) return foreign;
  const shared = context.form.file.shared === true;
  return own === undefined && !shared && isServerMap(root) ? [{ keys: [], node: root, at: root.at }] : [];
}

/** Names and entries of a root; those of a list carry their name inside. */
function entriesOf(root: Root, report: Report): readonly Field[] {
  const { node } = root;
  if (node.kind === 'object') return node.fields;
  if (node.kind !== 'array') return [];
  return node.items.flatMap((item) => {
    const name = scalarOf(fieldOf(item, 'name')?.value);
    if (typeof name === 'string' || typeof name === 'number') return [{ key: String(name), at: item.at, value: item }];
    const block = fieldOf(item, 'uses') !== undefined;
    report({
      kind: block ? 'entry-unsupported' : 'entry-invalid',
      severity: block ? 'warning' : 'error',
      message: block ? 'The entry refers to a block of a registry, which is not fetched.' : 'The entry has no `name`.',
      remedy: block ? 'Write the server out with `command` or `url`.' : 'Add a `name`.',
      offset: item.at,
    });
    return [];
  });
}

function serversOf(
  root: Root,
  document: Node,
  context: ParseContext,
  locate: Locate,
  folder: FolderKey | undefined,
  report: Report,
): readonly Server[] {
  const { source, form } = context;
  const all = entriesOf(root, report);
  const entries = all.slice(0, MAX_SERVERS);
  if (all.length > entries.length) {
    report({
      kind: 'config-too-large',
      severity: 'error',
      message: `The file names ${all.length} servers; only the first ${MAX_SERVERS} are read.`,
      remedy: 'Split the file.',
      offset: all[MAX_SERVERS]?.at ?? root.at,
    });
  }
  const last = new Map(entries.map((entry) => [entry.key, entry]));
  const inputs = readInputs(
    form.dialect.inputs === true ? follow(document, [...root.keys.slice(0, -1), 'inputs'], folder)?.value : undefined,
    report,
  );
  const isOff = switchOf(document, context, folder);
  const servers: Server[] = [];
  for (const entry of entries) {
    const name = entry.key;
    const winner = last.get(name);
    if (winner !== undefined && winner !== entry) {
      report(duplicateFault(entry, locate(winner.at).line), name);
      continue;
    }
    const nameless = nameFault(entry, form);
    if (nameless !== undefined) report(nameless, name);
    const found = readEntry(entry.value, {
      client: form.dialect.label,
      fields: form.dialect.fields,
      variables: variablesFor(form.variables, context.platform),
      report: (fault) => report(fault, name),
    });
    if (found === undefined) continue;
    const used = inputIdsOf(found.endpoint);
    for (const id of used.filter((one) => !inputs.has(one))) report(missingInputFault(id, entry.at), name);
    servers.push({
      id: `${source.id}#${name}`,
      name,
      source,
      at: { file: source.display, ...locate(entry.at) },
      ...found,
      disabled: found.disabled || isOff(name),
      inputs: used.flatMap((id) => inputs.get(id) ?? []),
    });
  }
  return servers;
}

function variablesFor(syntax: VariableSyntax, platform: Platform): VariableSyntax {
  return syntax === 'percent' && platform !== 'win32' ? 'dollar' : syntax;
}

/** Lists of names beside the servers that switch some of them off. */
function switchOf(document: Node, context: ParseContext, folder: FolderKey | undefined): (name: string) => boolean {
  const { dialect, file } = context.form;
  const namesAt = (keys: readonly string[] | undefined): ReadonlySet<unknown> | undefined => {
    const node = keys === undefined ? undefined : follow(document, keys, folder)?.value;
    return node?.kind === 'array' ? new Set(node.items.map(scalarOf)) : undefined;
  };
  const off = namesAt(file.switchedOff ?? dialect.switchedOff);
  const on = namesAt(dialect.switchedOn);
  return (name) => off?.has(name) === true || (on !== undefined && on.size > 0 && !on.has(name));
}
