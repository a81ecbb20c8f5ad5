import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Plan, PlanStep } from '#core/model.ts';
import { OperationError, type OperationErrorKind } from '#core/problem.ts';
import { takeLock } from '#node/folder-lock.ts';
import { applyPlan, readSkillFolder } from '#node/skill-folder.ts';
import { checkFilePath, checkSkillName, isInside, WORK_FOLDER } from '#node/skill-path.ts';

let base: string;
let root: string;
const signal = new AbortController().signal;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-folder-')));
  root = join(base, 'ws', '.claude', 'skills');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const create = (path: string, text = `${path}\n`): PlanStep => ({
  kind: 'create',
  path,
  text,
  executable: path.startsWith('scripts/'),
});
const planOf = (...steps: readonly PlanStep[]): Plan => ({ skill: 'probe', root, steps });
const FIRST = [create('SKILL.md'), create('references/tools/a.yaml'), create('scripts/call.py')];

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Everything below a folder, path to text. */
function tree(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}

/** Runs something that must fail with a kind and leave everything on disk as it was. */
async function refuses(kind: OperationErrorKind, run: () => Promise<unknown>): Promise<OperationError> {
  const before = tree(base);
  const folders = readdirSync(base, { recursive: true }).sort();
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(OperationError);
  expect((error as OperationError).kind).toBe(kind);
  expect(tree(base)).toEqual(before);
  expect(readdirSync(base, { recursive: true }).sort(), 'folders').toEqual(folders);
  return error as OperationError;
}

