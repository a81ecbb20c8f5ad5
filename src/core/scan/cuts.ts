/**
 * Which stretches of a configured value are secret, with the name each should have as a variable. Reads URLs,
 * flags, headers and assignments by their structure, and asks a secret finder for the rest. Existing variables
 * are never part of a cut.
 */
import { isSecretName } from './secret-names.ts';
import { TOKEN_SHAPES, USERINFO } from './secret-shapes.ts';
import { isLocator, isPlaceholder, looksChosen } from './secret-values.ts';
import type { SpansOf } from './secrets.ts';
import { regionsOf } from './variable-regions.ts';

/** A secret stretch of a text. */
export interface Cut {
  readonly start: number;
  readonly end: number;
  /** The wanted name in upper snake case, without the server's prefix. */
  readonly name: string;
  /** The name stands as it is: it is a variable's own name already. */
  readonly own: boolean;
}

/** What a value is, where that is known. */
export interface ValueContext {
  /** Variable, header, flag or query key that the value belongs to. */
  readonly name?: string;
  /** Begins the name of parts such as a URL's password; absent for a bare argument. */
  readonly base?: string;
  /** The value's own name is a variable's name already. */
  readonly own?: boolean;
}

/** A value with more secrets than this becomes one secret as a whole. */
const MAX_CUTS = 200;

/** The cuts of a value, in order, without overlaps. */
export function cutsOf(text: string, context: ValueContext, spansOf: SpansOf): readonly Cut[] {
  const literal = regionsOf(text).filter((region) => region.kind === 'literal');
  const found: Cut[] = [];
  const wanted = [...structural(text, context), ...bySpans(text, context, spansOf)];
  if (wanted.length > MAX_CUTS) {
    wanted.splice(0, wanted.length, {
      start: 0,
      end: text.length,
      name: context.base ?? 'VALUE',
      own: context.own === true,
    });
  }
  for (const cut of wanted) {
    for (const region of literal) {
      const start = Math.max(cut.start, region.start);
      const end = Math.min(cut.end, region.end);
      const value = text.slice(start, end);
      if (start >= end || isPlaceholder(value) || found.some((other) => start < other.end && other.start < end))
        continue;
      found.push({ ...cut, start, end });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

/** A name as an environment variable would have it: `x-api-key` is `X_API_KEY`. Empty where nothing is left. */
export function upperSnake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
}

function structural(text: string, context: ValueContext): readonly Cut[] {
  const part = (name: string): string => (context.base === undefined ? name : `${context.base}_${name}`);
  const own = context.own === true;
  return [
    ...userinfoCuts(text, part, own),
    ...queryCuts(text, part, own),
    ...(context.name === undefined ? [] : namedCut(text, 0, text.length, context.name, own)),
    ...assignmentCuts(text),
    ...headerCut(text),
  ];
}

function userinfoCuts(text: string, part: (name: string) => string, own: boolean): readonly Cut[] {
  return [...text.matchAll(USERINFO)].flatMap((match): readonly Cut[] => {
    const user = match[1] ?? '';
    const password = match[2];
    const end = match.index + match[0].length - 1;
    if (password === undefined) {
      // `ssh://git@host` names an account that everyone shares.
      const alone = /^(?:https?|wss?):/i.test(match[0]) || looksChosen(user);
      return alone ? [{ start: end - user.length, end, name: part('USER'), own }] : [];
    }
    const from = end - password.length;
    if (password === '' || isPlaceholder(password)) return [];
    return [
      { start: from - 1 - user.length, end: from - 1, name: part('USER'), own },
      { start: from, end, name: part('PASSWORD'), own },
    ];
  });
}

const SIGNATURE = /^(?:sig|signature|code|hmac)$/i;

function queryCuts(text: string, part: (name: string) => string, own: boolean): readonly Cut[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(/[?&#]([^=&#?\s]{1,100})=([^&#\s"'`]+)/g)].flatMap((match): readonly Cut[] => {
    const name = decoded(match[1] ?? '');
    const value = match[2] ?? '';
    if (isPlaceholder(decoded(value)) || isLocator(decoded(value))) return [];
    if (!isSecretName(name) && !(SIGNATURE.test(name) && looksChosen(value))) return [];
    const end = match.index + match[0].length;
    return [{ start: end - value.length, end, name: part(upperSnake(name)), own }];
  });
}

/** `NAME=value` and `--name value` inside an argument, however weak the value: the name tells. */
function assignmentCuts(text: string): readonly Cut[] {
  const flag = /^(--?[A-Za-z][\w.-]{0,80})=([\s\S]+)$/.exec(text);
  if (flag !== null) {
    const start = (flag[1] ?? '').length + 1;
    const inner = flag[2] ?? '';
    const shift = (cut: Cut): Cut => ({ ...cut, start: cut.start + start, end: cut.end + start });
    return [
      ...namedCut(text, start, text.length, flag[1] ?? '', false),
      ...[...assignmentCuts(inner), ...headerCut(inner)].map(shift),
    ];
  }
  const pattern =
    /(?<=^|[\s;'"])(?:([A-Za-z_][\w.-]{0,80}|--[A-Za-z][\w-]{0,80})=|(--[A-Za-z][\w-]{0,80})\s+(?!-))("[^"]*"|'[^']*'|[^\s;"']+)/g;
  return [...text.matchAll(pattern)].flatMap((match) => {
    const name = match[1] ?? match[2] ?? '';
    const end = match.index + match[0].length;
    const quoted = /^["']/.test(match[3] ?? '') ? 1 : 0;
    const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name);
    return namedCut(text, end - (match[3] ?? '').length + quoted, end - quoted, name, isVariable);
  });
}

/** `Authorization: Bearer x`, as `-H` and `--header` take it. */
function headerCut(text: string): readonly Cut[] {
  const match = /^\s*([A-Za-z][\w-]{1,60}):(?!\/\/)\s*(?=\S)/.exec(text);
  return match === null ? [] : namedCut(text, match[0].length, text.length, match[1] ?? '', false);
}

const SCHEME = /^\s*(?:bearer|basic|digest|token|apikey|api-key)\s+/i;

/** The value of a telling name, behind a scheme such as `Bearer`, unless it only says where something is. */
function namedCut(text: string, from: number, to: number, name: string, own: boolean): readonly Cut[] {
  if (!isSecretName(name)) return [];
  const value = text.slice(from, to);
  const skip = SCHEME.exec(value)?.[0].length ?? value.length - value.trimStart().length;
  const core = value.slice(skip).trimEnd();
  const dsn = /dsn$/i.test(name);
  if (core === '' || isPlaceholder(core) || (isLocator(core) && !dsn)) return [];
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(core) && (core.includes('?') || core.includes('@')) && !dsn) return [];
  return [{ start: from + skip, end: from + skip + core.length, name: upperSnake(name), own }];
}

const KNOWN_RULES: ReadonlySet<string> = new Set(TOKEN_SHAPES.map((shape) => shape.rule));

function bySpans(text: string, context: ValueContext, spansOf: SpansOf): readonly Cut[] {
  const named = context.name === undefined ? {} : { name: context.name };
  return spansOf(text, named).map(({ start, end, rule }) => {
    const whole = start === 0 && end === text.length;
    const kind = KNOWN_RULES.has(rule) ? upperSnake(rule) : rule === 'url-password' ? 'PASSWORD' : 'SECRET';
    const name = context.base === undefined ? kind : whole ? context.base : `${context.base}_${kind}`;
    return { start, end, name, own: context.own === true };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
