import { describe, expect, it } from 'vitest';
import { learnText } from '../../../../src/mochi/learn/file-record.ts';
import { findingsOf } from '../../../../src/mochi/learn/findings.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

const recordOf = (path: string, text: string) =>
  learnText(path, text, { size: text.length, changed: 0 }, new Vocabulary()).record;

/** The finding of a name over some files, or undefined. */
function finding(name: string, files: Readonly<Record<string, string>>) {
  const { patterns, conventions } = findingsOf(Object.entries(files).map(([path, text]) => recordOf(path, text)));
  return [...patterns, ...conventions].find((it) => it.name === name);
}

describe('error handling', () => {
  const handled = (code: string): string =>
    `export function run(sink) {\n  try {\n    sink.next();\n  } catch (err) {\n    ${code}\n  }\n}\n`;

  it.each([
    ['sink.error(err);', 'passes it on'],
    ['subscriber.error(err);\n    return;', 'passes it on'],
    ['console.error(err);', 'logs'],
    ['logger.warn({ err });', 'logs'],
    ['if (isFatal(err)) return;', 'returns'],
    ['sink.error(err);\n    throw err;', 'throws again'],
  ])('of %s: %s', (code, way) => {
    const files = Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`f${at}.js`, handled(code)]));
    const found = finding('error-handling-javascript', files);
    expect(found?.description).toContain(`${way}: 100 % of 5 cases`);
    expect(found?.examples[0]?.code).toBe(`} catch (err) {\n  ${code.replaceAll('\n    ', '\n  ')}\n}`);
  });
});

describe('symbols', () => {
  it.each([
    ['Emits <span class="informal">like a sieve</span> a Map<string, T>.', 'Emits like a sieve a Map<string, T>.'],
    ['Like {@link map} and {@link Foo|the Foo}. ![](filter.png)', 'Like map and the Foo.'],
    ['Filters it.\n * ## Example\n * filter(x)', 'Filters it.'],
    [`Says what it does to whoever may ask. ${'many words '.repeat(60)}`, 'Says what it does to whoever may ask.'],
    ['many words '.repeat(60), `${'many words '.repeat(36).trim()}…`],
  ])('have docs without markup, in whole sentences or words: %s', (comment, doc) => {
    expect(recordOf('a.ts', `/** ${comment} */\nexport function go() {\n  return 1;\n}`).symbols[0]?.doc).toBe(doc);
  });

  it.each([
    [
      'a.ts',
      '/** Says it. */\nexport async function sayIt() {\n  return 1;\n}\nx;',
      'sayIt',
      'function',
      2,
      4,
      'Says it.',
    ],
    [
      'a.ts',
      'class A {\n  // Goes on.\n  private next(a: B): C {\n    return a;\n  }\n}',
      'next',
      'method',
      3,
      5,
      'Goes on.',
    ],
    ['a.ts', 'export const make = (a: B) => {\n  a();\n};', 'make', 'function', 1, 3, ''],
    ['a.ts', 'export interface Shape {\n  a: 1;\n}', 'Shape', 'type', 1, 3, ''],
    [
      'a.py',
      '@x\ndef say(a,\n        b):\n    """Says it."""\n    return 1\n\nprint()',
      'say',
      'function',
      2,
      5,
      'Says it.',
    ],
    ['a.go', '// Say says.\nfunc (s *T) Say(a int) int {\n\treturn a\n}', 'Say', 'function', 2, 4, 'Say says.'],
    ['a.rs', '/// Says it.\n#[inline]\npub fn say() -> u8 {\n    1\n}', 'say', 'function', 3, 5, 'Says it.'],
    [
      'A.java',
      'class A {\n  /** Says it. */\n  public int say(int a) throws B {\n    return a;\n  }\n}',
      'say',
      'method',
      3,
      5,
      'Says it.',
    ],
    ['a.c', '/* Says it. */\nint say(int a)\n{\n  return a;\n}', 'say', 'function', 2, 5, 'Says it.'],
    ['a.rb', '# Says it.\ndef say(a)\n  a\nend', 'say', 'function', 2, 4, 'Says it.'],
    ['a.php', '<?php\n/** Says it. */\nfunction say($a) {\n  return $a;\n}', 'say', 'function', 3, 5, 'Says it.'],
    [
      'a.cs',
      'class A {\n  // Says it.\n  public int Say(int a)\n  {\n    return a;\n  }\n}',
      'Say',
      'method',
      3,
      6,
      'Says it.',
    ],
  ])('are found in %s: %j', (path, text, name, kind, line, endLine, doc) => {
    expect(recordOf(path, text).symbols).toContainEqual(expect.objectContaining({ name, kind, line, endLine, doc }));
  });

  it('are no calls, conditions or loops', () => {
    const text = 'if (a) {\n}\nwhile (b) {\n}\nrun(c);\nif (\n  check(d) && e\n) {\n}\nx = make(f) ? 1 : { a };\n';
    expect(recordOf('a.ts', text).symbols).toEqual([]);
  });
});

