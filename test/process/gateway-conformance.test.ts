/** The published conformance suites through the gateway, in front of the fixture that they pass directly. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAll, ROOT, start } from '../support/mochi-fixture/running.ts';

const STABLE = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const NEXT = join(ROOT, 'node_modules', 'conformance-next', 'dist', 'index.js');
const FIXTURE = join(ROOT, 'test', 'support', 'mochi-fixture', 'conformance-server.ts');
const GATEWAY = join(ROOT, 'test', 'support', 'mochi-fixture', 'gateway-server.ts');

let scratch = '';
const urls = { legacy: '', modern: '' };
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mochi-conformance-'));
  const fixture = await start(FIXTURE, []).url();
  for (const era of ['legacy', 'modern'] as const) urls[era] = await start(GATEWAY, [fixture, era]).url();
});
afterAll(async () => {
  await endAll();
  rmSync(scratch, { recursive: true, force: true });
});

function suite(program: string, url: string, ...more: readonly string[]): Promise<{ code: number; out: string }> {
  return new Promise((resolve) => {
    const args = [program, 'server', '--url', url, ...more];
    execFile(process.execPath, args, { cwd: scratch, maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out: `${stdout}${stderr}` });
    });
  });
}

describe('through the gateway pass', () => {
  it('all 44 checks of the stable release', async () => {
    const { code, out } = await suite(STABLE, urls.legacy, '--suite', 'all');
    expect(out).toContain('Total: 44 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('what revision 2025-11-25 requires', async () => {
    const { code, out } = await suite(NEXT, urls.legacy, '--requirements', '2025-11-25');
    expect(out).toMatch(/Total: \d{2} passed, 0 failed/);
    expect(Number(/Total: (\d+) passed/.exec(out)?.[1])).toBeGreaterThanOrEqual(83);
    expect(code).toBe(0);
  });

  it("what revision 2026-07-28 requires; tasks and the checks of a tool's own headers are not required", async () => {
    const { code, out } = await suite(NEXT, urls.modern, '--requirements', '2026-07-28');
    const missed = [...out.matchAll(/✗ ([a-z0-9-]+)/g)].map((match) => match[1] ?? '');
    const others = missed.filter((name) => !name.startsWith('tasks-'));
    expect([...new Set(others)]).toEqual(['http-custom-header-server-validation']);
    expect(Number(/Total: (\d+) passed/.exec(out)?.[1])).toBeGreaterThanOrEqual(156);
    expect(code).toBe(0);
  });
});
