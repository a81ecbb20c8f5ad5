/** Applying plans under real conditions: killed processes, several at once, and a disk that takes no more. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanStep } from '#core/model.ts';
import { applyPlan, readSkillFolder } from '#node/skill-folder.ts';
import { WORK_FOLDER } from '#node/skill-path.ts';

const CHILD = resolve(import.meta.dirname, 'apply-plan-child.ts');
const signal = new AbortController().signal;
type Child = ChildProcessByStdio<Writable, Readable, null>;

let root: string;
let running: Child[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-apply-')));
});
afterEach(async () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  running = [];
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

async function start(how: 'once' | 'forever', files: number, bytes: number, limit?: number): Promise<Child> {
  const command = [process.execPath, CHILD, root, how, String(files), String(bytes)];
  const limited = limit === undefined ? command : ['sh', '-c', `ulimit -f ${limit}; exec "$@"`, 'sh', ...command];
  const child = spawn(limited[0] ?? '', limited.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(child);
  await once(child.stdout, 'data');
  return child;
}

/** Starts applying, and gives what came of it: `done`, an error's kind, or the signal that ended the process. */
async function outcomeOf(child: Child): Promise<string> {
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.write('go\n');
  await once(child, 'close');
  return output.trim() || String(child.signalCode);
}

/** The version that a whole folder is of; throws for a mixture. */
function versionOf(files: ReadonlyMap<string, string>, count: number): string {
  const version = (files.get('SKILL.md') ?? '').trim();
  expect(['A', 'B']).toContain(version);
  expect(files.size).toBe(count + 1);
  for (const [path, text] of files) {
    if (path === 'SKILL.md') continue;
    const index = /-(\d+)\.md$/.exec(path)?.[1];
    expect(path).toBe(`references/${version === 'A' ? 'even' : 'odd'}-${index}.md`);
    expect(text.startsWith(`${version}${index}\n`), path).toBe(true);
  }
  return version;
}

describe('a skill folder', () => {
  it('is whole, old or new, however often the process that writes it is killed', async () => {
    const seen = new Set<string>();
    let hadLeftovers = 0;
    await outcomeOf(await start('once', 25, 1));
    for (let round = 0; round < 30; round += 1) {
      const child = await start('forever', 25, 1);
      await new Promise((wake) => setTimeout(wake, (round * 37) % 97));
      child.kill('SIGKILL');
      await once(child, 'close');
      if (existsSync(join(root, WORK_FOLDER))) hadLeftovers += 1;
      const files = await readSkillFolder(root, 'probe');
      expect(files, 'the folder is readable').toBeDefined();
      seen.add(versionOf(files ?? new Map(), 25));
    }
    const steps: PlanStep[] = [{ kind: 'create', path: 'notes.md', text: 'x\n', executable: false }];
    await applyPlan({ skill: 'probe', root, steps }, { signal });
    expect(readdirSync(root), 'nothing is left').toEqual(['probe']);
    expect(seen).toEqual(new Set(['A', 'B']));
    expect(hadLeftovers, 'kills in the middle of a run').toBeGreaterThan(0);
  });

  it('is written by one of several processes at once, and the others say conflict', async () => {
    for (let round = 0; round < 4; round += 1) {
      rmSync(join(root, 'probe'), { recursive: true, force: true });
      const children = await Promise.all([start('once', 40, 1), start('once', 40, 1), start('once', 40, 1)]);
      const outcomes = await Promise.all(children.map(outcomeOf));
      expect(outcomes.sort()).toEqual(['conflict', 'conflict', 'done']);
      expect(versionOf((await readSkillFolder(root, 'probe')) ?? new Map(), 40)).toBe('A');
      expect(readdirSync(root)).toEqual(['probe']);
    }
  });

  it('stays as it was where the disk takes no more', async () => {
    mkdirSync(join(root, 'probe'));
    writeFileSync(join(root, 'probe', 'SKILL.md'), 'B\n');
    const { ino } = statSync(join(root, 'probe'));
    // Files may have eight blocks of 512 bytes here; each of these wants some 40,000 bytes.
    const outcome = await outcomeOf(await start('once', 3, 10_000, 8));
    expect(['io', 'SIGXFSZ']).toContain(outcome);
    expect(await readSkillFolder(root, 'probe')).toEqual(new Map([['SKILL.md', 'B\n']]));
    expect(statSync(join(root, 'probe')).ino).toBe(ino);
  });
});
