/**
 * The published conformance suites and the Inspector against Mochi: as shipped, what needs no fixture; and the whole
 * of it against the same HTTP wiring with the fixture's tools behind it.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endAll, ROOT, SHIPPED, start } from '../support/mochi-fixture/running.ts';

const STABLE = join(ROOT, 'node_modules', '@modelcontextprotocol', 'conformance', 'dist', 'index.js');
const NEXT = join(ROOT, 'node_modules', 'conformance-next', 'dist', 'index.js');
const INSPECTOR = join(ROOT, 'node_modules', '.bin', 'mcp-inspector');
const FIXTURE = join(ROOT, 'test', 'support', 'mochi-fixture', 'conformance-server.ts');

interface Ended {
  readonly code: number;
  readonly out: string;
}

/** Runs a program to its end, in a folder where it may leave what it likes. */
function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd, maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, out: `${stdout}${stderr}` });
    });
  });
}

let scratch = '';
let fixture = '';
let shipped = '';
beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'mochi-conformance-'));
  writeFileSync(join(scratch, 'a.ts'), 'export function add(a: number, b: number): number {\n  return a + b;\n}\n');
  fixture = await start(FIXTURE, []).url();
  shipped = await start(SHIPPED, ['--transport', 'http', '--port', '0', '--workspace', scratch]).url();
});
afterAll(async () => {
  await endAll();
  rmSync(scratch, { recursive: true, force: true });
});

const suite = (program: string, url: string, ...more: readonly string[]): Promise<Ended> =>
  run(process.execPath, [program, 'server', '--url', url, ...more], scratch);

describe("the conformance suites against Mochi's wiring", () => {
  it('pass all of the stable release: 44 checks, none failed', async () => {
    const { code, out } = await suite(STABLE, fixture, '--suite', 'all');
    expect(out).toContain('Total: 44 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('pass what revision 2025-11-25 requires, and all they run beyond it', async () => {
    const { code, out } = await suite(NEXT, fixture, '--requirements', '2025-11-25');
    expect(out).toContain('Total: 84 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('pass what revision 2026-07-28 requires; only the extension of tasks, which Mochi has not, is missed', async () => {
    const { code, out } = await suite(NEXT, fixture, '--requirements', '2026-07-28');
    const missed = [...out.matchAll(/✗ ([a-z0-9-]+)/g)].map((match) => match[1] ?? '');
    expect(missed.filter((name) => !name.startsWith('tasks-'))).toEqual([]);
    expect(Number(/Total: (\d+) passed/.exec(out)?.[1])).toBeGreaterThanOrEqual(164);
    expect(code).toBe(0);
  });
});

describe('Mochi as shipped passes', () => {
  it.each([
    'server-initialize',
    'ping',
    'logging-set-level',
    'tools-list',
    'resources-list',
    'prompts-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ])('%s of the stable release', async (scenario) => {
    const { code, out } = await suite(STABLE, shipped, '--scenario', scenario);
    expect(out).not.toMatch(/[1-9]\d* failed/);
    expect(code).toBe(0);
  });

  it.each([
    ['2025-11-25', 'server-initialize'],
    ['2025-11-25', 'ping'],
    ['2025-11-25', 'tools-list'],
    ['2025-11-25', 'logging-set-level'],
    ['2025-11-25', 'resources-list'],
    ['2025-11-25', 'prompts-list'],
    ['2025-11-25', 'server-session-lifecycle'],
    ['2025-11-25', 'server-sse-multiple-streams'],
    ['2025-11-25', 'dns-rebinding-protection'],
    ['2026-07-28', 'tools-list'],
    ['2026-07-28', 'resources-list'],
    ['2026-07-28', 'prompts-list'],
    ['2026-07-28', 'input-required-result-unsupported-methods'],
    ['2026-07-28', 'server-sse-multiple-streams'],
    ['2026-07-28', 'dns-rebinding-protection'],
    ['2026-07-28', 'caching'],
    ['2026-07-28', 'http-header-validation'],
    ['2026-07-28', 'sep-2164-resource-not-found'],
  ])('revision %s: %s', async (revision, scenario) => {
    const { code, out } = await suite(NEXT, shipped, '--spec-version', revision, '--scenario', scenario);
    expect(out).not.toMatch(/[1-9]\d* failed/);
    expect(code).toBe(0);
  });
});

describe('the Inspector, strict,', () => {
  const inspect = (...args: readonly string[]): Promise<Ended> =>
    run(INSPECTOR, ['--cli', '--format', 'json', '-q', '--strict', ...args], scratch);
  const stdio = ['--', process.execPath, SHIPPED];

  it.each([
    ['standard streams, legacy', ['--protocol-era', 'legacy', '--method', 'tools/list', ...stdio]],
    ['standard streams, modern', ['--protocol-era', 'modern', '--method', 'tools/list', ...stdio]],
  ])('lists three tools over %s', async (_, args) => {
    const { code, out } = await inspect(...args);
    for (const name of ['domain_query', 'complete_code', 'suggest_pattern']) expect(out).toContain(`"${name}"`);
    expect(code, out).toBe(0);
  });

  it.each([
    ['http', '/mcp'],
    ['sse', '/sse'],
  ])('lists three tools over %s', async (transport, path) => {
    const url = shipped.replace('/mcp', path);
    const { code, out } = await inspect('--server-url', url, '--transport', transport, '--method', 'tools/list');
    for (const name of ['domain_query', 'complete_code', 'suggest_pattern']) expect(out).toContain(`"${name}"`);
    expect(code, out).toBe(0);
  });
});
