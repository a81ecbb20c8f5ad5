/**
 * What agents read of a library: the listing, one line a skill within a budget, and a skill's content inside
 * `<skill-loaded>`, as the skill mechanism of the specification has them. What a skill's author wrote is foreign text:
 * it is made unable to end or imitate the element it stands in. The same library always gives the same bytes.
 */
import { safeDescription } from '../catalog/compact.ts';
import { LISTING_BUDGET_CHARS, LISTING_ENTRY_CHARS } from '../tokens.ts';
import type { InstalledSkill } from './library.ts';

/** The listing, and how much of it had to stay without its description. */
export interface SkillListing {
  readonly text: string;
  /** Skills with their description. */
  readonly described: readonly string[];
  /** Skills that are only named, because their description does not fit. */
  readonly named: readonly string[];
  /** UTF-16 units that all lines with all descriptions would take. */
  readonly wanted: number;
  readonly limit: number;
}

export interface ListingOptions {
  /** UTF-16 units; Claude Code gives all skills one percent of a 200,000-token window. */
  readonly limit?: number;
  /** Cuts each description after its first sentence, or at this length. */
  readonly shorterThan?: number;
}

/** Whose description is kept longest where not all fit: what belongs to the project first. */
const KEPT_FIRST = ['project', 'nested', 'personal', 'plugin'] as const;

/**
 * One line `- name: description` a skill, sorted by name. Where that is over the limit, descriptions are left out,
 * those of plugins first and of the project last; a name is never left out.
 */
export function listingOf(skills: readonly InstalledSkill[], options: ListingOptions = {}): SkillListing {
  const { limit = LISTING_BUDGET_CHARS, shorterThan } = options;
  const entries = skills
    .map((skill) => ({
      skill,
      name: skill.name,
      line: `- ${[skill.name, descriptionLine(skill, shorterThan)].filter((part) => part !== '').join(': ')}`,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const bare = (name: string): string => `- ${name}`;
  const lengthOf = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + line.length, Math.max(0, lines.length - 1));
  const wanted = lengthOf(entries.map(({ line }) => line));
  let left = limit - lengthOf(entries.map(({ name }) => bare(name)));
  const kept = new Set<string>();
  for (const scope of KEPT_FIRST)
    for (const { skill, name, line } of entries.filter((entry) => entry.skill.root.scope === scope)) {
      const more = line.length - bare(name).length;
      if (more > left) continue;
      left -= more;
      kept.add(skill.path);
    }
  const isKept = ({ skill }: { readonly skill: InstalledSkill }): boolean => kept.has(skill.path);
  return {
    text: entries.map((entry) => (isKept(entry) ? entry.line : bare(entry.name))).join('\n'),
    described: entries.filter(isKept).map(({ name }) => name),
    named: entries.filter((entry) => !isKept(entry)).map(({ name }) => name),
    wanted,
    limit,
  };
}

function descriptionLine({ description, whenToUse }: InstalledSkill, shorterThan: number | undefined): string {
  const whole = oneLine([description, whenToUse].filter((part) => part !== '').join(' '));
  const cut = shorterThan === undefined ? whole : safeDescription(whole, shorterThan);
  return escaped(cut.length > LISTING_ENTRY_CHARS ? `${cutAt(cut, LISTING_ENTRY_CHARS - 1)}…` : cut);
}

/** Without splitting a character in two. */
function cutAt(text: string, length: number): string {
  return text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length);
}

/** In one line, nothing in it that cannot be seen. */
function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export interface ContentOptions {
  /** What the folder of a skill is called where the text is read; absolute unless given. */
  readonly folderOf?: (skill: InstalledSkill) => string;
}

/**
 * The content of a skill as the answer of the Skill tool: heading, body, the files of its folder with whole paths, so
 * that they are found from wherever the agent works. A body is instructions by purpose and stays as it was written,
 * tags in it too; one rule holds for all of it: nothing in it can open or close the element it stands in. What Claude
 * Code would do with it, such as running what stands behind `!` and a backtick, attaching `@file` and replacing
 * `$ARGUMENTS`, is not done here: it stays text, and only the skill's own folder is put in. (The listing stands in a
 * tool's description, among text that is not the author's, and so has no tags at all.) It is appended to a conversation, so that nothing before it
 * changes and a cached prefix stays.
 */
export function contentOf(skill: InstalledSkill, options: ContentOptions = {}): string {
  const folder = (options.folderOf ?? ((one: InstalledSkill) => one.folder))(skill);
  const name = withoutElement(escaped(oneLine(skill.name)));
  const body = skill.body.trim().replaceAll('${CLAUDE_SKILL_DIR}', folder);
  const inside = [`# Skill: ${name}`, '', ...(body === '' ? [] : [body, '']), ...filesOf(skill, folder)];
  return [
    `<skill-loaded name="${name.replaceAll('"', '&quot;')}">`,
    withoutElement(inside.join('\n')),
    '</skill-loaded>',
    '',
    'Follow the instructions of the skill above.',
  ].join('\n');
}

function filesOf({ files, hasMoreFiles }: InstalledSkill, folder: string): readonly string[] {
  const about = `Paths in this skill are relative to its folder, ${plainPath(folder)}`;
  if (files.length === 0) return [`${about}, which holds no other files.`];
  return [
    `${about}. Its files:`,
    ...files.map((file) => `- ${plainPath(`${folder}/${file}`)}`),
    ...(hasMoreFiles ? ['- and more that are not named here'] : []),
  ];
}

/** A path as it is, or quoted where it holds what would not be seen as part of it. */
function plainPath(path: string): string {
  return escaped(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(path) ? JSON.stringify(path).replace(UNSEEN, codeOf) : path);
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const codeOf = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;

const ELEMENT = 'skillloaded';
/** Far enough to see the element's name behind spaces and invisible characters. */
const AHEAD = 200;

/** Text in which nothing reads as a beginning or an end of the element, however it is spelt. */
export function withoutElement(text: string): string {
  return text.replace(/[<\uFE64\uFF1C\u2039\u27E8]/g, (mark, at: number) => {
    const ahead = text
      .slice(at + 1, at + AHEAD)
      .normalize('NFKC')
      .replace(/[\s\p{Cc}\p{Cf}\p{M}\p{Pd}/\\_]/gu, '')
      .toLowerCase();
    return ahead.startsWith(ELEMENT) ? '&lt;' : mark;
  });
}
