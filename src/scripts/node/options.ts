/** The command line of the call script: a table of options and the parser over it. Knows no server and reads no file. */
import { closest } from './closest.ts';
import { Fault } from './fault.ts';

/** What was asked for; defaults are filled in. Seconds unless said otherwise. */
export interface Options {
  tool?: string;
  args?: string;
  argsFile?: string;
  list: boolean;
  describe?: string;
  submitTool?: string;
  statusTool?: string;
  resultTool?: string;
  /** Undefined where the caller did not ask to wait. */
  wait?: number;
  resume?: string;
  submitOnly: boolean;
  idParam?: string;
  pollInterval: number;
  maxPolls: number;
  /** Undefined where the caller gave none: the config's applies, else 60. */
  timeout?: number;
  output: string;
  outputFile?: string;
  autoFilename: boolean;
  saveLogs: boolean;
  saveLogsInline: boolean;
  maxBytes: number;
  session?: string;
  sessionStop?: string;
  sessionList: boolean;
  sessionIdle: number;
  sessionDaemon: boolean;
  config?: string;
  server?: string;
  endpoint?: string;
  headers: string[];
  type?: string;
  noCheck: boolean;
  json: boolean;
  help: boolean;
  version: boolean;
}

/** How long a bare `--wait` waits. */
export const LONG_WAIT_SECONDS = 6000;

type FlagField =
  | 'list'
  | 'submitOnly'
  | 'autoFilename'
  | 'saveLogs'
  | 'saveLogsInline'
  | 'sessionList'
  | 'sessionDaemon'
  | 'noCheck'
  | 'json'
  | 'help'
  | 'version';
type TextField =
  | 'describe'
  | 'resume'
  | 'idParam'
  | 'output'
  | 'outputFile'
  | 'session'
  | 'sessionStop'
  | 'config'
  | 'server'
  | 'endpoint'
  | 'type';
type NumberField = 'pollInterval' | 'maxPolls' | 'timeout' | 'maxBytes' | 'sessionIdle';
type Role = 'submitTool' | 'statusTool' | 'resultTool';

type Row =
  | { readonly kind: 'flag'; readonly field: FlagField }
  | { readonly kind: 'text'; readonly field: TextField }
  | { readonly kind: 'number'; readonly field: NumberField; readonly least: number }
  | { readonly kind: 'wait' | 'tool' | 'args' | 'args-file' | 'header' }
  | { readonly kind: 'role'; readonly role: Role };

const ROWS: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['--tool', { kind: 'tool' }],
  ['--args', { kind: 'args' }],
  ['--args-file', { kind: 'args-file' }],
  ['--list', { kind: 'flag', field: 'list' }],
  ['--describe', { kind: 'text', field: 'describe' }],
  ['--submit-tool', { kind: 'role', role: 'submitTool' }],
  ['--status-tool', { kind: 'role', role: 'statusTool' }],
  ['--result-tool', { kind: 'role', role: 'resultTool' }],
  ['--wait', { kind: 'wait' }],
  ['--resume', { kind: 'text', field: 'resume' }],
  ['--submit-only', { kind: 'flag', field: 'submitOnly' }],
  ['--id-param', { kind: 'text', field: 'idParam' }],
  ['--poll-interval', { kind: 'number', least: 0, field: 'pollInterval' }],
  ['--max-polls', { kind: 'number', least: 1, field: 'maxPolls' }],
  ['--timeout', { kind: 'number', least: 0.001, field: 'timeout' }],
  ['--output', { kind: 'text', field: 'output' }],
  ['--output-file', { kind: 'text', field: 'outputFile' }],
  ['--auto-filename', { kind: 'flag', field: 'autoFilename' }],
  ['--save-logs', { kind: 'flag', field: 'saveLogs' }],
  ['--save-logs-inline', { kind: 'flag', field: 'saveLogsInline' }],
  ['--max-bytes', { kind: 'number', least: 1, field: 'maxBytes' }],
  ['--session', { kind: 'text', field: 'session' }],
  ['--session-stop', { kind: 'text', field: 'sessionStop' }],
  ['--session-list', { kind: 'flag', field: 'sessionList' }],
  ['--session-idle', { kind: 'number', least: 0.1, field: 'sessionIdle' }],
  ['--session-daemon', { kind: 'flag', field: 'sessionDaemon' }],
  ['--config', { kind: 'text', field: 'config' }],
  ['--server', { kind: 'text', field: 'server' }],
  ['--endpoint', { kind: 'text', field: 'endpoint' }],
  ['--header', { kind: 'header' }],
  ['--type', { kind: 'text', field: 'type' }],
  ['--no-check', { kind: 'flag', field: 'noCheck' }],
  ['--json', { kind: 'flag', field: 'json' }],
  ['--help', { kind: 'flag', field: 'help' }],
  ['--version', { kind: 'flag', field: 'version' }],
]);

const SHORT: ReadonlyMap<string, string> = new Map([
  ['-a', '--args'],
  ['-o', '--output'],
  ['-O', '--output-file'],
  ['-c', '--config'],
  ['-e', '--endpoint'],
  ['-h', '--help'],
]);

