import { describe, expect, it } from 'vitest';
import { refusedByQuickValidate, refusedBySkillsRef } from '#core/skill/official-validators.ts';
import { isUtf8, validateSkill } from '#core/skill/validate.ts';

const HEAD = 'name: probe\n';
const DESC = 'description: Does things.\n';

/** A row of what both official validators were seen to do: accepted (true) or refused (false). */
interface Row {
  readonly title: string;
  /** The whole SKILL.md. */
  readonly text: string;
  readonly skillsRef: boolean;
  readonly quick: boolean;
  readonly folder?: string;
}

function row(title: string, yaml: string, skillsRef: boolean, quick: boolean, folder?: string): Row {
  return { title, text: `---\n${yaml}---\nBody.\n`, skillsRef, quick, ...(folder === undefined ? {} : { folder }) };
}

const ROWS: readonly Row[] = [
  {
    title: 'CRLF',
    text: `---\r\n${HEAD}${DESC}---\r\nBody.\r\n`.replace(/\r?\n/g, '\r\n'),
    skillsRef: true,
    quick: true,
  },
  row('a block scalar', `${HEAD}description: |\n  One.\n  Two.\n`, true, true),
  row('a folded scalar', `${HEAD}description: >-\n  One.\n  Two.\n`.replace('>-', '>-'), true, true),
  row('double quotes', `name: "probe"\ndescription: "Does: things # all."\n`, true, true),
  row('single quotes', `name: 'probe'\ndescription: 'It''s fine.'\n`, true, true),
  row('comments', `# first\n${HEAD}# second\n${DESC}`, true, true),
  row('a tab in quotes', `${HEAD}description: "a\tb"\n`, true, true),
  row('an emoji', `${HEAD}description: Builds 🏗 things.\n`, true, true),
  { title: 'an empty body', text: `---\n${HEAD}${DESC}---\n`, skillsRef: true, quick: true },
  { title: 'a byte order mark', text: `\uFEFF---\n${HEAD}${DESC}---\n`, skillsRef: false, quick: false },
  row('a flow sequence', `${HEAD}${DESC}allowed-tools: [Read]\n`, false, true),
  row('a flow mapping', `${HEAD}${DESC}metadata: {a: b}\n`, false, true),
  row('an empty flow mapping', `${HEAD}${DESC}metadata: {}\n`, false, true),
  row('an anchor', `${HEAD}description: &d Does things.\n`, false, true),
  row('an anchor and its alias', `${HEAD}description: &d Does things.\nlicense: *d\n`, false, true),
  row('a tag', `${HEAD}description: !!str Does things.\n`, false, true),
  row('a duplicate key', `${HEAD}${DESC}${DESC}`, false, true),
  row('an unquoted colon', `${HEAD}description: Use when: x\n`, false, false),
  row('an unquoted hash', `${HEAD}description: Does things # x\n`, true, true),
  row('three hyphens in quotes', `${HEAD}description: "a --- b"\n`, false, true),
  row('three hyphens unquoted', `${HEAD}description: a --- b\nlicense: MIT\n`, true, true),
  row('a number as name', `name: 123\n${DESC}`, true, false, '123'),
  row('yes as name', `name: yes\n${DESC}`, true, false, 'yes'),
  row('null as name', `name: null\n${DESC}`, true, false, 'null'),
  row('a date as name', `name: 2024-01-01\n${DESC}`, true, false, '2024-01-01'),
  row('an angle bracket in the description', `${HEAD}description: Makes <b> bold.\n`, true, false),
  row('an empty description', `${HEAD}description: ""\n`, false, true),
  row('a description of 1,025 characters', `${HEAD}description: ${'a'.repeat(1025)}\n`, false, false),
  row('a description of 1,024 characters', `${HEAD}description: ${'a'.repeat(1024)}\n`, true, true),
  row('a compatibility of 501 characters', `${HEAD}${DESC}compatibility: ${'a'.repeat(501)}\n`, false, false),
  row('1,024 emoji', `${HEAD}description: ${'😀'.repeat(1024)}\n`, true, true),
  row('the extra key version', `${HEAD}${DESC}version: 1\n`, false, false),
  row('the extra key argument-hint', `${HEAD}${DESC}argument-hint: x\n`, false, false),
  row('an extra key __proto__', `${HEAD}${DESC}__proto__: x\n`, false, false),
  row('a Unicode name', `name: ünï\n${DESC}`, true, false, 'ünï'),
  row('a control character', `${HEAD}description: "a\u0007b"\n`, false, false),
  row('a name that is not the folder', `name: other\n${DESC}`, false, true),
  row('capital letters in the name', `name: Probe\n${DESC}`, false, false, 'Probe'),
  row('two hyphens in the name', `name: a--b\n${DESC}`, false, false, 'a--b'),
  row('a name of 65 characters', `name: ${'a'.repeat(65)}\n${DESC}`, false, false, 'a'.repeat(65)),
  row('an underscore in the name', `name: a_b\n${DESC}`, false, false, 'a_b'),
  row('a tab after a colon', `name:\tprobe\n${DESC}`, false, false),
  row('a tab in a text without quotes', `${HEAD}description: a\tb\n`, false, false),
  row('a tab in a comment', `${HEAD}${DESC}# a\tb\n`, true, true),
  row('a tab in a block of text', `${HEAD}description: |\n  a\tb\n`, true, true),
  row('a line of a tab', `${HEAD}\t\n${DESC}`, false, false),
  row('a text in quotes that goes on at the start of a line', `${HEAD}description: "a\nb"\n`, true, true),
  row('a quote that is never closed', `${HEAD}description: "a\nb\n`, false, false),
  row('an alias of nothing', `${HEAD}${DESC}license: *a\n`, false, false),
  row('an anchor with a semicolon', `${HEAD}${DESC}license: &lt;\n`, false, false),
  row('an equals sign', `${HEAD}${DESC}license: =\n`, true, false),
  row('an equals sign as description', `${HEAD}description: =\n`, false, false),
  row('an equals sign in quotes', `${HEAD}description: "="\n`, true, true),
  row('an exclamation mark alone', `${HEAD}${DESC}license: !\n`, false, true),
  row('a number by tag', `${HEAD}description: !!int 3\n`, false, false),
  row('an empty compatibility', `${HEAD}${DESC}compatibility:\n`, true, true),
  row('no as compatibility', `${HEAD}${DESC}compatibility: no\n`, true, true),
  row('yes as compatibility', `${HEAD}${DESC}compatibility: yes\n`, true, false),
  row('zero as compatibility', `${HEAD}${DESC}compatibility: 0\n`, true, true),
  row('an empty list as compatibility', `${HEAD}${DESC}compatibility: []\n`, false, true),
  row('a description of a line end of another kind', `${HEAD}description: \u0085\n`, false, false),
  row('a byte order mark in the name', `name: \uFEFFprobe\n${DESC}`, false, false),
  row('no name', DESC, false, false),
  row('no description', HEAD, false, false),
  { title: 'no frontmatter', text: '# Probe\n', skillsRef: false, quick: false },
  { title: 'an unclosed frontmatter', text: `---\n${HEAD}${DESC}`, skillsRef: false, quick: false },
  row('no mapping', '- name\n- description\n', false, false),
];

