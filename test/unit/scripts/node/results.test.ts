/** What results say and how their files are named. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { closest } from '../../../../src/scripts/node/closest.ts';
import { harvestUrls } from '../../../../src/scripts/node/download.ts';
import { Fault, faultLine, oneLine } from '../../../../src/scripts/node/fault.ts';
import {
  dispositionName,
  extensionOfType,
  hasExtension,
  safeName,
  splitName,
  uriName,
  urlName,
} from '../../../../src/scripts/node/file-names.ts';
import { idArguments, jobIdOf, progressOf } from '../../../../src/scripts/node/job-fields.ts';
import { parseJson, writeJson } from '../../../../src/scripts/node/json.ts';
import { firstSentence } from '../../../../src/scripts/node/reference.ts';
import { retryAfterSeconds } from '../../../../src/scripts/node/retry-after.ts';

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const structured = (value: unknown) => ({ structuredContent: value, content: [] });

describe('Ids of jobs', () => {
  const rows: readonly (readonly [string, unknown, string | undefined])[] = [
    ['structured content', structured({ requestId: 'a', id: 'b' }), 'a'],
    ['JSON in the text', text(' {"job_id": "j"}'), 'j'],
    ['the first of a list', text('[{"id":7},{"id":8}]'), '7'],
    ['one level deeper', structured({ data: { task_id: 't' } }), 't'],
    [
      'a number beyond 2^53',
      { content: [], structuredContent: parseJson('{"id":12345678901234567890}') },
      '12345678901234567890',
    ],
    ['an empty id is none', structured({ request_id: ' ', id: 'x' }), 'x'],
    ['plain text has none', text('request_id: 5'), undefined],
    ['nothing at all', {}, undefined],
  ];
  for (const [name, result, wanted] of rows) test(name, () => expect(jobIdOf(result, undefined)).toBe(wanted));
  test('a name of its own comes first', () => expect(jobIdOf(structured({ id: 'x', run: 'y' }), 'run')).toBe('y'));

  const schema = { properties: { jobId: { type: 'integer' }, other: { type: 'string' } } };
  test('are sent under the name and in the type of the schema', () => {
    expect(writeJson(idArguments('12345678901234567890', schema, undefined))).toBe('{"jobId":12345678901234567890}');
    expect(idArguments('abc', schema, undefined)).toEqual({ jobId: 'abc' });
    expect(idArguments('5', schema, 'other')).toEqual({ other: '5' });
    expect(idArguments('5', undefined, undefined)).toEqual({ request_id: '5' });
  });
});

describe('Status words', () => {
  const rows: readonly (readonly [unknown, string])[] = [
    [structured({ status: ' COMPLETED ' }), 'done'],
    [structured({ state: 'Succeeded' }), 'done'],
    [text('{"job":{"status":"ready"}}'), 'done'],
    [text('Done.'), 'done'],
    [structured({ status: 'Canceled' }), 'failed'],
    [structured({ status: 'in_progress', state: 'done' }), 'running'],
    [text('working on it'), 'running'],
    [{}, 'running'],
  ];
  for (const [result, wanted] of rows) {
    test(`${JSON.stringify(result)} means ${wanted}`, () => expect(progressOf(result).kind).toBe(wanted));
  }
});

describe('Addresses in results', () => {
  test('are found in order, once, also inside JSON texts', () => {
    const result = {
      a: ['https://x.example/1', { b: '{"u":"http://y.example/2","v":"https://x.example/1"}' }],
      c: 'see https://z.example',
    };
    expect(harvestUrls(result)).toEqual(['https://x.example/1', 'http://y.example/2']);
  });
  test('other schemes and broken ones are none', () => {
    expect(harvestUrls(['file:///etc/passwd', 'javascript:x', 'https://a b', 'http://', 'ftp://x'])).toEqual([]);
  });
});

describe('File names', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\x.txt', 'x.txt'],
    ['.bashrc', 'bashrc'],
    ['...', ''],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['a\u0000b\nc\u202Ed', 'abcd'],
    ['what?.png ', 'what_.png'],
    ['x. . ', 'x'],
  ];
  for (const [name, wanted] of rows)
    test(`${JSON.stringify(name)} becomes ${wanted}`, () => expect(safeName(name)).toBe(wanted));

  test('never leave their folder, whatever they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const safe = safeName(name);
        return (
          !/[\\/\u0000-\u001f]/.test(safe) &&
          !safe.startsWith('.') &&
          safe.length <= 121 &&
          Buffer.byteLength(safe) <= 241
        );
      }),
    );
  });
  test('a long name keeps its extension', () => expect(safeName(`${'é'.repeat(300)}.png`)).toMatch(/é\.png$/));

  test('come from Content-Disposition in all its forms', () => {
    expect(dispositionName(`; filename="a \\"b\\".png"`)).toBe('a "b".png');
    expect(dispositionName(";attachment; filename=x.png; filename*=UTF-8''n%C3%A4.png")).toBe('nä.png');
    expect(dispositionName(';inline')).toBe('');
    expect(urlName(new URL('https://x.example/a/b%20c.png?d'))).toBe('b c.png');
  });
  test.each([
    ['file:///a/b%20c.png?d#e', 'b c.png'],
    ['demo://docs/', 'docs'],
    ['demo://note', 'note'],
    ['urn:isbn:0', 'isbn:0'],
    ['a b:c', 'a b:c'],
    ['x:%2e%2e%2fup', '../up'],
    ['', ''],
  ])('come from the URI %j', (uri, name) => expect(uriName(uri)).toBe(name));
  test('extensions are told apart', () => {
    expect([splitName('a.b/c'), splitName('.x'), splitName('a/b.tar.gz')]).toEqual([
      ['a.b/c', ''],
      ['.x', ''],
      ['a/b.tar', '.gz'],
    ]);
    expect([hasExtension('a.png'), hasExtension('a.'), hasExtension('v1.2 final')]).toEqual([true, false, false]);
    expect(extensionOfType('IMAGE/PNG; x=y')).toBe('.png');
  });
});

describe('Texts', () => {
  test('a fault is one line with its remedy', () => {
    expect(faultLine(new Fault('usage', 'a\nb.', { remedy: 'Do c' }))).toBe('error: a b. Do c');
    expect(faultLine(new Fault('usage', 'did you mean x?', { remedy: 'See --list' }))).toBe(
      'error: did you mean x? See --list',
    );
    expect(oneLine(`a${'\u001b[31m'}b`, 10)).toBe('a [31mb');
  });
  test('the first sentence ends where people end it', () => {
    expect(firstSentence('Reads v1.2 files. Then more.')).toBe('Reads v1.2 files.');
    expect(firstSentence(' \n No end ')).toBe('No end');
  });
  test('near names are found, far ones not', () => {
    expect(closest('sey', ['say', 'submit', 'way'])).toEqual(['say', 'way']);
    expect(closest('zzz', ['say'])).toEqual([]);
  });
  test('Retry-After is seconds or a date, capped', () => {
    const now = Date.UTC(2026, 0, 1);
    expect([
      retryAfterSeconds('7', now),
      retryAfterSeconds('9999', now),
      retryAfterSeconds(new Date(now + 5000).toUTCString(), now),
      retryAfterSeconds('soon', now),
      retryAfterSeconds(null, now),
    ]).toEqual([7, 60, 5, undefined, undefined]);
  });
});
