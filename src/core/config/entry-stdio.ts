/** An entry that starts a program: command, arguments, environment. Nothing is looked up and nothing is started. */
import type { Endpoint } from '../model.ts';
import { type Field, fieldOf, type Node, quoted, scalarOf, typeOf } from './document.ts';
import type { EntryReader } from './entry.ts';
import { unpinnedPackage } from './package-pin.ts';

type Stdio = Extract<Endpoint, { kind: 'stdio' }>;

export function readStdio(reader: EntryReader, command: Field): Stdio | undefined {
  // Old Zed nests path, arguments and environment in `command`.
  const nested = command.value.kind === 'object' ? command.value : undefined;
  const words = readWords(reader, nested === undefined ? command : fieldOf(nested, 'path'), command);
  const args = readArgs(reader, reader.pick('args') ?? fieldOf(nested, 'args'));
  const env = readEnv(reader, reader.pickFirst(reader.fields.env) ?? fieldOf(nested, 'env'));
  const cwd = readText(reader, 'cwd');
  const envFile = readText(reader, 'envFile');
  if (words === undefined || args === undefined || env === undefined) return undefined;
  if (cwd === false || envFile === false) return undefined;
  const [program = '', ...leading] =
    words.length === 1 && args.length === 0 ? splitCommand(reader, words, command) : words;
  const endpoint: Stdio = {
    kind: 'stdio',
    command: program,
    args: [...leading, ...args],
    env: Object.fromEntries(env),
    ...(cwd === undefined ? {} : { cwd }),
    ...(envFile === undefined ? {} : { envFile }),
  };
  noteUnpinned(reader, endpoint, command);
  return endpoint;
}

/** The command's words: one for a string, several for a list. */
function readWords(reader: EntryReader, field: Field | undefined, command: Field): readonly string[] | undefined {
  const node = field?.value ?? command.value;
  const items = node.kind === 'array' ? node.items : [node];
  const words: string[] = [];
  for (const item of items) {
    const value = scalarOf(item);
    if (typeof value !== 'string') {
      return reader.reject(
        `\`command\` holds ${typeOf(item)}, not a string.`,
        'Write the program as a string.',
        item.at,
      );
    }
    if (value.includes('\0')) {
      return reader.reject('`command` holds a null character.', 'Remove the character.', item.at);
    }
    words.push(reader.canonical(value, item.at));
  }
  if ((words[0] ?? '').trim() === '') {
    return reader.reject('`command` is empty.', 'Write the program to start.', command.value.at);
  }
  return words;
}

/**
 * A command such as `npx -y name` without `args` cannot be a program's name, so it is split as a shell would. A path
 * may hold spaces and stays whole.
 */
function splitCommand(reader: EntryReader, words: readonly string[], command: Field): readonly string[] {
  const text = (words[0] ?? '').trim();
  if (!/^[A-Za-z0-9_.-]+\s/.test(text)) return [text];
  reader.note({
    kind: 'entry-invalid',
    severity: 'warning',
    message: '`command` holds its arguments too; some clients then look for a program with spaces in its name.',
    remedy: 'Move the arguments into `args`.',
    offset: command.value.at,
  });
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3] ?? '');
}

function readArgs(reader: EntryReader, field: Field | undefined): readonly string[] | undefined {
  if (field === undefined) return [];
  if (field.value.kind !== 'array') {
    return reader.reject(
      `\`args\` is ${typeOf(field.value)}, not a list.`,
      'Write a list with one string for each argument.',
      field.value.at,
    );
  }
  const args: string[] = [];
  for (const item of field.value.items) {
    const value = scalarOf(item);
    if (value === undefined || value === null || String(value).includes('\0')) {
      return reader.reject(
        `\`args\` holds ${value === undefined || value === null ? typeOf(item) : 'a null character'}, not a string.`,
        'Write each argument as a string.',
        item.at,
      );
    }
    args.push(reader.canonical(String(value), item.at));
  }
  return args;
}

function readEnv(reader: EntryReader, field: Field | undefined): ReadonlyMap<string, string | null> | undefined {
  const env = new Map<string, string | null>();
  if (field !== undefined) {
    if (field.value.kind !== 'object') {
      return reader.reject(
        `\`${field.key}\` is ${typeOf(field.value)}, not an object.`,
        'Write an object of names and values.',
        field.value.at,
      );
    }
    for (const entry of field.value.fields) {
      const value = readValue(reader, entry.value);
      if (value === undefined || !isEnvName(entry.key)) {
        return reader.reject(
          `The environment variable ${quoted(entry.key)} ${value === undefined ? `is ${typeOf(entry.value)}, not a string` : 'is no valid name'}.`,
          'Write a plain name and a string value.',
          entry.at,
        );
      }
      env.set(entry.key, value);
    }
  }
  return addNamed(reader, env) ? env : undefined;
}

function readValue(reader: EntryReader, node: Node): string | null | undefined {
  const value = scalarOf(node);
  if (value === undefined || value === null) return value;
  const text = String(value);
  return text.includes('\0') ? undefined : reader.canonical(text, node.at);
}

function isEnvName(name: string): boolean {
  return name !== '' && !/[=\0]/.test(name);
}

/** Codex hands on variables by naming them; an item is a name or an object with one. */
function addNamed(reader: EntryReader, env: Map<string, string | null>): boolean {
  const field = reader.fields.envNames === undefined ? undefined : reader.pick(reader.fields.envNames);
  if (field === undefined) return true;
  const items = field.value.kind === 'array' ? field.value.items : [field.value];
  for (const item of items) {
    const name = scalarOf(item) ?? scalarOf(fieldOf(item, 'name')?.value);
    if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      reader.reject(
        `\`${field.key}\` holds what is no name of an environment variable.`,
        'Write a list of names.',
        item.at,
      );
      return false;
    }
    if (!env.has(name)) env.set(name, `\${${name}}`);
  }
  return true;
}

function readText(reader: EntryReader, key: string): string | undefined | false {
  const field = reader.pick(key);
  if (field === undefined) return undefined;
  const value = scalarOf(field.value);
  if (typeof value === 'string' && !value.includes('\0'))
    return value === '' ? undefined : reader.canonical(value, field.value.at);
  reader.reject(`\`${key}\` is ${typeOf(field.value)}, not a path.`, 'Write the path as a string.', field.value.at);
  return false;
}

function noteUnpinned(reader: EntryReader, endpoint: Stdio, command: Field): void {
  const unpinned = unpinnedPackage(endpoint.command, endpoint.args);
  if (unpinned === undefined) return;
  const release = unpinned.reason === 'version';
  reader.note({
    kind: 'package-unpinned',
    severity: release ? 'info' : 'warning',
    message: release
      ? `The package ${quoted(unpinned.name ?? '')} has no exact version, so each start may run other code.`
      : 'The package comes from an address that may change, so each start may run other code.',
    remedy: release
      ? `Name an exact version, such as \`${unpinned.example}\`.`
      : 'Name a release, or the full hash of a commit.',
    offset: command.at,
  });
}
