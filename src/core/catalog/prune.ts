/**
 * Drops the shared definitions that a schema carries and never refers to; generators often repeat one block of
 * `$defs` in every tool. A schema that names itself or its parts in other ways than local `$ref` is left alone.
 */
import type { Json, JsonObject } from '../model.ts';

/** Where definitions live: JSON Schema 2020-12, section 8.2.4, and its older spelling. */
const HOMES: readonly string[] = ['$defs', 'definitions'];

/** Keywords by which a definition can be reached without a pointer to it. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  ...['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef'],
]);

/**
 * The schema without the entries of its root `$defs` and `definitions` that nothing reaches from the rest of it,
 * directly or through other definitions. The same object where nothing falls away.
 */
export function pruneSchema(schema: JsonObject): JsonObject {
  const homes = HOMES.filter((home) => Object.hasOwn(schema, home) && isObject(schema[home]));
  if (homes.length === 0) return schema;
  const used = reachable(schema, homes);
  if (used === 'unknown') return schema;
  let lost = false;
  const entries: (readonly [string, Json])[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (!homes.includes(key) || !isObject(value)) {
      entries.push([key, value]);
      continue;
    }
    const kept = Object.entries(value).filter(([name]) => used.has(pointer(key, name)));
    if (kept.length === Object.keys(value).length) {
      entries.push([key, value]);
      continue;
    }
    lost = true;
    if (kept.length > 0) entries.push([key, Object.fromEntries(kept)]);
  }
  return lost ? Object.fromEntries(entries) : schema;
}

/** Pointers of the definitions that are used; `unknown` where that cannot be told from local pointers. */
function reachable(schema: JsonObject, homes: readonly string[]): ReadonlySet<string> | 'unknown' {
  const used = new Set<string>();
  const queue: Json[] = Object.entries(schema)
    .filter(([key]) => !homes.includes(key))
    .map(([key, value]) => ({ [key]: value }));
  if (definesOtherNames(schema)) return 'unknown';
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (Array.isArray(next)) {
      queue.push(...next);
      continue;
    }
    if (!isObject(next)) continue;
    for (const [key, value] of Object.entries(next)) {
      if (key !== '$ref' || typeof value !== 'string') {
        queue.push(value);
        continue;
      }
      const target = targetOf(value, homes);
      if (target === 'unknown') return 'unknown';
      if (target === undefined || used.has(pointer(target.home, target.name))) continue;
      used.add(pointer(target.home, target.name));
      const home = schema[target.home];
      const definition = isObject(home) && Object.hasOwn(home, target.name) ? home[target.name] : undefined;
      if (definition !== undefined) queue.push(definition);
    }
  }
  return used;
}

/** Looks into the definitions too: an anchor there can be the target of a reference from anywhere. */
function definesOtherNames(schema: JsonObject): boolean {
  const queue: Json[] = [schema];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (Array.isArray(next)) {
      queue.push(...next);
    } else if (isObject(next)) {
      for (const [key, value] of Object.entries(next)) {
        if (OTHER_NAMES.has(key) && (typeof value === 'string' || typeof value === 'boolean')) return true;
        queue.push(value);
      }
    }
  }
  return false;
}

/** The root definition that a reference points at or into; undefined for a reference to somewhere else. */
function targetOf(
  reference: string,
  homes: readonly string[],
): { readonly home: string; readonly name: string } | 'unknown' | undefined {
  if (!reference.startsWith('#')) return undefined;
  if (reference === '#' || reference === '#/') return undefined;
  const fragment = decodeFragment(reference.slice(1));
  if (fragment === undefined || !fragment.startsWith('/')) return 'unknown';
  const [home, name] = fragment
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (home === undefined || !homes.includes(home)) return undefined;
  return name === undefined ? 'unknown' : { home, name };
}

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function pointer(home: string, name: string): string {
  return `${home}/${name}`;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
