/**
 * Secrets in source code: strings that are given to telling names, and whatever `findSecrets` knows by its looks. It
 * judges texts of any language without a parser, for what is learned of files and for what is quoted from them. A
 * password that is put together of parts, or called nothing, it cannot tell.
 */
import { type NameStrength, strengthOfName } from './secret-names.ts';
import { isLocator, isPlaceholder, isWordy, looksChosen } from './secret-values.ts';
import { findSecrets, mergeSpans, redact, type SecretSpan } from './secrets.ts';
import { type LiteralName, nameOfLiteral } from './source-names.ts';

/** Names turn up again and again; more than these are asked anew. */
const MOST_NAMES = 20_000;
const strengths = new Map<string, NameStrength>();

function strengthOf({ name, how }: LiteralName): NameStrength {
  let strength = strengths.get(name);
  if (strength === undefined) {
    if (strengths.size >= MOST_NAMES) strengths.clear();
    strength = strengthOfName(name);
    strengths.set(name, strength);
  }
  if (how === 'assigned' || strength === 'none' || strength === 'weak') return strength;
  return strength === 'strong' ? 'medium' : 'weak';
}

/**
 * Whether the string from `start` to `end` of a source text, quotes included, is a secret by its name or its looks.
 * Quick for what is none.
 */
export function isSecretLiteral(text: string, start: number, end: number): boolean {
  if (end - start < 6) return false;
  // A regular expression is a pattern, whatever it is called.
  const name = text.charAt(start) === '/' ? undefined : nameOfLiteral(text, start);
  const strength = name === undefined ? 'none' : strengthOf(name);
  if (strength === 'none' && end - start < SHORTEST_KNOWN) return false;
  const value = text.slice(start, end).replace(/^(?:b?r#*")?["'`}]*|["'`#]*$|\$\{$/g, '');
  if (strength !== 'none' && isSecretValue(value, strength, name?.name ?? '')) return true;
  return looksKnown(value);
}

/** Whether a word that stands alone is a token of a known format. Names of code look random too often to judge by that. */
export function isSecretWord(word: string): boolean {
  return /\d/.test(word) && findSecrets(word).some(({ rule }) => rule !== 'random-value' && rule !== 'encoded-token');
}

/** No format of a credential, and no URL with a password, is shorter. */
const SHORTEST_KNOWN = 12;

function looksKnown(value: string): boolean {
  if (value.length < SHORTEST_KNOWN || !/\d|:\/\//.test(value)) return false;
  return findSecrets(value).some(
    ({ start, end, rule }) => rule !== 'random-value' || !isCamel(value.slice(start, end)),
  );
}

/** A name of code with numbers in it, such as `getBlock2NumberAtTime`. */
function isCamel(value: string): boolean {
  const words = value.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  return /^[A-Za-z_]\w*$/.test(value) && words.join('').length >= value.length * 0.6;
}

const SHORTEST_PASSWORD = 5;
const UUID_OR_HEX = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32,})$/i;
const HOLE = /\$?\{[^}]*\}|%[-+ #0-9.]*[a-z@]|<[^<>]*>/gi;

/** Whether a value under a name of this strength is a secret. */
function isSecretValue(value: string, strength: NameStrength, name: string): boolean {
  const parts = value.split(/\s+/).filter((part) => part !== '');
  // Prose about a password: labels, messages.
  if (parts.length > 1) return parts.some(looksChosen);
  const [whole = ''] = parts;
  if (strength !== 'strong' && isNamed(whole)) return false;
  if (strength === 'weak') return looksChosen(whole);
  if (whole.length < SHORTEST_PASSWORD || isPlaceholder(whole) || isLocator(whole)) return false;
  if (strength === 'strong' && !isAboutPasswords(whole, name)) return true;
  return looksChosen(whole) || UUID_OR_HEX.test(whole) || isJumble(whole);
}

/** Words that fields, types and messages about passwords are called by. */
const NAMING: ReadonlySet<string> = new Set(
  (
    'password passwords passwd passphrase passcode pass secret secrets credential credentials token key api access refresh ' +
    'client user admin root login new old current previous confirm confirmation repeat reset forgot change update set get db database ' +
    'grant hash hashed bcrypt argon scrypt plain text string varchar char bytes number boolean object function unknown any null undefined ' +
    'hidden visible input field label type required optional invalid missing empty wrong weak strong valid error default basic ' +
    'oauth oauth2 digest email username name value id the a your my test example auth shared account manager store prompt'
  ).split(' '),
);

/** A key, type or message about a password instead of one. */
function isAboutPasswords(value: string, name: string): boolean {
  if (!/[A-Za-z0-9]/.test(value)) return true;
  const letters = (text: string): string => text.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (letters(value) === letters(name)) return true;
  // A word of a language that is not written in ASCII.
  if (/[\u0080-\uffff]/.test(value)) return !/\d/.test(value);
  const plain = value.replace(HOLE, '');
  if (plain.length < SHORTEST_PASSWORD) return true;
  // `auth.password.label`, the key of a message.
  if (/^[A-Za-z_]+(?:[.:/][A-Za-z_-]+)+$/.test(value)) return true;
  const words = plain
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.every((word) => word === '' || NAMING.has(word));
}

/** Long runs of letters that are no words: `QwErTyUiOpAsDf`, or twenty letters and more without a capital. */
function isJumble(value: string): boolean {
  if (!isWordy(value)) return false;
  if (/[a-z]{22,}|[A-Z]{22,}/.test(value)) return true;
  const parts = value.replace(/([a-z])([A-Z])/g, '$1 $2').split(' ');
  return parts.length >= 4 && value.length / parts.length < 2.8;
}

/** A name, an operator and a value without quotes to the end of the line, as in YAML, INI files and shells. */
const BARE =
  /^[ \t-]*(?:export[ \t]+|set[ \t]+|ENV[ \t]+|ARG[ \t]+)?["']?([A-Za-z_][\w.-]{1,60})["']?[ \t]*[:=][ \t]*([^\s"'`#{[][^\n#]*)/gm;

/** The secrets of a text in which values stand without quotes: configuration, scripts, prose. */
function bareSpans(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const match of text.matchAll(BARE)) {
    const [whole, name = '', rest = ''] = match;
    const strength = strengthOf({ name, how: 'assigned' });
    const value = rest.trimEnd();
    if (strength === 'none' || !isSecretValue(value, strength, name)) continue;
    const start = match.index + whole.length - rest.length;
    spans.push({ start, end: start + value.length, rule: 'assignment' });
  }
  return spans;
}

function literalSpans(text: string): readonly SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { 0: quotes, index } of text.matchAll(/"+|'+|`+/g)) {
    const name = nameOfLiteral(text, index);
    const strength = name === undefined ? 'none' : strengthOf(name);
    if (strength === 'none') continue;
    const start = index + quotes.length;
    const value = upToQuote(text, start, quotes);
    if (isSecretValue(value, strength, name?.name ?? '')) {
      spans.push({ start, end: start + value.length, rule: 'secret-name' });
    }
  }
  return spans;
}

