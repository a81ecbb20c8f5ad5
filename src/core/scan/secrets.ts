/**
 * Finds secrets in a text by rules of our own: known formats, schemes, URL users, assignments to telling names,
 * encoded tokens and random values. It needs no network and no library; `node/secret-scan.ts` adds a second
 * opinion. It says where a secret stands and by which rule, and never repeats it.
 */
import { isSecretName } from './secret-names.ts';
import { ASSIGNMENT, RUN, SCHEME_SHAPE, TOKEN_SHAPES, USERINFO } from './secret-shapes.ts';
import { entropy, isEveryday, isLocator, isPlaceholder, looksChosen, looksRandom } from './secret-values.ts';

export { isPlaceholder } from './secret-values.ts';

/** Where a secret stands in a text, in UTF-16 units, `end` exclusive. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** Name of the rule that found it; stable, and free of the secret. */
  readonly rule: string;
}

/** What is known about a text besides the text. */
export interface SecretContext {
  /** The variable, header, query key, flag or schema property that the text is the value of. */
  readonly name?: string;
  /**
   * The name comes from someone's documentation, not from a config, so a telling name is not enough: the value
   * must look like a secret too. `key` is then an everyday property, and `created_at` its everyday default.
   */
  readonly documented?: boolean;
}

/** Finds secrets in one text, at once. */
export type SpansOf = (text: string, context?: SecretContext) => readonly SecretSpan[];

/** What stands in a text in place of a secret. No rule takes it for one. */
export const SECRET_MARK = '[secret]';

/** The secrets of a text, in order, without overlaps. */
export function findSecrets(text: string, context: SecretContext = {}): readonly SecretSpan[] {
  if (text.length < 3) return [];
  const found: SecretSpan[] = [];
  if (context.name !== undefined) found.push(...byName(text, context.name, context.documented === true));
  for (const shape of TOKEN_SHAPES) {
    for (const match of text.matchAll(shape.pattern)) found.push(...keep(match, shape.part ?? 0, shape.rule));
  }
  for (const match of text.matchAll(SCHEME_SHAPE.pattern)) {
    if (isCredential(match[1] ?? '')) found.push(...keep(match, 1, SCHEME_SHAPE.rule));
  }
  for (const match of text.matchAll(USERINFO)) found.push(...userinfo(match));
  for (const match of text.matchAll(ASSIGNMENT)) {
    if (isSecretName(match[2] ?? '') && looksChosen(match[3] ?? '')) found.push(...keep(match, 3, 'assignment'));
  }
  for (const match of text.matchAll(RUN)) found.push(...encodedOrRandom(match));
  return mergeSpans(found, text.length);
}

/** The spans in order; those that overlap or touch become one, under the rule of the longer. */
export function mergeSpans(spans: readonly SecretSpan[], length: number): readonly SecretSpan[] {
  const sorted = spans
    .map((span) => ({ ...span, start: Math.max(0, span.start), end: Math.min(length, span.end) }))
    .filter((span) => span.start < span.end)
    .sort((a, b) => a.start - b.start || b.end - a.end || (a.rule < b.rule ? -1 : 1));
  const merged: SecretSpan[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) {
      merged.push(span);
    } else if (span.end > last.end) {
      const rule = span.end - span.start > last.end - last.start ? span.rule : last.rule;
      merged[merged.length - 1] = { start: last.start, end: span.end, rule };
    }
  }
  return merged;
}

/** The text with each span replaced by {@link SECRET_MARK}. */
export function redact(text: string, spans: readonly SecretSpan[]): string {
  if (spans.length === 0) return text;
  let result = '';
  let done = 0;
  for (const span of mergeSpans(spans, text.length)) {
    result += text.slice(done, span.start) + SECRET_MARK;
    done = span.end;
  }
  return result + text.slice(done);
}

