/** The skill loader over the real file system: links, devices and folders that cannot be read. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createSkillLoader, type SkillLibrary } from '../../../src/core/skill/library.ts';
import { createFiles } from '../../../src/node/files.ts';
import { skillText } from '../../support/skill-files.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-library-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
/** A workspace with these files and links, each target relative to the base folder. */
function workspace(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>>): string {
  const folder = join(base, `ws-${count++}`);
  const write = (path: string, make: (path: string) => void): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    make(join(folder, path));
  };
  for (const [path, text] of Object.entries(files)) write(path, (at) => writeFileSync(at, text));
  for (const [path, target] of Object.entries(links)) write(path, (at) => symlinkSync(target, at));
  return folder;
}

const load = (folder: string): Promise<SkillLibrary> =>
  createSkillLoader({ folders: [folder] }, (within) => createFiles({ confineTo: [within] })).load();

describe('links on a real disk', () => {
  const outside = join(base, 'outside');
  mkdirSync(join(outside, 'b'), { recursive: true });
  writeFileSync(join(outside, 'b', 'SKILL.md'), skillText('b'));
  writeFileSync(join(outside, 'key'), 'private');

  it('to a skill inside the workspace are followed', async () => {
    const library = await load(
      workspace({ 'shared/b/SKILL.md': skillText('b') }, { '.claude/skills/b': '../../shared/b' }),
    );
    expect(library.skills.map(({ name }) => name)).toEqual(['b']);
    expect(library.problems).toEqual([]);
  });

  it('to a skill outside the workspace are not', async () => {
    const library = await load(workspace({}, { '.claude/skills/b': join(outside, 'b') }));
    expect(library.skills).toEqual([]);
    expect(library.problems[0]?.message).toContain('leads out');
  });

  it('from a skill to another place of the workspace do not make it a file of the skill', async () => {
    const files = { '.claude/skills/a/SKILL.md': skillText('a'), '.env': 'private', '.claude/skills/a/ok.md': '' };
    const links = { '.claude/skills/a/env': '../../../.env', '.claude/skills/a/key': join(outside, 'key') };
    const [skill] = (await load(workspace(files, links))).skills;
    expect(skill?.files).toEqual(['ok.md']);
    expect(skill?.problems.filter(({ message }) => message.includes('leads out'))).toHaveLength(2);
  });

  it('in the place of SKILL.md to a file outside the skill are not read', async () => {
    const library = await load(workspace({ '.env': 'private' }, { '.claude/skills/a/SKILL.md': '../../../.env' }));
    expect(library.skills).toEqual([]);
    expect(library.problems[0]?.message).toContain('leads out');
    expect(JSON.stringify(library)).not.toContain('private');
  });

  it('in a circle end', async () => {
    const files = { '.claude/skills/a/SKILL.md': skillText('a') };
    const library = await load(workspace(files, { '.claude/skills/a/again': '.', 'loop/loop': '..' }));
    expect(library.skills.map(({ name }) => name)).toEqual(['a']);
  });

  it('to nothing are passed over', async () => {
    const library = await load(workspace({}, { '.claude/skills/a': 'nowhere', '.claude/skills/b/SKILL.md': 'gone' }));
    expect(library.skills).toEqual([]);
  });
});
