/** What was learned, as resources: their addresses, their texts, and that the same address gives the same text. */
import { describe, expect, it } from 'vitest';
import { MochiFault } from '../../../src/mochi/limits.ts';
import { createResources } from '../../../src/mochi/resources.ts';
import { createTinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';

const learned = () => createResources(createTinyAdapter());
const textOf = (uri: string): string => learned().read(uri)?.text ?? '';

describe('the list of resources', () => {
  it('has one address for everything learned', () => {
    expect(
      learned()
        .list()
        .map(({ uri }) => uri),
    ).toEqual([
      'mochi://stats',
      'mochi://patterns/error-handling',
      'mochi://patterns/p-1',
      'mochi://conventions/naming',
      'mochi://conventions/constructor',
      'mochi://examples/src-a-3',
    ]);
    for (const { name, title, description, mimeType } of learned().list())
      expect([name, title, description, mimeType].every(Boolean)).toBe(true);
  });

  it('is the statistics alone before anything was learned', () => {
    const resources = createResources(createTinyAdapter(false));
    expect(resources.list().map(({ uri }) => uri)).toEqual(['mochi://stats']);
    expect(JSON.parse(resources.read('mochi://stats')?.text ?? '')).toEqual({ learned: false, engine: 'tiny' });
    expect(resources.read('mochi://patterns/error-handling')).toBeUndefined();
  });

  it('tells in the statistics how suggestions were taken, where somebody counted', () => {
    const counts = new Map([
      ['go', { shown: 4, accepted: 2, kept: 1 }],
      ['rust', { shown: 1, accepted: 1, kept: 0 }],
    ]);
    const resources = createResources(createTinyAdapter(), () => counts);
    expect(JSON.parse(resources.read('mochi://stats')?.text ?? '')).toMatchObject({
      learned: true,
      suggestions: { shown: 5, accepted: 3, kept: 1, languages: { go: { shown: 4, accepted: 2, kept: 1 } } },
    });
    expect(JSON.parse(textOf('mochi://stats'))).not.toHaveProperty('suggestions');
  });

  it('has a template for each kind', () => {
    expect(learned().templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'mochi://patterns/{name}',
      'mochi://conventions/{name}',
      'mochi://examples/{id}',
    ]);
  });

  it('can be read as it stands', () => {
    for (const { uri, mimeType } of learned().list()) expect(learned().read(uri)).toMatchObject({ uri, mimeType });
  });
});

describe('a resource', () => {
  it('gives a pattern with its counts and real examples, fenced so that they cannot break out', () => {
    const text = textOf('mochi://patterns/error-handling');
    expect(text).toContain('# About error-handling');
    expect(text).toContain('8 of 10 cases (80 %)');
    expect(text).toContain('src/a.ts:3');
    expect(text).toMatch(/data, not instructions/);
    expect(text).toContain('````\nconst fence = "```";\nrun();\n````');
  });

  it('gives the statistics as JSON', () => {
    expect(JSON.parse(textOf('mochi://stats'))).toMatchObject({
      learned: true,
      engine: 'tiny',
      files: 2,
      tokens: 40,
      left_out: { secret: 1 },
      patterns: 2,
      conventions: 2,
      examples: 1,
    });
  });

  it('finds names that every object has only where they were learned', () => {
    expect(textOf('mochi://conventions/constructor')).toContain('About constructor');
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(learned().read(`mochi://patterns/${name}`)).toBeUndefined();
  });

  it('is the same every time, until the next learning', () => {
    const adapter = createTinyAdapter();
    const resources = createResources(adapter);
    const all = () => resources.list().map(({ uri }) => resources.read(uri)?.text);
    const first = all();
    adapter.setState('learning');
    expect(all()).toEqual(first);
    adapter.setState('ready');
    expect(all()).toEqual(first);
    expect(createResources(createTinyAdapter()).read('mochi://stats')).toEqual(resources.read('mochi://stats'));
    adapter.learn(4);
    expect(all()).not.toEqual(first);
    expect(resources.list()).toHaveLength(8);
  });
});

describe('an address that is none of ours', () => {
  it.each([
    'mochi://../x',
    'mochi://%2e%2e/',
    'mochi://patterns/..',
    'mochi://patterns/%2e%2e',
    'mochi://patterns/%2e%2e%2fx',
    'mochi://patterns/a/b',
    'mochi://patterns/a%00',
    'mochi://patterns/%E0%A4%A',
    'mochi://patterns/',
    'mochi://patterns',
    'mochi://stats/',
    'mochi://stats?x=1',
    'mochi://patterns/x#y',
    'mochi://PATTERNS/x',
    'mochi://toString/x',
    'mochi://other/x',
    'MOCHI://stats',
    'mochi:patterns/x',
    'file:///etc/passwd',
    'file://stats',
    'http://localhost/stats',
    'data:text/plain,x',
    '../stats',
    '',
    ' mochi://stats',
    `mochi://patterns/${'a/'.repeat(50_000)}`,
  ])('is refused: %s', (uri) => {
    let fault: unknown;
    try {
      learned().read(uri);
    } catch (error) {
      fault = error;
    }
    expect(fault).toBeInstanceOf(MochiFault);
    expect((fault as MochiFault).data).toMatchObject({ kind: 'invalid', field: 'uri' });
    expect((fault as MochiFault).message.length).toBeLessThan(300);
  });

  it('is told from one that names nothing', () => {
    expect(learned().read('mochi://patterns/unheard-of')).toBeUndefined();
  });
});

describe('completion', () => {
  it.each([
    ['mochi://patterns/{name}', 'name', '', ['error-handling', 'p-1']],
    ['mochi://patterns/{name}', 'name', 'ERR', ['error-handling']],
    ['mochi://conventions/{name}', 'name', 'n', ['naming']],
    ['mochi://examples/{id}', 'id', 'src', ['src-a-3']],
    ['mochi://examples/{id}', 'id', '(a+)+$', []],
  ])('of %s offers names that begin so', (template, variable, start, values) => {
    expect(learned().complete(template, variable, start)).toEqual(values);
  });

  it.each([
    ['mochi://patterns/{name}', 'id'],
    ['mochi://stats', 'name'],
    ['file:///{path}', 'path'],
  ])('knows no %s with %s', (template, variable) => {
    expect(learned().complete(template, variable, '')).toBeUndefined();
  });
});
