/**
 * Runs before the tests of the packaged extension, with the real home: fetches the workbench and the browser, packages
 * the extension with the script that people use, and keeps what the packager said.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, prepareBrowser, prepareServer, root } from './fetched-parts.ts';

export const vsixFile = join(cache, 'mochi.vsix');
export const packagerOutput = join(cache, 'package.log');

export default async function setup(): Promise<void> {
  await prepareServer();
  await prepareBrowser();
  mkdirSync(cache, { recursive: true });
  const done = spawnSync('npm run package', { cwd: root, shell: true, encoding: 'utf8', timeout: 120_000 });
  const said = `${done.stdout}${done.stderr}`;
  if (done.status !== 0) throw new Error(`The extension could not be packaged:\n${said}`);
  writeFileSync(packagerOutput, said);
}
