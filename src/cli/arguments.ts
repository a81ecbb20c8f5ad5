/** The command line's words, checked: unknown or contradictory ones are usage errors that name the remedy. */
import { parseArgs } from 'node:util';
import { MOST_ROUNDS, USUAL_ROUNDS } from '#core/economics.ts';
import { type CompactRules, MODES, type Mode, type Runtime } from '#core/model.ts';
import { joinNegatives } from '#core/negative-values.ts';
import { OperationError } from '#core/problem.ts';

export const COMMANDS = [
  'list',
  'preview',
  'generate',
  'check',
  'validate',
  'tokens',
  'skills',
  'economics',
  'serve',
  'learn',
  'dataset',
  'model',
  'gateway',
] as const;
export type CommandName = (typeof COMMANDS)[number];
const TAKING_SERVERS: readonly CommandName[] = ['preview', 'generate', 'check', 'economics', 'gateway'];

/** Words of `mochi serve` as they were given; what can be checked without looking at files is. */
export interface ServeArguments {
  readonly transport: string | undefined;
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly allowRemote: boolean;
  readonly tokenFile: string | undefined;
  readonly memoryLimit: string | undefined;
  readonly kiri: string | undefined;
  readonly engine: string | undefined;
  readonly modelUrl: string | undefined;
  readonly adapters: readonly string[];
  readonly backend: string | undefined;
  readonly logLevel: string | undefined;
  readonly printConfig: boolean;
}

/** What the person asked for; lists are empty where nothing was given. */
export interface Arguments {
  readonly command: CommandName;
  /** Words after the command: folders to validate, files to count. */
  readonly operands: readonly string[];
  readonly workspace: readonly string[];
  readonly user: boolean;
  readonly configs: readonly string[];
  /** Those files and no other. */
  readonly onlyConfigs: boolean;
  readonly servers: readonly string[];
  readonly mode: Mode;
  readonly compactRules: CompactRules;
  readonly runtime: Runtime | 'auto';
  readonly output: string | undefined;
  readonly name: string | undefined;
  readonly toolsInfo: string | undefined;
  readonly catalog: string | undefined;
  readonly excludeTools: readonly string[];
  readonly tool: string | undefined;
  readonly show: string | undefined;
  readonly offline: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly force: boolean;
  readonly acceptFindings: boolean;
  readonly allowScript: boolean;
  readonly anthropic: string | undefined;
  readonly json: boolean;
  /** Milliseconds a server may take to start and list its tools. */
  readonly timeoutMs: number;
  readonly language: string | undefined;
  /** Tools to show and call, nothing else, where not empty. */
  readonly allowTools: readonly string[];
  /** Names of tools without the server's where that leaves no doubt. */
  readonly shortNames: boolean;
  /** Ask once whether servers may be started by the gateway, and remember. */
  readonly approve: boolean;
  /** What is fetched for models: the card, where packages come from, what a file must hash to. */
  readonly gpu: string | undefined;
  readonly registry: string | undefined;
  readonly sha256: string | undefined;
  /** Rounds of the session that `mochi economics` computes. */
  readonly rounds: number;
  /** Whose prices, and to serve, the file of a model; a file with other prices. */
  readonly model: string | undefined;
  readonly prices: string | undefined;
  readonly serve: ServeArguments;
}

