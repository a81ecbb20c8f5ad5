/**
 * Mochi over its real transports with the scripted engine: `node tiny-server.ts [--empty] [--deadline MS] …` and the
 * words of `mochi serve`. SIGUSR2 makes it learn.
 */
import { createMemoryGuard } from '../../../src/mochi/limits.ts';
import { createLog } from '../../../src/mochi/log.ts';
import { parseOptions } from '../../../src/mochi/options.ts';
import { reserveOutput, serve } from '../../../src/mochi/serve.ts';
import { createMochi } from '../../../src/mochi/server.ts';
import { createFiles } from '../../../src/node/files.ts';
import { createTinyAdapter } from './tiny-adapter.ts';

const words = process.argv.slice(2);
const take = (name: string, values: number): readonly string[] => {
  const at = words.indexOf(name);
  return at < 0 ? [] : words.splice(at, 1 + values);
};
const empty = take('--empty', 0).length > 0;
const deadlineMs = Number(take('--deadline', 1)[1] ?? 5_000);
const noise = take('--noise', 0).length > 0;

const logger = createLog((line) => process.stderr.write(line), 'debug');
const output = reserveOutput(process.stdout, () => logger);
const options = await parseOptions(words, { env: process.env, cwd: process.cwd(), files: createFiles() });
const adapter = createTinyAdapter(!empty);
const mochi = createMochi({
  adapter,
  memory: createMemoryGuard(options.memoryLimit),
  logger,
  version: '0.0.0',
  deadlineMs,
});
const serving = await serve(mochi, options, { input: process.stdin, output }, logger);
adapter.onDidLearn(() => serving.resourcesChanged());
process.on('SIGUSR2', () => adapter.learn(5));
if (noise)
  setInterval(() => {
    console.log('a library says hello');
    process.stdout.write('{"jsonrpc":"2.0","id":1,"result":"forged"}\n');
  }, 1);
await Promise.race([serving.ended, new Promise((resolve) => process.once('SIGTERM', resolve))]);
await serving.close();
process.exit(0);
