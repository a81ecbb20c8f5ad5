/** What must hold of the processes around a call: none is left behind, and callers at the same time do not collide. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { callEnvironment, execute, type Runtime } from './run-case.ts';
import { makeSkillFolder, type SkillFolder } from './skill-folder.ts';
import { TOOLS } from './tool-box.ts';

const SERVER = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));

/** Tells our servers from those of the other runtime's tests, which run at the same time. */
const OURS = `--of-${randomUUID()}`;

/** Ids of living processes whose command line holds the mark. */
function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        const dead = readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ');
        const line = readFileSync(`/proc/${id}/cmdline`, 'utf8');
        return !dead && line.includes(mark) && (line.includes(OURS) || !mark.startsWith('--mark-'));
      } catch {
        return false;
      }
    });
}

async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 200 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Registers the tests; `runtime` is the script to call with. */
export function describeProcesses(runtime: Runtime): void {
  let folder: SkillFolder | undefined;
  afterEach(() => folder?.dispose());

  function skill(mark: string, ...options: readonly string[]) {
    const definition = { type: 'stdio', command: process.execPath, args: [SERVER, ...options, `--mark-${mark}`, OURS] };
    const config = { mcpServers: { scripted: definition } };
    const made = makeSkillFolder({ script: runtime.script, config, tools: TOOLS, form: 'lazy' });
    folder = made;
    const env = callEnvironment(made.root);
    const run = (...argv: readonly string[]) =>
      execute(runtime.interpreter, [made.script, ...argv], { cwd: made.root, env });
    return { made, env, run };
  }

  test('A finished call leaves no server behind, even one that ignores the end of its input', async () => {
    const { run } = skill('finished', '--deaf');
    expect((await run('say', '{"text":"x"}')).exit).toBe(0);
    expect(processesWith('--mark-finished')).toEqual([]);
  });

  test('A timeout leaves no server behind', async () => {
    const { run } = skill('timeout', '--deaf');
    expect((await run('hang', '--timeout', '1')).exit).toBe(4);
    expect(processesWith('--mark-timeout')).toEqual([]);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    test(`A call that is ended by ${signal} ends its server`, async () => {
      const { made, env } = skill(`signal-${signal}`, '--deaf');
      const child = spawn(runtime.interpreter, [made.script, 'hang'], { cwd: made.root, env, stdio: 'ignore' });
      const ended = new Promise((resolve) => child.on('close', resolve));
      await until(() => processesWith(`--mark-signal-${signal}`).length > 0);
      expect(processesWith(`--mark-signal-${signal}`).length).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.kill(signal);
      await ended;
      await until(() => processesWith(`--mark-signal-${signal}`).length === 0);
      expect(processesWith(`--mark-signal-${signal}`)).toEqual([]);
    });

  test('Calls that open one session at the same time share one server and are answered one after another', async () => {
    const { run, made } = skill('shared');
    try {
      const answers = await Promise.all(Array.from({ length: 8 }, () => run('count', '--session', 'together')));
      expect(answers.map((one) => one.stdout.trim()).sort(), answers.map((one) => one.stderr).join('')).toEqual(
        Array.from({ length: 8 }, (_none, index) => `count ${index + 1}`),
      );
      expect(processesWith('--mark-shared').length).toBe(1);
    } finally {
      expect((await run('--session-stop', 'together')).exit).toBe(0);
    }
    expect(processesWith('--mark-shared')).toEqual([]);
    expect(processesWith(made.root)).toEqual([]);
  });

  test('A session that is killed is started anew, and its server does not stay', async () => {
    const { run, made } = skill('killed');
    try {
      expect((await run('count', '--session', 'k')).stdout).toBe('count 1\n');
      for (const id of processesWith(made.root)) process.kill(Number(id), 'SIGKILL');
      await until(() => processesWith('--mark-killed').length === 0);
      expect(processesWith('--mark-killed'), 'the server ends with its input').toEqual([]);
      expect((await run('count', '--session', 'k')).stdout).toBe('count 1\n');
    } finally {
      await run('--session-stop', 'k');
    }
    expect(processesWith('--mark-killed')).toEqual([]);
  });
}
