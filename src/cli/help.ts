/** The help texts: what each command does, its options, and examples to copy. Fits 80 columns. */
import type { CommandName } from './arguments.ts';
import type { Translate } from './messages.ts';

interface Option {
  readonly flag: string;
  readonly text: string;
  /** Absent: every command takes it. */
  readonly only?: readonly CommandName[];
}

const READING: readonly CommandName[] = ['preview', 'generate', 'check', 'economics'];
const STARTING: readonly CommandName[] = [...READING, 'gateway'];
const CONFIGURED: readonly CommandName[] = ['list', ...STARTING];
const LOOKING: readonly CommandName[] = [...CONFIGURED, 'validate', 'tokens', 'skills'];
const MAKING: readonly CommandName[] = ['preview', 'generate'];
const TELLING: readonly CommandName[] = [...LOOKING.filter((one) => one !== 'gateway'), 'serve', 'dataset', 'model'];
const PRICED: readonly CommandName[] = ['preview', 'economics'];

const OPTIONS: readonly Option[] = [
  { flag: '-w, --workspace DIR', text: 'Folder to look in; may be repeated. Default: here', only: LOOKING },
  { flag: '-w, --workspace DIR', text: 'Folder to learn. Default: here', only: ['serve', 'learn', 'dataset'] },
  { flag: '-m, --mcp-config FILE', text: 'One more config file, of any client', only: CONFIGURED },
  { flag: '--only-config', text: 'Only the files that are named so', only: CONFIGURED },
  { flag: '--user', text: "Read the home folder's configs too", only: CONFIGURED },
  { flag: '--user', text: "Use the home folder's skills too", only: ['skills', 'serve'] },
  { flag: '-s, --servers A,B', text: 'Only these servers', only: STARTING },
  { flag: '-y, --yes', text: 'Start the chosen servers without asking', only: STARTING },
  { flag: '--offline', text: 'Start nothing; use the tools recorded last time', only: READING },
  { flag: '-t, --tools-info FILE', text: 'Tools of one server from a JSON file', only: READING },
  { flag: '--catalog PATH|URL', text: 'Tools from an mcp_tool_catalog.yaml', only: READING },
  { flag: '--timeout SECONDS', text: 'How long a server may take. Default: 60', only: STARTING },
  { flag: '--mode MODE', text: 'normal, lazy or compact. Default: lazy', only: [...MAKING, 'gateway'] },
  { flag: '-l, --lazy', text: 'The same as --mode lazy', only: MAKING },
  { flag: '--compact-rules RULES', text: 'safe or strict. Default: safe', only: [...MAKING, 'gateway'] },
  { flag: '--runtime RUNTIME', text: 'python, node or auto. Default: python', only: MAKING },
  { flag: '--exclude-tool A,B', text: 'Leave these tools out', only: STARTING },
  {
    flag: '--anthropic MODEL',
    text: 'Exact tokens by Anthropic; needs ANTHROPIC_API_KEY',
    only: ['preview', 'generate', 'tokens'],
  },
  { flag: '--show PATH', text: 'Print one file of the skill instead', only: ['preview'] },
  {
    flag: '-o, --output DIR',
    text: 'The skills root. Default: .claude/skills',
    only: ['generate', 'check', 'validate', 'tokens'],
  },
  { flag: '-n, --name NAME', text: 'Name of the skill, for one server', only: MAKING },
  { flag: '-o, --output DIR', text: 'Where the data set goes. Default: mochi-dataset', only: ['dataset'] },
  { flag: '--force', text: 'Replace an earlier data set', only: ['dataset'] },
  { flag: '-o, --output DIR', text: "Where models go. Default: the person's data folder", only: ['model'] },
  { flag: '--backend DIR', text: 'Where what runs models goes', only: ['model'] },
  { flag: '--gpu CARD', text: 'none, vulkan or cuda. Default: none', only: ['model'] },
  { flag: '--sha256 HASH', text: 'What the model must hash to', only: ['model'] },
  { flag: '--registry URL', text: "A package registry in the place of npm's own", only: ['model'] },
  { flag: '-y, --yes', text: 'Fetch without asking', only: ['model'] },
  { flag: '--dry-run', text: 'Show the difference; write nothing', only: ['generate'] },
  { flag: '--force', text: 'Overwrite also what a person wrote', only: ['generate'] },
  { flag: '--accept-findings', text: 'Write although texts look suspicious', only: ['generate'] },
  { flag: '--allow-script', text: 'Let the agent run the script without asking', only: MAKING },
  { flag: '--allow-tool A,B', text: 'Only these tools; * stands for anything', only: ['gateway'] },
  { flag: '--short-names', text: "Names without the server's where that leaves no doubt", only: ['gateway'] },
  { flag: '--approve', text: 'Ask once which servers may start, and remember', only: ['gateway'] },
  { flag: '--rounds N', text: 'Rounds of the session. Default: 50', only: PRICED },
  { flag: '--model NAME', text: 'Whose prices. Default: claude-sonnet-5-5', only: PRICED },
  { flag: '--prices FILE', text: 'Prices of your own, as JSON', only: PRICED },
  { flag: '--transport KIND', text: 'stdio or http. Default: stdio', only: ['serve'] },
  { flag: '--port N', text: 'Where http listens; 0 for any. Default: 6680', only: ['serve'] },
  { flag: '--host H', text: 'The interface of http. Default: 127.0.0.1', only: ['serve'] },
  { flag: '--allow-remote', text: 'Let other machines in; needs a token', only: ['serve'] },
  { flag: '--token-file FILE', text: 'Ask for this token; else MOCHI_TOKEN', only: ['serve'] },
  { flag: '--engine ENGINE', text: 'auto, embedded, llama or http. Default: auto', only: ['serve'] },
  { flag: '--model FILE', text: 'A GGUF model beside it; else MOCHI_MODEL', only: ['serve'] },
  { flag: '--model-url URL', text: 'A model server instead; --model is its name there', only: ['serve'] },
  { flag: '--adapter DIR[:SCALE]', text: 'A PEFT adapter for the model; may be repeated', only: ['serve'] },
  { flag: '--backend DIR', text: 'Where what runs models lies; else MOCHI_BACKEND', only: ['serve'] },
  { flag: '--memory-limit GB', text: 'Refuse work beyond this. Default: 32', only: ['serve', 'learn'] },
  { flag: '--kiri COMMAND', text: 'Start this kiri server; join what it finds', only: ['serve'] },
  { flag: '--log-level LEVEL', text: 'Log as JSON from this level on: trace to error', only: ['serve'] },
  { flag: '--print-config', text: 'Print what clients need to find it', only: ['serve'] },
  { flag: '--json', text: 'Machine-readable output', only: TELLING },
  { flag: '--lang LANG', text: 'en, ja or zh-cn. Default: from the environment' },
];

