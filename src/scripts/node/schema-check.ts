/**
 * Checks arguments against a tool's JSON Schema before they are sent, so that a mistake is named at its field. It
 * knows the keywords that tools use; what it does not know it lets pass, the server decides in the end.
 */
import { runInNewContext } from 'node:vm';
import { closest } from './closest.ts';
import { exactInteger, isObject, own, sameJson } from './json.ts';

const PATTERN_LIMIT = 200;
const PATTERN_TEXT_LIMIT = 10_000;
const PATTERN_MS = 200;
const DEPTH_LIMIT = 64;
const CHOICES_SHOWN = 20;

/** One mistake: where, and what; `weight` orders branches of a union, nearer is lower. */
interface Mistake {
  readonly path: string;
  readonly text: string;
  readonly depth: number;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (exactInteger(value) !== undefined) return 'number';
  return typeof value === 'object' ? 'object' : typeof value;
}

function show(value: unknown): string {
  const digits = exactInteger(value);
  if (digits !== undefined) return digits;
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function given(value: unknown): string {
  const type = typeName(value);
  if (type === 'null') return 'null';
  return type === 'object' || type === 'array' ? type : `${type} ${show(value)}`;
}

function isType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value) || exactInteger(value) !== undefined;
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
    case 'array':
    case 'object':
      return typeName(value) === type;
    default:
      return true;
  }
}

/** Property path in the way people write it. */
function child(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_$][\w$-]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function count(value: number, what: string): string {
  return `${value} ${what}s`;
}

/** Whether a text matches; what does not compile or takes too long is let pass, the server checks it. */
function matches(pattern: string, text: string): boolean {
  try {
    new RegExp(pattern, 'u');
  } catch {
    return true;
  }
  try {
    // Some patterns take for ever on some texts; only a script of its own can be stopped.
    return runInNewContext('new RegExp(pattern, "u").test(text)', { pattern, text }, { timeout: PATTERN_MS }) === true;
  } catch {
    return true;
  }
}

class Checker {
  readonly #root: unknown;

  constructor(root: unknown) {
    this.#root = root;
  }

  check(value: unknown, schema: unknown, path: string, depth: number): readonly Mistake[] {
    if (schema === false) return [{ path, text: 'nothing is allowed here', depth }];
    if (!isObject(schema) || depth > DEPTH_LIMIT) return [];
    const at = { path, depth };
    const target = this.#follow(schema);
    return [
      ...(target === undefined ? [] : this.check(value, target, path, depth + 1)),
      ...this.#type(value, schema, at),
      ...this.#choice(value, schema, at),
      ...this.#number(value, schema, at),
      ...this.#text(value, schema, at),
      ...this.#list(value, schema, at),
      ...this.#object(value, schema, at),
      ...this.#unions(value, schema, at),
    ];
  }

