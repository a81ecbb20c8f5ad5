/** Where things lie: the skill this script belongs to and the project around it. Reads link targets, changes nothing. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** The folders through which a skill lies inside a project. */
const SKILL_HOMES: ReadonlySet<string> = new Set(['.claude', '.github', '.agents']);

export interface SkillFolder {
  /** Absolute path of the skill. */
  readonly path: string;
  /** Absolute path of the project around it. */
  readonly project: string;
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * The folder of the scripts as the caller spelt it. Node resolves links in the address of the main module, but a
 * skill that is a link lies in the project where the link is.
 */
function scriptsFolder(module: string, started: string | undefined): string {
  const folder = dirname(module);
  if (started === undefined) return folder;
  const asStarted = dirname(resolve(started));
  const target = real(asStarted);
  return target !== undefined && target === real(folder) ? asStarted : folder;
}

/** The nearest ancestor that holds the skill through a `.claude`, `.github` or `.agents` folder. */
export function projectRoot(skill: string, workingFolder: string): string {
  for (let at = skill; dirname(at) !== at; at = dirname(at)) {
    if (SKILL_HOMES.has(basename(at))) return dirname(at);
  }
  return workingFolder;
}

/** Finds the skill from the script's own path and the path it was started by. */
export function findSkill(module: string, started: string | undefined, workingFolder: string): SkillFolder {
  const path = dirname(scriptsFolder(module, started));
  return { path, project: projectRoot(path, workingFolder) };
}

/** A path inside the skill. */
export function inSkill(skill: SkillFolder, ...parts: readonly string[]): string {
  return join(skill.path, ...parts);
}
