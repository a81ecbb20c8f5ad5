/** The server's log on a terminal: said in the person's language, each sentence of it, with what to do. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { translator } from '../../../src/cli/messages.ts';
import { createLogView, readLine, serverTranslator } from '../../../src/cli/server-words.ts';

const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const SOURCES = [
  'src/mochi/{main,serve,http,background,model-engines,skill-shelf}.ts',
  'src/mochi/engine/{llama,peft,http}/*.ts',
  'src/mochi/context/*.ts',
  'src/mochi/dataset/*.ts',
];
/** What is written to the log, or becomes a part of what is. */
const CALLS =
  /(?:new (?:OperationError|MochiFault|Broken)\(|\b(?:unfit|broken|odd|missing|usage|say|failed|unreachable)\(|logger\.(?:info|warn|error)\(|why: |remedy: )(.*?)(?:;|,)\n/gs;
/** Reasons stand inside of a sentence of their file. */
const AROUND: readonly (readonly [RegExp, string])[] = [
  [/gguf-header/, 'x is no whole GGUF file: {0}.'],
  [/safetensors/, 'x is no whole safetensors file: {0}.'],
  [/adapter-layers/, 'x: {0}.'],
  [/adapter-config/, 'x: the adapter cannot be used: {0}.'],
  [/completions-api/, 'The model server at x does not speak as expected: {0}.'],
];
/** Only said to whoever calls a tool, or only looks like a sentence. */
const UNSEEN =
  /^(?:The model was let go|.* questions wait for|Try again later|A newer completion|Ask for the newest|The model is loading|Try again in a few|value: value\.|No answer|Mochi has|text-completion|data:|cannot be reached|broke off)/;

function sentences(): readonly string[] {
  const found = new Set<string>();
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern))) {
    const code = readFileSync(file, 'utf8').replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
    for (const [, call = ''] of code.matchAll(CALLS))
      for (const [, single, double, back] of call.matchAll(LITERAL)) {
        const text = (single ?? double ?? back?.replace(/\$\{(?:[^{}`]|\{[^}]*\}|`[^`]*`)*\}/g, 'value') ?? '')
          .replace(/\\(.)/g, '$1')
          // An addition that may be empty.
          .replace(/(?<=[a-z])value\b/g, '');
        if (!text.includes(' ') || UNSEEN.test(text) || text.includes('${')) continue;
        const around = AROUND.find(([name]) => name.test(file))?.[1];
        found.add(/\.$|^[A-Z]/.test(text) || around === undefined ? text : around.replace('{0}', text));
      }
  }
  return [...found];
}

describe.each(['ja', 'zh-cn'] as const)('what the server says, in %s', (language) => {
  const say = serverTranslator(language, translator(language));
  const table: Readonly<Record<string, string>> = JSON.parse(readFileSync(`l10n/server.${language}.json`, 'utf8'));

  it('has its words for every sentence', () => {
    expect(sentences().length).toBeGreaterThan(130);
    expect(sentences().filter((one) => say(one) === one)).toEqual([]);
    // A reason in a place is said, too.
    expect(sentences().filter((one) => /[a-z]{2,} [a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(say(one)))).toEqual([]);
  });

  it('has the same places as in English, and the same sentences as the other language', () => {
    const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(String).sort();
    for (const [english, text] of Object.entries(table)) expect(places(text), english).toEqual(places(english));
    const other = JSON.parse(readFileSync(`l10n/server.${language === 'ja' ? 'zh-cn' : 'ja'}.json`, 'utf8'));
    expect(Object.keys(table)).toEqual(Object.keys(other));
  });
});

describe('a message with its remedy', () => {
  const say = serverTranslator('ja', translator('ja'));
  it.each([
    [
      'Another program listens on port 80 of 127.0.0.1. Choose another port with --port; --port 0 takes a free one.',
      '127.0.0.1 のポート 80 は別のプログラムが使っています。 --port で別のポートを選んでください。--port 0 なら空いているものを使います。',
    ],
    [
      'the embedded engine answers without the model: The model file a.gguf cannot be opened. Name a GGUF file that exists and can be read.',
      'モデルなしで、内蔵エンジンが答えます: モデルのファイル a.gguf を開けません。 実在し、読み取れる GGUF ファイルを指定してください。',
    ],
    [
      '--host 0.0.0.0 can be reached from other machines. Add --allow-remote if that is meant.',
      '--host 0.0.0.0 は他のマシンから接続できます。 それでよければ --allow-remote を付けてください。',
    ],
    [
      'the model is not ready: a.json is no whole GGUF file: it does not begin as one. Fetch or make the file again.',
      'モデルを使えません: a.json は完全な GGUF ファイルではありません: 先頭が GGUF の形式ではありません。 ファイルを取得し直すか、作り直してください。',
    ],
    ['Something else. Do it.', 'Something else. Do it.'],
  ])('%s', (english, japanese) => expect(say(english)).toBe(japanese));
});

describe('the log on a terminal', () => {
  function shown(...lines: readonly string[]): readonly string[] {
    const seen: string[] = [];
    const view = createLogView({
      language: 'en',
      t: (text: string) => text,
      terminal: {
        note: (line: string) => seen.push(line),
        progress: (line: string) => seen.push(`… ${line}`),
        noteStyle: (style: string, text: string) => `<${style}>${text}`,
      },
    } as unknown as Parameters<typeof createLogView>[0]);
    for (const line of lines) view(line);
    return seen;
  }
  const line = (level: string, message: string): string => JSON.stringify({ time: 't', level, message });

  it('is plain sentences: what goes on in one line, what is wrong in colour, and never an escape of a file', () => {
    expect(
      shown(
        line('info', 'listening on http://127.0.0.1:1/mcp'),
        line('info', 'learning: sorting, 1 of 2 files'),
        line('error', 'There is no file \u001b[31mx.'),
        line('warn', 'careful'),
        'node: bad option',
        '',
      ),
    ).toEqual([
      'mochi: listening on http://127.0.0.1:1/mcp',
      '… learning: sorting, 1 of 2 files',
      '<red>mochi: There is no file \ufffd[31mx.',
      '<yellow>mochi: careful',
      '<red>mochi: node: bad option',
    ]);
  });

  it('takes what is no line of the log for what it is', () => {
    expect(readLine('{"level":"info"}')).toEqual({ level: 'error', message: '{"level":"info"}' });
    expect(readLine(line('info', 'x'))).toEqual({ level: 'info', message: 'x' });
  });
});