const OPTIONS = {
  workspace: { type: 'string', short: 'w', multiple: true },
  user: { type: 'boolean' },
  'mcp-config': { type: 'string', short: 'm', multiple: true },
  'only-config': { type: 'boolean' },
  servers: { type: 'string', short: 's', multiple: true },
  mode: { type: 'string' },
  lazy: { type: 'boolean', short: 'l' },
  'compact-rules': { type: 'string' },
  runtime: { type: 'string' },
  output: { type: 'string', short: 'o' },
  name: { type: 'string', short: 'n' },
  'tools-info': { type: 'string', short: 't' },
  catalog: { type: 'string' },
  'catalog-url': { type: 'string' },
  'exclude-tool': { type: 'string', multiple: true },
  tool: { type: 'string' },
  show: { type: 'string' },
  offline: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  force: { type: 'boolean' },
  'accept-findings': { type: 'boolean' },
  'allow-script': { type: 'boolean' },
  anthropic: { type: 'string' },
  json: { type: 'boolean' },
  timeout: { type: 'string' },
  'allow-tool': { type: 'string', multiple: true },
  'short-names': { type: 'boolean' },
  gpu: { type: 'string' },
  registry: { type: 'string' },
  sha256: { type: 'string' },
  approve: { type: 'boolean' },
  rounds: { type: 'string' },
  model: { type: 'string' },
  prices: { type: 'string' },
  transport: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'allow-remote': { type: 'boolean' },
  'token-file': { type: 'string' },
  'memory-limit': { type: 'string' },
  kiri: { type: 'string' },
  engine: { type: 'string' },
  'model-url': { type: 'string' },
  adapter: { type: 'string', multiple: true },
  backend: { type: 'string' },
  'log-level': { type: 'string' },
  'print-config': { type: 'boolean' },
  lang: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

/** A wish for help or the version stands for itself; everything else is a command. */
export type Parsed =
  | { readonly kind: 'help'; readonly command: CommandName | undefined; readonly language: string | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'run'; readonly arguments: Arguments };

function usage(message: string, remedy: string): OperationError {
  return new OperationError('usage', message, { remedy });
}

/** What the server would refuse, before it is started: its own complaints are lines of a log. */
function checkServe(values: ReturnType<typeof parse>['values']): void {
  oneOf('transport', values.transport, ['stdio', 'http'], 'stdio');
  oneOf('engine', values.engine, ['auto', 'embedded', 'llama', 'http'], 'auto');
  oneOf('log-level', values['log-level'], ['trace', 'debug', 'info', 'warn', 'error'], 'info');
  numberIn('port', values.port, 0, 65_535);
  if (values.port !== undefined && !Number.isInteger(Number(values.port)))
    throw usage(`--port ${values.port} is not possible.`, 'Use a whole number.');
  numberIn('memory-limit', values['memory-limit'], 0.1, 32);
}

function numberIn(option: string, given: string | undefined, least: number, most: number): void {
  if (given === undefined) return;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (!(value >= least && value <= most))
    throw usage(`--${option} ${given} is not possible.`, `Use a number from ${least} to ${most}.`);
}

function surplusRemedy(command: CommandName): string {
  if (command === 'learn' || command === 'dataset') return 'Name one folder.';
  return TAKING_SERVERS.includes(command) ? 'Name servers with --servers.' : 'Leave it out.';
}

function oneOf<T extends string>(option: string, value: string | undefined, allowed: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw usage(`--${option} ${value} is not known.`, `Use one of ${allowed.join(', ')}.`);
  return found;
}

const split = (values: readonly string[] | undefined): readonly string[] =>
  (values ?? [])
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

/** `argv` without the interpreter and the program. Throws OperationError `usage`. */
export function parseArguments(argv: readonly string[]): Parsed {
  const { values, positionals } = parse(argv);
  const [first, ...operands] = positionals;
  const command = COMMANDS.find((one) => one === first);
  if (values.version === true) return { kind: 'version' };
  if (values.help === true || first === undefined || first === 'help') {
    const about = first === 'help' ? COMMANDS.find((one) => one === operands[0]) : command;
    return { kind: 'help', command: about, language: values.lang };
  }
  if (command === undefined) throw usage(`There is no command "${first}".`, `Use one of ${COMMANDS.join(', ')}.`);
  const operandsTaken = command === 'model' ? 2 : command === 'learn' || command === 'dataset' ? 1 : 0;
  if (operands.length > operandsTaken && command !== 'validate' && command !== 'tokens')
    throw usage(`"${operands[operandsTaken] ?? ''}" is not expected after ${command}.`, surplusRemedy(command));
  if (values.lazy === true && values.mode !== undefined && values.mode !== 'lazy')
    throw usage('--lazy and --mode contradict each other.', 'Give only one of them.');
  for (const option of ['servers', 'exclude-tool'] as const)
    if (values[option] !== undefined && split(values[option]).length === 0)
      throw usage(`--${option} is empty.`, 'Name at least one, or leave the option out.');
  if (values.lang !== undefined && !/^(?:en|ja|zh)/i.test(values.lang))
    throw usage(`--lang ${values.lang} is not known.`, 'Use one of en, ja, zh-cn.');
  if (values['only-config'] === true && values['mcp-config'] === undefined)
    throw usage('--only-config needs a file.', 'Name one with --mcp-config.');
  const seconds = Number(values.timeout ?? 60);
  if (!(seconds > 0 && seconds <= 3_600))
    throw usage(`--timeout ${values.timeout ?? ''} is no number of seconds.`, 'Use 1 to 3600.');
  const rounds = Number(values.rounds ?? USUAL_ROUNDS);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS)
    throw usage(`--rounds ${values.rounds ?? ''} is no number of rounds.`, `Use 1 to ${MOST_ROUNDS}.`);
  checkServe(values);
  return {
    kind: 'run',
    arguments: {
      command,
      operands,
      workspace: values.workspace ?? [],
      user: values.user ?? false,
      configs: values['mcp-config'] ?? [],
      onlyConfigs: values['only-config'] ?? false,
      servers: split(values.servers),
      mode: oneOf('mode', values.lazy === true ? 'lazy' : values.mode, MODES, 'lazy'),
      compactRules: oneOf('compact-rules', values['compact-rules'], ['safe', 'strict'], 'safe'),
      runtime: oneOf('runtime', values.runtime, ['auto', 'python', 'node'], 'python'),
      output: values.output,
      name: values.name,
      toolsInfo: values['tools-info'],
      catalog: values.catalog ?? values['catalog-url'],
      excludeTools: split(values['exclude-tool']),
      tool: values.tool,
      show: values.show,
      offline: values.offline ?? false,
      yes: values.yes ?? false,
      dryRun: values['dry-run'] ?? false,
      force: values.force ?? false,
      acceptFindings: values['accept-findings'] ?? false,
      allowScript: values['allow-script'] ?? false,
      anthropic: values.anthropic,
      json: values.json ?? false,
      timeoutMs: seconds * 1_000,
      language: values.lang,
      allowTools: split(values['allow-tool']),
      shortNames: values['short-names'] === true,
      gpu: values.gpu,
      registry: values.registry,
      sha256: values.sha256,
      approve: values.approve ?? false,
      rounds,
      model: values.model,
      prices: values.prices,
      serve: {
        transport: values.transport,
        host: values.host,
        port: values.port,
        allowRemote: values['allow-remote'] ?? false,
        tokenFile: values['token-file'],
        memoryLimit: values['memory-limit'],
        kiri: values.kiri,
        engine: values.engine,
        modelUrl: values['model-url'],
        adapters: values.adapter ?? [],
        backend: values.backend,
        logLevel: values['log-level'],
        printConfig: values['print-config'] ?? false,
      },
    },
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...joinNegatives(argv)], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    const command = COMMANDS.find((one) => one === argv[0]);
    const message = error instanceof Error ? (error.message.split(/\.\s/)[0] ?? error.message) : String(error);
    throw usage(`${message.replace(/\.$/, '')}.`, `See "mochi${command === undefined ? '' : ` ${command}`} --help".`);
  }
}
