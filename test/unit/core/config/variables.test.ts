/** Variables: every dialect's spelling to the canonical one, and expansion by a lookup. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { format, scan, spell } from '#core/config/variable-scan.ts';
import { canonicalise, escapeLiteral, expand, type VariableSyntax, variablesOf } from '#core/config/variables.ts';

const SYNTAXES: readonly VariableSyntax[] = [
  'none',
  'shell',
  'dollar',
  'percent',
  'editor',
  'env',
  'braces',
  'secrets',
];

describe('canonicalise', () => {
  const cases: readonly [VariableSyntax, string, string, readonly string[]][] = [
    ['shell', '${A}', '${A}', []],
    ['shell', 'x${A}y${B}z', 'x${A}y${B}z', []],
    ['shell', '${A:-b}', '${A:-b}', []],
    ['shell', '${A:-}', '${A:-}', []],
    ['shell', '${A:-${B:-c}}', '${A:-${B:-c}}', []],
    ['shell', '${A:-${B}/x}', '${A:-${B}/x}', []],
    ['shell', '$A', '$A', []],
    ['shell', '$${A}', '$$${A}', []],
    ['shell', '$$${A}', '$$$$${A}', []],
    ['shell', '${A%x}', '$${A%x}', ['${A…}']],
    ['shell', '${foo:bar}', '$${foo:bar}', ['${foo…}']],
    ['shell', '${foo:${A}}', '$${foo:${A}}', ['${foo…}']],
    ['shell', '${A:-${foo:bar}}', '${A:-$${foo:bar}}', ['${foo…}']],
    ['shell', '${input:x}', '$${input:x}', ['${input…}']],
    ['shell', '${', '$${', []],
    ['shell', '${A', '$${A', []],
    ['shell', '${}', '$${}', ['${}']],
    ['shell', '${A:-${B}', '$${A:-${B}', []],
    ['dollar', '$A/$B_1', '${A}/${B_1}', []],
    ['dollar', '${A:-$B}', '${A:-${B}}', []],
    ['dollar', '$1 $ $$', '$1 $ $$', []],
    ['dollar', '$$A', '$$${A}', []],
    ['dollar', '%A%', '%A%', []],
    ['percent', '%A%/%20x%', '${A}/%20x%', []],
    ['percent', '50% of %', '50% of %', []],
    ['editor', '${env:A}', '${A}', []],
    ['editor', '${env:ProgramFiles(x86)}', '${ProgramFiles(x86)}', []],
    ['editor', '${env:userHome}', '${userHome:-}', []],
    ['editor', '${input:token}', '${input:token}', []],
    ['editor', '${workspaceFolder}${/}${userHome}', '${workspaceFolder}${pathSeparator}${userHome}', []],
    ['editor', '${workspaceFolder:my web}', '${workspaceFolder:my web}', []],
    ['editor', '${workspaceRoot}', '${workspaceFolder}', []],
    ['editor', '${A}', '$${A}', ['${A}']],
    ['editor', '${config:a.b}', '$${config:a.b}', ['${config…}']],
    ['editor', '${command:x}', '$${command:x}', ['${command…}']],
    ['env', '${input:token}', '$${input:token}', ['${input…}']],
    ['env', '${env:A}', '${A}', []],
    ['braces', '{env:A}-${B}', '${A}-$${B}', []],
    ['braces', '${env:A}', '$$${A}', []],
    ['braces', '{file:./x} {"a":1}', '{file:./x} {"a":1}', ['{file:…}']],
    ['secrets', '${{ secrets.A }}${{secrets.B}}', '${A}${B}', []],
    ['secrets', '${{ inputs.A }}', '$${{ inputs.A }}', ['${{ inputs.… }}']],
    ['none', '${A} $${B} $C', '$${A} $$$${B} $C', []],
  ];
  it.each(cases)('as %s reads %s as %s', (syntax, text, expected, unknown) => {
    const result = canonicalise(text, syntax);
    expect(result.text).toBe(expected);
    expect(result.unknown.map(({ prefix }) => prefix)).toEqual(unknown);
  });

  it('never shows what stands after the colon of a spelling it does not know, for it may be a secret', () => {
    const { unknown } = canonicalise('${TOKEN:abcdef123456}', 'shell');
    expect(JSON.stringify(unknown)).not.toContain('abcdef');
  });
});

describe('variablesOf', () => {
  it('lists variables in order, those inside fallbacks included', () => {
    const names = variablesOf('${A:-${B:-${input:c}}} ${workspaceFolder:x} $${D} $$${E}').map(spell);
    expect(names).toEqual(['${A}', '${B}', '${input:c}', '${workspaceFolder:x}', '${E}']);
  });
});

describe('expand', () => {
  const values = new Map([
    ['${A}', 'one'],
    ['${EMPTY}', ''],
    ['${TRICK}', '${A}'],
    ['${workspaceFolder}', '/ws'],
  ]);
  const cases: readonly [string, string, readonly string[]][] = [
    ['${A}', 'one', []],
    ['${B:-two}', 'two', []],
    ['${B:-${C:-three}}', 'three', []],
    ['${B:-${C}}', '${C}', ['${C}']],
    ['${EMPTY:-x}', '', []],
    ['${TRICK}', '${A}', []],
    ['${workspaceFolder}/x', '/ws/x', []],
    ['$${A}', '${A}', []],
    ['$$${A}', '$one', []],
    ['${B} ${B} ${input:i}', '${B} ${B} ${input:i}', ['${B}', '${input:i}']],
    ['$A $ {A}', '$A $ {A}', []],
  ];
  it.each(cases)('makes of %s the text %s', (text, expected, missing) => {
    const result = expand(text, (variable) => values.get(spell(variable)));
    expect(result.text).toBe(expected);
    expect(result.missing.map(spell)).toEqual(missing);
  });
});

const tangled = fc
  .array(
    fc.constantFrom('$', '{', '}', '${', ':-', 'A', 'B_1', 'env:', 'input:', '%', '{{', ' secrets.', '}}', 'é', 'x'),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(''));

describe('any text', () => {
  it('is unchanged once escaped and expanded', () => {
    fc.assert(
      fc.property(fc.oneof(tangled, fc.string()), (text) => {
        expect(expand(escapeLiteral(text), () => 'lost')).toEqual({ text, missing: [] });
        expect(expand(canonicalise(text, 'none').text, () => 'lost').text).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('is canonical after one pass: reading the result as canonical and joining it again changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SYNTAXES), fc.oneof(tangled, fc.string()), (syntax, text) => {
        const once = canonicalise(text, syntax).text;
        expect(format(scan(once, 'canonical', 0, []))).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });

  it('without variables of its dialect keeps its meaning', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SYNTAXES), tangled, (syntax, text) => {
        const { text: canonical } = canonicalise(text, syntax);
        fc.pre(variablesOf(canonical).length === 0);
        expect(expand(canonical, () => undefined).text).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('of hostile shape is read in bounded work', () => {
    for (const text of [
      '$'.repeat(300_000),
      '${A:-'.repeat(60_000),
      '${A:-'.repeat(20_000) + '}'.repeat(20_000),
      '${{ '.repeat(70_000),
      '%A'.repeat(100_000),
    ]) {
      for (const syntax of SYNTAXES) {
        const { text: canonical } = canonicalise(text, syntax);
        expand(canonical, () => '');
        variablesOf(canonical);
      }
    }
  });
});
