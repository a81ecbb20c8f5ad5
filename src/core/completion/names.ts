/**
 * The names in a piece of code, in a language whose brackets are not read, that a language server can confirm: members behind a dot, and names that are used without
 * being declared there. Reads tokens, not a grammar; where it cannot tell, it names nothing.
 */
import { standingOf } from './syntax.ts';

export interface Name {
  readonly text: string;
  /** UTF-16 units from the piece's start; the first name may begin before it, where half of it was typed. */
  readonly start: number;
  readonly end: number;
  /**
   * What it is a member of: as written, `name()` or `name[]` for what a call or an index gives, or empty for what has no
   * name. Undefined for a name that stands alone.
   */
  readonly receiver: string | undefined;
  /** Whether it is called, something is taken from it, or its value is used: such names must exist. */
  readonly isUsed: boolean;
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const LANGUAGES_WITH_DOTS = /^(python|java|csharp|go|rust|kotlin|swift|scala|dart|php|ruby|cpp|c|vue)$/;
const DECLARING =
  /^(const|let|var|function|class|interface|type|enum|namespace|def|fn|func|struct|trait|impl|import|export|as|catch|for|package|module|new\s+type)$/;
const KEYWORDS = new Set(
  (
    'abstract and any as assert async await bigint boolean break case catch class const constructor continue declare def ' +
    'default del delete do elif else enum except export extends false False final finally fn for from func function get ' +
    'global go if impl implements import in infer instanceof int interface is keyof lambda let loop match mod module mut ' +
    'namespace never new nil None nonlocal not null number object of or override package pass private protected pub public ' +
    'raise range readonly return satisfies self Self set static str string struct super switch symbol this throw throws ' +
    'trait true True try type typeof undefined unknown unless until use using val var void when where while with yield'
  ).split(' '),
);

/** Whether names in this language can be told by their dots. */
export function hasNames(language: string): boolean {
  return LANGUAGES_WITH_DOTS.test(language);
}

/** The names in `text`, which stands after `before`, in order. */
export function namesIn(text: string, before: string, language: string): readonly Name[] {
  if (!hasNames(language) || standingOf(before, language).kind !== 'code') return [];
  const line = before.slice(before.lastIndexOf('\n') + 1).slice(-1_000);
  if (/^\s*(import|export\s*[{*]|from|package|use|using|#include)\b/.test(line + text)) return [];
  const whole = line + text;
  const names: Name[] = [];
  const declared = parametersIn(whole);
  const base = line.length;
  let at = wordStart(line);
  while (at < whole.length) {
    const char = whole.charAt(at);
    if (char === '"' || char === "'" || char === '`') {
      at = afterString(whole, at);
      continue;
    }
    if (whole.startsWith('//', at) || whole.startsWith('/*', at)) break;
    WORD.lastIndex = at;
    const word = /\d/.test(whole.charAt(at - 1)) ? undefined : WORD.exec(whole)?.[0];
    if (word === undefined) {
      at += 1;
      continue;
    }
    const end = at + word.length;
    const name = nameAt(whole, at, word, declared, at <= base);
    // A name that goes on to the right of the piece is not known yet; one that ended before it is not ours.
    if (name !== undefined && end > base) names.push({ ...name, start: at - base, end: end - base });
    at = end;
  }
  return names;
}

function nameAt(whole: string, at: number, word: string, declared: Set<string>, isAtCursor: boolean): Name | undefined {
  const left = whole.slice(0, at).trimEnd();
  const right = whole.slice(at + word.length);
  const isCalled = /^\s*(<[\w\s,.<>[\]|]*>)?\(/.test(right);
  const part = { text: word, start: at, end: at + word.length, isUsed: isCalled || /^\s*[?!]?\.(?!\.)/.test(right) };
  const isMember = left.endsWith('.') && !left.endsWith('..');
  if (isMember) {
    const receiver = receiverOf(left.slice(0, -1).replace(/[?!]$/, ''));
    return receiver === undefined && !isAtCursor ? undefined : { ...part, receiver: receiver ?? '' };
  }
  const previous = /(\w+)$/.exec(left)?.[1] ?? '';
  const isDeclared = DECLARING.test(previous) || /^\s*(=>|:(?!:))/.test(right) || (isKey(left, right) && !isCalled);
  if (isDeclared) declared.add(word);
  if (isDeclared || KEYWORDS.has(word) || declared.has(word)) return undefined;
  return { ...part, receiver: undefined };
}

/** Names within parentheses that an arrow, a block or a type follows, and single ones before an arrow. */
function parametersIn(text: string): Set<string> {
  // What follows a condition is a block too, and behind a question or a case the colon is no type's.
  const types = /\?(?!\.)|\bcase\b/.test(text) ? '' : '|:';
  const list = new RegExp(
    `(?<!\\b(?:if|while|switch)\\s*)\\(([^()]*)\\)\\s*(?:=>|\\{|->${types})|([\\p{L}_$][\\p{L}\\p{N}_$]*)\\s*=>`,
    'gu',
  );
  const lists = [...text.matchAll(list)];
  const loops = [...text.matchAll(/\bfor\s+([^()]*?)\s+in\b|\blambda\s+([^:]*):|\|([^|]*)\|/g)];
  return new Set(
    [...lists, ...loops].flatMap(
      (found) =>
        found
          .slice(1)
          .join(' ')
          .match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [],
    ),
  );
}

/** `{ name, other }` and `name = …` may as well introduce a name. */
function isKey(left: string, right: string): boolean {
  return /[{,]$/.test(left) ? /^\s*[,}=]|^\s*$/.test(right) : /^\s*=(?![=>])/.test(right);
}

/** A chain of names before a dot; of calls and indexing nothing can be said without a compiler. */
function receiverOf(left: string): string | undefined {
  return /(?:^|[^\p{L}\p{N}_$.\])])((?:[\p{L}_$][\p{L}\p{N}_$]*\??\.#?)*[\p{L}_$][\p{L}\p{N}_$]*)$/u.exec(left)?.[1];
}

function wordStart(line: string): number {
  return line.length - (/[\p{L}\p{N}_$]*$/u.exec(line)?.[0].length ?? 0);
}

function afterString(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return text.length;
}
