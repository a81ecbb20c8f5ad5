/**
 * One entry of a config file to an endpoint. The dialect's row says which fields count; everything that is wrong is
 * reported at its place and costs that entry only. Messages name fields and types, never values: values hold secrets.
 */
import type { Endpoint } from '../model.ts';
import { type Fault, type Field, fieldOf, type Node, type ObjectNode, quoted, scalarOf, typeOf } from './document.ts';
import { isDisabled, readTimeout, readTools } from './entry-options.ts';
import { readRemote } from './entry-remote.ts';
import { readStdio } from './entry-stdio.ts';
import type { EntryFields } from './sources.ts';
import { canonicalise, type VariableSyntax } from './variables.ts';

/** What an entry says, besides its name. */
export interface Entry {
  readonly endpoint: Endpoint;
  readonly timeoutMs?: number;
  readonly disabled: boolean;
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

export interface EntryContext {
  /** The client's name, for messages. */
  readonly client: string;
  readonly fields: EntryFields;
  readonly variables: VariableSyntax;
  readonly report: (fault: Fault) => void;
}

/** What the readers of the two kinds of endpoint work with. */
export interface EntryReader {
  readonly node: ObjectNode;
  readonly fields: EntryFields;
  readonly client: string;
  /** The field of a dotted path, looked for in a nested `transport` first; null counts as absent. */
  pick(path: string): Field | undefined;
  /** The first of several that is present. */
  pickFirst(paths: readonly string[]): Field | undefined;
  /** Rewrites variables; what is no variable is reported once per entry. */
  canonical(text: string, offset: number): string;
  note(fault: Fault): void;
  /** Reports that the entry cannot be used; returns undefined for the caller to return. */
  reject(message: string, remedy: string, offset: number, kind?: 'entry-invalid' | 'entry-unsupported'): undefined;
}

const STDIO = new Set(['stdio', 'local']);
const REMOTE: ReadonlyMap<string, 'http' | 'sse' | 'either'> = new Map([
  ['http', 'http'],
  ['https', 'http'],
  ['streamablehttp', 'http'],
  ['httpstream', 'http'],
  ['sse', 'sse'],
  ['remote', 'either'],
]);
const URL_SPELLINGS = ['url', 'serverUrl', 'httpUrl', 'server_url', 'uri', 'endpoint'];

/** Undefined if the entry cannot be used; why has been reported. */
export function readEntry(node: Node, context: EntryContext): Entry | undefined {
  if (node.kind !== 'object') {
    context.report({
      kind: 'entry-invalid',
      severity: 'error',
      message: `The entry is ${typeOf(node)}, not an object.`,
      remedy: 'Write an object with `command` or `url`.',
      offset: node.at,
    });
    return undefined;
  }
  const reader = createReader(node, context);
  noteRepeats(reader);
  const endpoint = readEndpoint(reader);
  if (endpoint === undefined) return undefined;
  const timeoutMs = readTimeout(reader, context.fields.timeouts);
  const includeTools = readTools(reader, context.fields.include);
  const excludeTools = readTools(reader, context.fields.exclude);
  return {
    endpoint,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    disabled: isDisabled(reader),
    ...(includeTools === undefined ? {} : { includeTools }),
    ...(excludeTools === undefined || excludeTools.length === 0 ? {} : { excludeTools }),
  };
}

function createReader(node: ObjectNode, context: EntryContext): EntryReader {
  const nested = fieldOf(node, 'transport')?.value;
  const layers: readonly Node[] = nested?.kind === 'object' ? [nested, node] : [node];
  const told = new Set<string>();
  const pick = (path: string): Field | undefined => {
    for (const layer of layers) {
      let field: Field | undefined;
      let current: Node | undefined = layer;
      for (const key of path.split('.')) {
        field = fieldOf(current, key);
        current = field?.value;
      }
      if (field !== undefined && scalarOf(field.value) !== null) return field;
    }
    return undefined;
  };
  return {
    node,
    fields: context.fields,
    client: context.client,
    pick,
    pickFirst: (paths) => paths.map(pick).find((field) => field !== undefined),
    canonical: (text, offset) => {
      const { text: result, unknown } = canonicalise(text, context.variables);
      const silent =
        context.variables === 'none' ? /\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]{0,60}\}/.exec(text)?.[0] : undefined;
      const all = silent === undefined ? unknown : [...unknown, { prefix: silent, bare: true }];
      for (const { prefix, bare } of all) {
        if (told.has(prefix) || told.size >= 10) continue;
        told.add(prefix);
        context.report(unknownVariable(prefix, bare, context, offset));
      }
      return result;
    },
    note: context.report,
    reject: (message, remedy, offset, kind = 'entry-invalid') => {
      context.report({ kind, severity: kind === 'entry-invalid' ? 'error' : 'warning', message, remedy, offset });
      return undefined;
    },
  };
}

/** A plain `${NAME}` is often meant for a shell that the command starts, so it is no more than a hint. */
function unknownVariable(prefix: string, bare: boolean, context: EntryContext, offset: number): Fault {
  const name = /^\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(prefix)?.[1];
  const remedies: Readonly<Record<VariableSyntax, string>> = {
    none: 'Write the value itself, or use a client that expands variables.',
    shell: 'Write `${NAME}` or `${NAME:-fallback}` for an environment variable.',
    dollar: 'Write `$NAME` or `${NAME}` for an environment variable.',
    percent: 'Write `$NAME`, `${NAME}` or `%NAME%` for an environment variable.',
    editor: `If an environment variable is meant, write \`\${env:${name ?? 'NAME'}}\`.`,
    env: `If an environment variable is meant, write \`\${env:${name ?? 'NAME'}}\`.`,
    braces: 'Write `{env:NAME}` for an environment variable.',
    secrets: 'Write `${{ secrets.NAME }}` for a secret.',
  };
  return {
    kind: 'variable-unknown',
    severity: bare ? 'info' : 'warning',
    message: `${context.client} does not expand ${quoted(prefix)}, so it stays as it is written.`,
    remedy: remedies[context.variables],
    offset,
  };
}

