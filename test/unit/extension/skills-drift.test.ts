/** What is known of a generated skill and its server without starting anything. */
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/core/problem.ts';
import { createSkillLoader, type InstalledSkill } from '../../../src/core/skill/library.ts';
import { type DriftParts, driftOfSkill } from '../../../src/extension/skills-drift.ts';
import { memoryFiles, skillText } from '../../support/skill-files.ts';

const lock = JSON.stringify({
  ...{ generator: 'g', mode: 'lazy', runtime: 'node', server: 'kitchen', definition: '', catalog: '' },
  ...{ files: {}, tools: {} },
});

async function skill(withLock = true): Promise<InstalledSkill> {
  const texts = { '/ws/.claude/skills/kitchen-tools/SKILL.md': skillText('kitchen-tools') };
  const more = withLock ? { '/ws/.claude/skills/kitchen-tools/references/mochi.json': lock } : {};
  const { skills } = await createSkillLoader({ folders: ['/ws'] }, memoryFiles({ ...texts, ...more })).load();
  if (skills[0] === undefined) throw new Error('no skill');
  return skills[0];
}

interface Known {
  readonly server?: string;
  readonly state?: 'read' | 'unread';
  readonly recorded?: boolean;
  readonly userFiles?: boolean;
  readonly error?: Error;
}

function parts({ server = 'kitchen', state = 'unread', recorded = true, userFiles = true, error }: Known) {
  const asked: unknown[] = [];
  const catalog = { server, tools: [] };
  const entry = { server: { name: server }, state: { kind: state, catalog: { ...catalog, fresh: true } } };
  const made = {
    servers: { load: async () => {}, entries: [entry] },
    workshop: async () => ({
      recorded: async () => (recorded ? catalog : undefined),
      check: async (...given: unknown[]) => {
        if (error !== undefined) throw error;
        asked.push(given.slice(0, 3));
        return { kind: 'same' };
      },
    }),
    readsUserFiles: () => userFiles,
  } as unknown as DriftParts;
  return { made, asked };
}

const never = new AbortController().signal;
const drift = async (known: Known, withLock = true) => driftOfSkill(await skill(withLock), parts(known).made, never);

describe('the drift of a skill', () => {
  it('is found against the recorded tools, by the folder it lies in', async () => {
    const { made, asked } = parts({});
    expect(await driftOfSkill(await skill(), made, never)).toEqual({ kind: 'same' });
    expect(asked[0]).toMatchObject([
      { root: '/ws/.claude/skills', skill: 'kitchen-tools', server: 'kitchen' },
      { catalog: { server: 'kitchen' } },
      ['kitchen'],
    ]);
  });

  it('is found against the tools that were read, where they were', async () => {
    const { made, asked } = parts({ state: 'read', recorded: false });
    await driftOfSkill(await skill(), made, never);
    expect(asked[0]).toMatchObject([{}, { catalog: { fresh: true } }, {}]);
  });

  it.each<[string, Known, boolean]>([
    ['a skill that is not ours', {}, false],
    ['a server whose tools were never read', { recorded: false }, true],
    ['a server that may be in the home folder, which is not read', { server: 'other', userFiles: false }, true],
    ['a folder that cannot be read', { error: new OperationError('outside-root', 'a link') }, true],
  ])('is unknown for %s', async (_, known, withLock) => {
    expect(await drift(known, withLock)).toEqual({ kind: 'unknown' });
  });

  it('says when the server is no longer configured', async () => {
    expect(await drift({ server: 'other' })).toEqual({ kind: 'no-server', server: 'kitchen' });
  });

  it('does not hide other failures', async () => {
    await expect(drift({ error: new TypeError('broken') })).rejects.toThrow('broken');
  });
});
