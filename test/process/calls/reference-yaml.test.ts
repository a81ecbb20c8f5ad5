/**
 * The Python script reads reference files with a small reader of its own. It has to agree with a real YAML library
 * on everything that the renderer writes: all recorded tools, and whatever else a schema may hold.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Json } from '../../../src/core/model.ts';
import { toolEntry, toolFromEntry, toolKey, yamlMapping } from '../../../src/core/skill/reference-yaml.ts';
import { findPython } from '../../support/call-servers/find-python.ts';
import { corpus } from '../../support/corpus.ts';
import { renderForTest } from '../../support/render.ts';

const SCRIPTS = fileURLToPath(new URL('../../../src/scripts', import.meta.url));
const PROGRAM = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import mcp_async_call as script
what = getattr(script, sys.argv[2])
for line in sys.stdin.buffer:
    try:
        print(json.dumps(what(json.loads(line))))
    except Exception as error:
        print(json.dumps({"failed": repr(error)}))
`;

/** What a function of the script makes of each value, in one Python process. */
function inPython(name: string, values: readonly Json[]): readonly unknown[] {
  const input = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const output = execFileSync(findPython(), ['-c', PROGRAM, SCRIPTS, name], { input, maxBuffer: 1 << 30 });
  return output
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

test('The reader agrees with a YAML library on every reference file of the corpus', () => {
  const files = corpus()
    .flatMap((catalog) => renderForTest(catalog, 'lazy').files)
    .filter((file) => file.path.endsWith('.yaml'));
  const read = inPython(
    'read_yaml',
    files.map((file) => file.text),
  );
  expect(files.length).toBeGreaterThan(400);
  for (const [index, file] of files.entries()) expect(read[index], file.path).toEqual(parse(file.text));
});

test('Every recorded tool comes back from its reference entry', () => {
  const tools = corpus().flatMap((catalog) => catalog.tools);
  const read = inPython(
    'tools_of_yaml',
    tools.map((tool) => yamlMapping([[toolKey(tool.name), toolEntry(tool)]])),
  );
  for (const [index, tool] of tools.entries()) {
    const entry = (read[index] as Record<string, Parameters<typeof toolFromEntry>[0]>)[tool.name];
    if (entry === undefined) throw new Error(`${tool.name} is lost`);
    expect(toolFromEntry(entry), tool.name).toEqual({ description: tool.description, inputSchema: tool.inputSchema });
  }
});

test('The reader agrees on any value that the renderer can write', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'yes',
      'No',
      'off',
      '~',
      '',
      '-',
      '- a',
      'a: b',
      'a:',
      'a #b',
      '#',
      '1e3',
      '0x1f',
      '2024-01-01',
      '|',
    ),
    fc.constantFrom(
      'null',
      'true',
      '[a',
      '{}',
      '[]',
      '"',
      "'",
      '\\_usage',
      '_usage',
      ' a',
      'a ',
      'é',
      '😀',
      '\u2028',
      '\u0085',
    ),
    fc.constantFrom(
      'a, b',
      'a]b',
      '...',
      '---',
      '%',
      '@x',
      '`x',
      '&a',
      '*a',
      '!t',
      '__proto__',
      'a\tb',
      'a\nb',
      '\u00a0a\u3000',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const value = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      word,
      fc.constantFrom(null, true, false, 0, -1.5, 1e21, 1e-9, 9_007_199_254_740_991, 5e-324),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(
        word.filter((key) => key !== '__proto__'),
        tie('node'),
        { maxKeys: 4 },
      ),
    ),
  })).node;
  const samples = fc.sample(fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), value, { minKeys: 1, maxKeys: 4 }), {
    numRuns: 1500,
    seed: 7,
  });
  const texts = samples.map((sample) => yamlMapping(Object.entries(sample)));
  const read = inPython('read_yaml', texts);
  for (const [index, sample] of samples.entries()) {
    const plain: unknown = JSON.parse(JSON.stringify(sample));
    expect(read[index], texts[index]).toEqual(plain);
    expect(parse(texts[index] ?? ''), texts[index]).toEqual(plain);
  }
});