function noteRepeats(reader: EntryReader): void {
  const seen = new Set<string>();
  for (const field of reader.node.fields.toReversed()) {
    if (seen.has(field.key)) {
      reader.note({
        kind: 'entry-duplicate',
        severity: 'warning',
        message: `The field ${quoted(field.key)} appears again below, and only the last one counts.`,
        remedy: 'Remove all but one.',
        offset: field.at,
      });
    }
    seen.add(field.key);
  }
}

function readEndpoint(reader: EntryReader): Endpoint | undefined {
  const { node, fields } = reader;
  const type = readType(reader);
  if (type === false) return undefined;
  const command = reader.pick('command');
  const url = fields.urls.map((row) => ({ row, field: reader.pick(row.key) })).find(({ field }) => field !== undefined);
  const urlField = url?.field;
  if (command !== undefined && urlField !== undefined) {
    return reader.reject(
      `The entry has both \`command\` and \`${urlField.key}\`, so it is not clear how to reach the server.`,
      'Keep one of them.',
      urlField.at,
    );
  }
  if (command === undefined && (url === undefined || urlField === undefined)) return rejectEmpty(reader);
  if (command !== undefined) {
    if (type === undefined || type === 'stdio') return readStdio(reader, command);
    return reader.reject(
      'The type asks for a URL, but the entry has a `command`.',
      'Remove `type`, or give a `url`.',
      command.at,
    );
  }
  if (url === undefined || urlField === undefined) return rejectEmpty(reader);
  if (type === 'stdio') {
    return reader.reject(
      `The type asks for a command, but the entry has \`${urlField.key}\`.`,
      'Set `type` to `http` or `sse`, or give a `command`.',
      urlField.at,
    );
  }
  if (type === undefined && fields.typeNeeded) {
    reader.note({
      kind: 'entry-invalid',
      severity: 'warning',
      message: `The entry has a URL but no \`type\`; ${reader.client} then expects a command and fails.`,
      remedy: 'Add `"type": "http"`, or `"type": "sse"` for an old server.',
      offset: node.at,
    });
  }
  if (url.row.advice !== undefined) {
    reader.note({
      kind: 'entry-invalid',
      severity: 'warning',
      message: `${reader.client} does not read \`${urlField.key}\` here.`,
      remedy: url.row.advice,
      offset: urlField.at,
    });
  }
  return readRemote(reader, urlField, type ?? 'either', url.row.transport);
}

/** `undefined` without a type, `false` for one that is refused. */
function readType(reader: EntryReader): 'stdio' | 'http' | 'sse' | 'either' | undefined | false {
  const field =
    reader.pick('type') ??
    [reader.pick('transport'), reader.pick('transportType')].find((one) => typeof scalarOf(one?.value) === 'string');
  if (field === undefined) return undefined;
  const value = scalarOf(field.value);
  if (typeof value !== 'string') {
    reader.reject(
      `\`${field.key}\` is ${typeOf(field.value)}, not a string.`,
      'Write `stdio`, `http` or `sse`.',
      field.value.at,
    );
    return false;
  }
  const spelling = value.toLowerCase().replace(/[-_\s]/g, '');
  if (STDIO.has(spelling)) return 'stdio';
  const remote = REMOTE.get(spelling);
  if (remote !== undefined) return remote;
  reader.reject(
    `The type ${quoted(value)} is not one that can be connected to.`,
    'Use `stdio`, `http` or `sse`.',
    field.value.at,
    'entry-unsupported',
  );
  return false;
}

function rejectEmpty(reader: EntryReader): undefined {
  const { node, fields } = reader;
  const wanted = fields.urls.find((row) => row.advice === undefined)?.key;
  const foreign = URL_SPELLINGS.map((key) => reader.pick(key)).find((field) => field !== undefined);
  if (foreign !== undefined && wanted !== undefined) {
    return reader.reject(
      `${reader.client} does not read \`${foreign.key}\`, so the entry has neither a command nor a URL.`,
      `Rename \`${foreign.key}\` to \`${wanted}\`.`,
      foreign.at,
    );
  }
  const source = scalarOf(reader.pick('source')?.value);
  if (source === 'extension' || (reader.pick('settings') !== undefined && reader.client === 'Zed')) {
    return reader.reject(
      'An extension of the client provides this server, and only the client knows its command.',
      'Add the server with its own `command` to use it here.',
      node.at,
      'entry-unsupported',
    );
  }
  if (reader.pick('uses') !== undefined) {
    return reader.reject(
      'The entry refers to a block of a registry, which is not fetched.',
      'Write the server out with `command` or `url`.',
      node.at,
      'entry-unsupported',
    );
  }
  if (isDisabled(reader)) {
    return reader.reject(
      'The entry only switches off a server of another file.',
      'Nothing to do, unless a `command` or `url` is missing.',
      node.at,
      'entry-unsupported',
    );
  }
  return reader.reject(
    'The entry has neither a command nor a URL.',
    `Add \`command\`${wanted === undefined ? '' : ` or \`${wanted}\``}.`,
    node.at,
  );
}
