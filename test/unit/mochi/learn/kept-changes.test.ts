/** What changed since the index was kept: kept beside it, taken up with it, and never with another. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LearnedWorkspace } from '../../../../src/mochi/learn/workspace.ts';

let top = '';
let root = '';
let store = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'mochi-kept-'));
  root = join(top, 'workspace');
  store = join(top, 'kept', 'it.index');
  mkdirSync(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const never = new AbortController().signal;
const code = (name: string): string => `export function ${name}(value: string): string {\n  return value.trim();\n}\n`;
const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
const opened = (): LearnedWorkspace => new LearnedWorkspace({ root, store });
const changesFile = (): string => store.replace('.index', '.changes');
const namesIn = ({ memory }: LearnedWorkspace): readonly string[] =>
  [...(memory?.files.values() ?? [])].flatMap(({ record }) => record.symbols.map(({ name }) => name)).sort();

/** A workspace with a kept index of `a` and `b`, where since `b` changed, `c` came and `a` went. */
async function changed(): Promise<LearnedWorkspace> {
  put('a.ts', code('first'));
  put('b.ts', code('second'));
  const workspace = opened();
  await workspace.learn(never);
  put('b.ts', `${code('second')}${code('neverHeardOf')}`);
  put('c.ts', code('third'));
  rmSync(join(root, 'a.ts'));
  await workspace.learn(never);
  return workspace;
}

describe('changes that are kept', () => {
  it('are on disk as soon as they are learned at the start, or why not is said', async () => {
    await changed();
    expect(existsSync(changesFile())).toBe(true);
    rmSync(changesFile());
    mkdirSync(join(changesFile(), 'in the way'), { recursive: true });
    const again = opened();
    expect(await again.learn(never)).toEqual({ how: 'changes', files: 3, notKept: expect.stringMatching(/\w/) });
    expect(namesIn(again)).toEqual(['neverHeardOf', 'second', 'third']);
  });

  it('are known at the next start, which learns nothing again', async () => {
    const workspace = await changed();
    await workspace.keep();
    const again = opened();
    expect(await again.learn(never)).toEqual({ how: 'nothing new', files: 0 });
    expect(namesIn(again)).toEqual(['neverHeardOf', 'second', 'third']);
    expect(again.knowledge).toEqual(workspace.knowledge);
    const request = { prefix: 'export function neverH', path: 'd.ts', maxAlternatives: 2 };
    expect(await again.engine.complete(request, never)).toEqual(await workspace.engine.complete(request, never));
    const question = { instruction: 'neverHeardOf', maxTokens: 100 };
    expect((await again.engine.answer(question, never)).passages[0]).toMatchObject({ file: 'b.ts', line: 4 });
  });

  it('go on from where they were kept', async () => {
    await (await changed()).keep();
    const again = opened();
    await again.load();
    put('c.ts', code('fourth'));
    expect(await again.learn(never)).toEqual({ how: 'changes', files: 1 });
    await again.keep();
    const third = opened();
    expect(await third.learn(never)).toEqual({ how: 'nothing new', files: 0 });
    expect(namesIn(third)).toEqual(['fourth', 'neverHeardOf', 'second']);
  });

  it('are not kept twice, nor where nothing changed', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    await workspace.keep();
    expect(readdirSync(join(top, 'kept'))).toEqual(['it.index']);
    put('a.ts', code('other'));
    await workspace.learn(never);
    await Promise.all([workspace.keep(), workspace.keep()]);
    rmSync(changesFile());
    await workspace.keep();
    expect(existsSync(changesFile())).toBe(false);
  });

  it.each<[string, (whole: Buffer) => Buffer]>([
    ['empty', () => Buffer.alloc(0)],
    ['cut', (whole) => whole.subarray(0, -3)],
    ['flipped', (whole) => Buffer.from(whole.map((byte, at) => (at === whole.length - 2 ? byte ^ 1 : byte)))],
    ['of another kind', (whole) => Buffer.concat([Buffer.from('x'), whole])],
  ])('count for nothing when they are %s, and the index stays good', async (_, breakIt) => {
    await (await changed()).keep();
    writeFileSync(changesFile(), breakIt(readFileSync(changesFile())));
    const again = opened();
    expect(await again.load()).toBe(true);
    expect(namesIn(again)).toEqual(['first', 'second']);
    expect(await again.learn(never)).toEqual({ how: 'changes', files: 3 });
  });

  it('count for nothing beside another index', async () => {
    await (await changed()).keep();
    const kept = readFileSync(changesFile());
    rmSync(store);
    await opened().learn(never);
    writeFileSync(changesFile(), kept);
    const again = opened();
    await again.load();
    expect(again.memory?.changes).toEqual([]);
  });

  it("do not take the place of another Mochi's, whose index is newer", async () => {
    const workspace = await changed();
    rmSync(store);
    const other = opened();
    await other.learn(never);
    put('c.ts', code('theirs'));
    await other.learn(never);
    await other.keep();
    const theirs = readFileSync(changesFile());
    await workspace.keep();
    expect(readFileSync(changesFile()).equals(theirs)).toBe(true);
  });

  it('leave no rests of a Mochi that was killed while it kept something', async () => {
    put('a.ts', code('first'));
    mkdirSync(join(top, 'kept'));
    const own = `it.index.${process.pid}.1.tmp`;
    for (const name of ['it.index.999999999.1.tmp', own]) writeFileSync(join(top, 'kept', name), 'half');
    await opened().learn(never);
    expect(readdirSync(join(top, 'kept')).sort()).toEqual(['it.index', own]);
  });
});

