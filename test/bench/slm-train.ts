/**
 * From a code base to an answer that its adapter changed: `mochi dataset`'s export of this repository's sources, a LoRA
 * trained on it with PyTorch, its conversion, and the loss on the files kept aside, before and after. Takes minutes and
 * is run by itself: `node test/bench/slm-train.ts [SECONDS] [PYTHON]`. Prints; asserts nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportDataset } from '../../src/mochi/dataset/export.ts';
import { readBaseShape } from '../../src/mochi/engine/peft/base-shape.ts';
import { prepareAdapter } from '../../src/mochi/engine/peft/prepare-adapter.ts';
import { lossOf, openBackend } from '../support/token-chances.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const base = `${process.env['TINY_SLM'] ?? `${root}../shared/fixtures/tiny-slm`}/base-f16.gguf`;
const [seconds = '180', python = 'python3'] = process.argv.slice(2);
const { signal } = new AbortController();

async function trainAndMeasure(folder: string): Promise<void> {
  const backend = await openBackend();
  const data = join(folder, 'data');
  const { splits } = await exportDataset({ root: join(root, 'src'), output: data, isForced: false }, signal);
  console.log(`data: ${splits.train.alpaca} questions and ${splits.train.fim} pieces to fill in, to train on`);
  const model = await backend.loadModel({ modelPath: base });
  // With marks as marks, not as text.
  const tokensOf = (name: string) =>
    readFileSync(join(data, `${name}.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line): { readonly text: string } => JSON.parse(line))
      .map(({ text }) => model.tokenize(text, true));
  const tokens = join(folder, 'tokens.json');
  writeFileSync(tokens, JSON.stringify(tokensOf('text/train').filter((one) => one.length > 16)));
  const adapter = join(folder, 'adapter');
  const script = join(root, 'test/bench/slm-train.py');
  const { status } = spawnSync(python, [script, base, tokens, adapter, seconds], { stdio: 'inherit' });
  if (status !== 0) {
    console.log('the training failed (it needs PyTorch and numpy; name the Python that has them)');
    return;
  }
  const options = { base: await readBaseShape(base), cacheFolder: join(folder, 'kept'), signal };
  const { file } = await prepareAdapter(adapter, options);
  const aside = tokensOf('text/test');
  const step = Math.max(1, Math.floor(aside.length / 60));
  const some = aside.filter((_, place) => place % step === 0).map((one) => one.slice(0, 256));
  const before = await lossOf(model, some, undefined);
  const after = await lossOf(model, some, { filePath: file, scale: 1 });
  console.log(
    `${some.length} samples of files kept aside: ${before.toFixed(2)} nats a token, with the adapter ${after.toFixed(2)}`,
  );
  await model.dispose();
  await backend.dispose();
}

if (!existsSync(base)) console.log('missing: the tiny trained model (set TINY_SLM to its folder)');
else {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-train-'));
  try {
    await trainAndMeasure(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