describe('findings', () => {
  it('state the habit with its share, support and counter-examples, and two real places', () => {
    const quotes = finding('quotes-typescript', {
      'a.ts': "a('x');\nb('y');\nc('z');\n",
      'b.ts': '\na(\'x\');\nb("y");\n',
    });
    expect(quotes).toMatchObject({ share: 0.8, support: 4, counterExamples: 1 });
    expect(quotes?.description).toBe('single: 80 % of 5 cases, in 2 files. Otherwise: double 1.');
    expect(quotes?.examples).toEqual([
      { file: 'a.ts', line: 1, code: "a('x');" },
      { file: 'b.ts', line: 2, code: "a('x');" },
    ]);
  });

  it('say nothing on few cases', () => {
    expect(finding('quotes-typescript', { 'a.ts': "a('x');" })).toBeUndefined();
  });

  it.each([
    ['error-handling-typescript', 'try { a(); } catch (error) { throw new B(error); }\n', 'throws again'],
    ['error-handling-typescript', 'try { a(); } catch {}\n', 'ignores it'],
    ['error-handling-typescript', 'try { a(); } catch (e) { console.error(e); }\n', 'logs'],
    ['thrown-errors-typescript', 'throw new RangeError();\n', 'RangeError'],
    ['asynchronous-code-typescript', 'await a();\n', 'await'],
    ['asynchronous-code-typescript', 'a().then(b);\n', '.then chains'],
    ['iteration-typescript', 'for (const a of b) c();\n', 'for…of'],
    ['logging-typescript', 'logger.info(a);\n', 'logger.*'],
    ['imports-typescript', "import type { A } from './a';\n", 'type only'],
    ['relative-imports-typescript', "import { A } from './a.ts';\n", 'with extension'],
    ['node-modules-typescript', "import { a } from 'node:fs';\n", 'node: prefix'],
    ['exports-typescript', 'export const a = 1;\n', 'named'],
    ['statement-ends-typescript', 'a();\nb();\n', 'semicolon'],
    ['statement-ends-typescript', 'const a = b()\nconst c = d()\n', 'no semicolon'],
    ['function-names-typescript', 'function sayHello() {\n}\n', 'camelCase'],
    ['function-names-python', 'def say_hello():\n    pass\n', 'snake_case'],
    ['type-names-typescript', 'class SayHello {\n}\n', 'PascalCase'],
    ['indentation-python', 'if a:\n    b()\n', '4 spaces'],
    ['file-names-typescript', 'a();\n', 'kebab-case'],
    ['exported-function-docs-typescript', '/** A. */\nexport function a() {\n}\n', 'doc comment'],
  ])('%s reads %j as %s', (name, text, way) => {
    const extension = name.endsWith('python') ? 'py' : 'ts';
    const files = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`some-file-${at}.${extension}`, text]));
    expect(finding(name, files)?.description).toContain(`${way}: 100 %`);
  });

  it('name test cases only in tests', () => {
    const files = (suffix: string) =>
      Object.fromEntries([1, 2, 3, 4, 5].map((at) => [`f${at}${suffix}.ts`, "it('a', () => {});\n"]));
    expect(finding('test-cases-typescript', files('.test'))?.description).toContain('it(): 100 %');
    expect(finding('test-cases-typescript', files(''))).toBeUndefined();
  });

  it('keep their names and order', () => {
    const files = [recordOf('a.ts', "a('x');\n".repeat(6)), recordOf('b.py', "a('x')\n".repeat(6))];
    expect(findingsOf(files)).toEqual(findingsOf(files));
    const { patterns, conventions } = findingsOf(files);
    const names = [...patterns, ...conventions].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.every((name) => /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))).toBe(true);
  });
});
