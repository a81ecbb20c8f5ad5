/**
 * Gives the variables in a server's definition their values: from the environment, then the project's `.env`, then
 * the file the editor provides. Values found this way are remembered only to mask them in messages.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';
import { Fault } from './fault.ts';
import type { ServerDefinition } from './server-config.ts';
import { codeOf } from './server-config.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly project: string;
  readonly home: string;
  readonly separator: string;
}

/** Shorter values are no secrets worth masking, and masking them would garble every message. */
const MASK_LEAST = 4;
const ENV_FILE_LIMIT = 1024 * 1024;

/** Lines of `NAME=value`, with `export`, quotes and comments as the usual tools read them. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*=\s*(.*)$/.exec(line);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    values.set(match[1], unquote(match[2].trim()));
  }
  return values;
}

function unquote(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'([^']*)'|^`([^`]*)`/.exec(text);
  if (quoted === null) return text.replace(/(^|\s+)#.*$/, '').trim();
  if (quoted[1] === undefined) return quoted[2] ?? quoted[3] ?? '';
  return quoted[1].replace(/\\(.)/g, (_, character: string) => {
    if (character === 'n') return '\n';
    if (character === 'r') return '\r';
    return character === 't' ? '\t' : character;
  });
}

function readEnvFile(path: string): ReadonlyMap<string, string> | undefined {
  try {
    return parseEnvFile(readFileSync(path, 'utf8').slice(0, ENV_FILE_LIMIT));
  } catch {
    return undefined;
  }
}

/** `api-key` as `API_KEY`. */
export function inputVariable(id: string): string {
  return id.replace(/[^A-Za-z0-9]/g, '_').toUpperCase();
}

/** Finds where the brace that opens before `from` closes; -1 where it does not. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith('${', at)) {
      depth += 1;
      at += 1;
    } else if (text[at] === '}') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return -1;
}

/** Expands texts, collects the names without a value and the values to mask. */
export class Variables {
  readonly missing = new Set<string>();
  readonly #secrets = new Set<string>();
  readonly #surroundings: Surroundings;
  #files: readonly ReadonlyMap<string, string>[] | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Text with its variables replaced; names without a value are added to `missing`. */
  expand(text: string): string {
    let out = '';
    let at = 0;
    while (at < text.length) {
      const open = text.indexOf('${', at);
      if (open < 0) return out + text.slice(at);
      if (open > 0 && text[open - 1] === '$') {
        out += `${text.slice(at, open - 1)}\${`;
        at = open + 2;
        continue;
      }
      const close = closingBrace(text, open + 2);
      if (close < 0) return out + text.slice(at);
      out += text.slice(at, open) + this.#reference(text.slice(open + 2, close), text.slice(open, close + 1));
      at = close + 1;
    }
    return out;
  }

  /** Text with every value that came from a variable replaced by `***`. */
  mask(text: string): string {
    let masked = text;
    for (const secret of [...this.#secrets].sort((a, b) => b.length - a.length))
      masked = masked.replaceAll(secret, '***');
    return masked;
  }

  /** Takes a value among those to mask. */
  remember(value: string): void {
    if (value.length < MASK_LEAST) return;
    this.#secrets.add(value);
    for (const word of value.split(' ')) if (word.length >= 8) this.#secrets.add(word);
    // Servers echo values in these forms too.
    this.#secrets.add(encodeURIComponent(value));
    this.#secrets.add(JSON.stringify(value).slice(1, -1));
  }

  #reference(body: string, whole: string): string {
    const { project, home, separator } = this.#surroundings;
    if (body === 'workspaceFolder' || body.startsWith('workspaceFolder:')) return project;
    if (body === 'workspaceFolderBasename') return basename(project);
    if (body === 'userHome') return home;
    if (body === 'pathSeparator' || body === '/') return separator;
    const fallback = body.indexOf(':-');
    const name = fallback < 0 ? body : body.slice(0, fallback);
    const found = this.#value(name);
    if (found !== undefined && (found !== '' || fallback < 0)) {
      this.remember(found);
      return found;
    }
    if (fallback >= 0) return this.expand(body.slice(fallback + 2));
    if (!/^(?:(?:env|input):.+|[A-Za-z_][A-Za-z0-9_]*)$/s.test(name)) return whole;
    this.missing.add(this.#spelling(name));
    return '';
  }

  #spelling(name: string): string {
    if (name.startsWith('env:')) return name.slice(4);
    return name.startsWith('input:') ? inputVariable(name.slice(6)) : name;
  }

  #value(name: string): string | undefined {
    if (name.startsWith('input:')) {
      const upper = inputVariable(name.slice(6));
      return this.#lookUp(`MOCHI_INPUT_${upper}`) ?? this.#lookUp(upper);
    }
    return this.#lookUp(name.startsWith('env:') ? name.slice(4) : name);
  }

