/**
 * Checks a skill folder against everything that reads such folders: both validators in use, VS Code, Claude Code, and
 * the specification's advice on size. A problem is an error where a validator refuses the skill, and says which; all
 * else is a warning. Counts no tokens itself and reads no disk.
 */
import type { Problem, ProblemKind } from '../problem.ts';
import { poisonIn } from '../scan/poison.ts';
import { missingReferences, triggersIn } from './body-rules.ts';
import { type FrontmatterValue, readFrontmatter } from './frontmatter.ts';
import {
  MAX_DESCRIPTION,
  MAX_NAME,
  NOT_UTF8,
  type Refusal,
  refusedByQuickValidate,
  refusedBySkillsRef,
} from './official-validators.ts';

/** A body should have fewer lines and fewer tokens than these (agentskills.io/specification). */
export const MAX_BODY_LINES = 500;
export const MAX_BODY_TOKENS = 5000;

export interface ValidateOptions {
  /** Tokens of the body by whatever tokenizer the caller has; absent, they are not checked. */
  readonly bodyTokens?: number | undefined;
  /** Whether the bytes of SKILL.md were UTF-8; a text alone does not show it. */
  readonly isUtf8?: boolean;
}

/** All that is wrong with a skill folder, in the order of its lines; `files` maps path to text. */
export function validateSkill(
  folderName: string,
  files: ReadonlyMap<string, string>,
  options: ValidateOptions = {},
): readonly Problem[] {
  const file = `${folderName}/SKILL.md`;
  const problems = [...refusalProblems(folderName, files, file, options.isUtf8 ?? true)];
  const text = files.get('SKILL.md') ?? files.get('skill.md');
  if (text === undefined) return problems;
  const { value, problems: strict } = readFrontmatter(text, file);
  const told = new Set(problems.map((problem) => problem.message.replace(/ \([^()]*\)$/, '')));
  for (const problem of strict) if (!told.has(problem.message)) problems.push({ ...problem, severity: 'warning' });
  const warn = (kind: ProblemKind, message: string, remedy: string, line: number): void => {
    problems.push({ kind, severity: 'warning', message, remedy, at: { file, line } });
  };
  for (const rule of FIELD_RULES) {
    const found = rule(value.frontmatter, folderName);
    if (found !== undefined) warn(found.kind, found.message, found.remedy, 1);
  }
  const { body, bodyLine } = value;
  const lines = body.replace(/\n$/, '').split('\n').length;
  if (lines >= MAX_BODY_LINES)
    warn('skill-large', `The body has ${lines} lines; fewer than ${MAX_BODY_LINES} are advised.`, SPLIT, bodyLine);
  if (options.bodyTokens !== undefined && options.bodyTokens >= MAX_BODY_TOKENS) {
    const message = `The body has ${options.bodyTokens} tokens; fewer than ${MAX_BODY_TOKENS} are advised.`;
    warn('skill-large', message, SPLIT, bodyLine);
  }
  for (const found of [...triggersIn(body), ...missingReferences(body, files.keys())])
    warn('skill-invalid', found.message, found.remedy, bodyLine + found.line);
  // Words of urgency are common in instructions that a person wrote; only what turns on that person counts.
  const description = [textOf(value.frontmatter, 'description'), textOf(value.frontmatter, 'when_to_use')];
  for (const [where, said, line] of [
    ['description', description.filter((part) => part !== undefined).join('\n'), 1],
    ['body', body, bodyLine],
  ] as const)
    for (const { rule, what } of poisonIn(said))
      if (rule === 'E001')
        warn(
          'poisoned',
          `The text at ${where} ${what}.`,
          'Read the text before an agent does, and remove it unless you trust it.',
          line,
        );
  return problems.sort((a, b) => (a.at?.line ?? 0) - (b.at?.line ?? 0));
}

/** Whether bytes are UTF-8 throughout. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const SPLIT = 'Move parts of it to files under references.';

/** One error a rule, naming every validator that has it. */
function refusalProblems(
  folder: string,
  files: ReadonlyMap<string, string>,
  file: string,
  isUtf8: boolean,
): readonly Problem[] {
  const encoding = isUtf8 ? [] : [NOT_UTF8];
  const byRule = new Map<string, { readonly refusal: Refusal; readonly by: readonly string[] }>();
  const both: readonly (readonly [string, readonly Refusal[]])[] = [
    ['skills-ref', [...encoding, ...refusedBySkillsRef(folder, files)]],
    ['quick_validate', [...encoding, ...refusedByQuickValidate(files)]],
  ];
  for (const [validator, refusals] of both) {
    for (const refusal of refusals) {
      const known = byRule.get(refusal.rule);
      const by = known?.by ?? [];
      byRule.set(refusal.rule, {
        refusal: known?.refusal ?? refusal,
        by: by.includes(validator) ? by : [...by, validator],
      });
    }
  }
  return [...byRule.values()].map(({ refusal, by }) => ({
    kind: refusal.about === 'name' ? 'skill-name' : 'skill-invalid',
    severity: 'error',
    message: `${refusal.message} (${by.join(' and ')} ${by.length === 1 ? 'refuses' : 'refuse'} it)`,
    remedy: refusal.remedy,
    at: { file, line: refusal.line },
  }));
}

type Fields = ReadonlyMap<string, FrontmatterValue>;
type FieldRule = (
  fields: Fields,
  folder: string,
) => { readonly kind: ProblemKind; readonly message: string; readonly remedy: string } | undefined;

/** What other readers mind, without an error message of their own. */
const FIELD_RULES: readonly FieldRule[] = [
  (fields, folder) => {
    const name = textOf(fields, 'name');
    if (name === undefined || (name === folder && /^[a-z0-9-]+$/.test(name) && name.length <= MAX_NAME))
      return undefined;
    const message = 'VS Code silently ignores the skill: its name is not its folder, or has other characters.';
    return { kind: 'skill-name', message, remedy: "Give the folder the skill's name, in a to z, 0 to 9 and hyphens." };
  },
  (fields) => {
    const name = textOf(fields, 'name') ?? '';
    if (!/anthropic|claude/i.test(name)) return undefined;
    const message = 'Claude reserves names with "anthropic" or "claude".';
    return { kind: 'skill-name', message, remedy: 'Choose another name.' };
  },
  (fields) => {
    const text = textOf(fields, 'description') ?? '';
    if (text.length <= MAX_DESCRIPTION || [...text].length > MAX_DESCRIPTION) return undefined;
    const message = `The description has ${text.length} UTF-16 units; some clients count those and allow ${MAX_DESCRIPTION}.`;
    return { kind: 'skill-invalid', message, remedy: 'Shorten it.' };
  },
  (fields) => {
    const metadata = fields.get('metadata');
    if (metadata === undefined || metadata === '') return undefined;
    const isFlat =
      typeof metadata === 'object' &&
      'kind' in metadata &&
      [...metadata.entries.values()].every((value) => typeof value === 'string');
    if (isFlat) return undefined;
    const message = 'The metadata is no list of "key: text" lines.';
    return { kind: 'skill-invalid', message, remedy: 'Write each value as text, without nesting.' };
  },
  (fields) => {
    const tools = fields.get('allowed-tools');
    if (tools === undefined || typeof tools === 'string') return undefined;
    const message = 'The field allowed-tools is no text.';
    return { kind: 'skill-invalid', message, remedy: 'Write the tools in one line, with spaces between them.' };
  },
];

function textOf(fields: Fields, key: string): string | undefined {
  const value = fields.get(key);
  return typeof value === 'string' ? value : undefined;
}
