/**
 * Child of `skill-folder.test.ts`: applies plans to a skill folder, either once or turning between two versions until
 * it is killed. Usage: `node apply-plan-child.ts ROOT once|forever FILES BYTES`. Not a test itself.
 */
import type { Plan, PlanStep } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';
import { applyPlan, readSkillFolder } from '#node/skill-folder.ts';

const [root = '', how = 'once', files = '1', bytes = '1'] = process.argv.slice(2);

/** A whole plan from what is on disk to a version: every file holds the version's letter and its own number. */
async function planTo(version: string): Promise<Plan> {
  const disk = (await readSkillFolder(root, 'probe')) ?? new Map<string, string>();
  const next = new Map<string, string>();
  for (let index = 0; index < Number(files); index += 1)
    next.set(
      `references/${version === 'A' ? 'even' : 'odd'}-${index}.md`,
      `${version}${index}\n`.repeat(Number(bytes)),
    );
  next.set('SKILL.md', `${version}\n`);
  const steps = [...next].map(([path, text]): PlanStep => {
    const before = disk.get(path);
    if (before === undefined) return { kind: 'create', path, text, executable: false };
    return before === text ? { kind: 'keep', path } : { kind: 'update', path, text, before, executable: false };
  });
  for (const [path, before] of disk) if (!next.has(path)) steps.push({ kind: 'delete', path, before });
  return { skill: 'probe', root, steps };
}

const signal = new AbortController().signal;
if (how === 'once') {
  const plan = await planTo('A');
  process.stdout.write('ready\n');
  // The start signal, so that several children apply at the same moment.
  await new Promise((resolve) => process.stdin.once('data', resolve));
  const outcome = await applyPlan(plan, { signal }).then(
    () => 'done',
    (error: unknown) => (error instanceof OperationError ? error.kind : String(error)),
  );
  process.stdout.write(`${outcome}\n`);
  process.exit(0);
}
process.stdout.write('ready\n');
for (let turn = 0; ; turn += 1) await applyPlan(await planTo(turn % 2 === 0 ? 'B' : 'A'), { signal });
