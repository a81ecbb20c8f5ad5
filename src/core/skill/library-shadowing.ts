/**
 * Which of two skills of one name a client uses. Claude Code takes the personal skill before the project's and keeps
 * plugins apart by their names; VS Code takes the first in its own order, the project's before the personal ones. Both
 * call a skill by its folder. Says what is hidden and by what; it hides nothing itself.
 */
import type { Problem } from '../problem.ts';
import { SKILL_CLIENTS, type SkillClient, type SkillRoot } from './library-places.ts';

/** What has to be known of a skill to compare it with others. */
export interface NamedSkill {
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  readonly folderName: string;
  readonly root: SkillRoot;
  readonly body: string;
  readonly description: string;
}

/** Names that people and clients take for one: case, width, spaces and what cannot be seen don't count. */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\s\p{Cf}\p{Cc}]/gu, '')
    .toLowerCase();
}

/** What is said of each skill that another one hides or collides with, by the path of its SKILL.md. */
export function collisionsOf(skills: readonly NamedSkill[]): ReadonlyMap<string, readonly Problem[]> {
  const told = new Map<string, Problem[]>();
  const tell = (skill: NamedSkill, message: string, remedy: string, isHarmless = false): void => {
    const problem: Problem = {
      kind: 'skill-collision',
      severity: isHarmless ? 'info' : 'warning',
      message,
      remedy,
      at: { file: `${skill.root.display}/${skill.folderName}/SKILL.md` },
    };
    told.set(skill.path, [...(told.get(skill.path) ?? []), problem]);
  };
  for (const [hidden, { by, clients }] of hiddenIn(skills)) {
    const isSame = hidden.body === by.body && hidden.description === by.description;
    const who = clients.map((client) => CLIENT_NAMES[client]).join(' and ');
    const uses = clients.length === 1 ? 'uses' : 'use';
    const message = `${who} ${uses} the skill of this name in ${by.root.display} instead${isSame ? '; its text is the same' : ''}.`;
    tell(hidden, message, 'Rename one of the two, or remove the one that is not needed.', isSame);
  }
  for (const [one, other] of twinsIn(skills))
    tell(
      one,
      `Where a file system ignores case, "${one.folderName}" and "${other.folderName}" are one folder.`,
      'Rename one of the two.',
    );
  return told;
}

const CLIENT_NAMES: Readonly<Record<SkillClient, string>> = { 'claude-code': 'Claude Code', vscode: 'VS Code' };

interface Hiding {
  readonly by: NamedSkill;
  readonly clients: readonly SkillClient[];
}

function hiddenIn(skills: readonly NamedSkill[]): ReadonlyMap<NamedSkill, Hiding> {
  const hidden = new Map<NamedSkill, Hiding>();
  for (const client of SKILL_CLIENTS)
    for (const [skill, by] of hiddenBy(client, skills)) {
      const known = hidden.get(skill);
      if (known === undefined) hidden.set(skill, { by, clients: [client] });
      else if (known.by === by) hidden.set(skill, { by, clients: [...known.clients, client] });
    }
  return hidden;
}

/** The paths of the skills that a client reads and does not use, because another has their name. */
export function hiddenFrom(client: SkillClient, skills: readonly NamedSkill[]): ReadonlySet<string> {
  return new Set(hiddenBy(client, skills).map(([{ path }]) => path));
}

/** Each skill that a client reads and does not use, with the one it uses instead. */
function hiddenBy(
  client: SkillClient,
  skills: readonly NamedSkill[],
): readonly (readonly [skill: NamedSkill, by: NamedSkill])[] {
  const winners = new Map<string, NamedSkill>();
  const orderOf = client === 'vscode' ? codeOrder : claudeOrder;
  const read = skills.filter(({ root }) => root.readBy.includes(client) && root.scope !== 'nested');
  return read
    .toSorted((a, b) => orderOf(a) - orderOf(b))
    .flatMap((skill) => {
      const key = keyFor(client, skill);
      const winner = winners.get(key);
      if (winner === undefined) winners.set(key, skill);
      // Two workspace folders are two projects to Claude Code.
      const isSameProject = winner?.root.scope !== 'project' || winner.root.within === skill.root.within;
      return winner !== undefined && (client === 'vscode' || isSameProject) ? [[skill, winner] as const] : [];
    });
}

const claudeOrder = ({ root }: NamedSkill): number => ['personal', 'project', 'nested', 'plugin'].indexOf(root.scope);
/** Skills come in the order of VS Code's folders already. */
const codeOrder = ({ root }: NamedSkill): number => ['project', 'nested', 'personal', 'plugin'].indexOf(root.scope);

function keyFor(client: SkillClient, { folderName, root }: NamedSkill): string {
  const name = foldName(folderName);
  return client === 'claude-code' && root.plugin !== undefined ? `${root.plugin}:${name}` : name;
}

/** Folders side by side that differ in case or the like only. */
function twinsIn(skills: readonly NamedSkill[]): readonly (readonly [NamedSkill, NamedSkill])[] {
  const first = new Map<string, NamedSkill>();
  return skills.flatMap((skill) => {
    const key = `${skill.root.path}/${foldName(skill.folderName)}`;
    const other = first.get(key);
    if (other === undefined) first.set(key, skill);
    return other === undefined ? [] : [[skill, other] as const, [other, skill] as const];
  });
}
