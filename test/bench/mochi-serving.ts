/**
 * What serving notices of learning: `node test/bench/mochi-serving.ts MILLIONS`. The longest time the serving thread is
 * held, completions from the older index while everything is learned again, the first answer after that is announced, and
 * one changed file from the word of a client to an answer that knows it.
 */
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ThreadedWorkspace } from '../../src/mochi/learn/threaded-workspace.ts';
import { readTable, root } from './mochi-corpus.ts';

const perFile = 1_120;

/** `millions` of tokens to learn again, beside a small index that answers meanwhile. */
async function measureServing(millions: number): Promise<void> {
  const rows = readTable('split');
  if (rows === undefined || !existsSync(`${root}.bench/${rows[0]?.[0]}`)) {
    console.log('serving: the corpus is missing');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'mochi-serving-'));
  const copy = (from: number, to: number): void => {
    for (let at = from; at < to; at += 1) {
      const path = rows[at % rows.length]?.[0] ?? '';
      cpSync(`${root}.bench/${path}`, join(folder, `copy${Math.floor(at / rows.length)}`, path));
    }
  };
  const files = Math.ceil((millions * 1e6) / perFile);
  copy(0, 200);
  const workspace = new ThreadedWorkspace({ root: folder, store: join(folder, '.git', 'kept.index') });
  const signal = AbortSignal.timeout(600_000);
  await workspace.learn(signal);
  copy(200, files);
  const held = monitorEventLoopDelay({ resolution: 1 });
  const completions: number[] = [];
  const request = { prefix: 'export async function read(path: string) {\n  const ', path: 'a.ts', maxAlternatives: 0 };
  held.enable();
  const start = performance.now();
  let firstAnswer = 0;
  let isDone = false;
  const learning = workspace.learn(signal).finally(() => {
    isDone = true;
  });
  const answered = new Promise<void>((resolve, reject) => {
    const heard = workspace.onDidLearn(() => {
      const at = performance.now();
      heard.dispose();
      workspace.engine.answer({ instruction: 'How is a value parsed?', maxTokens: 200 }, signal).then(() => {
        firstAnswer = performance.now() - at;
        resolve();
      }, reject);
    });
  });
  while (!isDone) {
    const at = performance.now();
    await workspace.engine.complete(request, signal);
    completions.push(performance.now() - at);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all([learning, answered]);
  const took = performance.now() - start;
  held.disable();
  completions.sort((one, two) => one - two);
  const part = (share: number): string => (completions[Math.floor((completions.length - 1) * share)] ?? 0).toFixed(1);
  console.log(
    `serving while ${((workspace.knowledge?.stats.tokens ?? 0) / 1e6).toFixed(1)} M tokens are learned again (${(took / 1000).toFixed(1)} s): ` +
      `serving thread held at most ${(held.max / 1e6).toFixed(1)} ms; ${completions.length} completions meanwhile, p50/p95/max ${part(0.5)}/${part(0.95)}/${part(1)} ms; ` +
      `first answer after it was announced ${firstAnswer.toFixed(0)} ms; one file told of and known ${(await oneFile(workspace, folder, signal)).toFixed(1)} ms`,
  );
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
}

async function oneFile(workspace: ThreadedWorkspace, folder: string, signal: AbortSignal): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    writeFileSync(
      join(folder, 'told.ts'),
      `export function told${round}(value: string): string {\n  return value;\n}\n`,
    );
    const at = performance.now();
    await workspace.learn(signal, undefined, ['told.ts']);
    times.push(performance.now() - at);
  }
  return times.sort((one, two) => one - two)[5] ?? 0;
}

await measureServing(Number(process.argv[2] ?? 1));
