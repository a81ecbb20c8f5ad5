/** Splits names into words, for stems, groups and the nouns of a domain. English only, on purpose. */

/** Lower-case words of an identifier: `getPullRequest`, `get-pull_request` → get, pull, request. */
export function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** What tools do rather than what they do it to. */
const VERBS = new Set(
  (
    'a add all an and apply approve archive as assign attach batch by call cancel check clear click clone close commit compare compress ' +
    'configure connect convert copy count create crawl delete deploy describe disable disconnect download drop dry edit enable ' +
    'execute exec explain export extract fetch find for force fork from generate get give go hide import in info inspect install ' +
    'into invoke is kill launch list load lock log lookup make manage map mark merge modify move multiple navigate new of on open or ' +
    'patch perform ping play poll post press print process promote publish pull purge push put query read rebuild record refresh ' +
    'register reject remove rename render reopen replace reply request reset resolve resource restart restore resume retrieve retry ' +
    'return reverse revert revoke rotate run save scale scan scrape screenshot scroll search select send set shell show simulate ' +
    'single sort start stat stop submit subscribe summarize swap swipe switch sync tail take tap test text the to toggle transfer ' +
    'trigger type uninstall unlock unpublish update upgrade upload use validate verify view wait watch with write yes'
  ).split(' '),
);

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 3 && /(?:ss|x|z|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^aius]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Two words that only together name a thing, though each is a verb elsewhere. */
const COMPOUNDS = new Set(['pull request', 'merge request', 'test plan', 'test case']);
/** Words that every server could use of itself. */
const EMPTY = new Set([
  'api',
  'mcp',
  'tool',
  'tools',
  'server',
  'data',
  'info',
  'status',
  'result',
  'results',
  'more',
  'self',
  'many',
  'other',
]);

/** The thing a tool's name speaks of, for example `pull request` for `create_pull_request`; empty where there is none. */
export function nounOf(name: string, without: ReadonlySet<string> = new Set()): string {
  const words = wordsOf(name).filter((word) => !without.has(word) && !EMPTY.has(word));
  for (let at = 0; at + 1 < words.length; at++) {
    const pair = `${words[at]} ${singular(words[at + 1] ?? '')}`;
    if (COMPOUNDS.has(pair)) return pair;
  }
  const first = words.findIndex((word) => !VERBS.has(word));
  if (first < 0) return '';
  const rest = words.slice(first);
  const end = rest.findIndex((word, index) => index > 0 && VERBS.has(word) && word !== 'request' && word !== 'log');
  const phrase = rest.slice(0, end < 0 ? 2 : Math.min(end, 2));
  return phrase.map((word, index) => (index === phrase.length - 1 ? singular(word) : word)).join(' ');
}

/**
 * The nouns of a set of tool names, the most frequent first, ties in order of appearance. A longer noun that only
 * repeats a commoner one (`issue comment` beside `issue`) stands behind the others.
 */
export function domainNouns(names: readonly string[], without: ReadonlySet<string>): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) {
    const noun = nounOf(name, without);
    if (noun.length > 1 && /^[\p{L}\p{N} ]+$/u.test(noun) && /\p{L}/u.test(noun))
      counts.set(noun, (counts.get(noun) ?? 0) + 1);
  }
  const repeats = (noun: string): number =>
    noun.includes(' ') && !COMPOUNDS.has(noun) && noun.split(' ').some((word) => counts.has(word)) ? 1 : 0;
  return [...counts]
    .sort(([a, countA], [b, countB]) => repeats(a) - repeats(b) || countB - countA)
    .map(([noun]) => noun);
}
