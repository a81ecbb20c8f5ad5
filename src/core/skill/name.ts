/** Names and descriptions of skills, valid by construction whatever a server calls itself. */
import type { Catalog } from '../model.ts';
import type { Problem, Reported } from '../problem.ts';
import { domainNouns, wordsOf } from './words.ts';

/** The specification's limit. */
const MAX_NAME = 64;
/** Words that Agent Skills reserve. */
const RESERVED = /anthropic|claude/g;
/** Names that Windows keeps for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
/** Folder names that clients use for themselves. */
const TAKEN = new Set(['workspace', 'computer-use', 'synced']);

/** A valid skill name: `a-z0-9-`, 1 to 64 long, no double or outer hyphen, nothing reserved. */
export function skillNameOf(server: string): string {
  const slug = server
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(RESERVED, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '');
  if (slug === '') return 'mcp-server';
  return DEVICE.test(slug) || TAKEN.has(slug) ? `mcp-${slug}` : slug;
}

/** One name a server, in the given order; the second of two equal slugs gets a number, and a problem says so. */
export function skillNames(servers: readonly string[]): Reported<readonly string[]> {
  const problems: Problem[] = [];
  const used = new Map<string, string>();
  const value = servers.map((server) => {
    const wanted = skillNameOf(server);
    let name = wanted;
    for (let count = 2; used.has(name); count++)
      name = `${wanted.slice(0, MAX_NAME - String(count).length - 1)}-${count}`;
    if (name !== wanted)
      problems.push({
        kind: 'skill-collision',
        severity: 'warning',
        message: `The servers "${used.get(wanted) ?? ''}" and "${server}" both make the skill name ${wanted}; the second becomes ${name}.`,
        remedy: 'Rename one of the servers, or generate them one at a time with --name.',
        server,
      });
    used.set(name, server);
    return name;
  });
  return { value, problems };
}

/** Most nouns a description names, and their longest list in characters: every session pays for this line. */
const MAX_NOUNS = 6;
const MAX_TOPICS = 90;

/** Nouns that have no plural, or none that anyone says. */
const UNCOUNTABLE =
  /(?:data|research|content|usage|feedback|access|auth|history|info|metadata|maintenance|status|sql|us|is|ss)$/;

function plural(noun: string): string {
  const last = noun.split(' ').at(-1) ?? noun;
  if (!/^[a-z]{4,}$/.test(last) || UNCOUNTABLE.test(noun)) return noun;
  if (/(?:s|x|ch|sh)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** The tools that none of the nouns speaks of, as phrases made of their names. */
function phrasesOf(
  names: readonly string[],
  nouns: readonly string[],
  without: ReadonlySet<string>,
): readonly string[] {
  return names
    .filter((name) => /^[\p{L}\p{N}_. -]{1,40}$/u.test(name))
    .map((name) =>
      wordsOf(name)
        .filter((word) => !without.has(word))
        .join(' '),
    )
    .filter((phrase) => phrase !== '' && !nouns.some((noun) => phrase.includes(noun)));
}

/**
 * The listing text: third person, what and when, with the server's own domain nouns so that it triggers. Built from
 * names alone: a server's prose never reaches the one line that every session loads.
 */
export function skillDescription(catalog: Catalog): string {
  const label =
    catalog.server
      .replace(/[^\p{L}\p{N}._/-]+/gu, ' ')
      .replace(/-{2,}/g, '-')
      .trim() || 'configured';
  const server = label.slice(0, 60).trim();
  const names = catalog.tools.map((tool) => tool.name);
  const own = new Set([...wordsOf(label), 'mcp', 'api']);
  const topics: string[] = [];
  const add = (topic: string): void => {
    const isRepeated =
      topics.length > 1 &&
      topic.split(' ').some((word) => word !== topic && (topics.includes(word) || topics.includes(plural(word))));
    const isFull = topics.length >= MAX_NOUNS || topics.join(', ').length + topic.length > MAX_TOPICS;
    if (!isFull && !isRepeated && !topics.includes(topic) && topic.length <= 30) topics.push(topic);
  };
  const nouns = domainNouns(names, own);
  for (const noun of nouns) add(plural(noun));
  // Where most tools are named by what they do (search, extract, crawl), that is what people ask for.
  const phrases = phrasesOf(names, nouns.slice(0, MAX_NOUNS), own);
  if (phrases.length * 2 > names.length) for (const phrase of phrases) add(phrase);
  return `Calls the ${server} MCP server. Use for ${topics.length === 0 ? `tasks with ${server}` : topics.join(', ')}.`;
}