  #lookUp(name: string): string | undefined {
    const fromEnvironment = Object.hasOwn(this.#surroundings.env, name) ? this.#surroundings.env[name] : undefined;
    if (fromEnvironment !== undefined) return fromEnvironment;
    this.#files ??= this.#readFiles();
    for (const file of this.#files) {
      const value = file.get(name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #readFiles(): readonly ReadonlyMap<string, string>[] {
    const provided = this.#surroundings.env['MOCHI_ENV_FILE'];
    const paths = [join(this.#surroundings.project, '.env'), ...(provided ? [provided] : [])];
    return paths.flatMap((path) => readEnvFile(path) ?? []);
  }
}

/** The surroundings of this process. */
export function surroundings(project: string): Surroundings {
  return { env: process.env, project, home: homedir(), separator: sep };
}

/** Everything needed to reach a server, without variables. */
export type Target =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: ReadonlyMap<string, string | null>;
      readonly cwd: string;
    }
  | { readonly kind: 'http'; readonly url: URL; readonly headers: ReadonlyMap<string, string>; readonly sse: boolean };

function childEnvironment(
  definition: ServerDefinition & { kind: 'stdio' },
  variables: Variables,
  project: string,
): ReadonlyMap<string, string | null> {
  const env = new Map<string, string | null>();
  if (definition.envFile !== undefined) {
    const path = resolve(project, variables.expand(definition.envFile));
    let text: string;
    try {
      text = readFileSync(path, 'utf8');
    } catch (error) {
      throw new Fault('usage', `envFile: cannot read ${path} (${codeOf(error)})`, {
        remedy: 'Create the file, or remove "envFile" from the config.',
        cause: error,
      });
    }
    for (const [name, value] of parseEnvFile(text)) {
      variables.remember(value);
      env.set(name, value);
    }
  }
  for (const [name, value] of definition.env) env.set(name, value === null ? null : variables.expand(value));
  for (const [name, value] of env) if (value !== null && isSecretName(name)) variables.remember(value);
  return env;
}

/** Names whose values are masked even where they are written out in the config. */
function isSecretName(name: string): boolean {
  return /auth|cookie|credential|key|passw|secret|token/i.test(name);
}

/** Resolves a definition; throws `unresolved-variable` that names every variable without a value. */
export function resolveServer(definition: ServerDefinition, variables: Variables, project: string): Target {
  const target = expandDefinition(definition, variables, project);
  if (variables.missing.size > 0) {
    const names = [...variables.missing];
    throw new Fault('unresolved-variable', `not set: ${names.join(', ')}`, {
      remedy: `Set ${names.length === 1 ? 'it' : 'them'} in the environment or in ${join(project, '.env')}.`,
    });
  }
  return typeof target === 'function' ? target() : target;
}

function expandDefinition(
  definition: ServerDefinition,
  variables: Variables,
  project: string,
): Target | (() => Target) {
  if (definition.kind === 'stdio') {
    const cwd = definition.cwd === undefined ? project : variables.expand(definition.cwd);
    return {
      kind: 'stdio',
      command: variables.expand(definition.command),
      args: definition.args.map((arg) => variables.expand(arg)),
      env: childEnvironment(definition, variables, project),
      cwd: isAbsolute(cwd) ? cwd : resolve(project, cwd),
    };
  }
  const url = variables.expand(definition.url);
  const headers = new Map<string, string>();
  for (const [name, text] of definition.headers) {
    const value = variables.expand(text);
    if (isSecretName(name)) variables.remember(value);
    if (/[\r\n\0]/.test(value)) throw new Fault('usage', `the header ${name} holds a line end`);
    headers.set(name, value);
  }
  return () => ({
    kind: 'http',
    url: withoutPassword(parseUrl(url, variables), headers),
    headers,
    sse: definition.sse,
  });
}

/** Moves a name and password in an address into a header: fetch refuses such addresses. */
function withoutPassword(url: URL, headers: Map<string, string>): URL {
  if (url.username === '' && url.password === '') return url;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  if (![...headers.keys()].some((name) => name.toLowerCase() === 'authorization')) {
    headers.set('Authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  }
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

function parseUrl(text: string, variables: Variables): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Fault('usage', `"${variables.mask(text)}" is no http(s) address`);
  }
  return url;
}