  /** What a local `$ref` points to; anything else is let pass. */
  #follow(schema: Record<string, unknown>): unknown {
    const ref = own(schema, '$ref');
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    let at: unknown = this.#root;
    for (const part of ref.slice(1).split('/').slice(1)) {
      let key = part;
      try {
        key = decodeURIComponent(part);
      } catch {
        // Not percent-encoded after all: the text itself is the key.
      }
      key = key.replaceAll('~1', '/').replaceAll('~0', '~');
      at = Array.isArray(at) ? at[Number(key)] : own(at, key);
    }
    return at === schema ? undefined : at;
  }

  #type(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    const type = own(schema, 'type');
    const types = (Array.isArray(type) ? type : [type]).filter((item): item is string => typeof item === 'string');
    if (own(schema, 'nullable') === true) types.push('null');
    if (types.length === 0 || types.some((item) => isType(value, item))) return [];
    return [{ ...at, text: `expected ${types.join(' or ')}, got ${given(value)}` }];
  }

  #choice(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    const choices = own(schema, 'enum');
    if (Array.isArray(choices) && !choices.some((choice) => sameJson(choice, value))) {
      const shown = choices.slice(0, CHOICES_SHOWN).map(show).join(', ');
      const more = choices.length > CHOICES_SHOWN ? ` (and ${choices.length - CHOICES_SHOWN} more)` : '';
      return [{ ...at, text: `${show(value)} is not allowed; use one of ${shown}${more}` }];
    }
    if (Object.hasOwn(schema, 'const') && !sameJson(schema['const'], value)) {
      return [{ ...at, text: `${show(value)} is not allowed; use ${show(schema['const'])}` }];
    }
    return [];
  }

  #number(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    const digits = exactInteger(value);
    const number = digits === undefined ? value : Number(digits);
    if (typeof number !== 'number') return [];
    const mistakes: Mistake[] = [];
    const bound = (key: string, broken: (limit: number) => boolean, words: string): void => {
      const limit = own(schema, key);
      if (typeof limit === 'number' && broken(limit)) {
        mistakes.push({ ...at, text: `must be ${words} ${limit}, got ${show(value)}` });
      }
    };
    const low = own(schema, 'exclusiveMinimum') === true;
    const high = own(schema, 'exclusiveMaximum') === true;
    bound('minimum', (limit) => (low ? number <= limit : number < limit), low ? 'more than' : 'at least');
    bound('maximum', (limit) => (high ? number >= limit : number > limit), high ? 'less than' : 'at most');
    bound('exclusiveMinimum', (limit) => number <= limit, 'more than');
    bound('exclusiveMaximum', (limit) => number >= limit, 'less than');
    return mistakes;
  }

  #text(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    if (typeof value !== 'string' || exactInteger(value) !== undefined) return [];
    const length = [...value].length;
    const least = own(schema, 'minLength');
    const most = own(schema, 'maxLength');
    if (typeof least === 'number' && length < least) {
      return [{ ...at, text: `needs at least ${count(least, 'character')}, got ${length}` }];
    }
    if (typeof most === 'number' && length > most) {
      return [{ ...at, text: `takes at most ${count(most, 'character')}, got ${length}` }];
    }
    return this.#pattern(value, own(schema, 'pattern'), at);
  }

  #pattern(value: string, pattern: unknown, at: { path: string; depth: number }): readonly Mistake[] {
    if (typeof pattern !== 'string' || pattern.length > PATTERN_LIMIT || value.length > PATTERN_TEXT_LIMIT) return [];
    return matches(pattern, value) ? [] : [{ ...at, text: `${show(value)} does not match the pattern ${pattern}` }];
  }

  #list(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    if (!Array.isArray(value)) return [];
    const least = own(schema, 'minItems');
    const most = own(schema, 'maxItems');
    if (typeof least === 'number' && value.length < least) {
      return [{ ...at, text: `needs at least ${count(least, 'item')}, got ${value.length}` }];
    }
    if (typeof most === 'number' && value.length > most) {
      return [{ ...at, text: `takes at most ${count(most, 'item')}, got ${value.length}` }];
    }
    const items = own(schema, 'items');
    const tuple = Array.isArray(items) ? items : own(schema, 'prefixItems');
    return value.flatMap((item: unknown, index) => {
      const own =
        Array.isArray(tuple) && index < tuple.length ? tuple[index] : Array.isArray(items) ? undefined : items;
      return this.check(item, own, child(at.path, index), at.depth + 1);
    });
  }

  #object(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    if (!isObject(value)) return [];
    const properties = own(schema, 'properties');
    const mistakes: Mistake[] = [];
    const required = own(schema, 'required');
    for (const name of Array.isArray(required) ? required : []) {
      if (typeof name !== 'string' || Object.hasOwn(value, name)) continue;
      const type = own(own(properties, name), 'type');
      const note = typeof type === 'string' ? ` (${type})` : Array.isArray(type) ? ` (${type.join(' or ')})` : '';
      mistakes.push({ path: child(at.path, name), text: `required${note}`, depth: at.depth + 1 });
    }
    for (const [name, item] of Object.entries(value)) {
      const known = own(properties, name);
      if (known !== undefined) mistakes.push(...this.check(item, known, child(at.path, name), at.depth + 1));
      else mistakes.push(...this.#extra(name, item, schema, at));
    }
    return mistakes;
  }

  #extra(
    name: string,
    value: unknown,
    schema: Record<string, unknown>,
    at: { path: string; depth: number },
  ): readonly Mistake[] {
    const extra = own(schema, 'additionalProperties');
    if (own(schema, 'patternProperties') !== undefined || extra === undefined || extra === true) return [];
    if (extra !== false) return this.check(value, extra, child(at.path, name), at.depth + 1);
    const properties = own(schema, 'properties');
    const names = isObject(properties) ? Object.keys(properties) : [];
    const near = closest(name, names)[0];
    const hint =
      near !== undefined
        ? `; did you mean ${near}?`
        : names.length > 0
          ? `; known: ${names.slice(0, CHOICES_SHOWN).join(', ')}`
          : '; there are none';
    return [{ path: child(at.path, name), text: `unknown property${hint}`, depth: at.depth }];
  }

  #unions(value: unknown, schema: Record<string, unknown>, at: { path: string; depth: number }): readonly Mistake[] {
    const mistakes: Mistake[] = [];
    const all = own(schema, 'allOf');
    for (const part of Array.isArray(all) ? all : []) mistakes.push(...this.check(value, part, at.path, at.depth + 1));
    for (const key of ['anyOf', 'oneOf']) {
      const branches = own(schema, key);
      if (!Array.isArray(branches) || branches.length === 0) continue;
      mistakes.push(...this.#nearest(value, branches, at));
    }
    return mistakes;
  }

  /** Nothing where a branch fits, else the mistakes of the branch that came farthest. */
  #nearest(value: unknown, branches: readonly unknown[], at: { path: string; depth: number }): readonly Mistake[] {
    let best: readonly Mistake[] | undefined;
    const types: string[] = [];
    for (const branch of branches) {
      const found = this.check(value, branch, at.path, at.depth + 1);
      if (found.length === 0) return [];
      const atRoot = found.find((mistake) => mistake.path === at.path && mistake.text.startsWith('expected '));
      if (atRoot !== undefined) types.push(/^expected (.*?), got /.exec(atRoot.text)?.[1] ?? '');
      if (best === undefined || reach(found, at.path) > reach(best, at.path)) best = found;
    }
    if (types.length === branches.length && types.length > 0) {
      return [{ ...at, text: `expected ${[...new Set(types)].join(' or ')}, got ${given(value)}` }];
    }
    return best ?? [];
  }
}

/** How far a branch came: a wrong type at the branch itself is worst, then more mistakes, then shallower ones. */
function reach(mistakes: readonly Mistake[], path: string): number {
  const wrongType = mistakes.some((mistake) => mistake.path === path && mistake.text.startsWith('expected '));
  const wrongConst = mistakes.some((mistake) => mistake.text.includes(' is not allowed'));
  return (wrongType ? -1000 : 0) + (wrongConst ? -100 : 0) - mistakes.length;
}

/** The mistakes in arguments, first the outermost; `path: text` each. Empty where they fit. */
export function checkArguments(args: unknown, schema: unknown): readonly string[] {
  const lines = new Checker(schema)
    .check(args, schema, '', 0)
    .map(({ path, text }) => `${path || 'arguments'}: ${text}`);
  return [...new Set(lines)];
}
