import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CodeWriter } from '../../../../src/mochi/engine/code-writer.ts';
import type { Completion } from '../../../../src/mochi/engine/engine.ts';
import { learnFolder } from '../../../../src/mochi/learn/learn.ts';
import type { Memory } from '../../../../src/mochi/learn/memory.ts';

const nouns = ['Order', 'Invoice', 'Customer', 'Payment', 'Shipment', 'Refund', 'Basket', 'Coupon'];
const script = (noun: string): string =>
  `import { log } from "../log.js";

export interface ${noun}Options {
  def: ${noun}Def;
}

export const ${noun} = /*@__PURE__*/ core.make(
  "${noun}",
  (inst, def) => {
    inst.def = def;
    log(\`made \${inst.name} of ${noun}\`, [0]);
    if (inst.kind !== "done") throw new Error("this ${noun.toLowerCase()} is nothing that can be used here");
  }
);
`;
const python = (noun: string): string =>
  `import re


class ${noun}(Base):
    def load(self, path, kind=None):
        """Loads ${noun}."""
        pattern = r"${noun}"
        if self.kind == "target":
            text = self.read(path, kind=None)
            return text
        return None
`;

let memory: Memory;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-writer-'));
  for (const noun of nouns) {
    writeFileSync(join(folder, `${noun.toLowerCase()}.ts`), script(noun));
    writeFileSync(join(folder, `${noun.toLowerCase()}.py`), python(noun));
  }
  memory = await learnFolder(folder, {}, new AbortController().signal);
  rmSync(folder, { recursive: true, force: true });
});

const writer = new CodeWriter();
const complete = (prefix: string, path: string): Completion =>
  writer.write(memory, { prefix, path, maxAlternatives: 3 });
/** A new file of the same kind up to the end of the first `part`. */
const upTo = (text: string, part: string): string => text.slice(0, text.indexOf(part) + part.length);

describe('the white space before a completion', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['{ log }', 'ticket.ts', ' from "../log.js";'],
    ['import {', 'ticket.ts', ' log } from "../log.js";'],
    ['def:', 'ticket.ts', ' '],
    ['inst.kind !==', 'ticket.ts', ' "done")'],
    ['export const Ticket =', 'ticket.ts', ' '],
    ['self.kind ==', 'ticket.py', ' "target":'],
    ['pattern =', 'ticket.py', ' r"'],
    ['load(self,', 'ticket.py', ' path, kind=None):'],
  ];
  it.each(cases)('is written where the code has it behind %s (%s)', (part, path, wanted) => {
    const text = path.endsWith('.py') ? python('Ticket') : script('Ticket');
    const { completion, steps } = complete(upTo(text, part), path);
    expect(completion.startsWith(wanted) && !completion.startsWith('  ')).toBe(true);
    expect(completion.trim()).not.toBe('');
    for (const { end } of steps ?? []) expect(completion.slice(0, end).trimEnd()).toHaveLength(end);
  });

  const joined: readonly (readonly [string, string])[] = [
    ['import { log } ', 'ticket.ts'],
    ['core.make(\n', 'ticket.ts'],
    ['inst.', 'ticket.ts'],
    ['[', 'ticket.ts'],
    ['${', 'ticket.ts'],
    ['(Ba', 'ticket.py'],
    ['self.', 'ticket.py'],
    ['kind=', 'ticket.py'],
    ['load(', 'ticket.py'],
    ['if ', 'ticket.py'],
  ];
  it.each(joined)('is none behind %s (%s)', (part, path) => {
    const text = path.endsWith('.py') ? python('Ticket') : script('Ticket');
    expect(complete(upTo(text, part), path).completion).toMatch(/^\S/);
  });
});

describe('the lines of a completion', () => {
  it.each(['(inst, def) =>', '  (inst, '])('are indented as their brackets want it: %s', (part) => {
    const text = script('Ticket');
    const prefix = upTo(text, part);
    const { completion } = complete(prefix, 'ticket.ts');
    expect(completion).toContain('\n');
    expect(text.slice(prefix.length).startsWith(completion)).toBe(true);
  });
});

describe('a completion within a template', () => {
  it.each(['log(`', 'log(`made ', 'log(`a ${b} and ', 'log(`one\n  two ', 'const a = await import(`'])(
    'is none where text is written: %j',
    (part) => {
      const { completion, alternatives } = complete(`${upTo(script('Ticket'), '=> {')}\n    ${part}`, 'ticket.ts');
      expect([completion, ...alternatives]).toEqual(['']);
    },
  );

  it.each(['log(`made ${', 'log(`made ${inst.', 'log(`made`, '])('is code again where code is: %j', (part) => {
    const { completion } = complete(`${upTo(script('Ticket'), '=> {')}\n    ${part}`, 'ticket.ts');
    expect(completion).not.toBe('');
  });
});

describe('a completion within a string', () => {
  it.each(['throw new Error("', 'log("'])('is no emptied string, which stands for any long one: %j', (part) => {
    const { completion, alternatives } = complete(`${upTo(script('Ticket'), '=> {')}\n    ${part}`, 'ticket.ts');
    for (const text of [completion, ...alternatives]) expect(text.startsWith('"')).toBe(false);
  });

  it('goes on as a known one does', () => {
    const prefix = `${upTo(script('Ticket'), '=> {')}\n    if (inst.kind !== "`;
    expect(complete(prefix, 'ticket.ts').completion.startsWith('done"')).toBe(true);
  });
});

describe('a completion within a string of Python', () => {
  it.each([
    '    """Loads a',
    '    """',
    "    '''Loads",
    '    """Loads a ticket.\n\n    From ',
    'pattern = r"',
    'text = f"{path} ',
    "data = b'",
    'text = Rb"',
  ])('is none in triple quotes and behind a letter: %j', (part) => {
    const { completion, alternatives } = complete(`${upTo(python('Ticket'), 'kind=None):')}\n    ${part}`, 'ticket.py');
    expect([completion, ...alternatives]).toEqual(['']);
  });

  it.each(['if self.kind == "', 'text = """one"""\n        return '])(
    'is one where the quotes are others: %j',
    (part) => {
      const { completion } = complete(`${upTo(python('Ticket'), 'kind=None):')}\n        ${part}`, 'ticket.py');
      expect(completion).not.toBe('');
      expect(completion.startsWith('""')).toBe(false);
    },
  );
});
