import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Skill } from '#core/model.ts';
import { diffPlan, planSkill, summary } from '#core/plan.ts';
import { KEEP_CLOSING, keepOpening } from '#core/skill/keep.ts';
import { createLock, LOCK_PATH, lockFile } from '#core/skill/lock.ts';
import { sha256 } from '#node/digest.ts';

type Texts = Readonly<Record<string, string>>;

/** A skill with its lock, as the pipeline hands it over. */
function skillOf(texts: Texts, server = 'probe'): Skill {
  const files = Object.entries(texts).map(([path, text]) => ({ path, text, executable: path.startsWith('scripts/') }));
  const origin = {
    generator: 'mochi-skills 0.1.0',
    mode: 'lazy',
    runtime: 'python',
    definition: 'd',
    excluded: [],
  } as const;
  const lock = lockFile(createLock(origin, { server, origin: 'live', tools: [] }, files, sha256));
  const sorted = [...files, lock].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { name: 'probe', mode: 'lazy', description: '', server, files: sorted, problems: [] };
}

const written = (texts: Texts): Texts => Object.fromEntries(skillOf(texts).files.map((file) => [file.path, file.text]));

const OLD: Texts = { 'SKILL.md': '# Old\n', 'scripts/call.py': 'old()\n', 'references/tools/a.yaml': 'a: 1\n' };
const NEW: Texts = { 'SKILL.md': '# New\n', 'scripts/call.py': 'old()\n', 'references/tools.json': '[]\n' };
const KEPT = `${keepOpening()}\nmine\n${KEEP_CLOSING}\n`;

interface Case {
  readonly title: string;
  readonly disk: Texts | undefined;
  readonly next?: Texts;
  readonly force?: boolean;
  /** Path to kind, with the reason of a conflict. */
  readonly steps: Texts;
}

