import { describe, expect, it } from 'vitest';
import { type Arguments, COMMANDS, parseArguments } from '../../../src/cli/arguments.ts';
import { helpText } from '../../../src/cli/help.ts';
import { translator } from '../../../src/cli/messages.ts';
import { OperationError } from '../../../src/core/problem.ts';

function run(...argv: readonly string[]): Arguments {
  const parsed = parseArguments(argv);
  if (parsed.kind !== 'run') throw new Error(`not a command: ${parsed.kind}`);
  return parsed.arguments;
}

describe('the words of the command line', () => {
  it('take the flags of the specification', () => {
    const args = run(
      'generate',
      '--mcp-config',
      'a.json',
      '--lazy',
      '--servers',
      'x,y',
      '-s',
      'z',
      '--tools-info',
      't.json',
      '--output',
      'out',
      '--name',
      'n',
      '--catalog-url',
      'https://example.com/c.yaml',
    );
    expect(args).toMatchObject({
      configs: ['a.json'],
      mode: 'lazy',
      servers: ['x', 'y', 'z'],
      toolsInfo: 't.json',
      output: 'out',
      name: 'n',
      catalog: 'https://example.com/c.yaml',
    });
  });

  it('have defaults that start and write nothing without being asked', () => {
    expect(run('preview')).toMatchObject({
      mode: 'lazy',
      compactRules: 'safe',
      runtime: 'python',
      yes: false,
      force: false,
      user: false,
      acceptFindings: false,
      allowScript: false,
      timeoutMs: 60_000,
    });
  });

  it.each<[readonly string[], RegExp]>([
    [['frobnicate'], /There is no command "frobnicate"\. Use one of list, /],
    [['list', 'extra'], /"extra" is not expected after list/],
    [['generate', '--mode', 'tiny'], /--mode tiny is not known\. Use one of normal, lazy, compact\./],
    [['generate', '--lazy', '--mode', 'normal'], /contradict each other/],
    [['generate', '--wat'], /--wat/],
    [['preview', '--timeout', 'soon'], /--timeout soon is no number of seconds\. Use 1 to 3600\./],
    [['preview', '--compact-rules', 'loose'], /Use one of safe, strict/],
  ])('explain %j', (argv, message) => {
    let error: unknown;
    try {
      parseArguments(argv);
    } catch (caught) {
      error = caught;
    }
    expect(OperationError.is(error, 'usage')).toBe(true);
    expect(OperationError.is(error) && `${error.message} ${error.remedy ?? ''}`).toMatch(message);
  });

  it.each([[[]], [['help']], [['--help']], [['-h', 'list']], [['help', 'list']]])(
    'take %j for a wish for help',
    (argv) => {
      expect(parseArguments(argv).kind).toBe('help');
    },
  );
});

/** What an option cannot stand without. */
const together = (option: string): readonly string[] => (option === '--only-config' ? ['--mcp-config', 'x'] : []);

describe('the help', () => {
  it.each([undefined, ...COMMANDS])('of %s fits 80 columns and shows examples', (command) => {
    const text = helpText(command, translator('en'));
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(text).toContain('Examples:');
  });

  it.each([
    ['learn', ['-m,', '--only-config', '--user', '--json', 'may be repeated']],
    ['model', ['-w,', '-m,', '--only-config', '--user']],
    ['serve', ['-m,', '--only-config', 'Folder to look in', 'configs']],
    ['gateway', ['--json']],
  ] as const)('of %s names no option that the command does not use', (command, unused) => {
    const text = helpText(command, translator('en'));
    for (const option of unused) expect(text).not.toContain(option);
  });

  it('names only options that exist', () => {
    for (const command of COMMANDS)
      for (const [, option = ''] of helpText(command, translator('en')).matchAll(/(--[a-z-]+)(?=[ ,\n])/g)) {
        const takesValue = ![
          '--user',
          '--yes',
          '--offline',
          '--lazy',
          '--dry-run',
          '--force',
          '--accept-findings',
          '--allow-script',
          '--allow-remote',
          '--print-config',
          '--approve',
          '--short-names',
          '--only-config',
          '--json',
        ].includes(option);
        const value =
          {
            '--mode': 'lazy',
            '--compact-rules': 'safe',
            '--runtime': 'node',
            '--timeout': '5',
            '--lang': 'ja',
            '--rounds': '9',
            '--transport': 'http',
            '--engine': 'llama',
            '--log-level': 'warn',
            '--port': '0',
            '--memory-limit': '0.5',
          }[option] ?? 'x';
        expect(
          () => parseArguments([command, option, ...(takesValue ? [value] : []), ...together(option)]),
          `${command} ${option}`,
        ).not.toThrow();
      }
  });
});
