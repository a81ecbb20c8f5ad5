/**
 * Reads skill folders and applies plans to them. A plan is applied by building the whole new folder out of sight and
 * swapping it for the old one, so that a crash, a full disk or a second writer leaves the old folder or the new one,
 * never a mixture. What a plan may overwrite is decided in `core/plan.ts`; here it is only checked again.
 */
import { copyFile, mkdir, open, rmdir, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plan } from '#core/model.ts';
import { foldPath } from '#core/plan.ts';
import { OperationError } from '#core/problem.ts';
import { codeOf, takeLock } from './folder-lock.ts';
import { readSnapshot, type Snapshot, signatureIfFolder } from './folder-snapshot.ts';
import { commit, conflict, interruptedSwap, openWork, recover, type Swap, swapOf, tidy } from './folder-swap.ts';
import { checkFilePath, checkSkillName, openRoot, type SkillsRoot, WORK_FOLDER } from './skill-path.ts';

export interface FolderOptions {
  /**
   * The folder the skills root must lie in after all links are followed, absolute: the workspace or the home folder.
   * Without it only a root that is itself a link is refused.
   */
  readonly within?: string | undefined;
}

export interface ApplyOptions extends FolderOptions {
  readonly signal: AbortSignal;
}

/**
 * The files of a skill's folder, path to text, or `undefined` where there is no such folder. Where a run was killed in
 * the middle of its swap these are the files from before it. Throws `outside-root` and `io`.
 */
export async function readSkillFolder(
  root: string,
  name: string,
  options: FolderOptions = {},
): Promise<ReadonlyMap<string, string> | undefined> {
  checkSkillName(name);
  return classified(async () => {
    const found = await openRoot(root, { within: options.within, create: false });
    if (found === undefined) return undefined;
    for (let attempt = 0; ; attempt += 1) {
      try {
        const snapshot = await readSnapshot(join(found.path, name));
        if (snapshot !== undefined) return snapshot.files;
        const old = await interruptedSwap(join(found.path, WORK_FOLDER, name));
        return old === undefined ? undefined : (await readSnapshot(old))?.files;
      } catch (error) {
        // Swapped while it was read; the next look sees one side.
        if (codeOf(error) !== 'ENOENT' || attempt === 3) throw error;
      }
    }
  });
}

/**
 * Applies a plan, all of it or nothing. Throws `outside-root` where it would leave the skills root, `conflict` where it
 * holds conflicts, where the disk is no longer as planned or another process writes the same skill, and `io` where the
 * disk refuses. When the signal is aborted before the swap, its reason is thrown and nothing has changed.
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<void> {
  checkPlan(plan);
  options.signal.throwIfAborted();
  if (plan.steps.every((step) => step.kind === 'keep')) return;
  await classified(async () => {
    const root = await openRoot(plan.root, { within: options.within, create: true });
    if (root === undefined) return;
    let isDone = false;
    try {
      await applyInside(plan, root, options.signal);
      isDone = true;
    } finally {
      if (!isDone) await removeMade(root);
    }
  });
}

async function applyInside(plan: Plan, root: SkillsRoot, signal: AbortSignal): Promise<void> {
  const work = await openWork(root.path, plan.skill);
  try {
    const lock = await takeLock(work);
    const swap = swapOf(join(root.path, plan.skill), work, lock.token);
    try {
      await recover(work, swap.target);
      // Before the reading, so that a write during it is seen too.
      const signature = signatureIfFolder(swap.target);
      const found = await readSnapshot(swap.target);
      checkUnchanged(plan, found);
      await build(plan, found, swap, signal);
      signal.throwIfAborted();
      await commit(swap, signature, lock);
    } finally {
      await tidy(swap);
      await lock.release();
    }
  } finally {
    for (const folder of [work, dirname(work)]) await rmdir(folder).catch(() => undefined);
  }
}

/** Refuses a plan that no disk should see. */
function checkPlan(plan: Plan): void {
  checkSkillName(plan.skill);
  const seen = new Map<string, string>();
  for (const step of plan.steps) {
    checkFilePath(step.path);
    const twin = seen.get(foldPath(step.path));
    if (step.kind === 'conflict')
      throw conflict(`${step.path} ${step.reason === 'edited' ? 'was edited' : 'is not ours'} and would be lost.`);
    if (step.kind === 'delete') continue;
    if (twin !== undefined) throw conflict(`${twin} and ${step.path} are one file where case is ignored.`);
    seen.set(foldPath(step.path), step.path);
  }
}