const CASES: readonly Case[] = [
  {
    title: 'creates all where there is no folder',
    disk: undefined,
    steps: {
      'SKILL.md': 'create',
      'references/mochi.json': 'create',
      'references/tools.json': 'create',
      'scripts/call.py': 'create',
    },
  },
  {
    title: 'keeps all where nothing changed',
    disk: written(NEW),
    steps: {
      'SKILL.md': 'keep',
      'references/mochi.json': 'keep',
      'references/tools.json': 'keep',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'keeps all in a checkout with CRLF',
    disk: Object.fromEntries(Object.entries(written(NEW)).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')])),
    steps: {
      'SKILL.md': 'keep',
      'references/mochi.json': 'keep',
      'references/tools.json': 'keep',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'updates what is untouched and deletes what the old mode left, also with CRLF',
    disk: Object.fromEntries(Object.entries(written(OLD)).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')])),
    steps: {
      'SKILL.md': 'update',
      'references/mochi.json': 'update',
      'references/tools.json': 'create',
      'references/tools/a.yaml': 'delete',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'never touches files that were never ours',
    disk: { ...written(OLD), 'notes.txt': 'mine', 'references/tools/mine.yaml': 'mine' },
    steps: {
      'SKILL.md': 'update',
      'references/mochi.json': 'update',
      'references/tools.json': 'create',
      'references/tools/a.yaml': 'delete',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'stops at edited files, updated or left over, and at a foreign file in the way',
    disk: {
      ...written(OLD),
      'SKILL.md': '# Mine\n',
      'references/tools/a.yaml': 'mine\n',
      'references/tools.json': '{}\n',
    },
    steps: {
      'SKILL.md': 'conflict edited',
      'references/mochi.json': 'update',
      'references/tools.json': 'conflict not-ours',
      'references/tools/a.yaml': 'conflict edited',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'writes over all of these with force',
    force: true,
    disk: {
      ...written(OLD),
      'SKILL.md': '# Mine\n',
      'references/tools/a.yaml': 'mine\n',
      'references/tools.json': '{}\n',
    },
    steps: {
      'SKILL.md': 'update',
      'references/mochi.json': 'update',
      'references/tools.json': 'update',
      'references/tools/a.yaml': 'delete',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'takes a file that a person edited into the new text for kept',
    disk: { ...written(OLD), 'SKILL.md': NEW['SKILL.md'] ?? '' },
    steps: {
      'SKILL.md': 'keep',
      'references/mochi.json': 'update',
      'references/tools.json': 'create',
      'references/tools/a.yaml': 'delete',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'creates again what a person deleted',
    disk: { [LOCK_PATH]: written(NEW)[LOCK_PATH] ?? '', 'SKILL.md': NEW['SKILL.md'] ?? '' },
    steps: {
      'SKILL.md': 'keep',
      'references/mochi.json': 'keep',
      'references/tools.json': 'create',
      'scripts/call.py': 'create',
    },
  },
  {
    title: 'stops at a skill written by hand',
    disk: { 'SKILL.md': '# Mine\n', 'scripts/call.py': 'mine()\n' },
    steps: {
      'SKILL.md': 'conflict not-ours',
      'references/mochi.json': 'create',
      'references/tools.json': 'create',
      'scripts/call.py': 'conflict not-ours',
    },
  },
  {
    title: 'stops where the lock cannot be read',
    disk: { ...written(OLD), [LOCK_PATH]: '<<<<<<< ours\n' },
    steps: {
      'SKILL.md': 'conflict not-ours',
      'references/mochi.json': 'conflict not-ours',
      'references/tools.json': 'create',
      'scripts/call.py': 'keep',
    },
  },
  {
    title: 'writes into a folder that holds no skill',
    disk: { 'notes.txt': 'mine' },
    steps: {
      'SKILL.md': 'create',
      'references/mochi.json': 'create',
      'references/tools.json': 'create',
      'scripts/call.py': 'create',
    },
  },
  {
    title: 'replaces an untouched file of which only the case changed',
    disk: written({ 'SKILL.md': '# New\n', 'references/A.yaml': 'a\n' }),
    next: { 'SKILL.md': '# New\n', 'references/a.yaml': 'a\n' },
    steps: {
      'SKILL.md': 'keep',
      'references/A.yaml': 'delete',
      'references/a.yaml': 'create',
      'references/mochi.json': 'update',
    },
  },
  {
    title: 'stops at a foreign file whose name differs only in case',
    disk: { ...written({ 'SKILL.md': '# New\n' }), 'references/A.yaml': 'mine\n' },
    next: { 'SKILL.md': '# New\n', 'references/a.yaml': 'a\n' },
    steps: { 'SKILL.md': 'keep', 'references/a.yaml': 'conflict not-ours', 'references/mochi.json': 'update' },
  },
  {
    title: 'takes names such as __proto__ for data',
    disk: { ...written(JSON.parse('{"SKILL.md":"x","__proto__":"old"}')), constructor: 'mine' },
    next: JSON.parse('{"SKILL.md":"x","__proto__":"new","constructor":"new"}'),
    steps: JSON.parse(
      '{"SKILL.md":"keep","__proto__":"update","constructor":"conflict not-ours","references/mochi.json":"update"}',
    ),
  },
];

const onDisk = (texts: Texts | undefined): ReadonlyMap<string, string> | undefined =>
  texts === undefined ? undefined : new Map(Object.entries(texts));

function check({ disk, next = NEW, force = false, steps }: Case): void {
  const { value, problems } = planSkill(skillOf(next), onDisk(disk), '/skills', { force, digest: sha256 });
  const seen = value.steps.map((step) => [step.path, step.kind === 'conflict' ? `conflict ${step.reason}` : step.kind]);
  expect(seen).toEqual(Object.entries(steps).sort(([a], [b]) => (a < b ? -1 : 1)));
  const conflicts = value.steps.filter((step) => step.kind === 'conflict');
  expect(problems.filter((problem) => problem.kind === 'plan-conflict')).toHaveLength(conflicts.length);
  for (const step of value.steps)
    if ('before' in step && step.path in (disk ?? {})) expect(step.before).toBe(disk?.[step.path]);
  expect(summary(value).conflict).toBe(conflicts.length);
}

describe('planning a skill', () => {
  for (const entry of CASES) it(entry.title, () => check(entry));

  it('carries keep blocks over and does not count them as edits', () => {
    const disk = onDisk({ ...written(OLD), 'SKILL.md': `# Old\n\n${KEPT}` });
    const { value, problems } = planSkill(skillOf(NEW), disk, '/skills', { force: false, digest: sha256 });
    expect(problems).toEqual([]);
    expect(value.steps[0]).toEqual({
      kind: 'update',
      path: 'SKILL.md',
      text: `# New\n\n${KEPT}`,
      before: `# Old\n\n${KEPT}`,
      executable: false,
    });
  });

  it('stops at unbalanced keep markers rather than lose the text in them', () => {
    const disk = onDisk({ ...written(OLD), 'SKILL.md': `# Old\n${keepOpening()}\nmine\n` });
    const { value, problems } = planSkill(skillOf(NEW), disk, '/skills', { force: false, digest: sha256 });
    expect(value.steps[0]?.kind).toBe('conflict');
    expect(problems.map((problem) => problem.at)).toContainEqual({ file: 'probe/SKILL.md', line: 2 });
  });

  it('warns where the folder holds the skill of another server', () => {
    const { problems } = planSkill(skillOf(NEW, 'other'), onDisk(written(OLD)), '/skills', {
      force: false,
      digest: sha256,
    });
    expect(problems).toMatchObject([{ kind: 'skill-collision', severity: 'warning', server: 'other' }]);
  });

  it('reports two files that differ only in case', () => {
    const { problems } = planSkill(skillOf({ 'a/B.md': '', 'A/b.md': '' }), undefined, '/skills', {
      force: false,
      digest: sha256,
    });
    expect(problems).toMatchObject([{ kind: 'skill-collision', severity: 'error' }]);
  });

  it('never plans to lose a text of a person, and plans nothing once it was applied', () => {
    const path = fc.constantFrom('SKILL.md', 'a', 'b', 'c', 'A', '__proto__');
    const texts = fc.uniqueArray(fc.tuple(path, fc.constantFrom('1\n', '2\n', '3\r\n')), {
      selector: ([name]) => name,
    });
    fc.assert(
      fc.property(texts, texts, texts, (old, edits, next) => {
        const skill = skillOf(Object.fromEntries(next.filter(([name]) => name !== 'A')));
        const ours = new Map(
          skillOf(Object.fromEntries(old.filter(([name]) => name !== 'A'))).files.map((file) => [file.path, file.text]),
        );
        const disk = new Map([...ours, ...edits]);
        const { value } = planSkill(skill, disk, '/skills', { force: false, digest: sha256 });
        const after = new Map(disk);
        for (const step of value.steps) {
          if (step.kind === 'update' || step.kind === 'delete') {
            const isOurs =
              ours.get(step.path)?.replaceAll('\r\n', '\n') === disk.get(step.path)?.replaceAll('\r\n', '\n');
            expect(isOurs, `${step.kind} ${step.path}`).toBe(true);
          }
          if (step.kind === 'delete') after.delete(step.path);
        }
        for (const step of value.steps)
          if (step.kind === 'create' || step.kind === 'update') after.set(step.path, step.text);
        if (value.steps.some((step) => step.kind === 'conflict')) return;
        const again = planSkill(skill, after, '/skills', { force: false, digest: sha256 }).value;
        expect(again.steps.every((step) => step.kind === 'keep')).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the diff of a plan', () => {
  it('shows every change, says what is a conflict, and leaves out what is kept', () => {
    const disk = onDisk({ ...written(OLD), 'SKILL.md': '# Mine\r\n' });
    const { value } = planSkill(skillOf(NEW), disk, '/skills', { force: false, digest: sha256 });
    const shown = { ...value, steps: value.steps.filter((step) => step.path !== LOCK_PATH) };
    expect(diffPlan(shown)).toBe(
      [
        'conflict (edited): probe/SKILL.md',
        '--- a/probe/SKILL.md',
        '+++ b/probe/SKILL.md',
        '@@ -1 +1 @@',
        '-# Mine',
        '+# New',
        '--- /dev/null',
        '+++ b/probe/references/tools.json',
        '@@ -0,0 +1 @@',
        '+[]',
        '--- a/probe/references/tools/a.yaml',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-a: 1',
        '',
      ].join('\n'),
    );
    expect(summary(value)).toEqual({ create: 1, update: 1, keep: 1, delete: 1, conflict: 1 });
  });
});
