/** An entry that names a URL: transport and headers. No connection is made and no helper program is run. */
import type { Endpoint } from '../model.ts';
import { type Field, quoted, scalarOf, typeOf } from './document.ts';
import type { EntryReader } from './entry.ts';
import type { UrlField } from './sources.ts';
import { expand } from './variables.ts';

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const LINE = /^[^\r\n\0]*$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `type` is what the entry says; `untyped` what this client makes of a URL without type. */
export function readRemote(
  reader: EntryReader,
  field: Field,
  type: 'http' | 'sse' | 'either',
  untyped: UrlField['transport'],
): Endpoint | undefined {
  const value = scalarOf(field.value);
  if (typeof value !== 'string') {
    return reader.reject(
      `\`${field.key}\` is ${typeOf(field.value)}, not a string.`,
      'Write the address as a string.',
      field.value.at,
    );
  }
  const url = reader.canonical(value.trim(), field.value.at);
  if (!isReachable(reader, url, field)) return undefined;
  const headers = readHeaders(reader);
  if (headers === undefined) return undefined;
  noteUnread(reader);
  const shared = { url, headers: Object.fromEntries(headers) };
  const transport =
    type === 'either' ? untyped : type === 'http' && reader.fields.httpTriesSse ? 'http-then-sse' : type;
  return transport === 'sse'
    ? { kind: 'sse', ...shared }
    : { kind: 'http', ...shared, sseFallback: transport === 'http-then-sse' };
}

/** Only `http` and `https` addresses, or ones that begin with a variable and are judged when it is known. */
function isReachable(reader: EntryReader, url: string, field: Field): boolean {
  const refuse = (message: string, remedy: string, kind?: 'entry-unsupported'): false => {
    reader.reject(message, remedy, field.value.at, kind);
    return false;
  };
  const web = 'Write an address that begins with `https://` or `http://`.';
  if (url === '') return refuse(`\`${field.key}\` is empty.`, web);
  if (/[\u0000-\u0020\u007f]/.test(url))
    return refuse(`\`${field.key}\` holds a space or control character.`, 'Remove or encode it.');
  if (url.startsWith('${')) return true;
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return refuse(`\`${field.key}\` is not an absolute address.`, web);
  if (scheme === 'unix' || scheme === 'pipe') {
    return refuse(
      `\`${field.key}\` names a local socket (\`${scheme}:\`), which cannot be connected to here.`,
      'Use `http://` on a local port.',
      'entry-unsupported',
    );
  }
  if (scheme === 'ws' || scheme === 'wss') {
    return refuse('The WebSocket transport is not supported.', web, 'entry-unsupported');
  }
  if (scheme !== 'http' && scheme !== 'https') return refuse(`\`${field.key}\` has the scheme \`${scheme}:\`.`, web);
  const sample = expand(url, () => '1').text;
  if (!/^https?:\/\/[^/]/i.test(sample) || !URL.canParse(sample)) {
    return refuse(`\`${field.key}\` is not a valid address.`, web);
  }
  return true;
}

function readHeaders(reader: EntryReader): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>();
  const field = reader.pickFirst(reader.fields.headers);
  if (!addAll(reader, headers, field, LINE, reader.canonical)) return undefined;
  const fromEnv = reader.fields.headersFromEnv;
  const named = fromEnv === undefined ? undefined : reader.pick(fromEnv);
  if (!addAll(reader, headers, named, ENV_NAME, (name) => `\${${name}}`)) return undefined;
  return addBearer(reader, headers) ? headers : undefined;
}

function addAll(
  reader: EntryReader,
  headers: Map<string, string>,
  field: Field | undefined,
  allowed: RegExp,
  write: (text: string, offset: number) => string,
): boolean {
  if (field === undefined) return true;
  if (field.value.kind !== 'object') {
    reader.reject(
      `\`${field.key}\` is ${typeOf(field.value)}, not an object.`,
      'Write an object of names and values.',
      field.value.at,
    );
    return false;
  }
  for (const entry of field.value.fields) {
    const value = scalarOf(entry.value);
    const text = value === undefined || value === null ? undefined : String(value);
    if (text === undefined || !allowed.test(text) || !TOKEN.test(entry.key)) {
      reader.reject(
        `The header ${quoted(entry.key)} has ${text === undefined ? `${typeOf(entry.value)} as value` : 'a name or value that HTTP does not allow'}.`,
        'Write a plain name and a one-line string.',
        entry.at,
      );
      return false;
    }
    headers.set(entry.key, write(text, entry.value.at));
  }
  return true;
}

function addBearer(reader: EntryReader, headers: Map<string, string>): boolean {
  const { bearer, bearerFromEnv } = reader.fields;
  const variable = bearerFromEnv === undefined ? undefined : reader.pick(bearerFromEnv);
  const literal = bearer === undefined ? undefined : reader.pick(bearer);
  const field = variable ?? literal;
  if (field === undefined) return true;
  const value = scalarOf(field.value);
  const valid = typeof value === 'string' && (variable === undefined ? LINE : ENV_NAME).test(value);
  if (!valid) {
    reader.reject(
      `\`${field.key}\` is not ${variable === undefined ? 'a one-line string' : 'the name of an environment variable'}.`,
      'Correct the value.',
      field.value.at,
    );
    return false;
  }
  const present = [...headers.keys()].some((name) => name.toLowerCase() === 'authorization');
  if (!present)
    headers.set(
      'Authorization',
      `Bearer ${variable === undefined ? reader.canonical(value, field.value.at) : `\${${value}}`}`,
    );
  return true;
}

function noteUnread(reader: EntryReader): void {
  const helper = reader.pick('headersHelper');
  if (helper !== undefined) {
    reader.note({
      kind: 'entry-unsupported',
      severity: 'warning',
      message: '`headersHelper` names a program that makes headers; it is never run.',
      remedy: 'If the server needs those headers, write them into `headers` with variables.',
      offset: helper.at,
    });
  }
  for (const [key, remedy] of reader.fields.ignored ?? []) {
    const field = reader.pick(key);
    if (field === undefined) continue;
    reader.note({
      kind: 'entry-invalid',
      severity: 'warning',
      message: `${reader.client} does not read \`${key}\`, so it is ignored.`,
      remedy,
      offset: field.at,
    });
  }
}
