/**
 * Names that say their value is secret: of environment variables, headers, query keys and command-line flags.
 * Judges the name alone, never the value.
 */

/** Words that stand for a secret when they are one word of a name (the list that client vendors redact by). */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['TOKEN', 'SECRET', 'PASSWORD', 'PASSWD', 'PASSPHRASE', 'KEY', 'AUTH', 'COOKIE', 'PAT', 'DSN', 'CREDENTIAL'],
  ...['CREDENTIALS', 'AUTHORIZATION', 'PWD', 'PASS', 'JWT', 'BEARER', 'COOKIES', 'PASSCODE', 'SECRETS'],
]);

/** The same words run together with others, for names such as `apikey` or `PGPASSWORD`. */
const SECRET_ENDING =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(?:API|AUTH|ACCESS|SECRET|PRIVATE|SIGNING|ENCRYPTION|LICENSE|MASTER|ACCOUNT)KEYS?)$/;

/** Last words that turn the name into one for something about a secret, for example `TOKEN_LIMIT` or `KEY_FILE`. */
const INNOCENT_LAST: ReadonlySet<string> = new Set([
  ...['PATH', 'FILE', 'FILES', 'DIR', 'DIRECTORY', 'FOLDER', 'URL', 'URI', 'HOST', 'ENDPOINT', 'ISSUER', 'AUDIENCE'],
  ...['TYPE', 'MODE', 'METHOD', 'SCHEME', 'PROVIDER', 'STRATEGY', 'FLOW', 'NAME', 'ID', 'IDS', 'ALIAS', 'HEADER'],
  ...['LIMIT', 'LIMITS', 'BUDGET', 'COUNT', 'LENGTH', 'SIZE', 'MAX', 'MIN', 'TTL', 'EXPIRY', 'EXPIRES', 'TIMEOUT'],
  ...['ENABLED', 'DISABLED', 'REQUIRED', 'ALGORITHM', 'FORMAT', 'PREFIX', 'VERSION', 'SCOPE', 'SCOPES', 'STORE'],
]);

const MAX_NAME = 200;

/**
 * Whether a value under this name is secret. Reads `apiKey`, `api-key`, `API_KEY`, `--api-key` and `X-API-Key`
 * alike; `PWD` alone is the working directory and no secret.
 */
export function isSecretName(name: string): boolean {
  const words = wordsOf(name.slice(0, MAX_NAME));
  const last = words.at(-1);
  if (last === undefined || INNOCENT_LAST.has(last)) return false;
  if (words.length === 1 && last === 'PWD') return false;
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word)) || SECRET_ENDING.test(words.join(''));
}

/**
 * How much a name in source code says about its value: `strong` for passwords and what is called a secret, where any
 * value but an obvious example is one; `medium` for tokens and keys, `weak` for all other telling names, where the
 * value must look like one too.
 */
export type NameStrength = 'none' | 'weak' | 'medium' | 'strong';

const STRONG_LAST = /(?:PASSWORD|PASSWD|PASSPHRASE|PASSCODE|SECRET|CREDENTIAL)S?$/;
const MEDIUM_LAST = /(?:TOKEN|JWT|PASS|PWD)S?$/;

/** Reads a name with or without a number at its end. */
export function strengthOfName(name: string): NameStrength {
  const bare = name.slice(-MAX_NAME).replace(/[^A-Za-z]+$/, '');
  if (!isSecretName(bare)) return 'none';
  const words = wordsOf(bare);
  const last = words.at(-1) ?? '';
  if (STRONG_LAST.test(last)) return 'strong';
  return MEDIUM_LAST.test(last) || SECRET_ENDING.test(words.join('')) ? 'medium' : 'weak';
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toUpperCase());
}
