/**
 * The names under which the gateway shows the tools and prompts of many servers: `server__tool`, of the characters and
 * the length that every client takes, and never the same for two of them. Which name a thing has depends on nothing
 * but the names there are, so that they stay from one start to the next.
 */
import { sha256 } from '#node/digest.ts';

/** The limit of the Messages API for the name of a tool. */
export const MAX_NAME = 64;
const SEPARATOR = '__';
const HASH = 8;

export interface Origin {
  readonly server: string;
  readonly name: string;
}

function clean(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, '_');
}

/** What the full names of a server's tools begin with, unless they are too long for it. */
export function serverPrefix(server: string): string {
  return `${clean(server)}${SEPARATOR}`;
}

function plainName({ server, name }: Origin): string {
  return `${serverPrefix(server)}${clean(name)}`;
}

/** With a part that no other pair of server and name has. */
function hashedName(origin: Origin): string {
  const hash = sha256(`${origin.server}\u0000${origin.name}`).slice(0, HASH);
  return `${plainName(origin).slice(0, MAX_NAME - HASH - 1)}_${hash}`;
}

/** `short` leaves out the server's name wherever that leaves no doubt; such names change when servers are added. */
export type NameStyle = 'full' | 'short';

/** The public name of each origin, in their order. Of several that would be spelt alike, none keeps the plain name. */
export function publicNames(origins: readonly Origin[], style: NameStyle = 'full'): readonly string[] {
  const plain = style === 'full' ? origins.map(plainName) : shortNames(origins);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set<string>();
  return origins.map((origin, index) => {
    const wanted = plain[index] ?? '';
    let name = wanted.length <= MAX_NAME && counts.get(wanted) === 1 ? wanted : hashedName(origin);
    for (let again = 2; taken.has(name); again++) name = `${name.slice(0, MAX_NAME - 4)}_${again}`;
    taken.add(name);
    return name;
  });
}

function shortNames(origins: readonly Origin[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { name } of origins) counts.set(clean(name), (counts.get(clean(name)) ?? 0) + 1);
  return origins.map((origin) => (counts.get(clean(origin.name)) === 1 ? clean(origin.name) : plainName(origin)));
}

/** Up to `most` of `names` that somebody who wrote `word` could have meant, the likeliest first. */
export function likeNames(word: string, names: readonly string[], most = 5): readonly string[] {
  const wanted = pairsOf(word);
  const score = (name: string): number => {
    const pairs = pairsOf(name);
    let common = 0;
    for (const pair of pairs) if (wanted.has(pair)) common++;
    return wanted.size + pairs.size === 0 ? 0 : (2 * common) / (wanted.size + pairs.size);
  };
  return names
    .map((name) => ({ name, score: score(name) }))
    .filter((one) => one.score >= 0.4)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** Neighbouring letters, the order of words and their separators apart. */
function pairsOf(text: string): ReadonlySet<string> {
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ');
  const pairs = new Set<string>();
  for (let at = 0; at + 1 < letters.length && at < 200; at++) pairs.add(letters.slice(at, at + 2));
  return pairs;
}

/** Whether a rule such as `delete_*`, `github/delete_*` or `github/*` speaks of a server's tool. */
export function matchesRule(rule: string, { server, name }: Origin): boolean {
  const slash = rule.indexOf('/');
  const glob = (pattern: string, text: string): boolean => {
    const source = pattern.replace(/[\\^$.*+?()[\]{}|]/g, (char) => (char === '*' ? '[^]*' : `\\${char}`));
    return new RegExp(`^${source}$`, 'u').test(text);
  };
  // Names of tools may hold a slash themselves.
  return glob(rule, name) || (slash > 0 && glob(rule.slice(0, slash), server) && glob(rule.slice(slash + 1), name));
}