function check({ text, skillsRef, quick, folder = 'probe' }: Row): void {
  const files = new Map([['SKILL.md', text]]);
  expect(refusedBySkillsRef(folder, files).length === 0, 'skills-ref accepts').toBe(skillsRef);
  expect(refusedByQuickValidate(files).length === 0, 'quick_validate accepts').toBe(quick);
  const errors = validateSkill(folder, files).filter((problem) => problem.severity === 'error');
  expect(errors.some((problem) => /skills-ref/.test(problem.message))).toBe(!skillsRef);
  expect(errors.some((problem) => /quick_validate/.test(problem.message))).toBe(!quick);
  expect(errors.every((problem) => problem.remedy !== undefined && problem.at?.line !== undefined)).toBe(true);
}

describe('the two official validators', () => {
  for (const entry of ROWS) {
    const words = (accepts: boolean): string => (accepts ? 'accepts' : 'refuses');
    it(`skills-ref ${words(entry.skillsRef)} and quick_validate ${words(entry.quick)} ${entry.title}`, () =>
      check(entry));
  }

  it('says once, with both names, what both refuse', () => {
    const files = new Map([['SKILL.md', `---\n${HEAD}${DESC}version: 1\n---\n`]]);
    const messages = validateSkill('probe', files).map((problem) => problem.message);
    expect(messages).toEqual([
      'The field "version" is not in the specification. (skills-ref and quick_validate refuse it)',
    ]);
  });

  it('both refuse a file that is no UTF-8, which its text alone does not show', () => {
    const files = new Map([['SKILL.md', `---\n${HEAD}description: \ufffd\n---\n`]]);
    expect(validateSkill('probe', files)).toEqual([]);
    expect(isUtf8(Uint8Array.of(0x61, 0xff))).toBe(false);
    expect(isUtf8(new TextEncoder().encode('é'))).toBe(true);
    const [problem] = validateSkill('probe', files, { isUtf8: false });
    expect(problem?.message).toMatch(/no UTF-8.*skills-ref and quick_validate/);
  });

  it('reports a folder without SKILL.md, and quick_validate alone refuses skill.md', () => {
    expect(validateSkill('probe', new Map())[0]?.message).toMatch(/no SKILL\.md.*skills-ref and quick_validate/);
    const lower = new Map([['skill.md', `---\n${HEAD}${DESC}---\n`]]);
    expect(validateSkill('probe', lower)[0]?.message).toMatch(/\(quick_validate refuses it\)$/);
  });
});

