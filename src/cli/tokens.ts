/** `mochi tokens`: what files cost, or, without any named, what the installed skills cost in every session. */
import { relative, resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { readFrontmatter } from '#core/skill/frontmatter.ts';
import { SKILL_MD } from '#core/skill/lock.ts';
import { claudeRange, LISTING_BUDGET_CHARS } from '#core/tokens.ts';
import { createFiles } from '#node/files.ts';
import { type Context, skillsRoots } from './context.ts';
import { counterOf } from './counter.ts';
import { EXIT } from './exit-codes.ts';
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
  const roots = skillsRoots(context);
  const skills: { skill: string; line: string; body: string }[] = [];
  for (const root of roots)
    for (const skill of await createFiles().list(root)) {
      const text = await textOf(resolve(root, skill, SKILL_MD));
      if (text === undefined) continue;
      const { frontmatter } = readFrontmatter(text, `${skill}/${SKILL_MD}`).value;
      const description = frontmatter.get('description');
      skills.push({ skill, line: `- ${skill}: ${typeof description === 'string' ? description : ''}`, body: text });
    }
  const counts = await counter.count(
    skills.flatMap(({ line, body }) => [line, body]),
    signal,
  );
  const rows = skills.map(({ skill, line }, index) => ({
    skill,
    always: counts[2 * index] ?? 0,
    onActivation: counts[2 * index + 1] ?? 0,
    listingChars: line.length,
  }));
  const listing = { chars: rows.reduce((sum, row) => sum + row.listingChars, 0), limit: LISTING_BUDGET_CHARS };
  if (args.json) {
    terminal.print(
      JSON.stringify({ tokenizer: counter.name, exact: counter.exact, skills: rows, listing }, undefined, 2),
    );
    return EXIT.ok;
  }
  if (rows.length === 0) {
    terminal.print(t('There are no skills in {0}.', roots.map((root) => relative(host.cwd, root) || root).join(', ')));
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
  const total = rows.reduce((sum, row) => sum + row.always, 0);
  const [low, high] = claudeRange(total);
  terminal.print(
    t(
      'Listing: {0} of {1} characters; {2} tokens by {3} in every session.',
      grouped(listing.chars),
      grouped(listing.limit),
      grouped(total),
      counter.name,
    ),
  );
  if (!counter.exact)
    terminal.print(terminal.style('dim', t('Claude may count {0} to {1}.', grouped(low), grouped(high))));
  return EXIT.ok;
}
