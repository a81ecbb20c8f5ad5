/** `mochi validate`: do skills, ours or anyone's, keep the Agent Skills rules and load in the clients that read them? */
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { OperationError, type Problem } from '#core/problem.ts';
import { readFrontmatter } from '#core/skill/frontmatter.ts';
import { createSkillLoader } from '#core/skill/library.ts';
import { SKILL_MD } from '#core/skill/lock.ts';
import { isUtf8, validateSkill } from '#core/skill/validate.ts';
import { createFiles } from '#node/files.ts';
import { readSkillFolder } from '#node/skill-folder.ts';
import { type Context, skillsRoots } from './context.ts';
import { counterOf } from './counter.ts';
import { EXIT } from './exit-codes.ts';
import { noteProblems } from './report.ts';
import { plain } from './terminal.ts';

interface Validated {
  readonly skill: string;
  readonly problems: readonly Problem[];
}

export async function validate(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const results: Validated[] = [];
  for (const folder of await foldersOf(context)) results.push(await validateFolder(folder, context));
  const isBad = results.some(({ problems }) => problems.some((problem) => problem.severity === 'error'));
  if (args.json) terminal.print(JSON.stringify({ skills: results }, undefined, 2));
  else {
    if (results.length === 0) terminal.print(t('There are no skills in {0}.', skillsRoots(context).join(', ')));
    for (const { skill, problems } of results) {
      const errors = problems.filter((problem) => problem.severity === 'error').length;
      const sign = errors > 0 ? terminal.style('red', '✖') : terminal.style('green', '✔');
      terminal.print(
        `${sign} ${plain(skill)}: ${errors === 0 ? t('valid') : errors === 1 ? t('1 error') : t('{0} errors', errors)}`,
      );
      noteProblems(problems, context);
    }
  }
  return isBad ? EXIT.attention : EXIT.ok;
}

/** The named skill folders, else every folder of the skills root that has a SKILL.md. */
async function foldersOf(context: Context): Promise<readonly string[]> {
  const { args, host } = context;
  if (args.operands.length > 0)
    return args.operands.map((path) => resolve(host.cwd, basename(path) === SKILL_MD ? dirname(path) : path));
  const files = createFiles();
  const folders: string[] = [];
  for (const root of skillsRoots(context))
    for (const name of await files.list(root))
      if ((await files.stat(resolve(root, name, SKILL_MD)))?.kind === 'file') folders.push(resolve(root, name));
  return folders;
}

function unreadable(skill: string, error: OperationError | undefined): Problem {
  return {
    kind: 'skill-invalid',
    severity: 'error',
    message: error?.message ?? 'There is no such folder.',
    remedy: error?.remedy ?? 'Name a folder that holds a SKILL.md.',
    at: { file: skill },
  };
}

/** What the loader says of one folder; undefined where it finds neither a skill nor a reason for none. */
async function problemsOfLoader(folder: string, context: Context): Promise<readonly Problem[] | undefined> {
  const { folders, signal } = context;
  const path = dirname(folder);
  const within = folders.find((one) => folder.startsWith(`${one}${sep}`)) ?? path;
  const root = { path, display: shownPath(relative(within, path)), scope: 'project' as const, within };
  const loader = createSkillLoader({ folders: [] }, (top) => createFiles({ confineTo: [top] }));
  const library = await loader.load(signal, [{ ...root, readBy: ['claude-code', 'vscode'] }]);
  const skill = library.skills.find(({ folderName }) => folderName === basename(folder));
  if (skill !== undefined) return skill.problems;
  const problems = library.problems.filter(({ at }) => at?.file === `${root.display}/${basename(folder)}`);
  return problems.length === 0 ? undefined : problems;
}

const shownPath = (path: string): string => path.split(sep).join('/') || '.';

/** More than any skill folder may hold. */
const MAX_BYTES = 100_000_000;

async function validateFolder(folder: string, context: Context): Promise<Validated> {
  const skill = basename(folder);
  const files = await readSkillFolder(dirname(folder), skill).catch((error: unknown) => {
    if (OperationError.is(error)) return error;
    throw error;
  });
  // A link: whether it leads out, and what is said of it, is for the loader, as in `mochi skills`.
  if (OperationError.is(files) && files.kind === 'outside-root') {
    const problems = await problemsOfLoader(folder, context);
    if (problems !== undefined) return { skill, problems };
  }
  if (files === undefined || OperationError.is(files)) return { skill, problems: [unreadable(skill, files)] };
  const body = readFrontmatter(files.get(SKILL_MD) ?? '', `${skill}/${SKILL_MD}`).value.body;
  const [bodyTokens] = await counterOf(context).count([body], context.signal);
  const bytes = await createFiles().read(resolve(folder, SKILL_MD), MAX_BYTES);
  return { skill, problems: validateSkill(skill, files, { bodyTokens, isUtf8: bytes === undefined || isUtf8(bytes) }) };
}