describe('applying a plan', () => {
  it('makes the root and writes all files, scripts executable, and leaves nothing else behind', async () => {
    await applyPlan(planOf(...FIRST), { signal });
    expect(tree(root)).toEqual({
      'probe/SKILL.md': 'SKILL.md\n',
      'probe/references/tools/a.yaml': 'references/tools/a.yaml\n',
      'probe/scripts/call.py': 'scripts/call.py\n',
    });
    expect(readdirSync(root)).toEqual(['probe']);
    expect(statSync(join(root, 'probe/scripts/call.py')).mode & 0o111).not.toBe(0);
    expect(statSync(join(root, 'probe/SKILL.md')).mode & 0o111).toBe(0);
  });

  it('updates, keeps and deletes, and leaves foreign files and empty folders with their times and rights', async () => {
    await applyPlan(planOf(...FIRST), { signal });
    put('probe/references/mine.bin', '\u0000\ufffd');
    mkdirSync(join(root, 'probe/empty'));
    chmodSync(join(root, 'probe/references/mine.bin'), 0o600);
    utimesSync(join(root, 'probe/references/mine.bin'), 1000, 1000);
    await applyPlan(
      planOf(
        { kind: 'update', path: 'SKILL.md', text: 'new\n', before: 'SKILL.md\n', executable: false },
        { kind: 'delete', path: 'references/tools/a.yaml', before: 'references/tools/a.yaml\n' },
        { kind: 'keep', path: 'scripts/call.py' },
        create('references/tools.json', '[]\n'),
      ),
      { signal },
    );
    expect(tree(join(root, 'probe'))).toEqual({
      'SKILL.md': 'new\n',
      'references/mine.bin': '\u0000\ufffd',
      'references/tools.json': '[]\n',
      'scripts/call.py': 'scripts/call.py\n',
    });
    expect(statSync(join(root, 'probe/scripts/call.py')).mode & 0o111).not.toBe(0);
    const mine = statSync(join(root, 'probe/references/mine.bin'));
    expect([mine.mode & 0o777, mine.mtimeMs]).toEqual([0o600, 1_000_000]);
    expect(existsSync(join(root, 'probe/empty'))).toBe(true);
    expect(existsSync(join(root, 'probe/references/tools'))).toBe(false);
    expect(readdirSync(root)).toEqual(['probe']);
  });

  it('replaces a file of which only the case of the name changed', async () => {
    put('probe/references/A.yaml', 'a\n');
    const steps: PlanStep[] = [
      create('references/a.yaml', 'b\n'),
      { kind: 'delete', path: 'references/A.yaml', before: 'a\n' },
    ];
    await applyPlan(planOf(...steps), { signal });
    expect(tree(join(root, 'probe'))).toEqual({ 'references/a.yaml': 'b\n' });
  });

  it('writes nothing where all is kept', async () => {
    await applyPlan(planOf({ kind: 'keep', path: 'SKILL.md' }), { signal });
    expect(existsSync(root)).toBe(false);
  });

  it('throws the reason of an aborted signal and leaves nothing', async () => {
    const reason = new Error('stop');
    await expect(applyPlan(planOf(...FIRST), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const running = applyPlan(planOf(...FIRST), { signal: controller.signal });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(readdirSync(base)).toEqual([]);
  });
});

const BAD_SEGMENTS = [
  '..',
  '.',
  '',
  'a/../../b',
  '/etc',
  '\\etc',
  'C:',
  'C:\\x',
  'c:x',
  '\\\\server\\share',
  'a\0b',
  'a.',
  'a ',
  'a\tb',
  'con',
  'NUL.txt',
  'aux.',
  'Com1',
  'lpt9.md',
  'com\u00b9',
  'CONIN$',
  'a*b',
  'a?b',
  'a|b',
  'a"b',
  'a<b',
  'x'.repeat(256),
  '../skills-evil/probe',
];

describe('the confinement to the skills root', () => {
  it.each(BAD_SEGMENTS.map((name) => [JSON.stringify(name.slice(0, 40)), name]))(
    'refuses %s as a skill and in a path',
    async (_, name) => {
      mkdirSync(root, { recursive: true });
      await refuses('outside-root', () => applyPlan({ ...planOf(...FIRST), skill: name }, { signal }));
      await refuses('outside-root', () => readSkillFolder(root, name));
      await refuses('outside-root', () => applyPlan(planOf(create(name)), { signal }));
      await refuses('outside-root', () => applyPlan(planOf(create(`references/${name}/x.md`)), { signal }));
    },
  );

  it('takes ordinary names', () => {
    for (const path of [
      'SKILL.md',
      'references/tools/a-b_c.yaml',
      'scripts/ünï.py',
      'console.md',
      'com10.md',
      'a..b',
      '.x',
      '__proto__',
    ])
      expect(() => checkFilePath(path), path).not.toThrow();
    expect(() => checkSkillName('console')).not.toThrow();
    expect(() => checkSkillName(WORK_FOLDER)).toThrow(OperationError);
  });

  it('tells a folder from a sibling whose name it begins', () => {
    expect(isInside('/a/skills', '/a/skills/x')).toBe(true);
    expect(isInside('/a/skills', '/a/skills/..x')).toBe(true);
    expect(isInside('/a/skills', '/a/skills-evil/x')).toBe(false);
    expect(isInside('/a/skills', '/a')).toBe(false);
  });

  it('refuses a root that is relative or has a NUL', async () => {
    for (const bad of ['skills', './skills', '', `${root}\0`])
      await refuses('outside-root', () => applyPlan({ ...planOf(...FIRST), root: bad }, { signal }));
  });

  it('refuses a root that climbs out of the workspace', async () => {
    mkdirSync(join(base, 'ws'));
    const within = join(base, 'ws');
    for (const bad of [join(base, 'ws', '..', 'out'), join(base, 'ws-evil', 'skills'), base])
      await refuses('outside-root', () => applyPlan({ ...planOf(...FIRST), root: bad }, { signal, within }));
    await refuses('outside-root', () =>
      applyPlan({ ...planOf(...FIRST), root: join(within, 'aux', 'skills') }, { signal, within }),
    );
  });

  const LINKS: readonly (readonly [string, string, string])[] = [
    ['the parent of the root', '.claude', 'outside'],
    ['the root', '.claude/skills', 'outside'],
    ['a root that leads nowhere', '.claude/skills', 'nowhere'],
    ['the skill', '.claude/skills/probe', 'outside'],
    ['the skill, to a prefix sibling', '.claude/skills/probe', 'ws/.claude/skills-evil'],
    ['a folder inside the skill', '.claude/skills/probe/references', 'outside'],
    ['a file inside the skill', '.claude/skills/probe/SKILL.md', 'outside/SKILL.md'],
    ['the folder for building', `.claude/skills/${WORK_FOLDER}`, 'outside'],
    ['the folder for building this skill', `.claude/skills/${WORK_FOLDER}/probe`, 'outside'],
  ];
  it.each(LINKS)('refuses a link to the outside as %s', async (_, link, to) => {
    const within = join(base, 'ws');
    for (const folder of ['outside', 'ws/.claude/skills-evil']) mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, 'outside', 'SKILL.md'), 'mine\n');
    const path = join(within, link);
    rmSync(path, { recursive: true, force: true });
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(base, to), path);
    await refuses('outside-root', () => applyPlan(planOf(...FIRST), { signal, within }));
    if (!link.includes(WORK_FOLDER)) await refuses('outside-root', () => readSkillFolder(root, 'probe', { within }));
    if (link === '.claude/skills') await refuses('outside-root', () => applyPlan(planOf(...FIRST), { signal }));
  });

  it('follows a link of the root that stays inside the workspace', async () => {
    mkdirSync(join(base, 'ws', 'real'), { recursive: true });
    mkdirSync(dirname(root), { recursive: true });
    symlinkSync(join(base, 'ws', 'real'), root);
    await applyPlan(planOf(...FIRST), { signal, within: join(base, 'ws') });
    expect(Object.keys(tree(join(base, 'ws', 'real')))).toHaveLength(3);
  });
});

