/** `--session-list` and `--session-stop`: what runs, and its end. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { own, writeJson } from './json.ts';
import type { Options } from './options.ts';
import { configPath } from './server-config.ts';
import {
  filesOf,
  isAlive,
  keyOfFacts,
  openSessionFolder,
  readFacts,
  type SessionFacts,
  type SessionFiles,
  sessionFiles,
} from './session-place.ts';
import { converse, reach } from './session-wire.ts';
import type { SkillFolder } from './skill-folder.ts';
import { say } from './streams.ts';

const ASK_MS = 5000;
const STOP_MS = 10_000;

async function ask(files: SessionFiles, op: string): Promise<unknown> {
  const socket = await reach(files);
  return socket === undefined ? undefined : converse(socket, { op }, ASK_MS, () => {}).catch(() => undefined);
}

interface Row extends Omit<SessionFacts, 'port' | 'token'> {
  readonly idle: number;
}

async function livingSessions(folder: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of readdirSync(folder).sort()) {
    const key = keyOfFacts(file);
    if (key === undefined) continue;
    const files = filesOf(folder, key);
    const facts = readFacts(files);
    const answer = await ask(files, 'ping');
    if (facts !== undefined && answer !== undefined) {
      const idle = own(answer, 'idle');
      const { name, server, config, pid } = facts;
      rows.push({ name, server, config, pid, idle: typeof idle === 'number' ? idle : 0 });
    } else if (facts === undefined || !isAlive(facts.pid)) {
      for (const path of [files.facts, files.socket, files.lock]) rmSync(path, { force: true });
    }
  }
  return rows;
}

export async function listSessions(options: Options): Promise<number> {
  const rows = await livingSessions(openSessionFolder());
  if (options.json) say(writeJson({ ok: true, sessions: rows }));
  else if (rows.length === 0) say('no sessions');
  else {
    for (const { name, server, pid, idle, config } of rows) {
      say(`${name}: ${server}, process ${pid}, idle ${Math.floor(idle)} s, ${config}`);
    }
  }
  return 0;
}

/** Ends the daemon and its server, and returns when both are gone. */
export async function stopSession(options: Options, skill: SkillFolder, name: string): Promise<number> {
  const place = options.endpoint ?? configPath(options, skill);
  const files = sessionFiles(openSessionFolder(), place, options.server, name);
  const pid = readFacts(files)?.pid;
  const answer = await ask(files, 'stop');
  const end = Date.now() + STOP_MS;
  const lives = (): boolean => existsSync(files.lock) && pid !== undefined && isAlive(pid);
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  while (answer !== undefined && lives() && Date.now() < end) await pause();
  // The lock goes a moment before the process; a process that nobody reaps would seem to live on.
  for (let turn = 0; turn < 50 && answer !== undefined && pid !== undefined && isAlive(pid); turn += 1) await pause();
  const stopped = answer !== undefined;
  if (options.json) say(writeJson({ ok: true, stopped }));
  else say(`session ${name}: ${stopped ? 'stopped' : 'was not running'}`);
  return 0;
}
