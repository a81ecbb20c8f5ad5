/** Problems in other languages: every sentence that people meet in configs, catalogs and plans has its template. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { type ProblemTable, problemTranslator } from '../../../src/core/problem-text.ts';

const tableOf = (language: string): ProblemTable => JSON.parse(readFileSync(`l10n/problems.${language}.json`, 'utf8'));
const LANGUAGES = ['ja', 'zh-cn'] as const;
const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(String).sort();

/** Where sentences come from that must be translated; what is left out is said in English under a translated heading. */
const SOURCES = [
  'src/core/config/*.ts',
  'src/core/scan/*.ts',
  'src/core/plan.ts',
  'src/core/skill/{name,render,library,library-places,library-shadowing,validate,official-validators,frontmatter,body-rules}.ts',
  'src/core/catalog/catalog.ts',
  'src/node/skill-removal.ts',
];

/** Sentences with a part that is chosen from a few, with what becomes of them; and what only looks like a sentence. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  '{0} {1} the skill of this name in {2} instead{3}.': [
    'Claude Code uses the skill of this name in ~/.claude/skills instead.',
    'VS Code uses the skill of this name in a instead; its text is the same.',
    'Claude Code and VS Code use the skill of this name in a instead.',
  ],
  '{0} {1}.': [
    'Tool 3 has no name; it is left out.',
    'Tool 3 (x) has a description that is not text, which is not shown.',
  ],
  '{0}` is {1}, not a string.': ['`url` is a list, not a string.'],
  "The server's name {0}.": ["The server's name is empty.", "The server's name is reserved by Zed."],
  'Rename `{0}` to `{1}`{2}.': ['Rename `a` to `b`.', 'Rename `a` to `b`, or remove it.'],
  '{0} is also named in {1}, line {2}, which goes first{3}.': [
    '"a" is also named in .mcp.json, line 2, which goes first.',
    '"a" is also named in .mcp.json, line 2, which goes first; both say the same.',
  ],
  'The text at {0} {1}.': ['The text at /a embeds a picture from a web address.'],
  'The text at {0} {1} ({2}).': ['The text at /a talks about the server "b" or a tool of it (E002).'],
  '{0} {1} and would be lost.': [
    'SKILL.md was edited since it was generated and would be lost.',
    'SKILL.md was not written by Mochi and would be lost.',
  ],
};

/** Reasons that findings give, each of which needs its template. */
function reasons(): readonly string[] {
  const code = ['poison', 'links'].map((name) => readFileSync(`src/core/scan/${name}.ts`, 'utf8')).join('');
  return [...code.matchAll(/what: '([^']+)'/g)].map(([, what]) => what ?? '');
}

