/**
 * Packages the extension for this platform with what runs models inside, for machines that fetch nothing themselves:
 * `npm run package:model [-- --gpu vulkan]`. The usual package has none of it and is for every platform.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installBackend } from './src/node/install-backend.ts';

/** Where Mochi looks, beside itself, before it looks in the person's folders. */
const BACKEND = join('dist', 'backend');
const TARGETS = { linux: 'linux', darwin: 'darwin', win32: 'win32' };

const { values } = parseArgs({ options: { gpu: { type: 'string', default: 'none' } } });
const { platform, arch, env } = process;
const target = `${TARGETS[platform]}-${arch === 'arm' ? 'armhf' : arch}`;
const ignore = join('.vscode-test', 'model.vscodeignore');
const out = join('.vscode-test', `mochi-${target}.vsix`);

try {
  const signal = AbortSignal.timeout(15 * 60_000);
  await installBackend({ folder: join(process.cwd(), BACKEND), platform, arch, gpu: values.gpu, env, signal });
  const added = [
    '!dist/backend/**',
    'dist/backend/node_modules/.bin/**',
    'dist/backend/**/*.map',
    'dist/backend/**/*.d.ts',
  ];
  writeFileSync(ignore, `${readFileSync('.vscodeignore', 'utf8')}\n${added.join('\n')}\n`);
  const words = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
  execFileSync('vsce', [...words, '--target', target, '--ignoreFile', ignore, '--out', out], {
    stdio: 'inherit',
    shell: platform === 'win32',
  });
  console.log(`${out}: ${(statSync(out).size / 1e6).toFixed(1)} MB`);
} finally {
  rmSync(BACKEND, { recursive: true, force: true });
}
