/** The command line of the Node call script. */
import { describe, expect, test } from 'vitest';
import { HELP } from '../../../../src/scripts/node/help.ts';
import { type Options, parseOptions, shellQuote } from '../../../../src/scripts/node/options.ts';

interface Row {
  readonly name: string;
  readonly argv: readonly string[];
  readonly wanted: Partial<Options>;
}

const ROWS: readonly Row[] = [
  { name: 'words are the tool and its arguments', argv: ['say', '{"a":1}'], wanted: { tool: 'say', args: '{"a":1}' } },
  { name: 'a word that begins with a brace is the arguments', argv: ['{"a":1}'], wanted: { args: '{"a":1}' } },
  { name: 'a dash is standard input', argv: ['say', '-'], wanted: { tool: 'say', args: '-' } },
  { name: 'after two dashes all are words', argv: ['--', '--odd'], wanted: { tool: '--odd' } },
  { name: 'a value may follow an equals sign', argv: ['--output=a=b'], wanted: { output: 'a=b' } },
  {
    name: 'short options take a value at once or next',
    argv: ['-oX', '-O', 'Y'],
    wanted: { output: 'X', outputFile: 'Y' },
  },
  { name: 'a value may look like an option', argv: ['--args', '--json'], wanted: { args: '--json', json: false } },
  { name: 'later options win', argv: ['--timeout', '1', '--timeout', '2'], wanted: { timeout: 2 } },
  { name: '--wait alone waits long', argv: ['--wait', '--json'], wanted: { wait: 6000, json: true } },
  { name: '--wait takes a number', argv: ['--wait', '1.5'], wanted: { wait: 1.5 } },
  { name: '--wait leaves a word alone', argv: ['--wait', 'say'], wanted: { wait: 6000, tool: 'say' } },
  { name: 'headers add up', argv: ['--header', 'A: 1', '--header', 'B: 2'], wanted: { headers: ['A: 1', 'B: 2'] } },
  {
    name: 'a file of arguments replaces arguments',
    argv: ['--args', '{}', '--args-file', 'f'],
    wanted: { argsFile: 'f' },
  },
];

const BAD: readonly (readonly [string, readonly string[]])[] = [
  ['an unknown option', ['--argz']],
  ['a missing value', ['--tool']],
  ['a flag with a value', ['--json=1']],
  ['a number that is none', ['--timeout', 'soon']],
  ['an empty number', ['--max-polls', '']],
  ['a number too small', ['--max-polls', '0']],
  ['an unknown transport', ['--type', 'ws']],
];

function check(row: Row): void {
  expect(parseOptions(row.argv)).toMatchObject(row.wanted);
}

describe('Options', () => {
  for (const row of ROWS) test(row.name, () => check(row));
  for (const [name, argv] of BAD) {
    test(`${name} is a usage error`, () => {
      expect(() => parseOptions(argv)).toThrow(expect.objectContaining({ kind: 'usage' }));
    });
  }

  test('a slip of the pen is named', () => {
    expect(() => parseOptions(['--argz', '1'])).toThrow(/unknown option --argz; did you mean --args/);
  });

  test('a tool cancels the job roles before it', () => {
    const options = parseOptions(['--submit-tool', 'a', '--status-tool', 'b', '--tool', 'c']);
    expect([options.tool, options.submitTool, options.statusTool]).toEqual(['c', undefined, undefined]);
  });

  test('a job role cancels the tool before it', () => {
    expect(parseOptions(['--tool', 'c', '--submit-tool', 'a']).tool).toBeUndefined();
  });

  test('the help names every option and fits sixty lines', () => {
    expect(HELP.split('\n').length).toBeLessThanOrEqual(60);
    for (const name of ['--tool', '--resume', '--session-stop', '--save-logs-inline', '--max-bytes', '--id-param']) {
      expect(HELP).toContain(name);
    }
  });
});

const WORDS: readonly (readonly [string, string, string])[] = [
  ['plain-1.2/x', 'linux', 'plain-1.2/x'],
  ['', 'linux', "''"],
  ["it's $HOME", 'linux', `'it'"'"'s $HOME'`],
  ['a b', 'win32', '"a b"'],
  ['C:\\x\\y', 'win32', 'C:\\x\\y'],
  ['100%', 'win32', '"100%"'],
];

describe('Words for a shell', () => {
  for (const [word, platform, wanted] of WORDS) {
    test(`${JSON.stringify(word)} on ${platform}`, () => expect(shellQuote(word, platform)).toBe(wanted));
  }
});