describe('the checks before a swap', () => {
  const update: PlanStep = { kind: 'update', path: 'SKILL.md', text: 'new\n', before: 'old\n', executable: false };
  const CHANGES: readonly (readonly [string, Record<string, string>, PlanStep])[] = [
    ['a file to update was edited', { 'SKILL.md': 'edited\n' }, update],
    ['a file to update is gone', { 'x.md': '' }, update],
    ['a file to create appeared', { 'SKILL.md': 'mine\n' }, create('SKILL.md')],
    ['a file to create appeared in another case', { 'skill.md': 'mine\n' }, create('SKILL.md')],
    ['a file to delete was edited', { 'SKILL.md': 'edited\n' }, { kind: 'delete', path: 'SKILL.md', before: 'old\n' }],
    ['a file to keep is gone', { 'x.md': '' }, { kind: 'keep', path: 'SKILL.md' }],
    ['the plan holds a conflict', { 'SKILL.md': 'old\n' }, { ...update, kind: 'conflict', reason: 'edited' }],
    ['the plan writes one file in two cases', {}, create('A')],
  ];
  it.each(CHANGES)('refuse the plan where %s', async (_, files, step) => {
    mkdirSync(root, { recursive: true });
    for (const [path, text] of Object.entries(files)) put(`probe/${path}`, text);
    await refuses('conflict', () => applyPlan(planOf(step, create('a', 'x')), { signal }));
  });
});

