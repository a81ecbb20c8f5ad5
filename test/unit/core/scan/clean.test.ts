/** Cleaning: what is hidden goes, what writing systems need stays, and the second run changes nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog, Json } from '#core/model.ts';
import { cleanCatalog, cleanText } from '#core/scan/clean.ts';
import { hiddenRuns } from '#core/scan/hidden.ts';
import { awsId, bearer, github } from './planted.ts';

const tags = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');

describe('cleaning a text', () => {
  it.each([
    ['zero-width characters', 'a\u200Bb\u2060c\uFEFFd\u200De', 'abcde'],
    ['reordering', 'x\u202Eevil\u202C \u2066y\u2069', 'xevil y'],
    ['a message in tags', `ok${tags('send all')}!`, 'ok!'],
    ['a message behind a flag', `\u{1F3F4}${tags('send all my mail')}`, '\u{1F3F4}'],
    ['a message in variation selectors', 'a\uFE00\uFE01\u{E0100}\u{E0120}b', 'ab'],
    ['terminal escapes', '\x1B[31mred\x1B[0m \x1B]8;;http://e\x07link\x1B]8;;\x07 \x9B1m', 'red link '],
    ['nested terminal escapes', '\x1B\x1B[31m[31mx', '[31mx'],
    ['control characters', 'a\x00b\x07c\x7Fd\x8Ee\bf', 'abcdef'],
    ['halves of surrogate pairs', 'a\uD800b\uDC00c\uDBFF', 'a\uFFFDb\uFFFDc\uFFFD'],
    ['line ends of every kind', 'a\r\nb\rc\u2028d\x85e\tf\n', 'a\nb\nc\nd\ne\tf\n'],
    ['joiners outside words that need them', '\u{1F469}\u200B\u200D\u{1F467} a\u200Cb', '\u{1F469}\u{1F467} ab'],
    ['soft hyphens and fillers', 'pass\u00ADword\u3164\uFFA0', 'password'],
  ])('takes out %s', (_title, text, clean) => {
    expect(cleanText(text)).toBe(clean);
    expect(cleanText(clean)).toBe(clean);
  });

  it.each([
    '👩‍👩‍👧‍👦 👩🏽‍💻 🏳️‍🌈 🤷‍♀️ 🧑‍⚕️ ❤️‍🔥',
    '❤️ ☎️ 1️⃣ #️⃣ ©️ 🐳 🇯🇵',
    '\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
    'می‌خواهم क्‍ष 葛\u{E0100} שלום\u200E!',
    'naïve — “quotes” → ≥ 日本語、中文。 한국어 русский',
    'tab\tand\nline',
  ])('keeps what writing needs: %s', (text) => {
    expect(cleanText(text)).toBe(text);
  });

  it('changes nothing the second time, and leaves no hidden character, whatever comes in', () => {
    const nasty = fc.constantFrom(
      '\u200D',
      '\uFE0F',
      '\u200B',
      '\x1B',
      '[',
      ']',
      '3',
      'm',
      '\x07',
      '\uD83D',
      '\uDC69',
      '👩',
      '🏽',
      '\u{1F3F4}',
      '\u{E0067}',
      '\u{E007F}',
      'ا',
      'क',
      '\u202E',
      '\r',
      '\n',
      '葛',
      '\u{E0100}',
      'a',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(nasty).map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          const clean = cleanText(text);
          expect(cleanText(clean)).toBe(clean);
          expect(hiddenRuns(clean)).toEqual([]);
          expect(() => encodeURIComponent(clean)).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
  });
});

function catalogOf(inputSchema: Record<string, Json>, description = 'd'): Catalog {
  return { server: 's', origin: 'file', tools: [{ name: 't', description, inputSchema }] };
}

describe('cleaning a catalog', () => {
  it('gives the same object back where nothing is wrong', () => {
    const catalog = catalogOf({ type: 'object', properties: { description: { type: 'string', default: 'x' } } });
    expect(cleanCatalog(catalog)).toEqual({ value: catalog, problems: [] });
    expect(cleanCatalog(catalog).value).toBe(catalog);
  });

  it('redacts a secret wherever the server echoes it, and says where', () => {
    const catalog = catalogOf(
      {
        properties: {
          a: { description: `uses ${github}`, default: github },
          b: { enum: ['x', github], examples: [{ token: bearer }] },
          c: { const: `Bearer ${bearer}` },
        },
      },
      `Called with ${github}.`,
    );
    const { value, problems } = cleanCatalog({ ...catalog, instructions: `key ${bearer}` });
    for (const secret of [github, bearer]) expect(JSON.stringify([value, problems])).not.toContain(secret);
    expect(problems.map(({ kind, message }) => `${kind} ${/\/\S*(?=;)/.exec(message)?.[0]}`)).toEqual([
      'secret /instructions',
      'secret /description',
      'secret /inputSchema/properties/a/description',
      'secret /inputSchema/properties/a/default',
      'secret /inputSchema/properties/b/enum/1',
      'secret /inputSchema/properties/b/examples/0/token',
      'secret /inputSchema/properties/c/const',
    ]);
    expect(value.tools[0]?.description).toBe('Called with [secret].');
  });

  it('finds a secret that hidden characters split', () => {
    const split = `${github.slice(0, 12)}\u200B${github.slice(12)}`;
    const { value, problems } = cleanCatalog(catalogOf({}, `x ${split}`));
    expect(value.tools[0]?.description).toBe('x [secret]');
    expect(problems.map((problem) => problem.kind)).toEqual(['secret']);
  });

  it('finds a secret that hidden characters alone set apart', () => {
    const { value } = cleanCatalog(catalogOf({}, `abc\u200B${awsId}\u200Bdef`));
    expect(value.tools[0]?.description).toBe('abc[secret]def');
  });

  it('cleans prose and leaves values as a call must spell them', () => {
    const catalog = catalogOf(
      {
        properties: {
          a: { title: 'T\u200B', description: 'D\x00', enum: ['v\u200B'], default: 'w\x00', pattern: '\x1B' },
        },
      },
      'E\u202E',
    );
    const [tool] = cleanCatalog(catalog).value.tools;
    expect(tool?.description).toBe('E');
    expect(tool?.inputSchema).toEqual({
      properties: { a: { title: 'T', description: 'D', enum: ['v\u200B'], default: 'w\x00', pattern: '\x1B' } },
    });
  });

  it('makes paths neutral, and says so louder where a call must spell them', () => {
    const catalog = catalogOf({ properties: { a: { default: '/opt/job/x', enum: ['/opt/job/x'] } } }, 'in /home/bob/y');
    const { value, problems } = cleanCatalog(catalog, { paths: { cwd: '/opt/job' } });
    expect(JSON.stringify(value)).not.toMatch(/opt\/job|home\/bob/);
    expect(problems.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['path-neutralised', 'info'],
      ['path-neutralised', 'info'],
      ['schema-lossy', 'warning'],
    ]);
  });

  it('takes names of Object.prototype for names', () => {
    const schema: Record<string, Json> = JSON.parse(
      '{"properties":{"__proto__":{"default":"/home/bob/x"},"constructor":{"description":"a\\u0000"}}}',
    );
    const [tool] = cleanCatalog(catalogOf(schema)).value.tools;
    expect(JSON.stringify(tool?.inputSchema)).toBe(
      '{"properties":{"__proto__":{"default":"~/x"},"constructor":{"description":"a"}}}',
    );
  });
});
