/** A data set of a folder: which samples there are, what is never in it, and what happens to the folder it goes to. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runDataset } from '../../../../src/mochi/dataset/command.ts';
import { exportDataset } from '../../../../src/mochi/dataset/export.ts';

let top = '';
let root = '';
let output = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'mochi-dataset-'));
  root = join(top, 'code');
  output = join(top, 'data');
  mkdirSync(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const never = new AbortController().signal;

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const make = (more: { readonly isForced?: boolean; readonly signal?: AbortSignal } = {}) =>
  exportDataset({ root, output, isForced: more.isForced ?? false }, more.signal ?? never);

interface Sample {
  readonly instruction: string;
  readonly input: string;
  readonly output: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: string;
  readonly text: string;
  readonly kind: string;
  readonly source: string;
}

function read(form: string): readonly Sample[] {
  const files = existsSync(join(output, form)) ? readdirSync(join(output, form)) : [];
  return files.flatMap((file) =>
    readFileSync(join(output, form, file), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

const everything = (): string => ['alpaca', 'fim', 'text'].map((form) => JSON.stringify(read(form))).join('\n');

/** A file whose function is like no other with another number. */
function wordy(at: number): string {
  const names = ['cart', 'order', 'invoice', 'parcel', 'refund', 'voucher', 'ledger', 'tariff'];
  const name = `${names[at % 8]}${names[(at * 3 + 1) % 8]}${at}`;
  const lines = Array.from(
    { length: 9 },
    (_, line) =>
      `  const ${names[(at + line) % 8]}${line} = ${names[(at * 5 + line * 3) % 8]}Of${at}(items, total + ${line});`,
  );
  return `import { thing } from './thing';

/** Adds up what every ${name} of the given items costs in the end. */
export function ${name}(items: readonly string[], total: number): number {
${lines.join('\n')}
  if (total > ${at}) {
    return total * items.length;
  }
  return ${names[at % 8]}0;
}
`;
}

