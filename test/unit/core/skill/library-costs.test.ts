/** What skills cost in Claude Code: only what it reads counts, by the name it calls, without the front matter. */
import { describe, expect, it } from 'vitest';
import type { TokenCounter } from '../../../../src/core/ports.ts';
import { createSkillLoader, findOffered } from '../../../../src/core/skill/library.ts';
import { calledName, measureSkills, type SkillCost } from '../../../../src/core/skill/library-costs.ts';
import { memoryFiles, skillText } from '../../../support/skill-files.ts';

const counter: TokenCounter = {
  name: 'units',
  exact: false,
  count: async (texts) => texts.map((text) => text.length),
};

async function measure(texts: Readonly<Record<string, string>>) {
  const loader = createSkillLoader({ folders: ['/ws'], home: '/home/me' }, memoryFiles(texts));
  const library = await loader.load();
  const measured = await measureSkills(library, counter);
  const costOf = (display: string): SkillCost | undefined => {
    const skill = library.skills.find(({ root, folderName }) => `${root.display}/${folderName}` === display);
    return skill === undefined ? undefined : measured.costs.get(skill.path);
  };
  return { library, measured, costOf };
}

describe('the cost of skills', () => {
  it('counts the skill that Claude Code reads, though VS Code takes another of its name', async () => {
    const { measured, costOf, library } = await measure({
      '/ws/.claude/skills/good/SKILL.md': skillText('good', 'Mine.'),
      '/ws/.github/skills/good/SKILL.md': skillText('good', 'Theirs.', '', 'Other.'),
    });
    const { length } = '- good: Mine.';
    expect(costOf('.claude/skills/good')).toMatchObject({ listing: length, listed: 'description' });
    expect(costOf('.claude/skills/good')?.hiddenFor).toEqual(['vscode']);
    expect(costOf('.github/skills/good')).toMatchObject({ listing: 0, listed: 'no', hiddenFor: [] });
    expect(measured.listing).toMatchObject({ wanted: length, described: ['good'] });
    expect(findOffered(library, 'good')?.root.display).toBe('.claude/skills');
  });

  it('counts the personal skill in place of the project’s, which Claude Code does not take', async () => {
    const { costOf } = await measure({
      '/ws/.claude/skills/a/SKILL.md': skillText('a'),
      '/home/me/.claude/skills/a/SKILL.md': skillText('a', 'Mine.'),
    });
    expect(costOf('.claude/skills/a')).toMatchObject({ listing: 0, listed: 'no', hiddenFor: ['claude-code'] });
    expect(costOf('~/.claude/skills/a')).toMatchObject({ listed: 'description', hiddenFor: ['vscode'] });
  });

  it('counts the body alone, and calls a skill by its folder', async () => {
    const { library, measured, costOf } = await measure({
      '/ws/.claude/skills/Upper_Case/SKILL.md': skillText('upper', 'Does it.', '', 'Hi'),
    });
    expect(library.skills.map(calledName)).toEqual(['Upper_Case']);
    expect(measured.listing.described).toEqual(['Upper_Case']);
    expect(costOf('.claude/skills/Upper_Case')).toMatchObject({ listing: '- Upper_Case: Does it.'.length });
    expect(costOf('.claude/skills/Upper_Case')?.body).toBe('\nHi\n'.length);
  });

  it('is nothing in a session for a skill that no model may load, and a name alone for one without fields', async () => {
    const { costOf } = await measure({
      '/ws/.claude/skills/manual/SKILL.md': skillText('manual', 'x', 'disable-model-invocation: true\n'),
      '/ws/.claude/skills/bad/SKILL.md': '---\nname: "bad\ndescription: x\n---\nBody\n',
    });
    expect(costOf('.claude/skills/manual')).toMatchObject({ listing: 0, listed: 'no' });
    expect(costOf('.claude/skills/bad')?.listing).toBe('- bad'.length);
  });
});