interface Warned {
  readonly title: string;
  readonly body?: string;
  readonly yaml?: string;
  readonly folder?: string;
  readonly bodyTokens?: number;
  readonly files?: readonly string[];
  /** What the warnings say, in order, and on which line of SKILL.md. */
  readonly says: readonly (readonly [RegExp, number])[];
}

const WARNED: readonly Warned[] = [
  { title: 'nothing about a plain skill', body: 'Run `x`. Costs are $ and mail@example.com.', says: [] },
  { title: 'an injected command', body: 'a\n- !`id`', says: [[/runs the command/, 6]] },
  { title: 'an injected command in a table', body: '|!`id`|', says: [[/runs the command/, 5]] },
  { title: 'a code block that runs', body: '```!\nid\n```', says: [[/runs a code block/, 5]] },
  {
    title: 'attached files',
    body: '@~/.ssh/config\nsee @../x and @scope/pkg',
    says: [
      [/attaches/, 5],
      [/attaches/, 6],
    ],
  },
  {
    title: 'argument placeholders',
    body: '$ARGUMENTS\n$0\n\\\\$1',
    says: [
      [/replaces/, 5],
      [/replaces/, 6],
      [/replaces/, 7],
    ],
  },
  { title: 'nothing about an escaped placeholder', body: '\\$1 and \\$ARGUMENTS', says: [] },
  { title: 'variables of Claude', body: '${CLAUDE_SKILL_DIR}', says: [[/CLAUDE_/, 5]] },
  { title: 'a body of 500 lines', body: `${'x\n'.repeat(499)}x`, says: [[/500 lines/, 5]] },
  { title: 'nothing about 499 lines', body: `${'x\n'.repeat(498)}x`, says: [] },
  { title: 'a body of 5,000 tokens', bodyTokens: 5000, says: [[/5000 tokens/, 5]] },
  { title: 'nothing about 4,999 tokens', bodyTokens: 4999, says: [] },
  {
    title: 'references to files that are missing',
    body: '[a](references/a.md) [b](./b.md#top)\n`scripts/c.py` and [web](https://example.com/x.md)',
    files: ['references/a.md'],
    says: [
      [/"b\.md" does not exist/, 5],
      [/"scripts\/c\.py" does not exist/, 6],
    ],
  },
  {
    title: 'nothing about a pattern of paths',
    body: '`references/tools/x/<tool>.yaml`, references/tools/*.md, references/api.v{n}.md',
    says: [],
  },
  {
    title: 'a reference in another case',
    body: '[a](references/A.md)',
    files: ['references/a.md'],
    says: [[/is spelt/, 5]],
  },
  { title: 'a reference out of the skill', body: '[a](../x.md)', says: [[/leads out/, 5]] },
  { title: 'a folder that VS Code would ignore', folder: 'other', says: [[/VS Code silently/, 1]] },
  { title: 'a reserved name', yaml: `name: claude-tools\n${DESC}`, folder: 'claude-tools', says: [[/reserves/, 1]] },
  {
    title: 'more UTF-16 units than characters',
    yaml: `${HEAD}description: ${'😀'.repeat(600)}\n`,
    says: [[/UTF-16/, 1]],
  },
  { title: 'nested metadata', yaml: `${HEAD}${DESC}metadata:\n  a:\n    b: c\n`, says: [[/metadata/, 1]] },
  { title: 'nothing about flat metadata', yaml: `${HEAD}${DESC}metadata:\n  a: "b"\n`, says: [] },
  { title: 'a list of allowed tools', yaml: `${HEAD}${DESC}allowed-tools:\n  - Read\n`, says: [[/allowed-tools/, 1]] },
  { title: 'a description that is cut', yaml: `${HEAD}description: Does # things\n`, says: [[/dropped/, 3]] },
];

describe('warnings about a skill that the validators accept', () => {
  for (const entry of WARNED) {
    it(`tells of ${entry.title}`, () => {
      const text = `---\n${entry.yaml ?? HEAD + DESC}---\n${entry.body ?? 'Body.'}\n`;
      const files = new Map([['SKILL.md', text], ...(entry.files ?? []).map((path): [string, string] => [path, ''])]);
      const options = entry.bodyTokens === undefined ? {} : { bodyTokens: entry.bodyTokens };
      const warnings = validateSkill(entry.folder ?? 'probe', files, options).filter(
        (problem) => problem.severity === 'warning',
      );
      expect(warnings.map((problem) => [problem.message, problem.at?.line])).toEqual(
        entry.says.map(([pattern, line]) => [expect.stringMatching(pattern), line]),
      );
    });
  }
});
