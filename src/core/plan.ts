/**
 * What writing a skill would do to a folder: compares the skill with the files on disk and with the lock of the run
 * that wrote them, and never plans to lose what a person wrote unless told to. Touches no disk; `node/skill-folder.ts`
 * applies a plan.
 */
import { unifiedDiff } from './diff.ts';
import type { Plan, PlanStep, Skill, SkillFile } from './model.ts';
import type { Problem, Reported } from './problem.ts';
import { mergeKeeps } from './skill/keep.ts';
import { type Digest, fileHash, LOCK_PATH, parseLock, SKILL_MD, withLf } from './skill/lock.ts';

export interface PlanOptions {
  /** Overwrite and delete also what a person wrote: conflicts become updates and deletions. */
  readonly force: boolean;
  readonly digest: Digest;
}

/** How many files of a plan fare how. */
export interface PlanSummary {
  readonly create: number;
  readonly update: number;
  readonly keep: number;
  readonly delete: number;
  readonly conflict: number;
}

/** The form of a path under which a case-insensitive file system takes two paths for one. */
export function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/**
 * Plans one skill against the files of its folder (path to text; `undefined` where there is no folder). A file that
 * differs from the lock is a conflict `edited` if it would change; without a readable lock, or where the lock does
 * not list it, it is a conflict `not-ours`. Files that neither the skill nor the lock knows have no step: they stay.
 * A conflict about a file that would be deleted has an empty `text`.
 */
export function planSkill(
  skill: Skill,
  onDisk: ReadonlyMap<string, string> | undefined,
  root: string,
  options: PlanOptions,
): Reported<Plan> {
  const disk = onDisk ?? new Map<string, string>();
  const lock = parseLock(disk.get(LOCK_PATH) ?? '');
  const state: State = {
    disk,
    folded: new Map([...disk.keys()].map((path) => [foldPath(path), path])),
    locked: new Map(lock === undefined ? [] : Object.entries(lock.files)),
    hasLock: lock !== undefined,
    rendered: new Set(skill.files.map((file) => file.path)),
    skill,
    options,
    problems: [...collisionsOf(skill)],
  };
  if (lock !== undefined && lock.server !== skill.server) {
    state.problems.push({
      kind: 'skill-collision',
      severity: 'warning',
      message: `The folder "${skill.name}" holds the skill of another server, "${lock.server}".`,
      remedy: 'Give one of the two another name, or it replaces the other.',
      at: { file: skill.name },
      server: skill.server,
    });
  }
  const steps = [...skill.files.map((file) => writeStep(file, state)), ...leftovers(state)];
  for (const step of steps) if (step.kind === 'conflict') state.problems.push(conflictProblem(step, state));
  steps.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { value: { skill: skill.name, root, steps }, problems: state.problems };
}

interface State {
  readonly disk: ReadonlyMap<string, string>;
  /** Folded path to the path on disk. */
  readonly folded: ReadonlyMap<string, string>;
  /** Path to hash, as the lock on disk has it. */
  readonly locked: ReadonlyMap<string, string>;
  readonly hasLock: boolean;
  /** The paths of the skill's files. */
  readonly rendered: ReadonlySet<string>;
  readonly skill: Skill;
  readonly options: PlanOptions;
  readonly problems: Problem[];
}

/** What becomes of one file of the skill. */
function writeStep(file: SkillFile, state: State): PlanStep {
  const { path, executable } = file;
  const twin = state.disk.has(path) ? path : state.folded.get(foldPath(path));
  const before = twin === undefined ? undefined : state.disk.get(twin);
  if (twin === undefined || before === undefined) return { kind: 'create', path, text: file.text, executable };
  if (twin !== path && isUntouched(twin, before, state) && !state.rendered.has(twin))
    // Only the case of a name changed: the old spelling is deleted beside this.
    return { kind: 'create', path, text: file.text, executable };
  const merged = path === SKILL_MD ? mergeKeeps(file.text, withLf(before), `${state.skill.name}/${path}`) : undefined;
  const text = merged?.value ?? file.text;
  if (twin === path && withLf(before) === withLf(text)) return { kind: 'keep', path };
  if (merged !== undefined) state.problems.push(...merged.problems);
  const hasLostKeeps = merged !== undefined && merged.problems.length > 0;
  if (state.options.force || (twin === path && !hasLostKeeps && isUntouched(path, before, state)))
    return { kind: 'update', path, text, before, executable };
  return { kind: 'conflict', path, text, before, executable, reason: reasonOf(twin, state) };
}

