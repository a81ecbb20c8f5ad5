/**
 * What installed skills cost in Claude Code, the client whose budget is documented: the line of each in the listing of
 * every session, and its body once it is loaded. It counts what Claude Code reads (the folders it looks in, of one name
 * the one it takes, called by its folder), whatever VS Code or Mochi's own tool make of the same folders.
 */
import type { TokenCounter } from '../ports.ts';
import type { InstalledSkill, SkillLibrary } from './library.ts';
import type { SkillClient } from './library-places.ts';
import { hiddenFrom } from './library-shadowing.ts';
import { listingOf, type SkillListing } from './library-text.ts';

/** Tokens of one skill. */
export interface SkillCost {
  /** Of its line in Claude Code's listing, which is paid for in every session; 0 where it is not listed. */
  readonly listing: number;
  /** Of its body without the front matter, once it is loaded. */
  readonly body: number;
  /** How Claude Code lists it: a name alone where the budget is used up. */
  readonly listed: 'description' | 'name' | 'no';
  /** The clients that take another skill of the same name. */
  readonly hiddenFor: readonly SkillClient[];
}

export interface LibraryCosts {
  /** By the path of SKILL.md. */
  readonly costs: ReadonlyMap<string, SkillCost>;
  /** What of Claude Code's listing fits its budget, by the names that skills are called by. */
  readonly listing: SkillListing;
  /** The tokenizer's name. */
  readonly tokenizer: string;
}

/** The name that Claude Code calls a skill by: its folder's, behind its plugin's. */
export function calledName({ folderName, root }: InstalledSkill): string {
  return root.plugin === undefined ? folderName : `${root.plugin}:${folderName}`;
}

export async function measureSkills(
  library: SkillLibrary,
  counter: TokenCounter,
  signal?: AbortSignal,
): Promise<LibraryCosts> {
  const hidden = {
    'claude-code': hiddenFrom('claude-code', library.skills),
    vscode: hiddenFrom('vscode', library.skills),
  };
  // A nested project's skills come in when Claude Code works there: they count as if it did.
  const listed = library.skills
    .filter((skill) => skill.root.readBy.includes('claude-code') && !skill.isManual)
    .filter(({ path }) => !hidden['claude-code'].has(path))
    .map((skill) => ({ ...skill, name: calledName(skill) }));
  const lines = listed.map((skill) => listingOf([skill], { limit: Number.POSITIVE_INFINITY }).text);
  const counts = await counter.count([...lines, ...library.skills.map(({ body }) => body)], signal);
  const lineOf = new Map(listed.map(({ path }, index) => [path, counts[index] ?? 0]));
  const listing = listingOf(listed);
  const named = new Set(listing.named);
  const costs = library.skills.map((skill, index): [string, SkillCost] => {
    const { path, root } = skill;
    const line = lineOf.get(path);
    return [
      path,
      {
        listing: line ?? 0,
        body: counts[lines.length + index] ?? 0,
        listed: line === undefined ? 'no' : named.has(calledName(skill)) ? 'name' : 'description',
        hiddenFor: root.readBy.filter((client) => hidden[client].has(path)),
      },
    ];
  });
  return { costs: new Map(costs), listing, tokenizer: counter.name };
}
