/** `mochi skills`: what is installed for whom, what it costs in every session, and what is wrong with it. */
import { createSkillLoader, type InstalledSkill, offeredSkills } from '#core/skill/library.ts';
import { type LibraryCosts, measureSkills } from '#core/skill/library-costs.ts';
import { claudeRange } from '#core/tokens.ts';
import { createFiles } from '#node/files.ts';
import type { Context } from './context.ts';
import { counterOf } from './counter.ts';
import { EXIT } from './exit-codes.ts';
import { noteProblems } from './report.ts';
import { grouped, plain, table } from './terminal.ts';

export async function skills(context: Context): Promise<number> {
  const { args, terminal, t, folders, home, signal } = context;
  const counter = counterOf(context);
  const places = { folders, home: args.user ? home : undefined };
  const library = await createSkillLoader(places, (within) => createFiles({ confineTo: [within] })).load(signal);
  const measured = await measureSkills(library, counter, signal);
  const offered = new Set(offeredSkills(library).map(({ path }) => path));
  if (args.json) {
    terminal.print(
      JSON.stringify({ ...jsonOf(library.skills, offered, measured), problems: library.problems }, undefined, 2),
    );
    return EXIT.ok;
  }
  noteProblems([...library.problems, ...library.skills.flatMap(({ problems }) => problems)], context);
  if (library.skills.length === 0) {
    terminal.print(t('There are no skills in {0}.', folders.join(', ')));
    return EXIT.ok;
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
      plain(skill.name || skill.folderName),
      plain(skill.root.display),
      offered.has(skill.path) ? grouped(cost?.listing ?? 0) : '–',
      grouped(cost?.body ?? 0),
      stateOf(skill, offered, measured, context),
    ];
  });
  table(columns, rows, terminal.width).forEach((line, index) => {
    terminal.print(index === 0 ? terminal.style('dim', line) : line);
  });
  printMeter(measured, offered.size, counter.exact, context);
  return EXIT.ok;
}

function stateOf(
  skill: InstalledSkill,
  offered: ReadonlySet<string>,
  { listing }: LibraryCosts,
  { t }: Context,
): string {
  const isHidden = skill.problems.some(({ kind, severity }) => kind === 'skill-collision' && severity === 'warning');
  if (!offered.has(skill.path)) return isHidden ? t('hidden') : t('not offered');
  if (listing.named.includes(skill.name)) return t('name only');
  return isHidden ? t('hidden for some') : '';
}

function printMeter(
  { listing, costs, tokenizer }: LibraryCosts,
  all: number,
  isExact: boolean,
  { terminal, t }: Context,
): void {
  const total = [...costs.values()].reduce((sum, cost) => sum + cost.listing, 0);
  terminal.print(
    t(
      '{0} of {1} skills fit the listing: {2} of {3} characters, {4} tokens by {5} in every session.',
      listing.described.length,
      all,
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
      name: skill.name,
      folder: skill.folder,
      root: skill.root.display,
      scope: skill.root.scope,
      readBy: skill.root.readBy,
      offered: offered.has(skill.path),
      listed: listing.named.includes(skill.name) ? 'name' : offered.has(skill.path) ? 'description' : 'no',
      always: costs.get(skill.path)?.listing ?? 0,
      onActivation: costs.get(skill.path)?.body ?? 0,
      files: skill.files,
      ...(skill.server === undefined ? {} : { server: skill.server }),
      problems: skill.problems,
    })),
    listing: {
      fit: listing.described.length,
      all: offered.size,
      chars: listing.wanted,
      limit: listing.limit,
      named: listing.named,
    },
  };
}
