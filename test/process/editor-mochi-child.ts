/** Stands for an editor's extension host: runs Mochi for a folder as the extension does, says its number, and waits. */
import { fileURLToPath } from 'node:url';
import { createCompanion } from '../../src/extension/companion.ts';
import { silent } from '../support/mcp-servers.ts';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const [folder = '.'] = process.argv.slice(2);
const companion = createCompanion({
  logger: silent,
  env: process.env,
  platform: process.platform,
  home: folder,
  runtime: process.execPath,
  program: `${dist}mochi.mjs`,
  thread: `${dist}mochi-thread.cjs`,
  clientInfo: { name: 'test', version: '1' },
  words: () => [],
  modelKey: async () => undefined,
});
const mochi = companion.open(folder);
await mochi.ready(new AbortController().signal);
process.stdout.write(`${mochi.state.kind === 'ready' ? mochi.state.pid : 0}\n`);
setInterval(() => {}, 60_000);
