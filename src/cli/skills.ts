/**
 * `mochi skills`: what is installed for whom, what it costs in every session, and what is wrong with it.
 * Errors among that need a person: they end it with the code of `mochi validate`.
 */
import { relative } from 'node:path';
import { createSkillLoader, type InstalledSkill, offeredSkills, type SkillLibrary } from '#core/skill/library.ts';
import { calledName, type LibraryCosts, measureSkills } from '#core/skill/library-costs.ts';
import { claudeRange } from '#core/tokens.ts';
import { createFiles } from '#node/files.ts';
import { type Context, skillsRoots } from './context.ts';
import { counterOf } from './counter.ts';
import { EXIT } from './exit-codes.ts';
import { noteProblems } from './report.ts';
import { grouped, plain, table } from './terminal.ts';

/** The skills of all places that clients look in, or of the named skills root alone. */
export function installedSkills(context: Context): Promise<SkillLibrary> {
  const { args, folders, home, host, signal } = context;
  const loader = createSkillLoader({ folders, home: args.user ? home : undefined }, (within) =>
    createFiles({ confineTo: [within] }),
  );
  if (args.output === undefined) return loader.load(signal);
  const roots = skillsRoots(context).map((path) => ({
    path,
    display: relative(host.cwd, path).replaceAll('\\', '/') || '.',
    scope: 'project' as const,
    readBy: ['claude-code', 'vscode'] as const,
    within: path,
  }));
  return loader.load(signal, roots);
}

export async function skills(context: Context): Promise<number> {
  const { args, terminal, t, folders, signal } = context;
  const counter = counterOf(context);
  const library = await installedSkills(context);
  const measured = await measureSkills(library, counter, signal);
  const problems = [...library.problems, ...library.skills.flatMap((skill) => skill.problems)];
  const code = problems.some(({ severity }) => severity === 'error') ? EXIT.attention : EXIT.ok;
  const offered = new Set(offeredSkills(library).map(({ path }) => path));
  if (args.json) {
    terminal.print(
      JSON.stringify({ ...jsonOf(library.skills, offered, measured), problems: library.problems }, undefined, 2),
    );
    return code;
  }
  noteProblems(problems, context);
  if (library.skills.length === 0) {
    terminal.print(t('There are no skills in {0}.', folders.join(', ')));
    return code;
  }
  const columns = [
    { title: t('skill'), flexible: true },
    { title: t('lies in'), flexible: true },
    { title: t('always'), align: 'right' as const },
    { title: t('on activation'), align: 'right' as const },
    { title: '' },
  ];
  const rows = library.skills.map((skill) => {
    const cost = measured.costs.get(skill.path);
    return [
      plain(calledName(skill)),
      plain(skill.root.display),
      cost !== undefined && cost.listed !== 'no' ? grouped(cost?.listing ?? 0) : '–',
      grouped(cost?.body ?? 0),
      stateOf(skill, offered, measured, context),
    ];
  });
  table(columns, rows, terminal.width).forEach((line, index) => {
    terminal.print(index === 0 ? terminal.style('dim', line) : line);
  });
  printMeter(measured, counter.exact, context);
  return code;
}

function stateOf(skill: InstalledSkill, offered: ReadonlySet<string>, { costs }: LibraryCosts, { t }: Context): string {
  const { listed, hiddenFor } = costs.get(skill.path) ?? { listed: 'no', hiddenFor: [] };
  const { readBy } = skill.root;
  if (hiddenFor.length > 0) {
    const clients = hiddenFor.map((client) => (client === 'vscode' ? 'VS Code' : 'Claude Code'));
    return hiddenFor.length === readBy.length ? t('hidden') : t('hidden for {0}', clients.join(', '));
  }
  if (listed === 'name') return t('name only');
  if (!offered.has(skill.path)) return t('not offered');
  return readBy.includes('claude-code') ? '' : t('VS Code only');
}

/** How much of Claude Code's listing the skills take, and what that costs. */
export function printMeter(
  { listing, costs, tokenizer }: LibraryCosts,
  isExact: boolean,
  { terminal, t }: Context,
): void {
  const total = [...costs.values()].reduce((sum, cost) => sum + cost.listing, 0);
  terminal.print(
    t(
      '{0} of {1} skills fit the listing of Claude Code: {2} of {3} characters, {4} tokens by {5} in every session.',
      listing.described.length,
      listing.described.length + listing.named.length,
      grouped(listing.wanted),
      grouped(listing.limit),
      grouped(total),
      tokenizer,
    ),
  );
  if (listing.named.length > 0)
    terminal.print(terminal.style('yellow', t('Listed by name only: {0}', plain(listing.named.join(', ')))));
  if (isExact) return;
  const [low, high] = claudeRange(total);
  terminal.print(terminal.style('dim', t('Claude may count {0} to {1}.', grouped(low), grouped(high))));
}

function jsonOf(skills: readonly InstalledSkill[], offered: ReadonlySet<string>, measured: LibraryCosts): object {
  const { listing, costs, tokenizer } = measured;
  return {
    tokenizer,
    skills: skills.map((skill) => ({
      name: calledName(skill),
      folder: skill.folder,
      root: skill.root.display,
      scope: skill.root.scope,
      readBy: skill.root.readBy,
      offered: offered.has(skill.path),
      listed: costs.get(skill.path)?.listed ?? 'no',
      hiddenFor: costs.get(skill.path)?.hiddenFor ?? [],
      always: costs.get(skill.path)?.listing ?? 0,
      onActivation: costs.get(skill.path)?.body ?? 0,
      files: skill.files,
      ...(skill.server === undefined ? {} : { server: skill.server }),
      problems: skill.problems,
    })),
    listing: {
      fit: listing.described.length,
      all: listing.described.length + listing.named.length,
      chars: listing.wanted,
      limit: listing.limit,
      named: listing.named,
    },
  };
}
