/** The state behind the Skills view: read when needed, read again when told, never an old reading after a newer one. */
import { describe, expect, it } from 'vitest';
import { createSkillLoader } from '../../../src/core/skill/library.ts';
import { listingOf } from '../../../src/core/skill/library-text.ts';
import { createSkillsModel, type DriftState, type SkillsModel } from '../../../src/extension/skills-model.ts';
import type { InstalledSkills } from '../../../src/extension/skills-shelf.ts';
import { memoryFiles, skillText } from '../../support/skill-files.ts';

const lock = JSON.stringify({
  ...{ generator: 'g', mode: 'lazy', runtime: 'node', server: 'kitchen', definition: '', catalog: '' },
  ...{ files: {}, tools: {} },
});

async function installed(...names: readonly string[]): Promise<InstalledSkills> {
  const texts = Object.fromEntries(names.map((name) => [`/ws/.claude/skills/${name}/SKILL.md`, skillText(name)]));
  const ours = {
    '/ws/.claude/skills/ours/SKILL.md': skillText('ours'),
    '/ws/.claude/skills/ours/references/mochi.json': lock,
  };
  const library = await createSkillLoader({ folders: ['/ws'] }, memoryFiles({ ...texts, ...ours })).load();
  return { library, costs: new Map(), listing: listingOf(library.skills), tokenizer: 't' };
}

interface Bench {
  readonly model: SkillsModel;
  readonly failures: unknown[];
  reads: number;
  changes: number;
  asked: string[];
}

function bench(read: (count: number) => Promise<InstalledSkills>, drift: DriftState = { kind: 'same' }): Bench {
  const failures: unknown[] = [];
  const state = { reads: 0, changes: 0, asked: [] as string[] };
  const model = createSkillsModel({
    installed: () => read(++state.reads),
    async drift(skill) {
      state.asked.push(skill.name);
      return drift;
    },
    onFailure: (error) => failures.push(error),
  });
  model.onDidChange(() => state.changes++);
  return Object.assign(state, { model, failures });
}

const names = ({ model }: Bench): readonly string[] => model.skills?.library.skills.map(({ name }) => name) ?? [];

describe('the skills model', () => {
  it('reads once, however often it is asked to load', async () => {
    const one = bench(() => installed('a'));
    await Promise.all([one.model.load(), one.model.load()]);
    await one.model.load();
    expect(one.reads).toBe(1);
    expect(names(one)).toEqual(['a', 'ours']);
  });

  it('reads once more for all changes that come while it reads', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const one = bench(async (count) => {
      if (count === 1) await gate;
      return installed(count === 1 ? 'old' : 'new');
    });
    const all = [one.model.refresh(), one.model.refresh(), one.model.refresh()];
    await Promise.resolve();
    release();
    await Promise.all(all);
    expect(one.reads).toBe(2);
    expect(names(one)).toEqual(['new', 'ours']);
  });

  it('asks about the drift of generated skills alone, and tells when it is known', async () => {
    const one = bench(() => installed('a'), { kind: 'no-server', server: 'kitchen' });
    await one.model.load();
    await expect.poll(() => one.changes).toBe(2);
    expect(one.asked).toEqual(['ours']);
    const [a, ours] = one.model.skills?.library.skills ?? [];
    expect(a && one.model.driftOf(a)).toBeUndefined();
    expect(ours && one.model.driftOf(ours)).toEqual({ kind: 'no-server', server: 'kitchen' });
  });

  it('keeps what it has when a reading fails, and reads again when asked', async () => {
    const one = bench((count) => (count === 2 ? Promise.reject(new Error('disk')) : installed(`v${count}`)));
    await one.model.load();
    await expect(one.model.refresh()).rejects.toThrow('disk');
    expect(names(one)).toContain('v1');
    await one.model.refresh();
    expect(names(one)).toContain('v3');
  });

  it('tells nobody after it was let go', async () => {
    const one = bench(() => installed('a'));
    const loading = one.model.load();
    one.model.dispose();
    await loading;
    expect(one.changes).toBe(0);
    expect(one.model.skills).toBeUndefined();
  });
});