function writeMany(count: number): void {
  write(Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/file-${at}.ts`, wordy(at)])));
}

describe('samples', () => {
  it('are questions and answers of documented functions', async () => {
    write({ 'src/one.ts': wordy(1) });
    const statistics = await make();
    const samples = read('alpaca');
    const of = (kind: string): Sample | undefined => samples.find((sample) => sample.kind === kind);
    expect(of('write')).toMatchObject({
      instruction:
        'Write the TypeScript function `orderrefund1` of src/one.ts. Adds up what every orderrefund1 of the given items costs in the end.',
      input: '',
      output: expect.stringMatching(/^export function orderrefund1\([\s\S]*\n\}$/),
      source: 'src/one.ts:4',
    });
    expect(of('explain')).toMatchObject({
      instruction: 'What does the function `orderrefund1` do?',
      input: of('write')?.output,
      output: 'Adds up what every orderrefund1 of the given items costs in the end.',
    });
    expect(of('find')?.output).toMatch(/^`orderrefund1` in src\/one\.ts:\nexport function orderrefund1\(.*\{$/);
    const going = of('complete');
    expect(`${going?.input}\n${going?.output}`).toBe(of('write')?.output);
    expect(statistics.kinds).toMatchObject({ write: 1, explain: 1, find: 1, complete: 1 });
  });

  it('are pieces of files that fit exactly between what is before and after', async () => {
    writeMany(30);
    await make();
    const samples = read('fim');
    expect(samples.length).toBeGreaterThan(30);
    for (const { prefix, middle, suffix, source } of samples) {
      const file = readFileSync(join(root, source.split(':')[0] ?? ''), 'utf8');
      expect(file).toContain(prefix + middle + suffix);
      expect(prefix === '' || prefix.endsWith('\n')).toBe(true);
    }
    expect(new Set(samples.map(({ kind }) => kind))).toEqual(new Set(['line', 'block', 'body']));
  });

  it('are also there as the texts to train on, in the forms that Mochi asks in', async () => {
    write({ 'src/one.ts': wordy(1) });
    await make();
    const [texts, asked, filled] = [read('text').map(({ text }) => text), read('alpaca'), read('fim')];
    expect(texts).toHaveLength(asked.length + filled.length);
    for (const { instruction, output: answer } of asked)
      expect(
        texts.some(
          (text) => text.includes(`### Instruction:\n${instruction}`) && text.endsWith(`### Response:\n${answer}`),
        ),
      ).toBe(true);
    for (const { prefix, suffix, middle } of filled)
      expect(texts).toContain(`<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>${middle}`);
  });

  it('say the habits of the files that are trained on', async () => {
    writeMany(40);
    const { splits } = await make();
    expect(splits.train.files).toBeLessThan(40);
    const habits = read('alpaca').filter(({ kind }) => kind === 'convention');
    expect(habits.length).toBeGreaterThan(0);
    for (const habit of habits) {
      const [, files] = /\d+ % of \d+ cases, in (\d+) files/.exec(habit.output) ?? [];
      expect(Number(files)).toBeLessThanOrEqual(splits.train.files);
    }
    expect(readFileSync(join(output, 'alpaca', 'test.jsonl'), 'utf8')).not.toContain('"convention"');
  });

  it('of one file are all in one part', async () => {
    writeMany(40);
    const { splits } = await make();
    const filesIn = (split: string): ReadonlySet<string> => {
      const lines = ['alpaca', 'fim'].flatMap((form) => {
        const file = join(output, form, `${split}.jsonl`);
        return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
      });
      const samples: readonly Sample[] = lines.map((line) => JSON.parse(line));
      return new Set(
        samples.filter(({ kind }) => kind !== 'convention').map(({ source }) => source.split(':')[0] ?? ''),
      );
    };
    const [train, valid, test] = [filesIn('train'), filesIn('valid'), filesIn('test')];
    expect(valid.size).toBeGreaterThan(0);
    expect(test.size).toBeGreaterThan(0);
    expect(new Set([...train, ...valid, ...test]).size).toBe(train.size + valid.size + test.size);
    expect(train.size + valid.size + test.size).toBe(splits.train.files + splits.valid.files + splits.test.files);
  });

  it('are the same bytes for the same code', async () => {
    writeMany(12);
    const first = [await make(), everything()];
    rmSync(output, { recursive: true });
    expect([await make(), everything()]).toEqual(first);
  });

  it('are counted', async () => {
    writeMany(12);
    const { splits } = await make();
    const sum = (key: 'alpaca' | 'fim' | 'characters') => splits.train[key] + splits.valid[key] + splits.test[key];
    expect(sum('alpaca')).toBe(read('alpaca').length);
    expect(sum('fim')).toBe(read('fim').length);
    expect(sum('characters')).toBe(read('text').reduce((total, { text }) => total + text.length, 0));
    expect(JSON.parse(readFileSync(join(output, 'statistics.json'), 'utf8'))).toMatchObject({ splits });
  });
});

/** A token that scanners know, never whole in a file. */
const secret = ['ghp', 'a8Qz3LmW0tYb7Rk2Vn5Xc9Jd1Fh6Gs4PuEoI'].join('_');

