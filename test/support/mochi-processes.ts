/** Which processes run Mochi for a folder, as the operating system lists them. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Their numbers; `folder` is where the workspace lies. */
export function mochiProcesses(folder: string): readonly number[] {
  return commandLines().flatMap(([pid, words]) =>
    /\bmochi\.mjs\b/.test(words) && words.includes(`--workspace=${folder}`) ? [pid] : [],
  );
}

function commandLines(): readonly (readonly [number, string])[] {
  if (process.platform !== 'linux')
    return execFileSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => [Number.parseInt(line, 10), line] as const);
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [[Number(name), readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')] as const];
    } catch {
      return [];
    }
  });
}
