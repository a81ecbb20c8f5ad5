/** The manifest and the code agree, and what the manifest promises to VS Code and npm holds. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandIds } from '../../src/extension/contributions.ts';
import { languages } from '../../src/mochi/learn/languages.ts';

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));

describe('the manifest', () => {
  it('contributes exactly the commands that the code knows', () => {
    const contributed = manifest.contributes.commands.map((entry: { command: string }) => entry.command);
    expect(contributed.toSorted()).toEqual(Object.values(commandIds).toSorted());
  });

  it('is activated by nothing that every window has, and by each language that is learned', () => {
    const events: string[] = manifest.activationEvents;
    // Without a language the event fires for the editor's own output and logs, too.
    expect(events.filter((event) => /^(\*|onLanguage|onStartupFinished)$/.test(event))).toEqual([]);
    const names: Record<string, string> = { shell: 'shellscript' };
    const learned = languages.map(({ id }) => `onLanguage:${names[id] ?? id}`).filter((event) => !/:text$/.test(event));
    expect(events).toEqual(expect.arrayContaining(learned));
  });

  it('gives every command the category Mochi and a translated title', () => {
    for (const { category, title } of manifest.contributes.commands) {
      expect(category).toBe('Mochi');
      expect(title).toMatch(/^%[\w.]+%$/);
    }
  });

  it('runs where the workspace is, and says what it does without trust and without a disk', () => {
    expect(manifest.extensionKind).toEqual(['workspace']);
    for (const name of ['untrustedWorkspaces', 'virtualWorkspaces']) {
      expect(manifest.capabilities[name]).toMatchObject({ supported: 'limited', description: `%${name}%` });
    }
  });

  it('lets no workspace choose a program, a URL or a folder while it is not trusted', () => {
    const settings: [string, { scope?: string }][] = Object.entries(
      manifest.contributes.configuration?.properties ?? {},
    );
    const sensitive = settings.filter(([name]) => /path|command|url|folder|args|env|enable/i.test(name));
    const restricted: string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(sensitive.filter(([name, { scope }]) => scope !== 'machine' && !restricted.includes(name))).toEqual([]);
    expect(restricted.filter((name) => !settings.some(([known]) => known === name))).toEqual([]);
  });

  it('is written against the oldest VS Code that it accepts', () => {
    const floor = manifest.engines.vscode.replace('^', '');
    expect(manifest.devDependencies['@types/vscode']).toBe(`~${floor}`);
    // The oldest that the whole host tier was run on, see ARCHITECTURE.md: no older one is promised.
    expect(floor).toBe('1.103.0');
  });

  it('names files that exist or are built', () => {
    expect(existsSync(manifest.icon)).toBe(true);
    expect(existsSync(manifest.l10n)).toBe(true);
    const built = readFileSync('esbuild.mjs', 'utf8');
    for (const file of [manifest.main, ...Object.values<string>(manifest.bin)]) expect(built).toContain(`'${file}'`);
  });

  it('has an icon that is a square PNG of at least 128 pixels', () => {
    const icon = readFileSync(manifest.icon);
    expect(icon.toString('latin1', 1, 4)).toBe('PNG');
    expect(icon.readUInt32BE(16)).toBeGreaterThanOrEqual(128);
    expect(icon.readUInt32BE(20)).toBe(icon.readUInt32BE(16));
  });

  it('brings no dependencies: everything is bundled', () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it('keeps download addresses out of the lockfile, which knows the packages of every platform', () => {
    const lock = readFileSync('package-lock.json', 'utf8');
    expect(lock).not.toContain('"resolved"');
    for (const platform of ['linux-x64', 'darwin-arm64', 'win32-x64']) expect(lock).toContain(`@esbuild/${platform}"`);
  });
});
