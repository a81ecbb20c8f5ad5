/** Packs one file as an extension of its own, which then shares the extension host with ours. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cache, root } from './fetched-parts.ts';

/** The path of the package. The file is loaded as soon as the host runs. */
export function packExtension(name: string, main: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-neighbour-'));
  const manifest = {
    name,
    publisher: 'mochi-test',
    version: '1.0.0',
    engines: { vscode: '^1.90.0' },
    main: './main.cjs',
    activationEvents: ['*'],
    extensionKind: ['workspace'],
  };
  try {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    copyFileSync(main, join(folder, 'main.cjs'));
    mkdirSync(cache, { recursive: true });
    const out = join(cache, `${name}.vsix`);
    const program = join(root, 'node_modules', '@vscode', 'vsce', 'vsce');
    const options = ['--no-dependencies', '--allow-missing-repository', '--skip-license', '--allow-star-activation'];
    execFileSync(process.execPath, [program, 'package', ...options, '--out', out], { cwd: folder, stdio: 'pipe' });
    return out;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