describe('what is no good', () => {
  it('is no part of it: a secret in code, in a comment, or around what is to be filled in', async () => {
    const [before, ...after] = wordy(2).split('  if (total');
    write({
      'src/code.ts': wordy(1).replace('total + 3', `'${secret}'`),
      'src/comment.ts': wordy(2).replace('/** Adds', `/** Use ${secret} here. Adds`),
      'src/around.ts': `${wordy(3)}\n// ${secret}\n${wordy(4).replace(/import.*\n/, '')}`,
      'src/line.ts': `${before}  // ${secret}\n  if (total${after.join('')}`,
      '.env': `TOKEN=${secret}\n`,
    });
    const statistics = await make();
    expect(everything()).not.toContain(secret.slice(4, 20));
    expect(read('fim').length).toBeGreaterThan(0);
    expect(statistics.samplesLeftOut['secret']).toBeGreaterThan(0);
    expect(statistics.filesLeftOut['secret']).toBe(1);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['notes and data', { 'a.md': wordy(1), 'b.json': '{}', 'c.csv': 'a,b' }, 'no code'],
    ['very short files', { 'a.ts': 'const a = 1;\n' }, 'short'],
    ['generated files', { 'a.ts': `// @generated by a tool\n${wordy(1)}` }, 'generated'],
    ['files with very long lines', { 'a.ts': `${wordy(1)}const x = '${'ab '.repeat(300)}';\n` }, 'wide'],
    ['files with the marks of models', { 'a.ts': `${wordy(1)}const end = '<|im_end|>';\n` }, 'model markers'],
    ['ignored files', { '.gitignore': 'a.ts\n', 'a.ts': wordy(1) }, 'ignored'],
  ])('%s', async (_what, files, reason) => {
    write(files);
    const { filesLeftOut, splits } = await make();
    expect(filesLeftOut[reason]).toBeGreaterThan(0);
    expect(splits.train.files + splits.valid.files + splits.test.files).toBe(0);
  });

  it('are copies with a little changed', async () => {
    write({ 'src/a.ts': wordy(1), 'src/b.ts': wordy(1).replace('total + 3', 'total + 4') });
    const { filesLeftOut, splits } = await make();
    expect(filesLeftOut['near duplicate']).toBe(1);
    expect(splits.train.files).toBe(1);
  });

  it('are functions copied into files that are otherwise different', async () => {
    const own = wordy(1).replace(/import.*\n/, '');
    write({ 'src/a.ts': wordy(2) + own, 'src/b.ts': wordy(3) + own, 'src/c.ts': wordy(4) + wordy(5) });
    const { samplesLeftOut } = await make();
    expect(samplesLeftOut['near duplicate']).toBe(1);
    expect(
      read('alpaca').filter(({ kind, instruction }) => kind === 'write' && instruction.includes('orderrefund1')),
    ).toHaveLength(1);
  });

  it('are functions that do next to nothing, and those that are too long', async () => {
    const long = Array.from(
      { length: 150 },
      (_, line) => `  use(value${line}, other${line % 7}, more${line % 11});`,
    ).join('\n');
    write({
      'src/a.ts': `/** Gives back the value that was handed in. */\nexport function same(a: string) {\n  return a;\n}\n\n/** Uses each of very many values one by one. */\nexport function all() {\n${long}\n}\n`,
    });
    const { samplesLeftOut } = await make();
    expect(samplesLeftOut).toMatchObject({ trivial: expect.any(Number), 'too long': expect.any(Number) });
    expect(read('alpaca').filter(({ kind }) => kind !== 'convention')).toEqual([]);
  });

  it('is a licence at the start of a file', async () => {
    write({
      'src/a.ts': `/*\n * Copyright (c) Somebody. All rights reserved.\n * Licensed under terms.\n */\n${wordy(1)}`,
    });
    await make();
    expect(read('fim').length).toBeGreaterThan(0);
    expect(everything()).not.toMatch(/Copyright|Licensed/);
  });

  it('is a comment that says nothing of the code', async () => {
    write({ 'src/a.ts': wordy(1).replace(/\/\*\* .* \*\//, '// eslint-disable-next-line no-restricted-syntax') });
    await make();
    const kinds = new Set(read('alpaca').map(({ kind }) => kind));
    expect([kinds.has('complete'), kinds.has('write'), kinds.has('explain'), kinds.has('find')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('the folder it goes to', () => {
  const makeAgain = () => make({ isForced: true });

  it('is not replaced unless that is asked for', async () => {
    writeMany(3);
    await make();
    writeFileSync(join(output, 'mine.txt'), 'x');
    await expect(make()).rejects.toMatchObject({ kind: 'conflict', remedy: expect.stringContaining('--force') });
    expect(existsSync(join(output, 'mine.txt'))).toBe(true);
    await makeAgain();
    expect(existsSync(join(output, 'mine.txt'))).toBe(false);
  });

  it('is never replaced where it is no data set, whatever is asked for', async () => {
    mkdirSync(output);
    writeFileSync(join(output, 'thesis.txt'), 'years of work');
    await expect(makeAgain()).rejects.toMatchObject({ kind: 'conflict' });
    writeFileSync(join(output, 'statistics.json'), '{"mochiDataset": 2}');
    await expect(makeAgain()).rejects.toMatchObject({ kind: 'conflict' });
    expect(readFileSync(join(output, 'thesis.txt'), 'utf8')).toBe('years of work');
  });

  it('is not where a file is', async () => {
    writeFileSync(output, 'x');
    await expect(makeAgain()).rejects.toMatchObject({ kind: 'conflict' });
    expect(readFileSync(output, 'utf8')).toBe('x');
  });

  it('is as before, and nothing lies beside it, when it is cancelled', async () => {
    writeMany(12);
    await make();
    const before = everything();
    const stop = new AbortController();
    const work = exportDataset(
      { root, output, isForced: true, onProgress: () => stop.abort(new Error('enough')) },
      stop.signal,
    );
    await expect(work).rejects.toThrow('enough');
    expect(everything()).toBe(before);
    expect(readdirSync(top).sort()).toEqual(['code', 'data']);
  });

  it('is ignored by git and by what learns the folder', async () => {
    writeMany(3);
    await make();
    expect(readFileSync(join(output, '.gitignore'), 'utf8')).toBe('*\n');
  });
});

describe('the words', () => {
  const logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const run = (...argv: readonly string[]) => runDataset(argv, { cwd: top, logger, signal: never });

  it.each([[['--output=code']], [['--output=.']], [['--output=..']], [[]], [['--outptu=x']]])(
    '%j are refused',
    async (argv) => {
      await expect(run('--workspace=code', ...argv)).rejects.toMatchObject({
        kind: 'usage',
        remedy: expect.any(String),
      });
      expect(existsSync(root)).toBe(true);
    },
  );

  it('may name a folder inside of the code', async () => {
    writeMany(3);
    await run('--workspace=code', '--output=code/..data');
    await run('--workspace=code', '--output=code/..data', '--force');
    expect(existsSync(join(root, '..data', 'statistics.json'))).toBe(true);
  });
});

describe('what is kept aside', () => {
  it('has no longer piece of code that stands in a file that is trained on', async () => {
    // Every file repeats one block of the others among lines of its own, and not enough to be a near copy.
    const block = Array.from(
      { length: 12 },
      (_, at) => `  context.registry.enter(names.at(${at}), await load(${at}));`,
    );
    write(
      Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [
          `src/file-${at}.ts`,
          `${wordy(at)}\nexport async function enter${at}(context: Context): Promise<void> {\n${block.join('\n')}\n}\n`,
        ]),
      ),
    );
    await make();
    const lines = (file: string): readonly Sample[] =>
      readFileSync(join(output, file), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    const trained = lines('text/train.jsonl')
      .map(({ text }) => text)
      .join('\n');
    const aside = ['valid', 'test'].flatMap((split) => lines(`fim/${split}.jsonl`));
    expect(aside.length).toBeGreaterThan(0);
    expect(aside.filter(({ middle }) => middle.trim().length > 60 && trained.includes(middle.trim()))).toEqual([]);
  });

  it('and what is trained on have no compiled code, and no word of where it came from', async () => {
    write({
      'src/one.ts': `//# sourceMappingURL=elsewhere.map\n${wordy(1)}`,
      'dist/one.js': `${wordy(2)}//# sourceMappingURL=one.js.map`,
      'dist/one.css.ts': `${wordy(3)}/*# sourceMappingURL=one.css.map */\n`,
    });
    const { filesLeftOut } = await make();
    expect(filesLeftOut).toMatchObject({ generated: 2 });
    expect(everything()).not.toContain('sourceMappingURL');
    expect(everything()).not.toContain('dist/');
  });
});
