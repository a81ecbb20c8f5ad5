/** `mochi tokens`: what files cost, or, without any named, what the skills that Claude Code reads cost there. */
import { relative, resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { calledName, measureSkills } from '#core/skill/library-costs.ts';
import { createFiles } from '#node/files.ts';
import { type Context, skillsRoots } from './context.ts';
import { counterOf } from './counter.ts';
import { EXIT } from './exit-codes.ts';
import { installedSkills, printMeter } from './skills.ts';
import { grouped, plain, table } from './terminal.ts';

const MAX_BYTES = 50_000_000;

export function tokens(context: Context): Promise<number> {
  return context.args.operands.length > 0 ? ofFiles(context) : ofSkills(context);
}

async function textOf(path: string): Promise<string | undefined> {
  const bytes = await createFiles().read(path, MAX_BYTES);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function ofFiles(context: Context): Promise<number> {
  const { args, terminal, t, host, signal } = context;
  const counter = counterOf(context);
  const texts: { path: string; text: string }[] = [];
  for (const path of args.operands) {
    const text = await textOf(resolve(host.cwd, path));
    if (text === undefined)
      throw new OperationError('not-found', `There is no file ${path}.`, { remedy: 'Name a file that exists.' });
    texts.push({ path, text });
  }
  const counts = await counter.count(
    texts.map(({ text }) => text),
    signal,
  );
  const rows = texts.map(({ path, text }, index) => ({
    path,
    tokens: counts[index] ?? 0,
    bytes: Buffer.byteLength(text),
  }));
  if (args.json)
    terminal.print(JSON.stringify({ tokenizer: counter.name, exact: counter.exact, files: rows }, undefined, 2));
  else {
    const columns = [
      { title: t('file'), flexible: true },
      { title: t('tokens'), align: 'right' as const },
      { title: t('bytes'), align: 'right' as const },
    ];
    for (const line of table(
      columns,
      rows.map((row) => [plain(row.path), grouped(row.tokens), grouped(row.bytes)]),
      terminal.width,
    ))
      terminal.print(line);
    terminal.print(terminal.style('dim', t('Tokens by {0}.', counter.name)));
  }
  return EXIT.ok;
}

async function ofSkills(context: Context): Promise<number> {
  const { args, terminal, t, signal, host } = context;
  const counter = counterOf(context);
  const library = await installedSkills(context);
  const measured = await measureSkills(library, counter, signal);
  const rows = library.skills
    .filter(({ root }) => root.readBy.includes('claude-code'))
    .map((skill) => {
      const cost = measured.costs.get(skill.path);
      return { skill: calledName(skill), always: cost?.listing ?? 0, onActivation: cost?.body ?? 0 };
    });
  const listing = { chars: measured.listing.wanted, limit: measured.listing.limit };
  if (args.json) {
    terminal.print(
      JSON.stringify({ tokenizer: counter.name, exact: counter.exact, skills: rows, listing }, undefined, 2),
    );
    return EXIT.ok;
  }
  if (rows.length === 0) {
    terminal.print(
      t(
        'There are no skills in {0}.',
        skillsRoots(context)
          .map((root) => relative(host.cwd, root) || root)
          .join(', '),
      ),
    );
    return EXIT.ok;
  }
  const columns = [
    { title: t('skill'), flexible: true },
    { title: t('always'), align: 'right' as const },
    { title: t('on activation'), align: 'right' as const },
  ];
  for (const line of table(
    columns,
    rows.map((row) => [plain(row.skill), grouped(row.always), grouped(row.onActivation)]),
    terminal.width,
  ))
    terminal.print(line);
  printMeter(measured, counter.exact, context);
  return EXIT.ok;
}
