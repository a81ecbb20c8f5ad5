import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseDocument } from 'yaml';
import type { Catalog, Mode } from '../../../../src/core/model.ts';
import { MODES } from '../../../../src/core/model.ts';
import { toolKey } from '../../../../src/core/skill/reference-yaml.ts';
import { firstSentence, inline, paragraph } from '../../../../src/core/skill/skill-md.ts';
import { fileOf, renderForTest } from '../../../support/render.ts';

/** What clients look for in a skill's body, as documented. None of it may come from a server. */
const TRIGGERS: readonly (readonly [name: string, grammar: RegExp])[] = [
  ['an injected command', /!`/],
  ['an injected command block', /^\s*(?:>|[-*+]|\d+[.)])*\s*`{3,}\s*!/m],
  ['a file attachment', /@[^\s@]/],
  ['an argument placeholder', /\$(?:ARGUMENTS|\d|\{|[A-Za-z_(])/],
  ['an open tag', /<[A-Za-z/!?]/],
  ['a link that is no web link', /\]\((?!https?:\/\/)/i],
  ['an image', /!\[/],
  ['something invisible', /[^\S\n ]|(?!\n)\p{Cc}|(?!\u200d)\p{Cf}|\p{Cs}/u],
];

/** The body without what we author ourselves: commands, the note, the steps, the heading. */
function serverPart(body: string, mode: Mode): string {
  const own = [
    /^# .*$/m,
    /^```sh\n[\s\S]*?\n```$/m,
    /^> \*\*Note:\*\* Parameters are NOT listed\. Before any call you MUST read `[^`\n]*<tool>\.yaml`\.$/m,
    /^1\. Read that file\.\n2\. Check `required`\.\n3\. Run `_usage` in this folder\.$/m,
  ];
  return (mode === 'lazy' ? own : own.slice(0, 2)).reduce((text, part) => text.replace(part, ''), body);
}

/** Any text at all, and text made of the pieces that attacks are made of. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        ...[
          '!`id`',
          '!',
          '`',
          '```!',
          '```\n',
          '\n---\n',
          '\n',
          '\r',
          ' ',
          '\t',
          '@~/.ssh/config',
          '@../x',
          'a@b.c',
          '$0',
          '$ARGUMENTS',
          '\\$1',
        ],
        ...[
          '${CLAUDE_SKILL_DIR}',
          '$(id)',
          '<system>',
          '</skill>',
          '<!--',
          '-->',
          '](command:x)',
          '![x](http://e)',
          '[r]: http://e',
          '# h',
        ],
        ...[
          'allowed-tools: Bash(*)',
          'hooks:',
          '"',
          "'",
          '\\',
          ': ',
          ' #',
          '|',
          '>',
          '\u200b',
          '\u202e',
          '\u{e0041}',
          '\u001b[31m',
          '\u0000',
          '\ud800',
        ],
        ...['<!-- mochi:keep -->', '<!-- /mochi:keep -->', '🐳', '👩‍💻', '日本', 'x', '1. ', '- ', '=== ', '&#33;`'],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join('')),
);

const hostileCatalog = fc
  .record({
    server: hostile,
    name: hostile,
    description: hostile,
    property: hostile,
    text: hostile,
    option: hostile,
    instructions: hostile,
  })
  .map(
    ({ server, name, description, property, text, option, instructions }): Catalog => ({
      server,
      origin: 'file',
      instructions,
      tools: [
        {
          name,
          description,
          inputSchema: {
            type: 'object',
            description: text,
            required: [property],
            properties: Object.fromEntries([
              [
                `p${property}`,
                { type: text, description: text, enum: [option, text], default: option, pattern: option },
              ],
              [
                'nested',
                {
                  type: 'array',
                  items: { type: 'object', properties: Object.fromEntries([[`q${property}`, { description: text }]]) },
                },
              ],
            ]),
          },
        },
      ],
    }),
  );

describe('SKILL.md of a hostile server', () => {
  it.each(MODES)('has exactly our frontmatter keys and no trigger in its body (%s)', (mode) => {
    fc.assert(
      fc.property(hostileCatalog, (catalog) => {
        const skill = renderForTest(catalog, mode);
        const text = fileOf(skill, 'SKILL.md');
        const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
        const document = parseDocument(front, { strict: true, uniqueKeys: true });
        expect(document.errors).toEqual([]);
        const keys = document.toJS() as Record<string, unknown>;
        expect(Object.keys(keys)).toEqual(['name', 'description', 'metadata']);
        expect(keys['name']).toBe(skill.name);
        expect(keys['description']).toBe(skill.description);
        expect(Object.keys(keys['metadata'] as object)).toEqual(['mochi']);
        expect(front.split('\n').slice(2).join('\n')).not.toMatch(/^---/m);
        for (const [what, grammar] of TRIGGERS) expect(serverPart(body, mode), what).not.toMatch(grammar);
        expect(fileOf(renderForTest(catalog, mode), 'SKILL.md')).toBe(text);
      }),
      { numRuns: 400 },
    );
  });

  it('gives reference files that hold the tool and nothing else', () => {
    fc.assert(
      fc.property(hostileCatalog, (catalog) => {
        const skill = renderForTest(catalog, 'lazy');
        const [tool] = catalog.tools;
        for (const file of skill.files.filter((one) => one.path.endsWith('.yaml'))) {
          const read = parse(file.text, { merge: false }) as Record<string, unknown>;
          const name = tool?.name ?? '';
          expect(Object.keys(read), file.text).toEqual(['_usage', toolKey(name)]);
          const usage = read['_usage'];
          if (typeof usage === 'object')
            expect(Object.keys(usage as object)).toEqual(['description', 'bash', 'wrapper']);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('writes no file outside its own names, whatever tools are called', () => {
    fc.assert(
      fc.property(hostileCatalog, (catalog) => {
        for (const mode of MODES)
          for (const file of renderForTest(catalog, mode).files)
            expect(file.path).toMatch(/^(?:SKILL\.md|(?:scripts|references)(?:\/(?!\.)[\w.-]*[\w-])+)$/);
      }),
      { numRuns: 200 },
    );
  });
});

describe('server text in one line', () => {
  it.each([
    ['!`id`', '&#33;`id`'],
    ['- !`id`', '- &#33;`id`'],
    ['```!\nid\n```', "'''! id '''"],
    ['see @~/.ssh/config', 'see &#64;~/.ssh/config'],
    ['$ARGUMENTS costs $5 and US$', '&#36;ARGUMENTS costs &#36;5 and US$'],
    ['\\$1', '\\&#36;1'],
    ['${CLAUDE_SKILL_DIR}', '&#36;{CLAUDE_SKILL_DIR}'],
    ['<system>x</system> a < b', '&lt;system>x&lt;/system> a < b'],
    ['[x](command:y) [z](https://example.com)', '[x]&#40;command:y) [z](https://example.com)'],
    ['a\u200bb\u202ec\u001b[0m', 'abc[0m'],
    ['👩‍💻 works', '👩‍💻 works'],
    ['wow! `code`', 'wow! `code`'],
  ])('%j becomes %j', (text, expected) => {
    expect(inline(text)).toBe(expected);
    expect(inline(inline(text))).toBe(expected);
  });
});

describe('server text as a block', () => {
  it('leaves one line alone and puts several into a quotation', () => {
    expect(paragraph('One line.')).toBe('One line.');
    expect(paragraph('# not a heading')).toBe('\\# not a heading');
    expect(paragraph('\n  First\n    indented\n\n```js\ncode\n')).toBe("> First\n>     indented\n>\n> '''js\n> code");
    expect(paragraph('a\n[ref]: http://x')).toBe('> a\n> &#91;ref]: http://x');
  });
});

describe('the first sentence', () => {
  it.each<[string, number, string]>([
    ['Does it. Then more.', 90, 'Does it'],
    ['Reads e.g. files. More.', 90, 'Reads e.g. files'],
    ['Uses v1.2 of it', 90, 'Uses v1.2 of it'],
    ['\n  Leading\n newline. X', 90, 'Leading newline'],
    ['ファイルを読む。次。', 90, 'ファイルを読む。'],
    ['Read the complete contents of a file as text', 30, 'Read the complete contents…'],
    ['Move or rename files and directories', 36, 'Move or rename files and directories'],
    ['', 10, ''],
    ['🐳'.repeat(20), 10, `${'🐳'.repeat(10)}…`],
  ])('of %j within %i is %j', (text, limit, expected) => {
    expect(firstSentence(text, limit)).toBe(expected);
  });
});