/** Throws `conflict` unless the folder is still what the plan was made from. */
function checkUnchanged(plan: Plan, found: Snapshot | undefined): void {
  const files = found?.files ?? new Map<string, string>();
  const folded = new Map([...files].map(([path, text]) => [foldPath(path), { path, text }]));
  const deleted = new Set(plan.steps.flatMap((step) => (step.kind === 'delete' ? [step.path] : [])));
  for (const step of plan.steps) {
    const there = files.get(step.path) ?? folded.get(foldPath(step.path))?.text;
    const path = files.has(step.path) ? step.path : folded.get(foldPath(step.path))?.path;
    const isFree = path === undefined || (step.kind === 'create' && deleted.has(path));
    const isAsPlanned =
      step.kind === 'create'
        ? isFree
        : step.kind === 'keep'
          ? there !== undefined
          : 'before' in step && there === step.before;
    if (!isAsPlanned) throw conflict(`${step.path} changed since the plan was made.`);
  }
}

/** Builds the new folder beside: the plan's files, and all others as they are. */
async function build(plan: Plan, found: Snapshot | undefined, swap: Swap, signal: AbortSignal): Promise<void> {
  const gone = new Set(plan.steps.flatMap((step) => (step.kind === 'keep' ? [] : [foldPath(step.path)])));
  const copied = [...(found?.files.keys() ?? [])].filter((path) => !gone.has(foldPath(path)));
  const written = plan.steps.flatMap((step) => (step.kind === 'create' || step.kind === 'update' ? [step] : []));
  await mkdir(swap.staged);
  for (const folder of found?.folders ?? []) {
    const isEmpty = ![...(found?.files.keys() ?? [])].some((path) => path.startsWith(`${folder}/`));
    if (isEmpty) await mkdir(join(swap.staged, folder), { recursive: true });
  }
  for (const folder of new Set([...copied, ...written.map((step) => step.path)].map((path) => dirname(path))))
    await mkdir(join(swap.staged, folder), { recursive: true });
  for (const path of copied) {
    signal.throwIfAborted();
    const [from, to] = [join(swap.target, path), join(swap.staged, path)];
    await copyFile(from, to);
    const { atime, mtime } = await stat(from);
    await utimes(to, atime, mtime);
  }
  for (const { path, text, executable } of written) {
    signal.throwIfAborted();
    await writeNew(join(swap.staged, path), text, executable);
  }
}

async function writeNew(path: string, text: string, executable: boolean): Promise<void> {
  const file = await open(path, 'wx', executable ? 0o777 : 0o666);
  try {
    await file.writeFile(text, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Removes the folders that were made for a run that then failed, as far as they are empty. */
async function removeMade({ path, made }: SkillsRoot): Promise<void> {
  if (made === undefined) return;
  for (let folder = path; folder.length >= made.length; folder = dirname(folder)) {
    const isRemoved = await rmdir(folder).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

/** Gives the file system's own errors their kind. */
async function classified<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (OperationError.is(error) || codeOf(error) === undefined || !(error instanceof Error)) throw error;
    if (!('syscall' in error)) throw error;
    const remedy = REMEDIES.get(codeOf(error) ?? '');
    throw new OperationError('io', error.message, { cause: error, ...(remedy === undefined ? {} : { remedy }) });
  }
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', 'Free some space on the disk and try again.'],
  ['EDQUOT', 'Free some of your quota on the disk and try again.'],
  ['EROFS', 'Choose a folder on a disk that can be written.'],
  ['EACCES', 'Give yourself the right to write in the folder, or choose another.'],
  ['EPERM', 'Close the programs that have files of the skill open, or choose another folder.'],
  ['EBUSY', 'Close the programs that have files of the skill open.'],
]);
