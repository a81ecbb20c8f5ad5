/** `mochi skills` as people run it: what is installed, in three languages, for people and for scripts. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspace, type Workspace } from '../support/cli.ts';
import { skillText } from '../support/skill-files.ts';

const open: Workspace[] = [];
function workspace(files: Readonly<Record<string, string>>): Workspace {
  const made = createWorkspace(files);
  open.push(made);
  return made;
}
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

const at = (name: string, root = '.claude'): string => `${root}/skills/${name}/SKILL.md`;

interface Answer {
  readonly tokenizer: string;
  readonly skills: readonly {
    readonly name: string;
    readonly scope: string;
    readonly offered: boolean;
    readonly listed: string;
    readonly always: number;
    readonly onActivation: number;
    readonly problems: readonly { readonly kind: string; readonly at: { readonly line: number } }[];
  }[];
  readonly listing: {
    readonly fit: number;
    readonly all: number;
    readonly named: readonly string[];
    readonly chars: number;
    readonly limit: number;
  };
}

describe('mochi skills', () => {
  it('lists skills with their tokens and problems, and how many fit', async () => {
    const made = workspace({
      [at('pdf')]: skillText('pdf'),
      [at('notes', '.agents')]: skillText('notes'),
      [at('broken', '.github')]: '---\nname: broken\ndescription: Use when: x\n---\n',
    });
    const { code, out, err } = await made.mochi('skills');
    expect(code).toBe(1);
    expect(out).toMatch(/pdf +\.claude\/skills +\d+ +\d+/);
    expect(out).toMatch(/notes +\.agents\/skills +– +\d+ +VS Code only/);
    expect(out).toMatch(/broken +\.github\/skills +– +\d+ +not offered/);
    expect(out).toMatch(/1 of 1 skills fit the listing of Claude Code: \d+ of 8,000 characters, \d+ tokens by o200k/);
    expect(err).toContain('.github/skills/broken/SKILL.md:3');
  });

  it('gives the same to scripts', async () => {
    const long = Array.from({ length: 45 }, (_, index) => `s-${String(index).padStart(2, '0')}`);
    const texts = long.map((name) => [at(name), skillText(name, 'x'.repeat(200))]);
    const made = workspace({ ...Object.fromEntries(texts), [at('broken')]: '---\nname: broken\n---\n' });
    const { code, out } = await made.mochi('skills', '--json');
    expect(code).toBe(1);
    const { skills, listing }: Answer = JSON.parse(out);
    expect(skills).toHaveLength(46);
    expect(listing.all).toBe(46);
    expect(listing.fit + listing.named.length).toBe(46);
    expect(listing.named.length).toBeGreaterThan(5);
    expect(skills.filter(({ listed }) => listed === 'name').map(({ name }) => name)).toEqual(listing.named);
    const broken = skills.find(({ name }) => name === 'broken');
    expect(broken).toMatchObject({ offered: false });
    expect(broken?.problems[0]).toMatchObject({
      kind: 'skill-invalid',
      at: { file: '.claude/skills/broken/SKILL.md' },
    });
    for (const { name, always, onActivation } of skills.filter(({ offered }) => offered))
      expect([name, always > 10, onActivation > 0]).toEqual([name, true, true]);
  });

  it('says of a folder what `tokens` says of it', async () => {
    const made = workspace({
      [at('good')]: skillText('good', 'Does good.'),
      [at('good', '.github')]: skillText('good', 'Another.'),
      [at('Upper_Case')]: skillText('Upper_Case', 'Does it.', '', 'Hi'),
      [at('other')]: skillText('different', 'Has another name.'),
    });
    const { skills, listing }: Answer = JSON.parse((await made.mochi('skills', '--json')).out);
    const tokens = JSON.parse((await made.mochi('tokens', '--json')).out);
    const read = skills.filter(({ listed }) => listed !== 'no');
    expect(read.map(({ name }) => name)).toEqual(['Upper_Case', 'good', 'other']);
    expect(tokens.skills).toEqual(
      read.map(({ name, always, onActivation }) => ({ skill: name, always, onActivation })),
    );
    expect(tokens.listing).toEqual({ chars: listing.chars, limit: listing.limit });
    const [said, again] = [(await made.mochi('skills')).out, (await made.mochi('tokens')).out];
    const meter = /^.* fit the listing of Claude Code: .*$/m.exec(said)?.[0];
    expect(meter).toContain('3 of 3');
    expect(again).toContain(meter);
    expect(said).toMatch(/good +\.claude\/skills +\d+ +\d+ +hidden for VS Code/);
  });

  it('says of a link in a skill what `validate` says of it, with the same code', async () => {
    const made = workspace({ [at('one')]: skillText('one'), [at('two')]: skillText('two') });
    const outside = workspace({ 'secret.md': 'x' });
    symlinkSync(join(outside.folder, 'secret.md'), join(made.folder, '.claude/skills/one/linked.md'));
    const [skills, validate] = [await made.mochi('skills'), await made.mochi('validate')];
    expect([skills.code, validate.code]).toEqual([1, 1]);
    const said = '(.claude/skills/one/linked.md)\n    It is a link that leads out of its folder, so it was not read.';
    expect(skills.err).toContain(said);
    expect(validate.err).toContain(said);
    expect(skills.err).toContain('✖');
    rmSync(join(made.folder, '.claude/skills/one/linked.md'));
    expect([(await made.mochi('skills')).code, (await made.mochi('validate')).code]).toEqual([0, 0]);
  });

  it('says so where there are none, in three languages', async () => {
    const made = workspace({});
    expect((await made.mochi('skills')).out).toContain('There are no skills in');
    expect((await made.mochi('skills', '--lang', 'ja')).out).toContain('スキルはありません');
    expect((await made.mochi('skills', '--lang', 'zh-cn')).out).toContain('没有技能');
  });

  it('reads the home folder only when asked, and says which skill hides which', async () => {
    const home = process.env['HOME'] ?? '';
    mkdirSync(join(home, '.claude/skills/pdf'), { recursive: true });
    writeFileSync(join(home, at('pdf')), skillText('pdf', 'Mine.'));
    const made = workspace({ [at('pdf')]: skillText('pdf') });
    expect((await made.mochi('skills')).out).not.toContain('~/.claude');
    const { out, err } = await made.mochi('skills', '--user');
    expect(out).toContain('~/.claude/skills');
    expect(err).toContain('Claude Code uses the skill of this name in ~/.claude/skills instead.');
    expect(err).toContain('VS Code uses the skill of this name in .claude/skills instead.');
    rmSync(join(home, '.claude'), { recursive: true });
  });
});
