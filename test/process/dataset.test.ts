/** `mochi dataset` as people run it: the built command line, which has the built server's program do the work. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspace, type Workspace } from '../support/cli.ts';

const open: Workspace[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

const source = (at: number): string => {
  const lines = Array.from(
    { length: 12 },
    (_, line) => `  step${(at * 7 + line * 3) % 23}(value, ${at * line}, other${at});`,
  );
  return `/** Takes all the steps that number ${at} needs, one after the other. */\nexport function run${at}(value: string) {\n${lines.join('\n')}\n}\n`;
};

function workspace(files: number): Workspace {
  const made = createWorkspace(
    Object.fromEntries(Array.from({ length: files }, (_, at) => [`src/file-${at}.ts`, source(at)])),
  );
  open.push(made);
  return made;
}

describe('mochi dataset', () => {
  it('writes questions and pieces to fill in, and says how many', async () => {
    const made = workspace(20);
    const { code, out, err } = await made.mochi('dataset', 'src', '-o', 'data');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^part +files +questions +pieces to fill in +characters\ntrain +\d+/);
    expect(out).toContain('The data set is in data; statistics.json says why');
    for (const form of ['alpaca', 'fim', 'text'])
      for (const split of ['train', 'valid', 'test']) {
        const lines = readFileSync(join(made.folder, 'data', form, `${split}.jsonl`), 'utf8')
          .trim()
          .split('\n');
        for (const line of lines) expect(JSON.parse(line)).toBeTypeOf('object');
      }
  });

  it('gives its statistics as JSON, in any language the same', async () => {
    const made = workspace(4);
    const { out } = await made.mochi('dataset', '--json', '--lang', 'ja');
    expect(JSON.parse(out)).toMatchObject({
      folder: expect.stringMatching(/mochi-dataset$/),
      mochiDataset: 1,
      splits: { train: { files: 2 }, valid: { files: 1 }, test: { files: 1 } },
    });
  });

  it('speaks Japanese and Chinese', async () => {
    const made = workspace(3);
    expect((await made.mochi('dataset', '--lang', 'ja')).out).toContain('データセットは mochi-dataset にあります');
    expect((await made.mochi('dataset', '--force', '--lang', 'zh-cn')).out).toContain('数据集位于 mochi-dataset');
  });

  it('refuses to replace what is there, with code 1, unless it is forced to', async () => {
    const made = workspace(3);
    await made.mochi('dataset');
    const { code, err } = await made.mochi('dataset');
    expect(code).toBe(1);
    expect(err).toContain('Add --force');
    expect((await made.mochi('dataset', '--force')).code).toBe(0);
    made.write('own/notes.txt', 'mine');
    expect((await made.mochi('dataset', '--force', '-o', 'own')).code).toBe(1);
    expect(readdirSync(join(made.folder, 'own'))).toEqual(['notes.txt']);
  });

  it.each([
    [['dataset', 'nowhere'], 3, 'no folder nowhere'],
    [['dataset', '-o', '.'], 2, 'take the place of the code'],
    [['dataset', 'a', 'b'], 2, 'not expected'],
  ])('explains %j', async (words, expected, says) => {
    const made = workspace(1);
    const { code, err } = await made.mochi(...words);
    expect(code).toBe(expected);
    expect(err).toContain(says);
    expect(existsSync(join(made.folder, 'src/file-0.ts'))).toBe(true);
  });

  it('leaves nothing behind when it is cancelled', async () => {
    const made = workspace(3_000);
    const { child, ended } = made.start(['dataset']);
    await expect
      .poll(() => readdirSync(made.folder).some((name) => name.endsWith('.part')), { timeout: 20_000, interval: 5 })
      .toBe(true);
    child.kill('SIGINT');
    const { code, err } = await ended;
    expect(code).toBe(130);
    expect(err).toContain('Cancelled; nothing was written.');
    expect(readdirSync(made.folder)).toEqual(['src']);
  });
});
