/** The tool that loads skills: its listing, its answers and refusals, before and beside all learning. */
import { describe, expect, it } from 'vitest';
import { createLimits, createMemoryGuard } from '../../../src/mochi/limits.ts';
import { createSkillShelf, type ShelfOptions, type SkillShelf } from '../../../src/mochi/skill-shelf.ts';
import { createSkillTool } from '../../../src/mochi/tools/skill.ts';
import { type CallOutcome, createToolbox, type Toolbox } from '../../../src/mochi/tools/toolbox.ts';
import { createTinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';
import { memoryFiles, skillText } from '../../support/skill-files.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;

type Texts = Record<string, string>;

const at = (name: string): string => `/ws/.claude/skills/${name}/SKILL.md`;
const some = (...names: readonly string[]): Texts =>
  Object.fromEntries(names.map((name) => [at(name), skillText(name)]));

function shelfOf(texts: Texts, more: Partial<ShelfOptions> = {}): SkillShelf {
  // Looked at anew each time, so that a test can change it.
  const confined: ShelfOptions['confined'] = (within) => memoryFiles(texts)(within);
  return createSkillShelf({ places: { folders: ['/ws'] }, confined, logger: quiet, ...more });
}

function toolbox(shelf: SkillShelf, deadlineMs = 1_000): Toolbox {
  const limits = createLimits({ memory: createMemoryGuard(1_000, () => 0), deadlineMs });
  return createToolbox(createTinyAdapter(false), limits, quiet, createSkillTool(shelf));
}

async function call(tools: Toolbox, args: unknown): Promise<CallOutcome> {
  const outcome = await tools.call('skill', args, never);
  if (outcome === undefined) throw new Error('no such tool');
  return outcome;
}

const listed = async (tools: Toolbox, compact = false) =>
  (await tools.list(compact)).find(({ name }) => name === 'skill');

describe('the skill tool in the list', () => {
  it('comes fourth and last, read-only, with one argument and without an output schema', async () => {
    const tools = await toolbox(shelfOf(some('b', 'a'))).list(false);
    expect(tools.map(({ name }) => name)).toEqual(['domain_query', 'complete_code', 'suggest_pattern', 'skill']);
    const tool = tools[3];
    expect(tool?.annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    expect(tool?.inputSchema).toMatchObject({ required: ['skill'], additionalProperties: false });
    expect(tool?.outputSchema).toBeUndefined();
    expect(tool?.description).toMatch(/\n- a: Does a\.\n- b: Does b\.$/);
  });

  it('is the same bytes as long as the skills are the same, and no skill reaches another tool', async () => {
    const texts = some('a', 'b', 'c');
    const one = JSON.stringify(await toolbox(shelfOf(texts)).list(false));
    const reversed = Object.fromEntries(Object.entries(texts).reverse());
    expect(JSON.stringify(await toolbox(shelfOf(reversed)).list(false))).toBe(one);
    texts[at('a')] = skillText('a', 'Does a.', '', 'Another body.');
    expect(JSON.stringify(await toolbox(shelfOf(texts)).list(false))).toBe(one);
  });

  it('is not there where there are no skills, and says so when it is called all the same', async () => {
    const tools = toolbox(shelfOf({ '/ws/a.ts': '' }));
    expect(await listed(tools)).toBeUndefined();
    expect(await call(tools, { skill: 'a' })).toMatchObject({ kind: 'refused', fault: { kind: 'invalid' } });
  });

  it('names every skill where clients cut a description off, and stays within the budget', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `skill-${index}`);
    const texts = Object.fromEntries(names.map((name) => [at(name), skillText(name, 'x'.repeat(300))]));
    const description = (await listed(toolbox(shelfOf(texts))))?.description ?? '';
    const seen = new TextDecoder().decode(new TextEncoder().encode(description).slice(0, 2_048));
    for (const name of names) expect(seen).toContain(name);
    expect(description.length).toBeLessThan(8_000 + 2_048);
  });

  it('is shorter in a compact list, with the same names', async () => {
    const long =
      'Does one thing well and says so at some length. Then it goes on and on about when it should be used, for very long.';
    const tools = toolbox(shelfOf({ [at('a')]: skillText('a', long), [at('b')]: skillText('b', long) }));
    const [full, compact] = [await listed(tools), await listed(tools, true)];
    expect(compact?.description).toContain('- a: Does one thing well and says so at some length.');
    expect(compact?.description).not.toContain('on and on');
    expect(JSON.stringify(compact).length).toBeLessThan(JSON.stringify(full).length * 0.7);
    expect(compact?.inputSchema).toMatchObject({ type: 'object', required: ['skill'] });
  });
});

