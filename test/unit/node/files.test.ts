/** The `Files` port on a real file system, in a folder of its own: links, pipes, folders, sizes. */
import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discover } from '#core/config/discover.ts';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-files-')));
const inside = join(base, 'ws');
const outside = join(base, 'ws-other');
const windows = process.platform === 'win32';

beforeAll(() => {
  mkdirSync(join(inside, 'sub'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(inside, 'b.txt'), 'inside');
  writeFileSync(join(inside, 'a.txt'), '');
  writeFileSync(join(outside, 'secret.txt'), 'outside');
  if (windows) return;
  symlinkSync(join(outside, 'secret.txt'), join(inside, 'out.txt'));
  symlinkSync(outside, join(inside, 'way-out'));
  symlinkSync(join(inside, 'b.txt'), join(inside, 'in.txt'));
  symlinkSync(join(inside, 'nowhere'), join(inside, 'dangling.txt'));
  symlinkSync(join(inside, 'loop'), join(inside, 'loop'));
  linkSync(join(inside, 'b.txt'), join(inside, 'hard.txt'));
  execFileSync('mkfifo', [join(inside, 'pipe')]);
});

afterAll(() => rmSync(base, { recursive: true, force: true }));

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes);

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (OperationError.is(error)) return error.kind;
    throw error;
  }
  return 'nothing';
}

describe('reading', () => {
  const files = createFiles();
  it('gives the bytes of a regular file', async () => {
    expect(text(await files.read(join(inside, 'b.txt'), 100))).toBe('inside');
    expect(text(await files.read(join(inside, 'a.txt'), 0))).toBe('');
  });

  it('gives nothing for what is missing', async () => {
    expect(await files.read(join(inside, 'none'), 100)).toBeUndefined();
    expect(await files.read(join(inside, 'b.txt', 'below'), 100)).toBeUndefined();
    expect(await files.stat(join(inside, 'none'))).toBeUndefined();
    expect(await files.list(join(inside, 'none'))).toEqual([]);
    expect(await files.list(join(inside, 'b.txt'))).toEqual([]);
  });

  it('stops at the limit', async () => {
    expect(text(await files.read(join(inside, 'b.txt'), 6))).toBe('inside');
    expect(await failure(files.read(join(inside, 'b.txt'), 5))).toBe('io');
  });

  it('refuses a folder and a path with a null character', async () => {
    expect(await failure(files.read(inside, 100))).toBe('io');
    expect(await failure(files.read('a\0b', 100))).toBe('io');
  });

  it.runIf(!windows)('refuses a pipe, a device and a loop of links at once', async () => {
    expect(await files.stat(join(inside, 'pipe'))).toEqual({ kind: 'other', size: 0 });
    expect(await failure(files.read(join(inside, 'pipe'), 100))).toBe('io');
    expect(await failure(files.read('/dev/zero', 100))).toBe('io');
    expect(await failure(files.read(join(inside, 'loop'), 100))).toBe('io');
  });

  it.runIf(process.platform === 'linux')('reads on where the size says nothing, up to the limit', async () => {
    expect((await files.read('/proc/self/status', 100_000))?.length).toBeGreaterThan(0);
    expect(await failure(files.read('/proc/self/status', 10))).toBe('io');
  });

  it('refuses what the system refuses', async () => {
    expect(await failure(files.read(join(inside, 'x'.repeat(5000)), 100))).toBe('io');
  });

  it('lists names in order', async () => {
    expect((await files.list(inside)).slice(0, 2)).toEqual(['a.txt', 'b.txt']);
    expect(await files.stat(inside)).toMatchObject({ kind: 'folder' });
    expect(await files.stat(join(inside, 'b.txt'))).toEqual({ kind: 'file', size: 6 });
  });
});

describe.runIf(!windows)('confined to a folder', () => {
  const files = createFiles({ confineTo: [inside] });
  it('follows links that stay inside', async () => {
    expect(text(await files.read(join(inside, 'in.txt'), 100))).toBe('inside');
    expect(text(await files.read(join(inside, 'hard.txt'), 100))).toBe('inside');
    expect(text(await files.read(join(inside, 'sub', '..', 'b.txt'), 100))).toBe('inside');
  });

  it('refuses links that lead out, also into a folder whose name begins alike', async () => {
    expect(await failure(files.read(join(inside, 'out.txt'), 100))).toBe('outside-root');
    expect(await failure(files.stat(join(inside, 'out.txt')))).toBe('outside-root');
    expect(await failure(files.read(join(inside, 'way-out', 'secret.txt'), 100))).toBe('outside-root');
    expect(await failure(files.list(join(inside, 'way-out')))).toBe('outside-root');
    expect(await files.read(join(inside, 'dangling.txt'), 100)).toBeUndefined();
  });

  it('leaves other paths alone', async () => {
    expect(text(await files.read(join(outside, 'secret.txt'), 100))).toBe('outside');
  });

  it('still works where the folder itself is reached through a link', async () => {
    const door = join(base, 'door');
    symlinkSync(inside, door);
    const through = createFiles({ confineTo: [door] });
    expect(text(await through.read(join(door, 'b.txt'), 100))).toBe('inside');
    expect(await failure(through.read(join(door, 'out.txt'), 100))).toBe('outside-root');
  });
});

describe.runIf(!windows)('discovery on a hostile folder', () => {
  it('reports a link out, a pipe and a folder, and reads the rest', async () => {
    const folder = join(base, 'hostile');
    mkdirSync(join(folder, '.vscode', 'mcp.json'), { recursive: true });
    mkdirSync(join(folder, '.cursor'));
    mkdirSync(join(folder, '.roo'));
    writeFileSync(join(outside, 'mcp.json'), '{ "mcpServers": { "stolen": { "command": "x" } } }');
    symlinkSync(join(outside, 'mcp.json'), join(folder, '.mcp.json'));
    execFileSync('mkfifo', [join(folder, '.cursor', 'mcp.json')]);
    writeFileSync(join(folder, '.roo', 'mcp.json'), '{ "mcpServers": { "good": { "command": "x" } } }');
    const files = createFiles({ confineTo: [folder] });
    const { value, problems } = await discover({ folders: [folder], platform: 'linux', env: {} }, files);
    expect(value.servers.map(({ name }) => name)).toEqual(['good']);
    expect(problems.map(({ kind, at }) => `${kind} ${at?.file}`)).toEqual([
      'config-unreadable .mcp.json',
      'config-unreadable .vscode/mcp.json',
      'config-unreadable .cursor/mcp.json',
    ]);
  });
});
