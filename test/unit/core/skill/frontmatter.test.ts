import { describe, expect, it } from 'vitest';
import { readFrontmatter } from '#core/skill/frontmatter.ts';

interface Case {
  readonly title: string;
  readonly text: string;
  readonly says: RegExp;
  readonly line: number;
}

const OPEN = '---\nname: x\n';

const CASES: readonly Case[] = [
  { title: 'a byte order mark', text: '\uFEFF---\nname: x\n---\n', says: /byte order mark/, line: 1 },
  { title: 'a missing frontmatter', text: '# x\n', says: /does not begin/, line: 1 },
  { title: 'an empty file', text: '', says: /does not begin/, line: 1 },
  { title: 'an unclosed frontmatter', text: `${OPEN}`, says: /never closed/, line: 1 },
  { title: 'an unquoted colon', text: `${OPEN}description: Use when: x\n---\n`, says: /holds ": "/, line: 3 },
  { title: 'broken YAML', text: `${OPEN}a: "x\n---\n`, says: /no valid YAML/, line: 3 },
  { title: 'a duplicate key', text: `${OPEN}a: b\nname: y\n---\n`, says: /"name" stands twice/, line: 4 },
  { title: 'an anchor', text: `${OPEN}a: &b c\n---\n`, says: /anchor/, line: 3 },
  { title: 'an alias', text: `${OPEN}a: *b\n---\n`, says: /alias/, line: 3 },
  { title: 'a known tag', text: `${OPEN}a: !!int 1\n---\n`, says: /tag/, line: 3 },
  { title: 'a tag of its own', text: `${OPEN}a: !x 1\n---\n`, says: /tag/, line: 3 },
  { title: 'flow style', text: `${OPEN}a:\n  b: [c]\n---\n`, says: /flow style/, line: 4 },
  { title: 'a control character', text: `${OPEN}a: "\u0001"\n---\n`, says: /control character/, line: 3 },
  { title: 'a cut comment', text: `${OPEN}a: b # c\n---\n`, says: /dropped/, line: 3 },
  { title: 'a list for a mapping', text: '---\n- a\n---\n', says: /no list of/, line: 2 },
  { title: 'nothing between the lines', text: '---\n---\n', says: /no list of/, line: 2 },
  {
    title: 'nesting deeper than the stack',
    text: `${OPEN}a: ${'['.repeat(30_000)}\n---\n`,
    says: /nested too deep/,
    line: 2,
  },
  { title: 'an endless frontmatter', text: `${OPEN}a: ${'b'.repeat(70_000)}\n---\n`, says: /too long/, line: 2 },
];

describe('reading a frontmatter', () => {
  for (const { title, text, says, line } of CASES) {
    it(`reports ${title} with its line`, () => {
      const { problems } = readFrontmatter(text, 'x/SKILL.md');
      const found = problems.find((problem) => says.test(problem.message));
      expect(found, JSON.stringify(problems)).toBeDefined();
      expect(found?.at?.file).toBe('x/SKILL.md');
      if (!/deeper/.test(title)) expect(found?.at?.line).toBe(line);
      expect(found?.remedy).toBeDefined();
    });
  }

  it('gives fields, body and the line of the body, and takes CRLF for LF', () => {
    const text = '---\nname: x\ndescription: "a: b"\nmetadata:\n  k: "1"\n---\n\n# X\n--- not the end\n';
    for (const variant of [text, text.replaceAll('\n', '\r\n')]) {
      const { value, problems } = readFrontmatter(variant, 'x/SKILL.md');
      expect(problems).toEqual([]);
      expect(value.frontmatter.get('description')).toBe('a: b');
      expect(value.frontmatter.get('metadata')).toEqual({ kind: 'map', entries: new Map([['k', '1']]) });
      expect(value.body).toBe('\n# X\n--- not the end\n');
      expect(value.bodyLine).toBe(7);
    }
  });

  it('takes every scalar for text and every key for data', () => {
    const { value } = readFrontmatter('---\nname: yes\n__proto__: 2024-01-01\nconstructor: 1.50\nempty:\n---\n', 'f');
    expect([...value.frontmatter]).toEqual([
      ['name', 'yes'],
      ['__proto__', '2024-01-01'],
      ['constructor', '1.50'],
      ['empty', ''],
    ]);
  });
});
