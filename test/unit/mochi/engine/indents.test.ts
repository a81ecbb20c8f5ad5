import { describe, expect, it } from 'vitest';
import { Indents } from '../../../../src/mochi/engine/indents.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { languageOfPath } from '../../../../src/mochi/learn/languages.ts';
import { lex, startsLine, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

/** Writes the tokens of `text` again from its line `from` on, with nothing known but the lines above. */
function written(text: string, from: number, path: string, unit: string): string {
  const vocabulary = new Vocabulary();
  const buffer = new TokenBuffer();
  lex(text, languageOfPath(path), vocabulary, buffer);
  const file = new OpenFile(vocabulary, path);
  const first = file.length;
  const start = text.split('\n').slice(0, from).join('\n').length;
  const indentAt = (position: number): string | undefined => {
    const offset = buffer.starts[position - first] ?? 0;
    if (position < first || offset > start) return undefined;
    return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0];
  };
  let indents: Indents | undefined;
  let lines = '';
  for (let at = 0; at < buffer.length; at += 1) {
    const token = buffer.ids[at] ?? 0;
    let gap = buffer.gaps[at] ?? 0;
    if ((buffer.starts[at] ?? 0) > start && startsLine(gap)) {
      indents ??= new Indents(file, { unit, isByColon: path.endsWith('.py'), indentAt }, '');
      const next = indents.next(token, {});
      gap = next.gap;
      lines += `\n${next.indent}${text.slice(buffer.starts[at] ?? 0).split('\n')[0]}`;
    }
    file.push(token, gap);
  }
  return text.slice(0, start) + lines;
}

const calls = `export const make = core.make(
  "Name",
  (inst, def) => {
    inst.def = def;
    run({
      a: [
        1,
        2,
      ],
    });
    return inst;
  },
);
other();`;
const blocks = `class Name(Base):
    def load(self, path,
        kind):
        if path:
            text = read(
                path
            )
            return text
        return None`;

describe('the lines of a completion', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['brackets', calls, 'a.ts', '  '],
    ['brackets, by tabs', calls.replaceAll('  ', '\t'), 'a.ts', '\t'],
    ['blocks behind a colon', blocks.split('\n').slice(0, 8).join('\n'), 'a.py', '    '],
  ];
  it.each(cases)('are indented as they stand in %s, wherever the completion begins', (_, text, path, unit) => {
    for (let from = 1; from < text.split('\n').length; from += 1) expect(written(text, from, path, unit)).toBe(text);
  });

  it('end blocks where a line above begins with the same word further left', () => {
    const method = (name: string): string => `    def ${name}(self):\n        if self:\n            pass`;
    const text = `class Name(Base):\n${method('a')}\n${method('b')}\n${method('c')}`;
    expect(written(text, 7, 'a.py', '    ')).toBe(text);
  });
});
