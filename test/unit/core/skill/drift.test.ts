import { describe, expect, it } from 'vitest';
import type { Catalog, Tool } from '#core/model.ts';
import { driftOf } from '#core/skill/drift.ts';
import { createLock } from '#core/skill/lock.ts';
import { sha256 } from '#node/digest.ts';

const tool = (name: string, description = name): Tool => ({ name, description, inputSchema: {} });
const catalogOf = (...tools: readonly Tool[]): Catalog => ({ server: 's', origin: 'live', tools });
const BEFORE = [tool('b'), tool('a'), tool('__proto__'), tool('c')];
const lock = createLock(
  { generator: 'g', mode: 'normal', runtime: 'node', definition: 'd', excluded: [] },
  catalogOf(...BEFORE),
  [],
  sha256,
);
const NONE = { added: [], removed: [], changed: [], same: true };

const CASES: readonly (readonly [string, readonly Tool[], object])[] = [
  ['nothing where only the order changed', [...BEFORE].reverse(), NONE],
  [
    'added tools, sorted',
    [...BEFORE, tool('z'), tool('constructor')],
    { ...NONE, added: ['constructor', 'z'], same: false },
  ],
  ['removed tools', [tool('a'), tool('b')], { ...NONE, removed: ['__proto__', 'c'], same: false }],
  [
    'changed tools',
    [tool('c', 'x'), tool('__proto__', 'x'), tool('a'), tool('b')],
    { ...NONE, changed: ['__proto__', 'c'], same: false },
  ],
  ['all tools of an empty list as removed', [], { ...NONE, removed: ['__proto__', 'a', 'b', 'c'], same: false }],
];

describe('drift between a skill and its server', () => {
  for (const [title, tools, expected] of CASES) {
    it(`tells of ${title}`, () => expect(driftOf(lock, catalogOf(...tools), sha256)).toEqual(expected));
  }
});
