/** From the keystroke to the answer at the provider, over the built Mochi's streams, on a workspace of 10 MB. */

import { existsSync } from 'node:fs';
import { THRESHOLD } from '../../src/core/completion/amount.ts';
import { suffixFor } from '../../src/core/completion/below.ts';
import { openStdioLink } from '../../src/node/connect-stdio.ts';
import { greetMochi, type MochiClient } from '../../src/node/mochi-client.ts';
import { type AskEngine, report, type TypedLine, typeLines } from './completions-typing.ts';
import { textOf, workspaceOf } from './completions-workspace.ts';
import { root } from './mochi-corpus.ts';

const BYTES = 10_000_000;
const PATIENCE_MS = 120_000;

export async function measureLatency(files: readonly string[], lines: readonly TypedLine[]): Promise<void> {
  const program = `${root}dist/mochi.mjs`;
  if (!existsSync(program)) {
    console.log('missing: dist/mochi.mjs (npm run build)');
    return;
  }
  let bytes = 0;
  const some = files.filter((file) => {
    if (bytes >= BYTES) return false;
    bytes += Buffer.byteLength(textOf(file));
    return true;
  });
  const { folder, remove } = workspaceOf(some);
  const silence = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const link = await openStdioLink({
    server: 'Mochi',
    endpoint: {
      kind: 'stdio',
      command: process.execPath,
      args: [program, `--workspace=${folder}`],
      env: { XDG_CACHE_HOME: `${folder}/.cache` },
    },
    env: process.env,
    cwd: folder,
    platform: process.platform,
    onErrorOutput: silence.debug,
  });
  try {
    const never = new AbortController().signal;
    const client = await greetMochi(link, { clientInfo: { name: 'bench', version: '0' } }, never);
    await learned(client);
    const ask: AskEngine = async ({ around, language }, path) => {
      const request = { prefix: around.before, suffix: suffixFor(around), language, path };
      const answer = await client.complete(request, never);
      if (answer.kind === 'refused') return undefined;
      const { completion, confidence, steps = [], alternatives, engine } = answer.value;
      return { draft: { text: completion, confidence, steps }, alternatives, engine };
    };
    // The first questions warm the process up, as the first minute of typing does.
    await typeLines(lines.slice(0, 5), ask, { threshold: THRESHOLD, withSuffix: true });
    const name = `over stdio, ${(bytes / 1e6).toFixed(0)} MB in ${some.length} files`;
    report(name, await typeLines(lines.slice(5), ask, { threshold: THRESHOLD, withSuffix: true }));
  } finally {
    await link.close();
    remove();
  }
}

async function learned(client: MochiClient): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await client.readStats(new AbortController().signal)).learned) {
    if (Date.now() > end) throw new Error('Mochi did not learn the folder in time');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
