import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog, Tool } from '#core/model.ts';
import { KEEP_CLOSING, keepOpening } from '#core/skill/keep.ts';
import {
  catalogHash,
  createLock,
  fileHash,
  LOCK_PATH,
  lockFile,
  lockText,
  parseLock,
  toolHash,
} from '#core/skill/lock.ts';
import { sha256 } from '#node/digest.ts';

const NAMES = ['zeta', '__proto__', 'constructor', 'toString', 'alpha', '10', '9'];
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number' } } },
  ...more,
});
const catalog: Catalog = { server: 'probe', origin: 'live', tools: NAMES.map((name) => tool(name)) };
const origin = {
  generator: 'mochi-skills 0.1.0',
  mode: 'lazy',
  runtime: 'python',
  definition: 'd'.repeat(16),
  excluded: ['zulu', 'bravo'],
} as const;
const files = ['scripts/__proto__', 'SKILL.md', '__proto__'].map((path) => ({ path, text: path, executable: false }));

describe('the lock of a skill', () => {
  it('is read back as it was written, with names of every kind as plain data', () => {
    const lock = createLock(origin, catalog, files, sha256);
    const back = parseLock(lockText(lock));
    expect(back).toEqual(lock);
    expect(back?.excluded).toEqual(['bravo', 'zulu']);
    expect(Object.keys(back?.tools ?? {}).sort()).toEqual([...NAMES].sort());
    expect(Object.keys(back?.files ?? {}).sort()).toEqual(['SKILL.md', '__proto__', 'scripts/__proto__']);
    expect(Object.values(lock.tools).every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true);
    expect(({} as Record<string, unknown>)['zeta']).toBeUndefined();
  });

  it('is the same bytes whatever the order of tools and files, sorted, and ends in a newline', () => {
    const lock = createLock({ ...origin, mode: 'compact', compactRules: 'strict' }, catalog, files, sha256);
    const other = { ...catalog, tools: [...catalog.tools].reverse() };
    const text = lockText(lock);
    expect(
      lockText(createLock({ ...origin, mode: 'compact', compactRules: 'strict' }, other, [...files].reverse(), sha256)),
    ).toBe(text);
    expect(text).toMatch(/^\{\n {2}"catalog": /);
    expect(text.endsWith('}\n')).toBe(true);
    expect(parseLock(text)?.compactRules).toBe('strict');
    expect(lockFile(lock)).toEqual({ path: LOCK_PATH, text, executable: false });
  });

  it('does not list itself', () => {
    const lock = createLock(origin, catalog, [...files, { path: LOCK_PATH, text: '{}', executable: false }], sha256);
    expect(Object.keys(lock.files)).not.toContain(LOCK_PATH);
  });

  it.each([
    ['no JSON', '<<<<<<< ours\n{}'],
    ['an array', '[]'],
    ['nothing', ''],
    ['null', 'null'],
    ['another mode', lockText(createLock(origin, catalog, files, sha256)).replace('"lazy"', '"eager"')],
    [
      'hashes that are no text',
      '{"generator":"g","mode":"lazy","runtime":"node","server":"s","definition":"d","catalog":"c","files":{"a":1},"tools":{}}',
    ],
    [
      'files that are a list',
      '{"generator":"g","mode":"lazy","runtime":"node","server":"s","definition":"d","catalog":"c","files":[],"tools":{}}',
    ],
  ])('is not taken from %s', (_, text) => {
    expect(parseLock(text)).toBeUndefined();
  });

  it('counts neither CRLF nor keep blocks as a change of SKILL.md, but keep blocks elsewhere', () => {
    const text = '# A\n\nText.\n';
    const kept = `${text}\n${keepOpening()}\nmine\n${KEEP_CLOSING}\n`;
    expect(fileHash('SKILL.md', kept.replaceAll('\n', '\r\n'), sha256)).toBe(fileHash('SKILL.md', text, sha256));
    expect(fileHash('a.md', kept, sha256)).not.toBe(fileHash('a.md', text, sha256));
    expect(fileHash('a.md', text.replaceAll('\n', '\r\n'), sha256)).toBe(fileHash('a.md', text, sha256));
    expect(fileHash('a.md', text.replace('T', 't'), sha256)).not.toBe(fileHash('a.md', text, sha256));
  });
});

describe('the hash of a tool', () => {
  it('does not depend on the order of keys', () => {
    const turned = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } };
    expect(toolHash(tool('x', { inputSchema: turned }), sha256)).toBe(toolHash(tool('x'), sha256));
  });

  it.each([
    ['name', tool('y')],
    ['title', tool('x', { title: 'X' })],
    ['description', tool('x', { description: 'Other.' })],
    ['inputSchema', tool('x', { inputSchema: { type: 'object' } })],
    ['outputSchema', tool('x', { outputSchema: {} })],
    ['annotations', tool('x', { annotations: {} })],
  ])('depends on the %s', (_, other) => {
    expect(toolHash(other, sha256)).not.toBe(toolHash(tool('x'), sha256));
  });

  it('tells any two schemas apart that differ as JSON', () => {
    const schema = fc.dictionary(fc.constantFrom('a', '__proto__', 'b'), fc.jsonValue({ maxDepth: 2 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(schema, schema, (a, b) => {
        const own = (value: object): Tool => tool('x', { inputSchema: JSON.parse(JSON.stringify(value)) });
        // By name alone: a value may have no text of its own, such as {"toString": null}.
        const byName = ([x]: readonly [string, unknown], [y]: readonly [string, unknown]): number => (x < y ? -1 : 1);
        const sorted = (value: unknown): string =>
          JSON.stringify(value, (_, inner) =>
            inner && typeof inner === 'object' && !Array.isArray(inner) ? Object.entries(inner).sort(byName) : inner,
          );
        expect(toolHash(own(a), sha256) === toolHash(own(b), sha256)).toBe(sorted(a) === sorted(b));
      }),
    );
  });

  it('of a catalog is one whatever the order, and another with one tool less', () => {
    const turned = [...catalog.tools].reverse();
    expect(catalogHash(turned, sha256)).toBe(catalogHash(catalog.tools, sha256));
    expect(catalogHash(turned.slice(1), sha256)).not.toBe(catalogHash(catalog.tools, sha256));
  });
});
