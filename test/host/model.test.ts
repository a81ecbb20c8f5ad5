/** Fetching a model from the editor: asked first, told from where and how large, and nothing kept that is not it. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installedBackend } from '../support/backend.ts';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, dialog, notification } from './bed/questions.ts';
import { startCommand } from './bed/user.ts';

const data = mkdtempSync(join(tmpdir(), 'mochi-data-'));
mkdirSync(join(data, 'mochi'));
// What runs models is there already, as after an earlier fetching.
symlinkSync(await installedBackend(), join(data, 'mochi', 'backend'));
const asked: string[] = [];
const hub = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.end('GGUF, but another one');
});
await new Promise<void>((resolve) => hub.listen(0, '127.0.0.1', resolve));
const { port } = hub.address() as AddressInfo;
afterAll(() => {
  hub.closeAllConnections();
  hub.close();
  rmSync(data, { recursive: true, force: true });
});

describe('Fetch a Model', () => {
  const { page } = useWorkbench({
    files: { 'a.ts': 'export const a = 1;\n' },
    env: { HF_ENDPOINT: `http://127.0.0.1:${port}`, XDG_DATA_HOME: data },
  });

  it('says what would come from where, how large and under which licence, and takes no for an answer', async () => {
    await startCommand(page(), 'Mochi: Fetch a Model…');
    const said = await answerDialog(page(), 'Fetch a model?', 'Cancel');
    for (const words of ['qwen2.5-coder-1.5b', '1.65 GB', `127.0.0.1:${port}`, 'Apache-2.0', data])
      expect(said).toContain(words);
    expect(said).not.toContain('npm');
    expect([asked, existsSync(join(data, 'mochi', 'models'))]).toEqual([[], false]);
    expect(await dialog(page()).count()).toBe(0);
  });

  it('throws away what is not the model, and says so', async () => {
    await startCommand(page(), 'Mochi: Fetch a Model…');
    await answerDialog(page(), 'Fetch a model?', 'Fetch');
    await notification(page(), /was not fetched: .*thrown away/).waitFor();
    expect(asked).toEqual([expect.stringMatching(/\/resolve\/[0-9a-f]{40}\/qwen2\.5-coder-1\.5b-q8_0\.gguf$/)]);
    expect(readdirSync(join(data, 'mochi', 'models'))).toEqual([]);
  });
});