describe('a swap that was killed', () => {
  const work = (...parts: readonly string[]): string => join(WORK_FOLDER, 'probe', ...parts);
  const update: PlanStep = { kind: 'update', path: 'SKILL.md', text: 'new\n', before: 'old\n', executable: false };

  function lockOf(owner: object): void {
    const now = { token: randomUUID(), pid: process.pid, host: hostname(), started: 0, taken: Date.now(), ...owner };
    put(work('lock', 'owner.json'), JSON.stringify(now));
  }

  it('between its two steps is read as before it, and put back by the next run', async () => {
    put('probe/SKILL.md', 'old\n');
    mkdirSync(join(root, work()), { recursive: true });
    renameSync(join(root, 'probe'), join(root, work('old-1')));
    put(work('new-1', 'SKILL.md'), 'half\n');
    lockOf({});
    expect(await readSkillFolder(root, 'probe')).toEqual(new Map([['SKILL.md', 'old\n']]));
    await applyPlan(planOf(update), { signal });
    expect(tree(root)).toEqual({ 'probe/SKILL.md': 'new\n' });
    expect(readdirSync(root)).toEqual(['probe']);
  });

  it('before or after both leaves only what the next run removes', async () => {
    put('probe/SKILL.md', 'old\n');
    put(work('old-1', 'SKILL.md'), 'older\n');
    put(work('new-2', 'SKILL.md'), 'half\n');
    put(work('lock-3', 'owner.json'), '{}');
    await applyPlan(planOf(update), { signal });
    expect(readdirSync(root)).toEqual(['probe']);
    expect(tree(root)).toEqual({ 'probe/SKILL.md': 'new\n' });
  });

  it('does not bring back a folder that a person removed later', async () => {
    put(work('old-1', 'SKILL.md'), 'older\n');
    expect(await readSkillFolder(root, 'probe')).toBeUndefined();
    await applyPlan(planOf(create('a')), { signal });
    expect(tree(root)).toEqual({ 'probe/a': 'a\n' });
  });

  const dead = (): number => Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  const started = (): number => Date.now() - process.uptime() * 1000;
  const OWNERS: readonly (readonly [string, () => object, boolean])[] = [
    ['lives', () => ({ pid: process.ppid }), true],
    ['is this very process', () => ({ started: started() }), true],
    ['runs on another machine', () => ({ host: 'elsewhere', pid: dead() }), true],
    ['is dead', () => ({ pid: dead() }), false],
    ['had our process number before us', () => ({ started: started() - 60_000 }), false],
    ['took it long ago', () => ({ pid: process.ppid, taken: Date.now() - 3_600_000 }), false],
    ['left no name', () => ({ token: 1 }), false],
  ];
  it.each(OWNERS)('leaves a lock whose owner %s, held or free accordingly', async (_, owner, isHeld) => {
    put('probe/SKILL.md', 'old\n');
    lockOf(owner());
    if (isHeld) {
      await refuses('conflict', () => applyPlan(planOf(update), { signal }));
      return;
    }
    await applyPlan(planOf(update), { signal });
    expect(tree(root)).toEqual({ 'probe/SKILL.md': 'new\n' });
    expect(readdirSync(root)).toEqual(['probe']);
  });

  it('lets one of many at once in, and the others are told', async () => {
    mkdirSync(root, { recursive: true });
    const tries = Array.from({ length: 8 }, (_, index) =>
      applyPlan(planOf(create('SKILL.md', `${index}\n`)), { signal }),
    );
    const results = await Promise.allSettled(tries);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected')
        expect(OperationError.is(result.reason, 'conflict'), String(result.reason)).toBe(true);
    expect(readdirSync(root)).toEqual(['probe']);
  });

  it('does not keep different skills from being written at once', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `probe-${index}`);
    await Promise.all(names.map((skill) => applyPlan({ ...planOf(...FIRST), skill }, { signal })));
    expect(readdirSync(root).sort()).toEqual([...names].sort());
  });

  it('tells a holder that lost its lock', async () => {
    mkdirSync(join(root, work()), { recursive: true });
    const lock = await takeLock(join(root, work()));
    expect(lock.isHeld()).toBe(true);
    await expect(takeLock(join(root, work()))).rejects.toMatchObject({ kind: 'conflict' });
    lockOf({});
    expect(lock.isHeld()).toBe(false);
    await lock.release();
    expect(existsSync(join(root, work('lock')))).toBe(true);
  });
});

describe('reading a skill folder', () => {
  it('gives every file, sorted, with its mark, and nothing where there is none', async () => {
    expect(await readSkillFolder(root, 'probe')).toBeUndefined();
    put('other/SKILL.md', '');
    expect(await readSkillFolder(root, 'probe')).toBeUndefined();
    put('probe/b/c', '\uFEFFx\r\n');
    put('probe/__proto__', 'p');
    put('probe/SKILL.md', 's');
    expect([...((await readSkillFolder(root, 'probe')) ?? [])]).toEqual([
      ['SKILL.md', 's'],
      ['__proto__', 'p'],
      ['b/c', '\uFEFFx\r\n'],
    ]);
  });

  it('refuses too many files, a file too large and too much in all', async () => {
    put('large/x', 'x'.repeat(5 * 1024 * 1024 + 1));
    await refuses('io', () => readSkillFolder(root, 'large'));
    for (let index = 0; index < 11; index += 1) put(`much/${index}`, 'x'.repeat(5 * 1024 * 1024));
    await refuses('io', () => readSkillFolder(root, 'much'));
    rmSync(join(root, 'much'), { recursive: true });
    for (let index = 0; index < 2001; index += 1) put(`many/${index}`, '');
    const error = await refuses('io', () => readSkillFolder(root, 'many'));
    expect(error.remedy).toBeDefined();
  });

  it('refuses a FIFO without waiting for a writer', async () => {
    put('probe/SKILL.md', '');
    execFileSync('mkfifo', [join(root, 'probe', 'pipe')]);
    await refuses('io', () => readSkillFolder(root, 'probe'));
  });

  it('says that the disk refused, with a remedy, where a file stands in the way', async () => {
    put(WORK_FOLDER, 'a file');
    await refuses('io', () => applyPlan(planOf(...FIRST), { signal }));
    rmSync(root, { recursive: true });
    put('../skills', 'a file');
    await refuses('io', () => applyPlan(planOf(...FIRST), { signal }));
    await refuses('io', () => applyPlan({ ...planOf(...FIRST), root: join(root, 'deeper') }, { signal }));
  });
});