/** Values of a scheme that stand before the credential in a header or an environment variable. */
const SCHEME_PREFIX = /^\s*(?:bearer|basic|digest|token|apikey|api-key)\s+/i;

function byName(text: string, name: string, documented: boolean): readonly SecretSpan[] {
  if (!isSecretName(name)) return [];
  const start = SCHEME_PREFIX.exec(text)?.[0].length ?? text.length - text.trimStart().length;
  const value = text.slice(start).trimEnd();
  if (isPlaceholder(value)) return [];
  if (documented ? !looksChosen(value) || /\s/.test(value) : isLocator(value) && !/\bDSN\b/i.test(name)) return [];
  // A connection string keeps its host readable where only its password is secret.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && [...value.matchAll(USERINFO)].length > 0) return [];
  if (value.includes('${')) return [];
  return [{ start, end: start + value.length, rule: 'secret-name' }];
}

function keep(match: RegExpMatchArray, part: number, rule: string): readonly SecretSpan[] {
  const value = match[part] ?? '';
  if (isPlaceholder(value)) return [];
  const start = (match.index ?? 0) + (part === 0 ? 0 : match[0].lastIndexOf(value));
  return [{ start, end: start + value.length, rule }];
}

/** A user name and password in base64, or something that looks generated. */
function isCredential(value: string): boolean {
  if (isPlaceholder(value) || isLocator(value)) return false;
  const decoded = decodeBase64(value);
  if (decoded !== undefined && /^[\x21-\x7e]{1,100}:[\x20-\x7e]{1,200}$/.test(decoded)) return true;
  return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value) && entropy(value) >= 3;
}

/** Passwords that documentation writes between a user and a host. */
const EXAMPLE_PASSWORD = /^(?:pass(?:word|wd)?|pwd|secret|user(?:name)?|token|db_?pass(?:word)?|\*+|[A-Z_]+)$/;

function userinfo(match: RegExpMatchArray): readonly SecretSpan[] {
  const user = match[1] ?? '';
  const password = match[2];
  const end = (match.index ?? 0) + match[0].length - 1;
  if (password === undefined) {
    return looksChosen(user) && user.length >= 16 ? [{ start: end - user.length, end, rule: 'url-user' }] : [];
  }
  if (isPlaceholder(password) || EXAMPLE_PASSWORD.test(password) || password.includes('${')) return [];
  return [{ start: end - password.length, end, rule: 'url-password' }];
}

function encodedOrRandom(match: RegExpMatchArray): readonly SecretSpan[] {
  const value = match[0];
  const decoded = value.length >= 24 ? decodeBase64(value) : undefined;
  if (decoded !== undefined && isKnownToken(decoded)) return keep(match, 0, 'encoded-token');
  if (!value.includes('/') || (/[+=]/.test(value) && looksRandom(value))) {
    return looksRandom(value) ? keep(match, 0, 'random-value') : [];
  }
  if (isEveryday(value)) return [];
  // A path: the parts are judged, and only they are taken.
  const spans: SecretSpan[] = [];
  let start = match.index ?? 0;
  for (const part of value.split('/')) {
    if (looksRandom(part)) spans.push({ start, end: start + part.length, rule: 'random-value' });
    start += part.length + 1;
  }
  return spans;
}

function isKnownToken(text: string): boolean {
  return TOKEN_SHAPES.some(({ pattern }) => {
    const match = text.match(new RegExp(pattern.source));
    return match !== null && !isPlaceholder(match[0]);
  });
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Printable text in base64 of either alphabet; undefined for anything else. */
function decodeBase64(value: string): string | undefined {
  const body = value.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  if (body.length % 4 === 1) return undefined;
  let result = '';
  let bits = 0;
  let held = 0;
  for (const character of body) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    held = (held << 6) | digit;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const code = (held >> bits) & 0xff;
    if (code < 9 || code > 126) return undefined;
    result += String.fromCharCode(code);
    held &= (1 << bits) - 1;
  }
  return result;
}
