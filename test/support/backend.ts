/**
 * The engine for models, for tests and benchmarks that run real ones: installed as `mochi model pull backend` does it,
 * into a folder that is kept between runs. `MOCHI_BACKEND` names one that is there.
 */
import { join } from 'node:path';
import { installBackend, isBackendInstalled } from '../../src/node/install-backend.ts';
import { ROOT } from './mochi-fixture/running.ts';

/** The folder to give as `--backend`. Two that ask at once install twice, and one of them wins. */
export async function installedBackend(): Promise<string> {
  const given = process.env['MOCHI_BACKEND'];
  if (given !== undefined && given !== '') return given;
  const { platform, arch, env } = process;
  const wanted = { folder: join(ROOT, '.vscode-test', 'backend'), platform, arch, gpu: 'none' } as const;
  if (await isBackendInstalled(wanted)) return wanted.folder;
  try {
    await installBackend({ ...wanted, env, signal: AbortSignal.timeout(300_000) });
  } catch (error) {
    if (!(await isBackendInstalled(wanted))) throw error;
  }
  return wanted.folder;
}