function defaults(): Options {
  return {
    list: false,
    submitOnly: false,
    pollInterval: 2,
    maxPolls: 3000,
    output: './output',
    autoFilename: false,
    saveLogs: false,
    saveLogsInline: false,
    maxBytes: 1024 ** 3,
    sessionList: false,
    sessionIdle: 600,
    sessionDaemon: false,
    headers: [],
    noCheck: false,
    json: false,
    help: false,
    version: false,
  };
}

/** One option as it stood on the command line, or one word that is no option. */
type Item =
  | { readonly kind: 'option'; readonly name: string; readonly words: readonly string[]; readonly value?: string }
  | { readonly kind: 'word'; readonly word: string };

const NUMBER = /^[0-9]*\.?[0-9]+$/;

function readItem(argv: readonly string[], at: number): { readonly item: Item; readonly used: number } {
  const word = argv[at] ?? '';
  if (!word.startsWith('-') || word === '-') return { item: { kind: 'word', word }, used: 1 };
  let name = word;
  let attached: string | undefined;
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    if (equals > 0) {
      name = word.slice(0, equals);
      attached = word.slice(equals + 1);
    }
  } else {
    name = SHORT.get(word.slice(0, 2)) ?? word;
    if (word.length > 2 && SHORT.has(word.slice(0, 2))) attached = word.slice(word[2] === '=' ? 3 : 2);
  }
  const row = ROWS.get(name);
  if (row === undefined) {
    const near = closest(name, [...ROWS.keys(), ...SHORT.keys()]);
    const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
    throw new Fault('usage', `unknown option ${name}${hint}`, { remedy: 'See --help' });
  }
  if (row.kind === 'flag') {
    if (attached !== undefined) throw new Fault('usage', `${name} takes no value`, { remedy: 'See --help' });
    return { item: { kind: 'option', name, words: [word] }, used: 1 };
  }
  if (attached !== undefined) return { item: { kind: 'option', name, words: [word], value: attached }, used: 1 };
  const next = argv[at + 1];
  if (row.kind === 'wait' && (next === undefined || !NUMBER.test(next))) {
    return { item: { kind: 'option', name, words: [word] }, used: 1 };
  }
  if (next === undefined) {
    throw new Fault('usage', `${name} wants a value`, { remedy: 'See --help' });
  }
  return { item: { kind: 'option', name, words: [word, next], value: next }, used: 2 };
}

function readItems(argv: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  for (let at = 0; at < argv.length; ) {
    if (argv[at] === '--') {
      items.push(...argv.slice(at + 1).map((word): Item => ({ kind: 'word', word })));
      break;
    }
    const { item, used } = readItem(argv, at);
    items.push(item);
    at += used;
  }
  return items;
}

function numberOf(name: string, text: string, least: number): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number) && number >= least) return number;
  throw new Fault('usage', `${name} wants a number, not ${JSON.stringify(text)}`, { remedy: 'See --help' });
}

function setTool(options: Options, name: string): void {
  // A wrapper bakes job roles in; asking for one tool by name means just that tool.
  delete options.submitTool;
  delete options.statusTool;
  delete options.resultTool;
  options.tool = name;
}

function setArgs(options: Options, from: 'args' | 'argsFile', value: string): void {
  delete options.args;
  delete options.argsFile;
  options[from] = value;
}

function apply(options: Options, item: Item & { kind: 'option' }): void {
  const row = ROWS.get(item.name);
  if (row === undefined) return;
  const value = item.value ?? '';
  switch (row.kind) {
    case 'flag':
      options[row.field] = true;
      return;
    case 'text':
      options[row.field] = value;
      return;
    case 'number':
      options[row.field] = numberOf(item.name, value, row.least);
      return;
    case 'wait':
      options.wait = item.value === undefined ? LONG_WAIT_SECONDS : numberOf(item.name, item.value, 0);
      return;
    case 'tool':
      setTool(options, value);
      return;
    case 'args':
      setArgs(options, 'args', value);
      return;
    case 'args-file':
      setArgs(options, 'argsFile', value);
      return;
    case 'header':
      options.headers.push(value);
      return;
    case 'role':
      delete options.tool;
      options[row.role] = value;
      return;
    default:
      row satisfies never;
  }
}

/** A word that is no option: the arguments where it looks like JSON, else the tool. */
function applyWord(options: Options, word: string): void {
  if (word === '-' || /^\s*[{[]/.test(word)) {
    setArgs(options, 'args', word);
  } else setTool(options, word);
}

function checkTogether(options: Options): void {
  if (options.type !== undefined && options.type !== 'http' && options.type !== 'sse') {
    throw new Fault('usage', `--type is http or sse, not ${JSON.stringify(options.type)}`, { remedy: 'See --help' });
  }
}

/** Parses a command line. Later options win; a tool cancels job roles before it and the other way round. */
export function parseOptions(argv: readonly string[]): Options {
  const options = defaults();
  for (const item of readItems(argv)) {
    if (item.kind === 'option') apply(options, item);
    else applyWord(options, item.word);
  }
  checkTogether(options);
  return options;
}

/** A word as a shell takes it literally: POSIX quoting, or what both `cmd` and PowerShell read the same way. */
export function shellQuote(word: string, platform: string): string {
  if (platform === 'win32') {
    return /^[A-Za-z0-9_@+=:,.\\/-]+$/.test(word) ? word : `"${word.replace(/"/g, '\\"')}"`;
  }
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'"'"'`)}'`;
}