describe('Mochis that start at once', () => {
  it('learn once: one learns, the others wait for what it keeps', async () => {
    for (let at = 0; at < 40; at++) put(`f${at}.ts`, code(`f${at}`));
    const several = [opened(), opened(), opened()];
    const outcomes = await Promise.all(several.map((each) => each.learn(never)));
    expect(outcomes.map(({ how }) => how).sort()).toEqual(['everything', 'nothing new', 'nothing new']);
    for (const each of several) expect(namesIn(each)).toHaveLength(40);
    expect(readdirSync(join(top, 'kept'))).toEqual(['it.index']);
  });

  it.each([
    ['of a Mochi that was killed', '999999999\n', 0],
    ['that nobody has renewed for long', `${process.pid}\n`, 61_000],
  ])('do not wait for a turn %s', async (_, content, age) => {
    put('a.ts', code('first'));
    mkdirSync(join(top, 'kept'));
    writeFileSync(`${store}.lock`, content);
    const made = (Date.now() - age) / 1_000;
    utimesSync(`${store}.lock`, made, made);
    expect(await opened().learn(never)).toEqual({ how: 'everything', files: 1 });
    expect(existsSync(`${store}.lock`)).toBe(false);
  });

  it('stop waiting when told to, and leave the turn to whoever has it', async () => {
    put('a.ts', code('first'));
    mkdirSync(join(top, 'kept'));
    writeFileSync(`${store}.lock`, `${process.pid}\n`);
    const stop = new AbortController();
    const learning = opened().learn(stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 150);
    await expect(learning).rejects.toThrow('enough');
    expect(existsSync(`${store}.lock`)).toBe(true);
  });

  it('learn although no turn can be taken', async () => {
    put('a.ts', code('first'));
    writeFileSync(join(top, 'kept'), 'a file');
    expect(await opened().learn(never)).toMatchObject({ how: 'everything', files: 1 });
  });
});

describe('a workspace that serves', () => {
  const changes = { reach: 'changes' } as const;

  it('asks for another start where too much changed, rather than to learn it all itself', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    for (let at = 0; at < 8; at++) put(`big${at}.ts`, code(`f${at}`).repeat(400));
    const outcome = await workspace.learn(never, undefined, changes);
    expect(outcome).toMatchObject({ how: 'start again', outdated: expect.stringContaining('mochi-index') });
    const fresh = new LearnedWorkspace({ root, store, outdated: outcome.outdated ?? '' });
    expect(await fresh.load()).toBe(false);
    expect(await fresh.learn(never)).toMatchObject({ how: 'everything', files: 9 });
  });

  it('asks for another start where another Mochi kept a newer index', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    expect(await workspace.learn(never, undefined, changes)).toEqual({ how: 'nothing new', files: 0 });
    put('b.ts', code('second'));
    rmSync(store);
    await opened().learn(never);
    expect(await workspace.learn(never, undefined, changes)).toEqual({ how: 'start again', files: 0 });
    const newer = opened();
    expect(await newer.learn(never)).toEqual({ how: 'nothing new', files: 0 });
    expect(namesIn(newer)).toEqual(['first', 'second']);
  });

  it('is not put off by an index of another version', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    const kept = readFileSync(store, 'latin1');
    writeFileSync(store, kept.replace(/^mochi-index \d+/, 'mochi-index 999'), 'latin1');
    expect(await workspace.learn(never, undefined, changes)).toEqual({ how: 'nothing new', files: 0 });
  });

  it('learns only what it is told of, if that lies in the workspace', async () => {
    for (const name of ['a', 'b']) put(`${name}.ts`, code(name));
    const workspace = opened();
    await workspace.learn(never);
    for (const name of ['a', 'b', 'c']) put(`${name}.ts`, code(`${name}Two`));
    mkdirSync(join(top, 'outside'));
    writeFileSync(join(top, 'outside', 'x.ts'), code('hidden'));
    symlinkSync(join(top, 'outside'), join(root, 'link'));
    const paths = ['b.ts', 'b.ts', 'link/x.ts', '../outside/x.ts', 'gone.ts', '.'];
    expect(await workspace.learn(never, undefined, { ...changes, paths })).toEqual({ how: 'changes', files: 1 });
    expect(namesIn(workspace)).toEqual(['a', 'bTwo']);
    rmSync(join(root, 'a.ts'));
    expect(await workspace.learn(never, undefined, { ...changes, paths: ['a.ts', 'c.ts'] })).toMatchObject({
      files: 2,
    });
    expect(namesIn(workspace)).toEqual(['bTwo', 'cTwo']);
  });
});