const ABOUT: Record<CommandName, readonly [usage: string, text: string]> = {
  list: ['mochi list', 'Show the configured servers. Starts nothing.'],
  preview: ['mochi preview', 'Compare the forms of each server, with tokens.'],
  generate: ['mochi generate', 'Write skills.'],
  check: ['mochi check', 'Has a server changed since its skill was written?'],
  validate: ['mochi validate [FOLDER…]', 'Do skills keep the Agent Skills rules?'],
  tokens: ['mochi tokens [FILE…]', 'What files, or the installed skills, cost.'],
  skills: ['mochi skills', 'Show the installed skills, their cost and problems.'],
  economics: ['mochi economics', 'What tools cost over a session, in dollars.'],
  learn: ['mochi learn [DIR]', 'Learn a folder now, for "mochi serve".'],
  dataset: ['mochi dataset [DIR]', 'Make data to train an adapter on.'],
  serve: ['mochi serve', 'Serve what the workspace teaches, as an MCP server.'],
  model: ['mochi model [pull|list]', 'Fetch a model and what runs it, after a yes.'],
  gateway: ['mochi gateway', 'Serve all configured servers as one, lazily.'],
};

const EXAMPLES: Record<CommandName, readonly string[]> = {
  list: ['mochi list --user', 'mochi list --json'],
  preview: ['mochi preview --servers github --yes', 'mochi preview --mode lazy --show SKILL.md --servers github'],
  generate: [
    'mochi generate --servers github --mode lazy',
    'mochi generate --dry-run --yes',
    'mochi generate -m .mcp.json --lazy -o .agents/skills',
  ],
  check: ['mochi check --yes'],
  validate: ['mochi validate', 'mochi validate .claude/skills/github'],
  tokens: ['mochi tokens', 'mochi tokens README.md'],
  skills: ['mochi skills', 'mochi skills --user --json'],
  economics: [
    'mochi economics --servers github --yes',
    'mochi economics --offline --rounds 100 --model claude-opus-5-5',
  ],
  learn: ['mochi learn', 'mochi learn ../other'],
  dataset: ['mochi dataset', 'mochi dataset ../other --output ../other-data'],
  serve: [
    'mochi serve',
    'mochi serve --transport http --port 0',
    'mochi serve --print-config',
    'mochi serve --model base.gguf --adapter my-adapter',
  ],
  model: ['mochi model pull', 'mochi model pull backend', 'mochi model pull hf:USER/REPOSITORY/FILE.gguf'],
  gateway: ['mochi gateway --approve', 'mochi gateway --mode compact --exclude-tool "github/delete_*"'],
};

function rows(entries: readonly (readonly [string, string])[], t: Translate): readonly string[] {
  const width = Math.max(...entries.map(([left]) => left.length)) + 2;
  return entries.map(([left, text]) => `  ${left.padEnd(width)}${t(text)}`);
}

export function helpText(command: CommandName | undefined, t: Translate): string {
  if (command !== undefined) {
    const [usage, text] = ABOUT[command];
    const options = OPTIONS.filter((option) => option.only === undefined || option.only.includes(command));
    return [
      `${usage}  ${t('[options]')}`,
      '',
      t(text),
      '',
      t('Options:'),
      ...rows(
        options.map(({ flag, text: about }) => [flag, about] as const),
        t,
      ),
      '',
      t('Examples:'),
      ...EXAMPLES[command].map((example) => `  ${example}`),
    ].join('\n');
  }
  return [
    t('Mochi turns MCP servers into Agent Skills and shows what they cost first.'),
    '',
    t('Commands:'),
    ...rows(Object.values(ABOUT), t),
    '',
    t('Examples:'),
    '  mochi preview --yes',
    '  mochi generate --servers github --dry-run',
    '',
    t('Exit codes: 0 done, 1 needs attention, 2 wrong usage, 3 failed, 130 cancelled.'),
    t('"mochi COMMAND --help" shows the options of a command.'),
  ].join('\n');
}
