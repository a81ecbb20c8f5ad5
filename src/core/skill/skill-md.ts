/**
 * The one file where hostile server text becomes SKILL.md (invariant I5). Claude Code treats a skill's body as
 * input to run: it executes `` !`cmd` `` and fenced `!` blocks, attaches `@file`, substitutes `$0`, `$ARGUMENTS` and
 * `${CLAUDE_…}`. Everything a server says is made inert here; layouts only arrange what these functions return.
 */
/** Invisible or unprintable: controls, format characters, line and paragraph separators, lone surrogates, non-characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/gu;
/** What may stand on the left of a joiner inside an emoji: a pictograph, a skin tone, a variation selector. */
const LEFT = '(?:\\p{Extended_Pictographic}|\\p{Emoji_Modifier}|\\ufe0f)';
/** Zero-width joiners that bind emoji and therefore stay. */
const EMOJI_JOINT = new RegExp(`(?<=${LEFT})\\u200d(?=\\p{Extended_Pictographic})`, 'gu');

const entity = (char: string): string => `&#${char.codePointAt(0) ?? 0};`;

/** Removes what a person could not see, apart from the joints of emoji; line breaks become spaces or stay. */
function visible(text: string, keepLines: boolean): string {
  const shown = (part: string): string =>
    part.replace(UNSEEN, (char) => (char === '\n' && keepLines ? '\n' : /\s/.test(char) ? ' ' : ''));
  return text.split(EMOJI_JOINT).map(shown).join('\u200d');
}

/** Breaks every trigger a client looks for in a skill's body, by writing one character of it as an entity. */
function disarm(text: string): string {
  return text
    .replace(/`{3,}/g, (run) => "'".repeat(run.length))
    .replace(/!(?=[`[])/g, entity)
    .replace(/@(?=\S)/g, entity)
    .replace(/\$(?=[\w{(])/g, entity)
    .replace(/<(?=[\p{L}/!?])/gu, '&lt;')
    .replace(/\]\((?!https?:\/\/)/gi, ']&#40;');
}

/** Server text as part of one line: no line breaks, nothing a client or a Markdown reader would act on. */
export function inline(text: string): string {
  return disarm(visible(text, false).replace(/\s+/g, ' ').trim());
}

/**
 * Server text as a block of its own. One line stays a plain paragraph; several become a quotation, so that headings,
 * fences or lists in it cannot reach what stands around it.
 */
export function paragraph(text: string): string {
  const lines = disarm(visible(text.replace(/\r\n?/g, '\n'), true))
    .split('\n')
    .map((line) => line.replace(/^\s*\[([^\]]*)\]:/, '&#91;$1]:').trimEnd());
  while (lines[0]?.trim() === '') lines.shift();
  while (lines.at(-1)?.trim() === '') lines.pop();
  if (lines.length <= 1) return startOfLine((lines[0] ?? '').trim());
  const indent = Math.min(
    ...lines
      .slice(1)
      .filter((line) => line !== '')
      .map((line) => line.search(/\S/)),
  );
  return lines
    .map((line, index) =>
      index === 0 ? line.trimStart() : line.slice(Math.min(indent, Math.max(0, line.search(/\S/)))),
    )
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Keeps a line of text from being read as a heading, list, quotation, rule or fence where a line begins with it. */
export function startOfLine(text: string): string {
  return text.replace(/^([#>*+=~|-]|\d+[.)])/, '\\$1').replace(/^\[/, '&#91;');
}

/** A name as a code span: whatever could end the span or the line is replaced, an exclamation mark too: before the closing backtick it would run. */
export function code(name: string): string {
  return `\`${inline(name).replaceAll('`', "'").replaceAll('!', '&#33;')}\``;
}

/** Words that say nothing at the end of a cut sentence. */
const DANGLING =
  /(?:[\s,;:–—-]+(?:a|an|and|any|as|at|by|for|from|has|in|into|its?|of|on|or|that|the|their|this|to|using|which|with|your?))+$/i;

/** The first sentence of a description, at most `limit` characters, cut between words and marked with `…` where cut. */
export function firstSentence(text: string, limit: number): string {
  // Prompt-like tags around a description say nothing in a summary.
  const flat = visible(text, false)
    .replace(/<\/?[A-Za-z][\w-]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const end = /[.!?](?=\s+[\p{Lu}\p{Lo}\p{Extended_Pictographic}*#([<-]|\s*$)|[。！？]/u.exec(skipAbbreviations(flat));
  const sentence = end === null ? flat : flat.slice(0, end.index + (/[。！？]/u.test(end[0]) ? 1 : 0));
  const trimmed = sentence.replace(/[.:;,\s]+$/, '');
  const points = [...trimmed];
  if (points.length <= limit) return trimmed;
  const head = points.slice(0, limit).join('');
  const space = points[limit] === ' ' ? head.length : head.lastIndexOf(' ');
  const words = (space > limit / 2 ? head.slice(0, space) : head).replace(/[.:;,\s]+$/, '').replace(DANGLING, '');
  return `${words}…`;
}

/** The same length, with the points of common abbreviations hidden, so that `e.g. X` ends no sentence. */
function skipAbbreviations(text: string): string {
  return text.replace(/\b(?:e\.g|i\.e|etc|vs|approx|incl|cf|no)\./gi, (match) => match.replaceAll('.', '_'));
}

/** A frontmatter value: always one double-quoted line, without what a validator or a splitter trips over. */
export function frontmatterString(text: string, limit: number): string {
  const flat = visible(text, false).replace(/[<>]/g, '').replace(/-{3,}/g, '--').replace(/\s+/g, ' ').trim();
  return JSON.stringify(cut(flat, limit));
}

/** At most `limit` in code points and in UTF-16 units alike (validators differ in which they count). */
function cut(text: string, limit: number): string {
  let kept = '';
  for (const char of text) {
    if (kept.length + char.length > limit) return kept.trimEnd();
    kept += char;
  }
  return kept;
}

/** What stands between the first two `---` lines: only keys that every validator of Agent Skills allows. */
export interface Frontmatter {
  readonly name: string;
  readonly description: string;
  readonly allowedTools?: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Longest description the Agent Skills specification allows. */
export const MAX_SKILL_DESCRIPTION = 1_024;

/** A kebab name that no YAML reader takes for anything but a string needs no quotes, which cost tokens. */
const PLAIN_NAME = /^(?!(?:yes|no|on|off|true|false|null|y|n|nan|inf)$)[a-z][a-z0-9-]*$/;

export function frontmatterText(frontmatter: Frontmatter): string {
  const lines = [
    '---',
    `name: ${PLAIN_NAME.test(frontmatter.name) ? frontmatter.name : JSON.stringify(frontmatter.name)}`,
    `description: ${frontmatterString(frontmatter.description, MAX_SKILL_DESCRIPTION)}`,
    ...(frontmatter.allowedTools === undefined ? [] : [`allowed-tools: ${JSON.stringify(frontmatter.allowedTools)}`]),
    'metadata:',
    ...Object.entries(frontmatter.metadata).map(([key, value]) => `  ${key}: ${frontmatterString(value, 200)}`),
    '---',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * A value given to a shell in a printed command, in single quotes that hold in POSIX shells. The JSON must be one
 * that SKILL.md may hold: our own example values only, never server text.
 */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A plain word a shell takes as it is; anything else is quoted. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}
