/**
 * `mochi model`: fetches what runs models and a model to run, after a yes, and says what is there. What is fetched, from
 * where, how large it is and under which licence is shown first; how it is fetched and checked lies elsewhere.
 */
import { readdir, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { download } from '#node/download.ts';
import { BACKEND_PACKAGE_VERSION, GPUS, type Gpu, installBackend, isBackendInstalled } from '#node/install-backend.ts';
import { backendFolder, modelsFolder } from '#node/model-place.ts';
import { addressOf, DEFAULT_MODEL, fileNameOf } from '#node/model-source.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { plain } from './terminal.ts';

export async function model(context: Context): Promise<number> {
  const [action = 'list', ...names] = context.args.operands;
  switch (action) {
    case 'pull':
      return pull(names, context);
    case 'list':
      return list(context);
    default:
      throw new OperationError('usage', `"mochi model ${action}" is not known.`, { remedy: 'Use pull or list.' });
  }
}

interface Places {
  readonly backend: string;
  readonly models: string;
}

function places({ host, args }: Context): Places {
  const around = { env: host.env, platform: host.platform, home: homedir() };
  return {
    backend: args.serve.backend === undefined ? backendFolder(around) : resolve(host.cwd, args.serve.backend),
    models: args.output === undefined ? modelsFolder(around) : resolve(host.cwd, args.output),
  };
}

/** Only the backend is fetched for `backend`, only the model for a name, both for nothing. */
async function pull(names: readonly string[], context: Context): Promise<number> {
  const { t, terminal } = context;
  if (names.length > 1)
    throw new OperationError('usage', 'One model is fetched at a time.', { remedy: 'Name one, or none.' });
  const { backend, models } = places(context);
  const [name] = names;
  if (name === undefined || name === 'backend') await pullBackend(backend, context);
  if (name === 'backend') return EXIT.ok;
  const file = await pullModel(name, models, context);
  terminal.print(t('Use it with: {0}', `mochi serve --model ${JSON.stringify(file)}`));
  return EXIT.ok;
}

async function pullBackend(folder: string, context: Context): Promise<void> {
  const { args, host, terminal, t, signal } = context;
  const { platform } = host;
  const gpu = gpuOf(args.gpu);
  const wanted = { folder, platform, arch: process.arch, gpu };
  if (await isBackendInstalled(wanted)) {
    terminal.note(t('{0} is there: {1}', `node-llama-cpp ${BACKEND_PACKAGE_VERSION}`, plain(folder)));
    return;
  }
  terminal.note(t('{0} runs models (MIT). npm fetches about {1} into {2}.', 'node-llama-cpp', '50 MB', plain(folder)));
  if (!(args.yes || (await terminal.confirm(t('Fetch it?'), signal)))) throw notAgreed();
  terminal.progress(t('Fetching {0} …', 'node-llama-cpp'));
  await installBackend({
    ...wanted,
    env: host.env,
    signal,
    ...(args.registry === undefined ? {} : { registry: args.registry }),
  });
  terminal.done();
  terminal.note(t('{0} is there: {1}', `node-llama-cpp ${BACKEND_PACKAGE_VERSION}`, plain(folder)));
}

function gpuOf(given: string | undefined): Gpu {
  const gpu = GPUS.find((one) => one === (given ?? 'none'));
  if (gpu === undefined)
    throw new OperationError('usage', `--gpu ${given ?? ''} is not known.`, { remedy: `Use ${GPUS.join(', ')}.` });
  return gpu;
}

function notAgreed(): OperationError {
  return new OperationError('consent-needed', 'Nothing was fetched.', { remedy: 'Answer y, or add --yes.' });
}

/** The file; without a name the default one. Throws where nobody agreed. */
async function pullModel(name: string | undefined, folder: string, context: Context): Promise<string> {
  const { args, host, terminal, t, signal } = context;
  const url = addressOf(name, host.env);
  const to = join(folder, fileNameOf(url));
  const sha256 = hashOf(args.sha256) ?? (name === undefined ? DEFAULT_MODEL.sha256 : undefined);
  if ((await stat(to).catch(() => undefined)) !== undefined) {
    terminal.note(t('{0} is there: {1}', fileNameOf(url), plain(folder)));
    return to;
  }
  terminal.note(t('The model: {0}', plain(url.href)));
  if (name === undefined)
    terminal.note(t('About {0}, licence {1}, into {2}.', DEFAULT_MODEL.size, DEFAULT_MODEL.licence, plain(folder)));
  else terminal.note(t('Its licence is told on the page that you have the address from. Into {0}.', plain(folder)));
  if (!(args.yes || (await terminal.confirm(t('Fetch it?'), signal)))) throw notAgreed();
  const onProgress = ({ done, total }: { readonly done: number; readonly total: number | undefined }): void => {
    const far = total === undefined ? '' : ` ${Math.floor((100 * done) / Math.max(1, total))} %`;
    terminal.progress(`${fileNameOf(url)}: ${(done / 1e6).toFixed(0)} MB${far}`);
  };
  try {
    const {
      sha256: found,
      bytes,
      checkedBy,
    } = await download({
      url,
      to,
      magic: 'GGUF',
      signal,
      onProgress,
      ...(sha256 === undefined ? {} : { sha256 }),
    });
    terminal.done();
    await writeFile(`${to}.json`, `${JSON.stringify({ url: url.href, sha256: found, bytes }, undefined, 2)}\n`);
    terminal.note(`SHA-256 ${found}`);
    if (checkedBy !== 'caller')
      terminal.note(
        checkedBy === 'server'
          ? t('It is what the server says it is. To be sure of more, compare the hash and give it with --sha256.')
          : t('Nobody told a hash to compare it with. To be sure, give one with --sha256.'),
      );
    return to;
  } finally {
    terminal.done();
  }
}

function hashOf(given: string | undefined): string | undefined {
  const hash = given?.trim().toLowerCase();
  if (hash === undefined || /^[0-9a-f]{64}$/.test(hash)) return hash;
  throw new OperationError('usage', '--sha256 is no SHA-256.', { remedy: 'Give 64 hexadecimal digits.' });
}

async function list(context: Context): Promise<number> {
  const { args, host, terminal, t } = context;
  const { backend, models } = places(context);
  const wanted = { folder: backend, platform: host.platform, arch: process.arch, gpu: gpuOf(args.gpu) };
  const isThere = await isBackendInstalled(wanted).catch(() => false);
  const names = (await readdir(models).catch(() => [])).filter((name) => name.endsWith('.gguf')).sort();
  if (args.json) {
    const version = isThere ? BACKEND_PACKAGE_VERSION : null;
    const files = names.map((name) => join(models, name));
    terminal.print(JSON.stringify({ backend: { folder: backend, version }, models: files }, undefined, 2));
    return EXIT.ok;
  }
  const library = `node-llama-cpp ${BACKEND_PACKAGE_VERSION}`;
  terminal.print(isThere ? t('{0} is there: {1}', library, plain(backend)) : t('{0} is not there.', library));
  for (const name of names) terminal.print(plain(join(models, name)));
  if (names.length === 0) terminal.print(t('No model was fetched yet: mochi model pull'));
  return EXIT.ok;
}