/** The longest string that is looked at. */
const LONGEST = 4_000;

/** To the closing quote; to the end of the line, or of the text, where there is none. */
function upToQuote(text: string, start: number, quotes: string): string {
  const quote = quotes.charAt(0);
  const goesOn = quote === '`' || quotes.length >= 3;
  let at = start;
  for (; at < Math.min(text.length, start + LONGEST); at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === quote || (char === '\n' && !goesOn)) break;
  }
  return text.slice(start, Math.min(at, text.length));
}

/**
 * What only looks like a secret in code: `token = this.options.token2Value` reads a value, `key = sha256Of(…)` makes
 * one, and names with numbers and capitals look random.
 */
function isCode(text: string, { start, end, rule }: SecretSpan): boolean {
  const value = text.slice(start, end);
  if (rule === 'random-value') return isCamel(value);
  if (rule !== 'assignment') return false;
  return /^[([.]/.test(text.slice(end, end + 1)) || MEMBERS.test(value) || isNamed(value);
}

const MEMBERS = /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$#][\w$]*)+$/;

/** `RSAPrivateKey` is a name of three words, and a short number in hexadecimal digits is no key. */
const isNamed = (value: string): boolean =>
  /^0x[0-9a-f]{1,16}$/i.test(value) || (isWordy(value.replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')) && !isJumble(value));

/** Whether any rule could find something, at a fraction of their cost. */
const HINT =
  /pass|pwd|secret|token|key|cred|auth|cookie|jwt|bearer|dsn|pat|basic|digest|:\/\/|-----BEGIN|\d[\w+/-]{14}|[\w+/-]{14}\d/i;

/** The secrets of a piece of source code, its comments included. */
export function findSourceSecrets(text: string): readonly SecretSpan[] {
  if (!HINT.test(text)) return [];
  const known = findSecrets(text).filter((span) => !isCode(text, span));
  return mergeSpans([...known, ...literalSpans(text)], text.length);
}

/** A piece of source code with {@link SECRET_MARK} for each secret. */
export function redactSource(text: string): string {
  return redact(text, findSourceSecrets(text));
}

/** A text of configuration or prose with its secrets blanked, so that every other character stays where it is. */
export function blankSecrets(text: string): string {
  if (!HINT.test(text)) return text;
  const spans = mergeSpans([...findSecrets(text), ...literalSpans(text), ...bareSpans(text)], text.length);
  let result = '';
  let done = 0;
  for (const { start, end } of spans) {
    result += text.slice(done, start) + text.slice(start, end).replace(/\S/g, ' ');
    done = end;
  }
  return result + text.slice(done);
}

/** What stands before a completion may name a secret (`apiKey = `). */
const CONTEXT = 200;

/** How much of a completion of `before` may be shown: up to the line with the first secret, which is of no use cut. */
export function secretFreeEnd(text: string, before: string): number {
  const line = before.slice(before.lastIndexOf('\n') + 1).slice(-CONTEXT);
  const end = line.length + text.length;
  const [first] = findSourceSecrets(line + text).filter((span) => span.end > line.length && span.start < end);
  return first === undefined
    ? text.length
    : Math.max(0, text.lastIndexOf('\n', Math.max(0, first.start - line.length)));
}
