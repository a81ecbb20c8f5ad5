/**
 * What a value looks like, whatever it is called: a placeholder, a reference to a secret kept elsewhere, an
 * everyday identifier, or something random. Knows no vendor's format; those are in `secret-shapes.ts`.
 */

const REFERENCES = [
  /^(?:op|vault|keyring|keychain|secret|secrets|aws-sm|gcp-sm|akv|doppler|infisical):\/\//i,
  /^\$\{[\s\S]*\}$/,
  /^\$\(?[A-Za-z_][A-Za-z0-9_]*\)?$/,
  /^%[A-Za-z_][A-Za-z0-9_]*%$/,
  /^\{\{?[\s\S]*\}?\}$/,
  /^\{env:[\s\S]*\}$/,
  /^<[\s\S]*>$/,
  /^\[[\s\S]*\]$/,
];

/** Words that examples are made of; a value of nothing else is an example. */
const EXAMPLE_WORDS: ReadonlySet<string> = new Set([
  ...[
    'a',
    'access',
    'add',
    'an',
    'api',
    'app',
    'auth',
    'bearer',
    'bot',
    'change',
    'changeme',
    'client',
    'code',
    'demo',
  ],
  ...['dummy', 'enter', 'example', 'fake', 'fill', 'from', 'goes', 'here', 'in', 'insert', 'it', 'key', 'me', 'my'],
  ...['none', 'null', 'undefined', 'optional', 'or', 'pass', 'password', 'paste', 'personal', 'placeholder', 'put'],
  ...[
    'real',
    'redacted',
    'replace',
    'replaceme',
    'required',
    'sample',
    'secret',
    'set',
    'some',
    'string',
    'test',
    'that',
  ],
  ...['the', 'this', 'todo', 'token', 'user', 'username', 'value', 'with', 'your', 'xxx', 'tbd', 'apikey', 'yours'],
]);
/** One of these alone is an example too. Others, such as `password`, are weak but may be real. */
const EXAMPLE_ALONE =
  /^(?:your.*|changeme|change-?me|replace-?me|placeholder|example|dummy|redacted|todo|tbd|none|null|undefined|true|false|yes|no|on|off|string|optional|required|fake|sample|xxx+)$/i;
const YOURS =
  /(?:^|[^a-z])your(?:[-_ ]?own)?[-_ ]?(?:[a-z0-9]+[-_ ]){0,4}(?:key|token|secret|password|pat|value|credential|id|here)/i;

/** Whether a text stands for a secret without being one: empty, a variable, a reference, an obvious example. */
export function isPlaceholder(text: string): boolean {
  const value = text.trim();
  if (value === '' || value.length < 3) return value === '' || /^[*.xX…-]+$/.test(value);
  if (REFERENCES.some((pattern) => pattern.test(value)) || EXAMPLE_ALONE.test(value)) return true;
  if (YOURS.test(value) || /^(?:YOUR|MY|INSERT|ENTER|REPLACE|PUT)_[A-Z_]+$/.test(value)) return true;
  if (/([xX*.•…#])\1{4,}|\.\.\.$|…$|\*{3}/.test(value) || /^[xX*._•…0-]+$/.test(value)) return true;
  if ((value.length >= 6 && new Set(value).size <= 2) || value.includes('EXAMPLE')) return true;
  const words = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  return words.length > 1 && !/\d{3}/.test(value) && words.every((word) => EXAMPLE_WORDS.has(word));
}

const UUID = /^\{?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}?$/i;
/** Digests and object ids: MD5, SHA-1, SHA-256, SHA-512, a MongoDB ObjectId. */
const DIGEST =
  /^(?:[a-z0-9]{2,8}[-:])?(?:[0-9a-f]{7,12}|[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i;
const SUBRESOURCE = /^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/;
const VERSION = /^[~^v=<>]*\d+(?:\.[\dx*]+)+(?:[-+][\w.+-]+)?$/;
const PATH = /^(?:~|\.{1,2})?[\\/](?!\/)|^[A-Za-z]:[\\/]|^\.{0,2}[\w.@-]+(?:[\\/][\w.@ -]+)+\.[a-z]{1,5}$/;
const PLAIN_URL = /^[a-z][a-z0-9+.-]*:\/\/[^\s@]*$/i;

/** Whether a value is of a kind that is public by nature: UUID, digest, version, number, path, URL without user. */
export function isEveryday(value: string): boolean {
  return isLocator(value) || UUID.test(value) || DIGEST.test(value) || SUBRESOURCE.test(value);
}

/** Whether a value says where something is, or how much: a path, a URL without user, a version, a short number. */
export function isLocator(value: string): boolean {
  return (
    (PATH.test(value) && !/[+=]/.test(value)) ||
    PLAIN_URL.test(value) ||
    VERSION.test(value) ||
    /^-?\d{1,5}(?:\.\d+)?[a-z]{0,3}$/.test(value)
  );
}

/** Shannon entropy in bits a character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}

/** Least length and entropy of a value that is called a secret for its looks (the figures of gitleaks' generic rule). */
export const RANDOM_LENGTH = 20;
export const RANDOM_ENTROPY = 3.5;

/**
 * Whether a value under a telling name is a secret by its looks as well: not a word, not a path. Weaker than
 * {@link looksRandom}, because the name already tells half.
 */
export function looksChosen(value: string): boolean {
  if (value.length < 8 || isPlaceholder(value) || isLocator(value) || UUID.test(value)) return false;
  // Under such a name a long run of hexadecimal digits is rather a key than a digest.
  if (isEveryday(value) && !/^[0-9a-f]{32,}$/i.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((pattern) => pattern.test(value)).length;
  if (classes < 2 || !/[A-Za-z]/.test(value)) return false;
  return !isWordy(value) && entropy(value) >= 2.5;
}

/** Whether a value without a telling name is a secret by its looks: long, mixed, and no identifier made of words. */
export function looksRandom(value: string): boolean {
  const core = value.replace(/=+$/, '');
  if (core.length < RANDOM_LENGTH || isPlaceholder(value) || isEveryday(value)) return false;
  if (!/[a-z]/.test(core) || !/[A-Z]/.test(core) || !/\d/.test(core)) return false;
  let changes = 0;
  for (let at = 1; at < core.length; at += 1) {
    if (characterClass(core.charCodeAt(at)) !== characterClass(core.charCodeAt(at - 1))) changes += 1;
  }
  return changes / (core.length - 1) >= 0.38 && entropy(core) >= RANDOM_ENTROPY;
}

/** Words joined by separators, dots or capitals, numbers between them allowed. */
export function isWordy(value: string): boolean {
  const parts = value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== '');
  return parts.every((part) => /^(?:[A-Za-z]?[a-z]*|[A-Z]+|\d{1,4})$/.test(part));
}

function characterClass(code: number): number {
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 97 && code <= 122 ? 2 : 3;
}
