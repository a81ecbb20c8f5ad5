/** What installed skills cost: each one's line in the listing in every session, its body once it is loaded. */
import type { TokenCounter } from '../ports.ts';
import { offeredSkills, type SkillLibrary } from './library.ts';
import { listingOf, type SkillListing } from './library-text.ts';

/** Tokens of one skill. */
export interface SkillCost {
  /** Of its line in the listing, which is paid for in every session; 0 where it is not offered. */
  readonly listing: number;
  /** Of its body, once it is loaded. */
  readonly body: number;
}

export interface LibraryCosts {
  /** By the path of SKILL.md. */
  readonly costs: ReadonlyMap<string, SkillCost>;
  /** What of the listing fits its budget. */
  readonly listing: SkillListing;
  /** The tokenizer's name. */
  readonly tokenizer: string;
}

export async function measureSkills(
  library: SkillLibrary,
  counter: TokenCounter,
  signal?: AbortSignal,
): Promise<LibraryCosts> {
  const offered = offeredSkills(library);
  const lines = offered.map((skill) => listingOf([skill], { limit: Number.POSITIVE_INFINITY }).text);
  const bodies = library.skills.map(({ body }) => body);
  const counts = await counter.count([...lines, ...bodies], signal);
  const lineOf = new Map(offered.map(({ path }, index) => [path, counts[index] ?? 0]));
  const costs = library.skills.map(({ path }, index): [string, SkillCost] => [
    path,
    { listing: lineOf.get(path) ?? 0, body: counts[lines.length + index] ?? 0 },
  ]);
  return { costs: new Map(costs), listing: listingOf(offered), tokenizer: counter.name };
}