/** Every literal that is a sentence, as a template. */
function sentences(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern))) {
    const code = readFileSync(file, 'utf8').replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
    for (const [, single, double, back] of code.matchAll(
      /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g,
    )) {
      const text = back === undefined ? (single ?? double ?? '').replace(/\\(.)/g, '$1') : templateOf(back);
      if (/^[A-Z`{][^\n]* [^\n]*\.$/.test(text)) found.add(text);
    }
  }
  return found;
}

/** The text between backticks with its values as places, counted from the left. */
function templateOf(raw: string): string {
  let [result, count] = ['', 0];
  for (let at = 0; at < raw.length; at++) {
    if (raw[at] === '\\') result += raw[++at] ?? '';
    else if (raw.startsWith('${', at)) {
      let depth = 0;
      for (at += 1; at < raw.length; at++) {
        if (raw[at] === '{') depth += 1;
        if (raw[at] === '}' && --depth === 0) break;
      }
      result += `{${count++}}`;
    } else result += raw[at] ?? '';
  }
  return result;
}

/** A template as a sentence: places that choose between words of ours are filled with each of them in turn. */
const spelt = (template: string) => template.replace(/\{(\d)\}/g, (_place, index) => `value${index}`);
const translated = (table: ProblemTable, template: string): boolean => {
  const say = problemTranslator(table);
  const own = spelt(template);
  return say(own) !== own;
};

describe.each(LANGUAGES)('problems in %s', (language) => {
  const table = tableOf(language);

  it('are said in that language, whichever sentence of configs, scans, catalogs and plans it is', () => {
    expect(sentences().size).toBeGreaterThan(150);
    const found = [...sentences()].flatMap((one) => CHOSEN[one] ?? [one]);
    const findings = reasons().flatMap((what) => [`The text at /a ${what}.`, `The text at /a ${what} (E001).`]);
    expect(findings.length).toBeGreaterThan(40);
    expect([...found, ...findings].filter((one) => !translated(table, one))).toEqual([]);
  });

  it('have the same places as in English, and no text is missing', () => {
    for (const [english, text] of Object.entries(table)) {
      expect(places(text), english).toEqual(places(english));
      expect(text.trim(), english).not.toBe('');
      expect(text, english).not.toBe(english);
    }
  });

  it('have the same sentences as in the other language', () => {
    expect(Object.keys(table)).toEqual(Object.keys(tableOf(language === 'ja' ? 'zh-cn' : 'ja')));
  });
});

describe.each(LANGUAGES)('the words of the YAML parser in %s', (language) => {
  const say = problemTranslator(tableOf(language));
  it.each([
    'a: b: c',
    'a: "x',
    "a: 'x",
    'a: [1',
    'a: {b: 1',
    '- a\n b: 1\n- c',
    'a: 1\na: 2',
    'a:\n\t- b',
    '&x *y',
    'a: |x\n b',
    '{a: 1',
    '[',
    'a: }',
    '}',
    '%YAML 3\n---\na',
    'a: >\n\tx',
    '- - a\n -b',
    'a: "\\q"',
    '@a: 1',
    'a: %x',
    '--- a\n--- b',
    '!<tag x',
    'a: &a\nb: *a x',
    '[a: b: c]',
    '{ "a" "b" }',
    'a: b\n- c',
    '[a, , b]',
    '{a: 1,, b: 2}',
    'a: &x:\n',
    'a: [x]#y',
    '- a\n  - b\n   - c: 1\n  d: 2',
    'a: !!int x',
    'k: &a &b c',
  ])('are said for %j', (text) => {
    const { errors, warnings } = parseDocument(text, { prettyErrors: false });
    const found = [...errors, ...warnings];
    expect(found.length).toBeGreaterThan(0);
    for (const { code, message } of found) {
      const sentences = [
        `The YAML is not valid (${code.toLowerCase().replaceAll('_', ' ')}).`,
        ...(code === 'MULTIPLE_DOCS' ? [] : [`The frontmatter is no valid YAML: ${message.split('\n')[0]}`]),
      ];
      // Words of English in a row, but for what is quoted of the text itself.
      for (const sentence of sentences) expect(say(sentence), sentence).not.toMatch(/[a-z]{2,} [a-z]{2,}/);
    }
  });
});

describe('a sentence in another language', () => {
  const say = problemTranslator(tableOf('ja'));
  it.each([
    ['The file is empty.', 'ファイルが空です。'],
    [
      'The field "x" is not in the specification. (skills-ref and quick_validate refuse it)',
      'フィールド "x" は仕様にありません。 (skills-ref と quick_validate が拒否します)',
    ],
    ['Claude Code attaches what "@" names in this line.', 'この行で Claude Code は"@" の指すものを添付します。'],
    [
      'The frontmatter is no valid YAML: Missing closing "quote',
      'フロントマターが正しい YAML ではありません: 閉じる " がありません',
    ],
    ['`args` is an object, not a list.', '`args` がリストではなくオブジェクトです。'],
    ['The JSON is not valid: a comma is expected.', 'JSON が正しくありません: コンマが必要です。'],
    ['Rename `servers` to `mcpServers`, or remove it.', '`servers` を `mcpServers` に変えるか、削除してください。'],
    [
      'The text at /tools/1 holds control characters, tag characters, which spell "x".',
      '/tools/1 の本文に制御文字、タグ文字があり、"x" と読めます。',
    ],
    [
      'The text at /tools/0/description poses as a system message (E001).',
      '/tools/0/description の本文: システムメッセージを装っています (E001)。',
    ],
    [
      'The definition holds a secret at env; the skill names ${KEY} instead.',
      '定義の env に秘密の値があります。スキルでは代わりに ${KEY} を使います。',
    ],
    [
      'Set $& in the environment before you use the skill, and write ${{1}} in the config too.',
      'スキルを使う前に環境変数 $& を設定し、設定ファイルにも ${{1}} と書いてください。',
    ],
  ])('%s', (english, expected) => {
    expect(say(english)).toBe(expected);
  });

  it.each([
    'Nobody knows this sentence.',
    '',
    'x'.repeat(10_000),
    'The key  appears again below, and only the last one counts.',
  ])('stays as it is where nobody knows it: %s', (english) => {
    expect(say(english)).toBe(english);
  });

  it('is found in hostile text without going through it again and again', () => {
    const hostile = `\`${'` is '.repeat(900)}`;
    expect(say(hostile)).toBe(hostile);
    expect(say('toString')).toBe('toString');
    expect(say('__proto__')).toBe('__proto__');
  });
});
