/** A workspace learned on other threads: it answers while it learns, changes hands, and survives the loss of a thread. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ThreadedWorkspace } from '../../../../src/mochi/learn/threaded-workspace.ts';

let top = '';
let root = '';
const open: ThreadedWorkspace[] = [];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'mochi-threads-'));
  root = join(top, 'workspace');
  mkdirSync(root);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((workspace) => workspace.close()));
  rmSync(top, { recursive: true, force: true });
});

const never = new AbortController().signal;
const code = (name: string): string => `export function ${name}(value: string): string {\n  return value.trim();\n}\n`;
const put = (path: string, text: string): void => writeFileSync(join(root, path), text);
function opened(program?: URL): ThreadedWorkspace {
  const workspace = new ThreadedWorkspace({ root, store: join(top, 'it.index') }, program);
  open.push(workspace);
  return workspace;
}
const found = async ({ engine }: ThreadedWorkspace, instruction: string) =>
  (await engine.answer({ instruction, maxTokens: 100 }, never)).passages.map(({ file }) => file);
const script = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`);

describe('a workspace on other threads', () => {
  it('answers nothing before it learned, then everything', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    expect(workspace).toMatchObject({ memory: undefined, knowledge: undefined, isLearning: false });
    expect(workspace.engine.state).toBe('empty');
    expect(await found(workspace, 'first')).toEqual([]);
    let told = 0;
    workspace.onDidLearn(() => told++);
    const stages = new Set<string>();
    expect(await workspace.learn(never, ({ stage }) => stages.add(stage))).toEqual({ how: 'everything', files: 1 });
    expect([...stages]).toEqual(['looking', 'reading', 'sorting']);
    expect(told).toBe(1);
    expect(workspace.knowledge?.stats.files).toBe(1);
    expect(workspace.engine.state).toBe('ready');
    expect(await found(workspace, 'first')).toEqual(['a.ts']);
    const { completion } = await workspace.engine.complete(
      { prefix: `${code('other')}export function first(`, path: 'b.ts', maxAlternatives: 0 },
      never,
    );
    expect(completion).toContain('value: string');
    expect(await workspace.engine.suggest({ goal: 'nothing like it' }, never)).toEqual([]);
  });

  it('learns changed files where it answers', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    put('b.ts', code('second'));
    expect(await workspace.learn(never)).toEqual({ how: 'changes', files: 1 });
    expect(await found(workspace, 'second')).toEqual(['b.ts']);
    put('b.ts', code('third'));
    expect(await workspace.learn(never, undefined, ['b.ts'])).toEqual({ how: 'changes', files: 1 });
    expect(await found(workspace, 'third')).toEqual(['b.ts']);
  });

  it('answers from what it knows while it learns everything again, then from the new', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    for (let at = 0; at < 30; at++) put(`big${at}.ts`, code(`f${at}`).repeat(600));
    const answered: string[] = [];
    const learning = workspace.learn(never, ({ stage }) => {
      if (stage === 'looking') void found(workspace, 'first').then((files) => answered.push(...files));
    });
    const outcome = await learning.finally(() => answered.push('learned'));
    expect(outcome).toEqual({ how: 'everything', files: 31 });
    expect(answered).toEqual(['a.ts', 'learned']);
    expect(await found(workspace, 'f7')).toEqual(['big7.ts']);
  });

  it('stops when told to, and what answered before still does', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    for (let at = 0; at < 30; at++) put(`big${at}.ts`, code(`f${at}`).repeat(200));
    const stop = new AbortController();
    const learning = workspace.learn(stop.signal, () => stop.abort(new Error('enough')));
    await expect(learning).rejects.toThrow('enough');
    expect(workspace.isLearning).toBe(false);
    expect(existsSync(join(top, 'it.index.lock'))).toBe(false);
    expect(await found(workspace, 'first')).toContain('a.ts');
  });

  it('passes on the reason of who asks no longer', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    const stop = new AbortController();
    const answer = workspace.engine.answer({ instruction: 'first', maxTokens: 10 }, stop.signal);
    stop.abort(new Error('no matter'));
    await expect(answer).rejects.toThrow('no matter');
    expect(await found(workspace, 'first')).toEqual(['a.ts']);
  });

  it('keeps what is not on disk yet when it is closed', async () => {
    put('a.ts', code('first'));
    const workspace = opened();
    await workspace.learn(never);
    put('a.ts', code('second'));
    await workspace.learn(never);
    await workspace.close();
    const again = opened();
    expect(await again.learn(never)).toEqual({ how: 'nothing new', files: 0 });
    expect(await found(again, 'second')).toEqual(['a.ts']);
  });

  it.each<[string, () => void, number]>([
    ['an added file', () => put('c.ts', code('third')), 3],
    ['an edited file', () => put('b.ts', `${code('second')}second('x');\n`), 2],
    ['a deleted file', () => rmSync(join(root, 'b.ts')), 1],
    ['a file left out by its name', () => put('.env', 'A=b'), 2],
    ['a file left out by what it holds', () => put('b.ts', 'a\0b'), 1],
  ])('counts %s that came after the index was kept before it says that it is done', async (_, change, files) => {
    put('a.ts', code('first'));
    put('b.ts', code('second'));
    const workspace = opened();
    await workspace.learn(never);
    await workspace.close();
    change();
    const again = opened();
    await again.learn(never);
    const stats = again.knowledge?.stats;
    await again.close();
    rmSync(join(top, 'it.index'));
    const anew = opened();
    await anew.learn(never);
    expect(anew.knowledge?.stats.files).toBe(files);
    expect(stats).toEqual({ ...anew.knowledge?.stats, vocabulary: stats?.vocabulary });
  });

  it('says so when the thread is lost, fails what was asked of it, and can begin anew', async () => {
    const program = `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ id, ask }) => {
        if (ask.kind === 'complete') process.exit(1);
        parentPort.postMessage({ kind: 'answers' });
        parentPort.postMessage({ kind: 'done', id, value: { how: 'everything', files: 1 } });
      });`;
    const workspace = opened(script(program));
    const lost: string[] = [];
    workspace.onDidLose((reason) => lost.push(reason));
    await workspace.learn(never);
    const asked = workspace.engine.complete({ prefix: '', maxAlternatives: 0 }, never);
    await expect(asked).rejects.toThrow('The thread that learns was lost: ended.');
    expect(lost).toEqual(['ended']);
    expect(workspace.memory).toBeUndefined();
    expect(await workspace.learn(never)).toMatchObject({ how: 'everything' });
    expect(workspace.engine.state).toBe('ready');
  });

  it('is empty where the thread fails at once', async () => {
    const workspace = opened(script('throw new RangeError("no")'));
    await expect(workspace.learn(never)).rejects.toThrow('The thread that learns was lost: RangeError.');
    expect(workspace.engine.state).toBe('empty');
  });
});
