/** What a layout is asked and what it answers. A layout arranges; SKILL.md's head and the scripts are the same for all. */
import type { SkillFile, Tool } from '../model.ts';
import type { JobRoles } from './jobs.ts';

export interface LayoutRequest {
  /** The skill's name. */
  readonly name: string;
  /** Already cleaned, pruned and, for the compact mode, compacted. */
  readonly tools: readonly Tool[];
  readonly job?: JobRoles;
  /** What starts the scripts, for example `python3`. */
  readonly interpreter: string;
  /** Paths relative to the skill's folder. */
  readonly callScript: string;
  readonly wrapperScript: string;
}

export interface LayoutResult {
  /** Markdown after SKILL.md's head, without a final newline. */
  readonly body: string;
  /** The reference files. */
  readonly files: readonly SkillFile[];
}

export type Layout = (request: LayoutRequest) => LayoutResult;