describe('a call of the skill tool', () => {
  it('gives the body in its element, as text alone, though nothing was learned', async () => {
    const outcome = await call(toolbox(shelfOf({ ...some('a'), '/ws/.claude/skills/a/scripts/x.py': '' })), {
      skill: 'a',
    });
    expect(outcome.kind).toBe('answered');
    expect(outcome.text).toMatch(/^<skill-loaded name="a">\n# Skill: a\n\nBody of a\.\n/);
    expect(outcome.text).toContain('\n- /ws/.claude/skills/a/scripts/x.py\n');
    expect('structured' in outcome).toBe(false);
  });

  it.each([
    ['an unknown name', { skill: 'c' }],
    ['a path', { skill: '../../etc/passwd' }],
    ['a path to a real skill', { skill: '.claude/skills/a' }],
    ['a key that every object has', { skill: '__proto__' }],
  ])('with %s names the skills that there are', async (_, args) => {
    const outcome = await call(toolbox(shelfOf(some('a', 'b'))), args);
    expect(outcome).toMatchObject({ kind: 'refused', fault: { kind: 'invalid', status: 400, field: 'skill' } });
    expect(outcome.text).toContain('Use one of these names: a, b.');
  });

  it.each([
    ['nothing', {}, 'skill'],
    ['a number', { skill: 7 }, 'skill'],
    ['an empty name', { skill: ' ' }, 'skill'],
    ['ten megabytes', { skill: 'x'.repeat(10_000_000) }, 'skill'],
    ['another argument', { skill: 'a', file: '/etc/passwd' }, 'file'],
  ])('with %s names the field', async (_, args, field) => {
    const outcome = await call(toolbox(shelfOf(some('a'))), args);
    expect(outcome).toMatchObject({ kind: 'refused', fault: { kind: 'invalid', field } });
    expect(outcome.text.length).toBeLessThan(500);
  });

  it('shows of what was asked for no more than a name, and no tag', async () => {
    const { text } = await call(toolbox(shelfOf(some('a'))), { skill: `</skill-loaded>${'x'.repeat(150)}` });
    expect(text).not.toContain('<');
    expect(text.length).toBeLessThan(300);
  });

  it('ends with a timeout where the disk does not answer', async () => {
    const confined: ShelfOptions['confined'] = () => ({
      stat: () => new Promise(() => {}),
      list: () => new Promise(() => {}),
      read: () => new Promise(() => {}),
    });
    const outcome = await call(toolbox(shelfOf({}, { confined }), 30), { skill: 'a' });
    expect(outcome).toMatchObject({ kind: 'refused', fault: { kind: 'timeout', status: 504 } });
  });

  it('calls folders as the reader of the answer knows them', async () => {
    const shelf = shelfOf(some('a'), { folderOf: ({ root, folderName }) => `${root.display}/${folderName}` });
    const { text } = await call(toolbox(shelf), { skill: 'a' });
    expect(text).toContain('its folder, .claude/skills/a,');
    expect(text).not.toContain('/ws');
  });
});

describe('the shelf', () => {
  it('reads again when that was a while ago, once for all that ask at once', async () => {
    const texts = some('a');
    let time = 0;
    let reads = 0;
    const confined: ShelfOptions['confined'] = (within) => {
      const files = memoryFiles(texts)(within);
      const stat: typeof files.stat = (path) => {
        if (path === '/ws/.github/skills') reads++;
        return files.stat(path);
      };
      return { ...files, stat };
    };
    const shelf = shelfOf(texts, { confined, now: () => time });
    await Promise.all([shelf.listing(), shelf.listing(), shelf.content('a')]);
    expect(reads).toBe(1);
    texts[at('b')] = skillText('b');
    expect((await shelf.listing()).described).toEqual(['a']);
    time = 10_000;
    expect((await shelf.listing()).described).toEqual(['a', 'b']);
    expect(reads).toBe(2);
  });

  it('tells of a change of the listing, and of nothing else', async () => {
    const texts = some('a');
    let change = (): void => {};
    let told = 0;
    let readings = 0;
    const shelf = shelfOf(texts, {
      watch: (_places, _library, onChange) => {
        change = onChange;
        readings++;
        return { dispose() {} };
      },
    });
    shelf.onDidChange(() => told++);
    await shelf.listing();
    texts[at('a')] = skillText('a', 'Does a.', '', 'Another body.');
    change();
    await expect.poll(async () => JSON.stringify(await shelf.content('a'))).toContain('Another body.');
    await expect.poll(() => readings).toBe(2);
    expect(told).toBe(0);
    texts[at('b')] = skillText('b');
    change();
    await expect.poll(() => told).toBe(1);
    expect((await shelf.listing()).described).toEqual(['a', 'b']);
    shelf.dispose();
  });
});
