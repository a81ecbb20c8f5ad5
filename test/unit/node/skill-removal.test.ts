import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { checkRemovable } from '../../../src/node/skill-removal.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-removal-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let count = 0;
let within = '';
let root = '';
beforeEach(() => {
  within = join(base, `ws-${count++}`);
  root = join(within, '.claude/skills');
  for (const folder of [join(root, 'a'), join(within, 'src'), join(within, 'elsewhere/b'), join(root, 'empty')])
    mkdirSync(folder, { recursive: true });
  for (const file of [join(root, 'a/SKILL.md'), join(within, 'elsewhere/b/SKILL.md'), join(within, 'SKILL.md')])
    writeFileSync(file, 'x');
});

describe('a folder may be removed', () => {
  it('when it is a skill in its own place', async () => {
    await expect(checkRemovable({ folder: join(root, 'a'), root, within })).resolves.toBeUndefined();
  });

  it('also where the workspace itself is reached by a link', async () => {
    const link = join(base, `link-${count}`);
    symlinkSync(within, link);
    const place = { folder: `${link}/.claude/skills/a`, root: `${link}/.claude/skills`, within: link };
    await expect(checkRemovable(place)).resolves.toBeUndefined();
  });

  it.each([
    ['the skills folder itself', () => ({ folder: root })],
    ['the workspace', () => ({ folder: within, root: base })],
    ['another folder of the workspace', () => ({ folder: join(within, 'src') })],
    ['a skill that lies elsewhere', () => ({ folder: join(within, 'elsewhere/b') })],
    ['a way up and down again', () => ({ folder: `${root}/../../elsewhere/b` })],
    ['a folder without SKILL.md', () => ({ folder: join(root, 'empty') })],
    ['a skills folder that is the workspace', () => ({ folder: join(within, 'src'), root: within })],
  ])('but not %s', async (_, place) => {
    await expect(checkRemovable({ root, within, ...place() })).rejects.toMatchObject({
      kind: 'outside-root',
    });
  });

  it('but not a link to a skill, wherever it leads', async () => {
    symlinkSync(join(within, 'elsewhere/b'), join(root, 'b'));
    await expect(checkRemovable({ folder: join(root, 'b'), root, within })).rejects.toThrow('is a link');
  });

  it('but not below a skills folder that leads out of the workspace', async () => {
    const outside = join(base, `outside-${count}`);
    mkdirSync(join(outside, 'a'), { recursive: true });
    writeFileSync(join(outside, 'a/SKILL.md'), 'x');
    const linked = join(within, '.agents-skills');
    symlinkSync(outside, linked);
    await expect(checkRemovable({ folder: join(linked, 'a'), root: linked, within })).rejects.toThrow('leads out');
  });

  it('but not what is gone already', async () => {
    await expect(checkRemovable({ folder: join(root, 'none'), root, within })).rejects.toMatchObject({
      kind: 'not-found',
    });
  });
});
