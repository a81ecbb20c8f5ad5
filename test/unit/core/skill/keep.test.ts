import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKeepMarker, KEEP_CLOSING, keepBlocks, keepOpening, mergeKeeps, withoutKeeps } from '#core/skill/keep.ts';

const OPEN = keepOpening();
const block = (text: string, name?: string): string => `${keepOpening(name)}\n${text}\n${KEEP_CLOSING}\n`;

interface Case {
  readonly title: string;
  readonly rendered: string;
  readonly onDisk: string;
  readonly merged: string;
}

const CASES: readonly Case[] = [
  {
    title: 'an unnamed block fills the unnamed place',
    rendered: `a\n${block('')}b\n`,
    onDisk: `x\n${block('mine')}y\n`,
    merged: `a\n${block('mine')}b\n`,
  },
  {
    title: 'several unnamed blocks go by their order',
    rendered: `${block('')}a\n${block('')}`,
    onDisk: `${block('1')}${block('2')}`,
    merged: `${block('1')}a\n${block('2')}`,
  },
  {
    title: 'named blocks go by their name',
    rendered: `${block('', 'a')}${block('', 'b')}`,
    onDisk: `${block('B', 'b')}${block('A', 'a')}`,
    merged: `${block('A', 'a')}${block('B', 'b')}`,
  },
  {
    title: 'a name never fills an unnamed place',
    rendered: `${block('new')}`,
    onDisk: `${block('A', 'a')}`,
    merged: `${block('new')}\n${block('A', 'a')}`,
  },
  {
    title: 'a block without a place goes to the end',
    rendered: 'a\n',
    onDisk: `x\n${block('mine')}y\n`,
    merged: `a\n\n${block('mine')}`,
  },
  {
    title: 'a text without a last newline gets one before such a block',
    rendered: 'a',
    onDisk: block('mine'),
    merged: `a\n\n${block('mine')}`,
  },
  { title: 'an empty block without a place is dropped', rendered: 'a\n', onDisk: block(' '), merged: 'a\n' },
  {
    title: 'a place without a block keeps its own text',
    rendered: block('default'),
    onDisk: 'x\n',
    merged: block('default'),
  },
  {
    title: 'a block that a person emptied stays empty',
    rendered: block('default'),
    onDisk: `${OPEN}\n${KEEP_CLOSING}\n`,
    merged: `${OPEN}\n${KEEP_CLOSING}\n`,
  },
  {
    title: 'an open code fence inside a block does not hide its end',
    rendered: `${block('')}b\n`,
    onDisk: `${block('```sh')}y\n`,
    merged: `${block('```sh')}b\n`,
  },
  {
    title: 'markers in a code fence are text',
    rendered: `\`\`\`\n${block('x')}\`\`\`\n${block('')}`,
    onDisk: block('mine'),
    merged: `\`\`\`\n${block('x')}\`\`\`\n${block('mine')}`,
  },
  {
    title: 'markers within a line are text',
    rendered: `| ${OPEN} x ${KEEP_CLOSING} |\n`,
    onDisk: `| ${OPEN} y ${KEEP_CLOSING} |\n`,
    merged: `| ${OPEN} x ${KEEP_CLOSING} |\n`,
  },
];

describe('keep blocks', () => {
  for (const { title, rendered, onDisk, merged } of CASES) {
    it(`survive regeneration: ${title}`, () => {
      const first = mergeKeeps(rendered, onDisk, 'x/SKILL.md');
      expect(first.problems).toEqual([]);
      expect(first.value).toBe(merged);
      expect(mergeKeeps(rendered, first.value, 'x/SKILL.md').value, 'the second time').toBe(merged);
    });
  }

  it.each([
    ['is never closed', `a\n${OPEN}\nmine\n`, 2],
    ['closes a block that was never opened', `${KEEP_CLOSING}\n`, 1],
    ['opens inside', `${OPEN}\n${OPEN}\n${KEEP_CLOSING}\n`, 2],
  ])('report a marker that %s, with its line', (says, text, line) => {
    const { value, problems } = mergeKeeps('rendered\n', text, 'x/SKILL.md');
    expect(value).toBe('rendered\n');
    expect(problems).toMatchObject([{ severity: 'error', at: { file: 'x/SKILL.md', line } }]);
    expect(problems[0]?.message).toContain(says);
    expect(mergeKeeps(text, 'disk\n', 'x/SKILL.md').problems).toHaveLength(1);
  });

  it('do not count as edits, wherever they stand and however they are set off', () => {
    const text = '# A\n\nText.\n\n## B\n';
    const edited = `# A\n\nText.\n\n${block('mine\n\n```', 'notes')}\n## B\n\n${block('more')}\n`;
    expect(withoutKeeps(edited)).toBe(withoutKeeps(text));
    expect(withoutKeeps(text.replace('Text', 'Test'))).not.toBe(withoutKeeps(text));
    expect(withoutKeeps(`${OPEN}\n${text}`)).toContain(OPEN);
  });

  it('are told apart from text that only looks like one', () => {
    const lines = [
      '<!-- mochi:keep a b -->',
      '<!-- mochi:keeper -->',
      `${OPEN} x`,
      `    ${OPEN}`,
      '<!-- mochi:keep -->x',
    ];
    for (const line of lines) expect(isKeepMarker(line), line).toBe(false);
    for (const line of [OPEN, KEEP_CLOSING, keepOpening('notes-1'), '<!--mochi:keep-->', `${OPEN}  `])
      expect(isKeepMarker(line), line).toBe(true);
  });

  it('lose no line of a person, whatever stands around', () => {
    const line = fc.constantFrom('x', '', '```', '~~~', '# H', OPEN, KEEP_CLOSING, keepOpening('n'), '- mochi', '````');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, (rendered, onDisk) => {
        const { value, problems } = mergeKeeps(rendered, onDisk, 'f');
        if (problems.length > 0) return;
        const kept = keepBlocks(value, 'f');
        const bodies = kept.value.map((found) => found.lines.join('\n'));
        // A rendered fence that is never closed hides what comes after it; the lines must still be there.
        for (const mine of keepBlocks(onDisk, 'f').value.filter((found) =>
          found.lines.some((text) => text.trim() !== ''),
        ))
          expect(bodies.includes(mine.lines.join('\n')) || value.includes(mine.lines.join('\n'))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
