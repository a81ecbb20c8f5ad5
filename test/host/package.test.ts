/** What is in the packages that are published: exactly what is meant to be, and nothing that only we need. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packagerOutput, vsixFile } from './bed/prepare-once.ts';

/** Names of the entries of a ZIP archive, read from its central directory (PKWARE APPNOTE 4.3.12 and 4.3.16). */
function entriesOf(archive: Buffer): string[] {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const names: string[] = [];
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const [name = 0, extra = 0, comment = 0] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    names.push(archive.toString('utf8', at + 46, at + 46 + name));
    at += 46 + name + extra + comment;
  }
  return names.sort();
}

const needed = [
  'LICENSE.txt',
  'dist/add-server.cjs',
  'dist/command-actions.cjs',
  'dist/companion.cjs',
  'dist/composition.cjs',
  'dist/config-editing.cjs',
  'dist/contributions.cjs',
  'dist/extension.cjs',
  'dist/fetch-model.cjs',
  'dist/gateway-parts.cjs',
  'dist/inline-completions.cjs',
  'dist/messages.cjs',
  'dist/mochi-ask.cjs',
  'dist/mochi-messages.cjs',
  'dist/mochi-parts.cjs',
  'dist/mochi-thread.cjs',
  'dist/model-fetch.cjs',
  'dist/preview-panel.cjs',
  'dist/problem.cjs',
  'dist/sight.cjs',
  'dist/skills-parts.cjs',
  'dist/suggestions.cjs',
  'dist/workshop.cjs',
  'dist/mochi-gateway.mjs',
  'dist/mochi-learn.mjs',
  'dist/mochi-llama.mjs',
  'dist/mochi.mjs',
  'dist/scripts/mcp_async_call.mjs',
  'dist/scripts/mcp_async_call.py',
  'dist/webview.css',
  'dist/webview.js',
  'l10n/bundle.l10n.ja.json',
  'l10n/bundle.l10n.json',
  'l10n/bundle.l10n.zh-cn.json',
  'media/icon.png',
  'media/mochi.svg',
  'media/schemas/mcp-servers.schema.json',
  'media/schemas/mcp-settings.schema.json',
  'media/screenshots/ghost-text.png',
  'media/screenshots/panel-dark.png',
  'media/screenshots/panel-light.png',
  'media/walkthrough/compare.svg',
  'media/walkthrough/find.svg',
  'media/walkthrough/write.svg',
  'package.json',
  'package.nls.ja.json',
  'package.nls.json',
  'package.nls.zh-cn.json',
];
const allowed = [...needed, 'readme.md', 'changelog.md'];
/** What several programs share. */
const shared = /^dist\/chunk-[A-Z0-9]+\.mjs$/;

describe('the extension package', () => {
  const files = entriesOf(readFileSync(vsixFile))
    .filter((name) => name.startsWith('extension/'))
    .map((name) => name.slice('extension/'.length));

  it('holds everything the extension needs', () => {
    expect(files).toEqual(expect.arrayContaining(needed));
  });

  it('holds nothing else', () => {
    expect(files.filter((name) => !allowed.includes(name) && !shared.test(name))).toEqual([]);
  });

  it('is made without a warning', () => {
    expect(readFileSync(packagerOutput, 'utf8')).not.toMatch(/^ *WARN(ING)?\b/m);
  });

  it('stays small', () => {
    expect(readFileSync(vsixFile).byteLength).toBeLessThan(3 << 20);
  });
});

describe('the npm package', () => {
  it('holds the built command line and the documents, and no sources or tests', () => {
    const listed = JSON.parse(
      execFileSync('npm pack --dry-run --json --ignore-scripts', { shell: true, encoding: 'utf8' } as never),
    );
    const files: string[] = [listed].flat()[0].files.map((file: { path: string }) => file.path);
    const expected =
      /^(package\.json|LICENSE|README(\.[a-z-]+)?\.md|dist\/((cli|mochi|mochi-gateway|mochi-learn|mochi-llama|chunk-[A-Z0-9]+)\.mjs|(add-server|command-actions|companion|composition|config-editing|contributions|extension|fetch-model|gateway-parts|inline-completions|messages|mochi-ask|mochi-messages|mochi-parts|mochi-thread|model-fetch|preview-panel|problem|sight|skills-parts|suggestions|workshop)\.cjs|webview\.(css|js)|scripts\/.*))$/;
    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((name) => !expected.test(name))).toEqual([]);
  });
});