/** What the lock lists and the skill has no longer, for example after a change of mode. */
function leftovers(state: State): readonly PlanStep[] {
  return [...state.locked.keys()].flatMap((path): readonly PlanStep[] => {
    const before = state.disk.get(path);
    if (before === undefined || path === LOCK_PATH || state.rendered.has(path)) return [];
    if (state.options.force || isUntouched(path, before, state)) return [{ kind: 'delete', path, before }];
    return [{ kind: 'conflict', path, text: '', before, executable: false, reason: 'edited' }];
  });
}

/** Whether a file on disk is what we wrote. The lock itself always is, where it can be read. */
function isUntouched(path: string, text: string, state: State): boolean {
  if (path === LOCK_PATH) return state.hasLock;
  return state.locked.get(path) === fileHash(path, text, state.options.digest);
}

function reasonOf(path: string, state: State): 'edited' | 'not-ours' {
  return state.locked.has(path) ? 'edited' : 'not-ours';
}

function conflictProblem(step: PlanStep & { readonly kind: 'conflict' }, state: State): Problem {
  const why = step.reason === 'edited' ? 'was edited since it was generated' : 'was not written by Mochi';
  return {
    kind: 'plan-conflict',
    severity: 'error',
    message: `${step.path} ${why} and would be lost.`,
    remedy:
      step.reason === 'edited'
        ? 'Move your text between keep markers in SKILL.md, or write with force.'
        : 'Choose another name for the skill, or write with force.',
    at: { file: `${state.skill.name}/${step.path}` },
    server: state.skill.server,
  };
}

/** Two files of one skill that a case-insensitive file system would take for one. */
function collisionsOf(skill: Skill): readonly Problem[] {
  const seen = new Map<string, string>();
  return skill.files.flatMap(({ path }): readonly Problem[] => {
    const twin = seen.get(foldPath(path));
    seen.set(foldPath(path), path);
    if (twin === undefined) return [];
    return [
      {
        kind: 'skill-collision',
        severity: 'error',
        message: `The files ${twin} and ${path} are one on file systems that ignore case.`,
        remedy: 'Leave one of the two tools out.',
        at: { file: `${skill.name}/${path}` },
        server: skill.server,
      },
    ];
  });
}

/** Counts the steps of a plan by kind. */
export function summary(plan: Plan): PlanSummary {
  const counts = { create: 0, update: 0, keep: 0, delete: 0, conflict: 0 };
  for (const step of plan.steps) counts[step.kind] += 1;
  return counts;
}

/** The unified diff of all that a plan would change; conflicts are shown as if written and say so. */
export function diffPlan(plan: Plan): string {
  return plan.steps.map((step) => diffStep(step, plan.skill)).join('');
}

function diffStep(step: PlanStep, skill: string): string {
  const path = `${skill}/${step.path}`;
  const diff = (before: string | undefined, after: string | undefined): string =>
    unifiedDiff(
      { label: `a/${path}`, text: before === undefined ? undefined : withLf(before) },
      { label: `b/${path}`, text: after === undefined ? undefined : withLf(after) },
    );
  switch (step.kind) {
    case 'keep':
      return '';
    case 'create':
      return diff(undefined, step.text);
    case 'update':
      return diff(step.before, step.text);
    case 'delete':
      return diff(step.before, undefined);
    case 'conflict':
      return `conflict (${step.reason}): ${path}\n${diff(step.before, step.text === '' ? undefined : step.text)}`;
    default:
      return step satisfies never;
  }
}
