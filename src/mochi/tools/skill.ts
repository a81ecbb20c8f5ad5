/**
 * `skill`: instructions for a kind of task, loaded when they are needed. The listing stands in the tool's description,
 * the content comes as a result at the end of a conversation, so that nothing before it changes. It needs no engine
 * and nothing learned; without skills it is not listed.
 */
import { jsonObject } from '#core/json.ts';
import { SKILL_TOOL } from '#protocol/mochi.ts';
import { skillInput } from '#protocol/mochi-inputs.ts';
import { MochiFault } from '../limits.ts';
import type { SkillShelf } from '../skill-shelf.ts';
import { inputSchemaOf, invalid, type MochiTool } from './tool.ts';

export interface SkillTool {
  readonly name: string;
  /** As it is listed now; undefined while there are no skills. */
  listed(compact: boolean): Promise<Pick<MochiTool, 'name' | 'title' | 'description' | 'inputSchema'> | undefined>;
  /** Checks `args`; the answer reads the skill. Throws a MochiFault that names the field. */
  prepare(args: unknown): () => Promise<string>;
}

/** Claude Code cuts tool descriptions after so many bytes when it defers tools; names come before that. */
const SEEN_BYTES = 2_048;
/** UTF-16 units of a description in a compact list. */
const COMPACT = 100;
/** UTF-16 units of names in a refusal. */
const MAX_NAMES = 4_000;

const ABOUT =
  'Load a skill: instructions and files for one kind of task, kept for this code base or by its person. Load it before you begin a task that one of these fits.';
const ABOUT_COMPACT = 'Load the instructions for a kind of task before you begin it.';

export function createSkillTool(shelf: SkillShelf): SkillTool {
  return {
    name: SKILL_TOOL,
    async listed(compact) {
      const { text, described, named } = await shelf.listing(compact ? { shorterThan: COMPACT } : {});
      const names = [...described, ...named].sort();
      if (names.length === 0) return undefined;
      const whole = `${compact ? ABOUT_COMPACT : ABOUT}\n${text}`;
      const isWhole = new TextEncoder().encode(whole).length <= SEEN_BYTES;
      const first = `${compact ? ABOUT_COMPACT : ABOUT}\nThe skills: ${names.join(', ')}.`;
      const more = text.split('\n').filter((line) => line.includes(': '));
      return {
        name: SKILL_TOOL,
        title: 'Load a skill',
        description: isWhole ? whole : [first, ...more].join('\n'),
        inputSchema: compact ? COMPACT_INPUT : inputSchemaOf(skillInput),
      };
    },
    prepare(args) {
      const parsed = skillInput.safeParse(args);
      if (!parsed.success) throw invalid(SKILL_TOOL, parsed.error.issues);
      return async () => {
        const found = await shelf.content(parsed.data.skill);
        if ('text' in found) return found.text;
        throw unknownSkill(parsed.data.skill, found.names);
      };
    },
  };
}

const COMPACT_INPUT = jsonObject([
  ['type', 'object'],
  ['properties', jsonObject([['skill', jsonObject([['type', 'string']])]])],
  ['required', ['skill']],
]);

/** Says which there are; what was asked for is shown in part only and cannot be taken for more than a name. */
function unknownSkill(asked: string, names: readonly string[]): MochiFault {
  if (names.length === 0)
    return new MochiFault('invalid', 'There are no skills here.', {
      field: 'skill',
      remedy: 'Skills lie in folders under .claude/skills, .github/skills or .agents/skills.',
    });
  const shown = JSON.stringify([...asked].slice(0, 64).join('')).replace(/[<>\p{Cf}]/gu, '');
  const all = names.join(', ');
  const some = all.length <= MAX_NAMES ? all : `${all.slice(0, all.lastIndexOf(', ', MAX_NAMES))} and others`;
  return new MochiFault('invalid', `There is no skill ${shown}.`, {
    field: 'skill',
    remedy: `Use one of these names: ${some}.`,
  });
}
