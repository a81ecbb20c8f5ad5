/**
 * Values of a definition that must not come back to us: servers echo tokens in messages, descriptions and
 * defaults. Knows only the values of one definition; the scan for secrets of unknown origin is elsewhere.
 */
import type { Endpoint } from '#core/model.ts';
import { isSecretName } from '#core/scan/secret-names.ts';

const PLAIN_HEADERS = new Set(['accept', 'content-type', 'user-agent', 'accept-language', 'mcp-protocol-version']);
/** Shorter values stand in innocent text by chance. */
const MIN_LENGTH = 8;
const MARK = '[redacted]';

/** The secret values of an expanded endpoint, longest first. */
export function secretValues(endpoint: Endpoint): readonly string[] {
  const values = endpoint.kind === 'stdio' ? stdioSecrets(endpoint) : httpSecrets(endpoint);
  return [...new Set(values)].filter((value) => value.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
}

/** `text` with every one of `values` replaced. */
export function redactValues(text: string, values: readonly string[]): string {
  return values.reduce((result, value) => result.replaceAll(value, MARK), text);
}

/** `value` with the secrets in its strings and keys replaced; the same object where it holds none. */
export function redactJson(value: unknown, values: readonly string[]): unknown {
  if (typeof value === 'string') return redactValues(value, values);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const copy = list.map((entry) => redactJson(entry, values));
    return copy.every((entry, index) => entry === list[index]) ? value : copy;
  }
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  const copy = entries.map(([key, entry]): [string, unknown] => [redactValues(key, values), redactJson(entry, values)]);
  const same = copy.every(([key, entry], index) => key === entries[index]?.[0] && entry === entries[index]?.[1]);
  return same ? value : Object.fromEntries(copy);
}

function stdioSecrets(endpoint: Extract<Endpoint, { kind: 'stdio' }>): readonly string[] {
  const values: string[] = [];
  for (const [name, value] of Object.entries(endpoint.env)) {
    if (value === null) continue;
    if (isSecretName(name)) values.push(value);
    values.push(...urlSecrets(value));
  }
  for (const [index, arg] of endpoint.args.entries()) {
    const flag = /^--?([\w-]+)=(.+)$/s.exec(arg);
    if (flag?.[1] !== undefined && flag[2] !== undefined && isSecretName(flag[1])) values.push(flag[2]);
    const before = endpoint.args[index - 1] ?? '';
    if (/^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('-')) values.push(arg);
    values.push(...urlSecrets(arg));
  }
  return values;
}

function httpSecrets(endpoint: Exclude<Endpoint, { kind: 'stdio' }>): readonly string[] {
  const values = urlSecrets(endpoint.url);
  for (const [name, value] of Object.entries(endpoint.headers)) {
    if (PLAIN_HEADERS.has(name.toLowerCase())) continue;
    values.push(value, value.replace(/^\s*(?:Bearer|Basic|Token)\s+/i, ''));
  }
  return values;
}

function urlSecrets(text: string): string[] {
  if (!/^[a-z][\w+.-]*:\/\//i.test(text) || !URL.canParse(text)) return [];
  const url = new URL(text);
  const named = [...url.searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value);
  return [url.password, decode(url.password), ...named].filter((value) => value !== '');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address for messages: scheme and host only, since paths hold secrets as well. */
export function shownAddress(text: string): string {
  if (!URL.canParse(text)) return 'an address that is no URL';
  const url = new URL(text);
  return `${url.protocol}//${url.host}`;
}
