/** Japanese and Simplified Chinese are complete: nobody meets an English sentence or a bare key by accident. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Texts = Readonly<Record<string, string>>;

const read = (file: string): Texts => JSON.parse(readFileSync(file, 'utf8'));
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

/** What differs between the English texts and their translation, as sentences. */
function gaps(english: Texts, translated: Texts): string[] {
  const names = new Set([...Object.keys(english), ...Object.keys(translated)]);
  return [...names].flatMap((name) => {
    const [source, text] = [english[name], translated[name]];
    if (source === undefined) return [`${name}: translated, but not in use`];
    if (text === undefined || text.trim() === '') return [`${name}: not translated`];
    if (text === source) return [`${name}: still English`];
    if (String(placeholders(text)) !== String(placeholders(source))) return [`${name}: other placeholders`];
    return [];
  });
}

/** The keys that a source file gives to `l10n.t`; a call whose key cannot be read gives the call itself. */
function keysIn(text: string): string[] {
  return [...text.matchAll(/\bl10n\s*\.\s*t\s*\(\s*(?:(['"`])((?:\\.|(?!\1).)*)\1)?/gs)].map(([call, quote, key]) => {
    if (key === undefined || (quote === '`' && key.includes('${'))) return `unreadable: ${call}`;
    return key.replace(/\\(.)/g, '$1');
  });
}

describe.each(['ja', 'zh-cn'])('%s', (language) => {
  it('has every text of the manifest', () => {
    expect(gaps(read('package.nls.json'), read(`package.nls.${language}.json`))).toEqual([]);
  });

  it('has every sentence of the extension', () => {
    expect(gaps(read('l10n/bundle.l10n.json'), read(`l10n/bundle.l10n.${language}.json`))).toEqual([]);
  });
});

describe('English', () => {
  it('has a text for every key of the manifest, and none that the manifest does not use', () => {
    const used = [...readFileSync('package.json', 'utf8').matchAll(/"%([\w.-]+)%"/g)].map(([, key]) => String(key));
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].sort()).toEqual(Object.keys(read('package.nls.json')).sort());
  });

  it('has every sentence that the extension says, and none that it does not', () => {
    const used = globSync('src/**/*.ts').flatMap((file) => keysIn(readFileSync(file, 'utf8')));
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].sort()).toEqual(Object.keys(read('l10n/bundle.l10n.json')).sort());
  });

  it('is the key of its own sentence', () => {
    for (const [key, text] of Object.entries(read('l10n/bundle.l10n.json'))) expect(text).toBe(key);
  });

  it('is asked for in the files of messages only', () => {
    const callers = globSync('src/**/*.ts').filter((file) => /\bl10n\s*\.\s*t\b/.test(readFileSync(file, 'utf8')));
    expect(callers.map((file) => file.replaceAll('\\', '/'))).toEqual([
      'src/extension/gateway-messages.ts',
      'src/extension/messages.ts',
      'src/extension/mochi-messages.ts',
      'src/extension/model-messages.ts',
      'src/extension/panel-messages.ts',
      'src/extension/skills-messages.ts',
    ]);
  });
});

describe('the comparison itself', () => {
  it.each([
    [{}, 'a: not translated'],
    [{ a: '' }, 'a: not translated'],
    [{ a: 'Stop {0}' }, 'a: still English'],
    [{ a: '停止' }, 'a: other placeholders'],
    [{ a: '停止 {0}', b: '開始' }, 'b: translated, but not in use'],
  ])('complains about %j: %s', (translated, complaint) => {
    expect(gaps({ a: 'Stop {0}' }, translated)).toEqual([complaint]);
  });

  it('reads keys in any quotes and refuses computed ones', () => {
    expect(keysIn(`l10n.t('It\\'s'); vscode.l10n.t("a", b); l10n.t(\`c\`); l10n.t(key)`)).toEqual([
      "It's",
      'a',
      'c',
      'unreadable: l10n.t(',
    ]);
  });
});
