/**
 * Mochi's answers as documents in Markdown. What files and models say is foreign text: prose is escaped, code stands in
 * fences that it cannot close, and links lead only to files inside the learned folder. Knows nothing of VS Code.
 */
import type { DomainQueryResult, SuggestPatternResult } from '#protocol/mochi.ts';

export interface AnswerContext {
  /** The address of a line in a file of the learned folder, by path relative to it; undefined where it is none. */
  linkTo(file: string, line: number): string | undefined;
  /** The sentences around what Mochi says, in the person's language. */
  readonly words: {
    confidence(percent: number): string;
    engine(name: string, ms: number): string;
    nothing(): string;
    partial(): string;
    quoted(): string;
    relevance(percent: number): string;
    where(): string;
  };
}

/** The languages of fences by the ends of file names; others are shown plain. */
const FENCES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ts: 'typescript',
    tsx: 'tsx',
    mts: 'typescript',
    js: 'javascript',
    jsx: 'jsx',
    mjs: 'javascript',
    cjs: 'javascript',
    py: 'python',
    go: 'go',
    rs: 'rust',
    java: 'java',
    c: 'c',
    h: 'c',
    cc: 'cpp',
    cpp: 'cpp',
    hpp: 'cpp',
    cs: 'csharp',
    rb: 'ruby',
    php: 'php',
  }),
);

export function answerText(question: string, answer: DomainQueryResult, context: AnswerContext): string {
  const { words } = context;
  const percent = Math.round(answer.confidence * 100);
  const about = [words.confidence(percent), words.engine(line(answer.engine), Math.round(answer.inference_time_ms))];
  const passages = answer.passages.flatMap(({ file, line: at, text }) => [
    `### ${place(file, at, context)}`,
    fenced(text, FENCES.get(file.split('.').at(-1) ?? '') ?? ''),
  ]);
  // Where the answer is nothing but its passages, they are shown once, as code.
  const isQuoting = answer.passages.some(({ text }) => answer.response.includes(text.trim().slice(0, 200)));
  const parts = [
    `# ${line(question)}`,
    about.join(' · '),
    ...(answer.is_partial === true ? [`*${words.partial()}*`] : []),
    ...(isQuoting || answer.response.trim() === '' ? [] : [prose(answer.response)]),
    ...(passages.length === 0 ? [] : [words.quoted(), ...passages]),
    ...(passages.length === 0 && answer.response.trim() === '' ? [words.nothing()] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function patternsText(goal: string, answer: SuggestPatternResult, context: AnswerContext): string {
  const { words } = context;
  const patterns = answer.patterns.flatMap(({ name, description, example, relevance }) => {
    const places = placesIn(example).flatMap(([file, at]) => {
      const link = context.linkTo(file, at);
      return link === undefined ? [] : [`[${line(`${file}:${at}`)}](<${link}>)`];
    });
    return [
      `## ${line(name)}`,
      prose(description),
      `*${words.relevance(Math.round(relevance * 100))}*`,
      ...(example.trim() === '' ? [] : [fenced(example, '')]),
      ...(places.length === 0 ? [] : [`${words.where()} ${places.join(' · ')}`]),
    ];
  });
  const shown = patterns.length === 0 ? [words.nothing()] : [words.quoted(), ...patterns];
  return `${[`# ${line(goal)}`, ...shown].join('\n\n')}\n`;
}

function place(file: string, at: number, context: AnswerContext): string {
  const link = context.linkTo(file, at);
  const text = line(`${file}:${at}`);
  return link === undefined ? text : `[${text}](<${link}>)`;
}

/** The lines of an example that name a place, `file:line`. */
function placesIn(example: string): readonly (readonly [string, number])[] {
  return example.split('\n').flatMap((text) => {
    const found = /^(\S.{0,500}):(\d{1,7})$/.exec(text);
    return found?.[1] === undefined ? [] : [[found[1], Number(found[2])] as const];
  });
}

/** A fence that no run of backticks in the code can close. */
function fenced(code: string, language: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${visible(code).replace(/\n+$/, '')}\n${fence}`;
}

/** A model's prose: its code stays code, and nothing else of it means anything. */
function prose(text: string): string {
  const parts: string[] = [];
  let code: string[] | undefined;
  for (const one of text.split(/\r?\n/)) {
    if (/^\s*(```|~~~)/.test(one)) {
      if (code !== undefined) parts.push(fenced(code.join('\n'), ''));
      code = code === undefined ? [] : undefined;
    } else if (code !== undefined) code.push(one);
    // Two spaces at the end keep the line a line of its own.
    else parts.push(one.trim() === '' ? '' : `${line(one.trim())}  `);
  }
  if (code !== undefined) parts.push(fenced(code.join('\n'), ''));
  return parts.join('\n');
}

/** What Markdown gives a meaning to within a line, and an address, which previews make a link. */
const MEANINGFUL = /[\\`*_{}[\]()<>#|~&!$]|:(?=\/\/)/g;
/** What it gives a meaning to at the beginning of a line. */
const LEADING = /^([-+=]|\d+(?=[.)]))/;

/** One line in which no character means anything to Markdown; HTML cannot begin, and no address becomes a link. */
function line(text: string): string {
  const one = visible(text).replace(/\s+/g, ' ').trim().slice(0, 2_000);
  const escaped = one.replace(MEANINGFUL, '\\$&');
  return escaped.replace(LEADING, (start) => (/\d/.test(start) ? `${start}\\` : `\\${start}`));
}

/** Spells out what cannot be seen, except line ends and tabs. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) =>
    char === '\n' || char === '\t' ? char : char === '\r' ? '' : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
