/**
 * What the two validators in use refuse, rule by rule: `skills-ref` 0.1.0 (Python, StrictYAML) and skill-creator's
 * `quick_validate.py` (Python, PyYAML). Each reads the frontmatter in its own way, and so does its twin here: they
 * disagree about where it ends and what a scalar is. Rules that no validator has are in `validate.ts`.
 */
import { MESSAGES, readYaml, type YamlEntry, type YamlRule } from './frontmatter.ts';

/** One reason for a refusal; `rule` is stable and the same for both validators. */
export interface Refusal {
  readonly rule: string;
  readonly about: 'name' | 'frontmatter';
  readonly message: string;
  readonly remedy: string;
  /** Line of SKILL.md, from 1. */
  readonly line: number;
}

/** The fields that the Agent Skills specification has. */
export const FIELDS: readonly string[] = [
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
];
export const MAX_NAME = 64;
export const MAX_DESCRIPTION = 1024;
export const MAX_COMPATIBILITY = 500;

/** Both read the file as UTF-8 and stop where it is none. */
export const NOT_UTF8: Refusal = {
  rule: 'encoding',
  about: 'frontmatter',
  message: 'The file is no UTF-8.',
  remedy: 'Save it as UTF-8 without a mark.',
  line: 1,
};

/** What `skills-ref` refuses in a folder's files. */
export function refusedBySkillsRef(folder: string, files: ReadonlyMap<string, string>): readonly Refusal[] {
  const text = files.get('SKILL.md') ?? files.get('skill.md');
  if (text === undefined) return [NO_FILE];
  const content = universal(text);
  if (!content.startsWith('---')) return [noFrontmatter(content)];
  // It cuts at the next three hyphens wherever they are, also inside a value.
  const end = content.indexOf('---', 3);
  if (end < 0) return [UNCLOSED];
  const { entries, refusals } = readFields(content.slice(3, end), 1, SKILLS_REF_RULES);
  if (refusals.some((refusal) => refusal.rule.startsWith('yaml-'))) return refusals;
  const found = [...refusals];
  const name = entries.get('name');
  if (name === undefined) found.push(missing('name'));
  else found.push(...nameForSkillsRef(name, folder));
  const description = entries.get('description');
  if (description === undefined) found.push(missing('description'));
  else if (typeof description.value !== 'string' || isSpecial(description) || stripped(description.value) === '')
    found.push(
      refuse('description-empty', 'The description is empty.', 'Say what the skill does and when.', description),
    );
  else found.push(...longerThan('description', description, [...description.value].length, MAX_DESCRIPTION));
  const compatibility = entries.get('compatibility');
  if (compatibility !== undefined && (typeof compatibility.value !== 'string' || isSpecial(compatibility)))
    found.push(notText('compatibility', compatibility));
  else if (typeof compatibility?.value === 'string')
    found.push(...longerThan('compatibility', compatibility, [...compatibility.value].length, MAX_COMPATIBILITY));
  return found;
}

/** What `quick_validate.py` refuses in a folder's files; it does not look at the folder's name. */
export function refusedByQuickValidate(files: ReadonlyMap<string, string>): readonly Refusal[] {
  const text = files.get('SKILL.md');
  if (text === undefined) return [NO_FILE];
  const content = universal(text);
  if (!content.startsWith('---')) return [noFrontmatter(content)];
  const yaml = /^---\n(.*?)\n---/s.exec(content)?.[1];
  if (yaml === undefined) return [UNCLOSED];
  // To PyYAML these end a line.
  const { entries, refusals } = readFields(yaml.replace(/[\u0085\u2028\u2029]/g, '\n'), 2, QUICK_RULES);
  if (refusals.some((refusal) => refusal.rule.startsWith('yaml-'))) return refusals;
  const found = [...refusals];
  const name = entries.get('name');
  if (name === undefined) found.push(missing('name'));
  else if (!isPythonText(name)) found.push(notText('name', name));
  else found.push(...nameForQuick(name, stripped(textOf(name))));
  const description = entries.get('description');
  if (description === undefined) found.push(missing('description'));
  else if (!isPythonText(description)) found.push(notText('description', description));
  else {
    const value = stripped(textOf(description));
    if (/[<>]/.test(value))
      found.push(
        refuse('description-angle', 'The description holds "<" or ">".', 'Write it without them.', description),
      );
    found.push(...longerThan('description', description, [...value].length, MAX_DESCRIPTION));
  }
  const compatibility = entries.get('compatibility');
  if (compatibility === undefined) return found;
  // What Python takes for false is no field to it.
  if (isPythonFalse(compatibility)) return found;
  const value = textOf(compatibility);
  if (!isPythonText(compatibility)) found.push(notText('compatibility', compatibility));
  else found.push(...longerThan('compatibility', compatibility, [...value].length, MAX_COMPATIBILITY));
  return found;
}

const SKILLS_REF_RULES: ReadonlySet<YamlRule> = new Set<YamlRule>([
  'syntax',
  'tab',
  'control',
  'duplicate',
  'anchor',
  'tag',
  'foreign-tag',
  'flow',
  'not-mapping',
]);
const QUICK_RULES: ReadonlySet<YamlRule> = new Set<YamlRule>([
  'syntax',
  'tab',
  'control',
  'foreign-tag',
  'not-mapping',
  'alias-unknown',
  'alias-name',
  'special',
]);

interface Fields {
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly refusals: readonly Refusal[];
}

/** Parses the YAML, and refuses by the rules given and every field that the specification does not have. */
function readFields(yaml: string, line: number, rules: ReadonlySet<YamlRule>): Fields {
  const { entries, findings } = readYaml(yaml, line);
  const broken = findings.filter((finding) => rules.has(finding.rule));
  const refusals = broken.map(
    (finding): Refusal => ({ ...finding, rule: `yaml-${finding.rule}`, about: 'frontmatter' }),
  );
  const extra = [...entries].filter(([key]) => !FIELDS.includes(key));
  const unknown = extra.map(([key, entry]) =>
    refuse(`field-unknown:${key}`, `The field "${key}" is not in the specification.`, 'Move it under metadata.', entry),
  );
  return { entries, refusals: [...refusals, ...unknown] };
}

function nameForSkillsRef(entry: YamlEntry, folder: string): readonly Refusal[] {
  const name = stripped(textOf(entry)).normalize('NFKC');
  if (name === '' || isSpecial(entry)) return [refuse('name-empty', 'The name is empty.', NAME_REMEDY, entry)];
  const found = [...longerThan('name', entry, [...name].length, MAX_NAME), ...hyphens(entry, name)];
  if (name !== name.toLowerCase()) found.push(refuse('name-case', 'The name has capital letters.', NAME_REMEDY, entry));
  if (!/^[\p{L}\p{N}-]*$/u.test(name))
    found.push(
      refuse('name-characters', 'The name has other characters than letters, digits and hyphens.', NAME_REMEDY, entry),
    );
  if (name !== folder.normalize('NFKC'))
    found.push(
      refuse('name-folder', `The name "${name}" is not its folder's, "${folder}".`, 'Rename one of the two.', entry),
    );
  return found;
}

function nameForQuick(entry: YamlEntry, name: string): readonly Refusal[] {
  if (name === '') return [];
  const found = [...longerThan('name', entry, [...name].length, MAX_NAME), ...hyphens(entry, name)];
  if (/[A-Z]/.test(name)) found.push(refuse('name-case', 'The name has capital letters.', NAME_REMEDY, entry));
  if (!/^[A-Za-z0-9-]*$/.test(name))
    found.push(
      refuse('name-ascii', 'The name has other characters than a to z, 0 to 9 and hyphens.', NAME_REMEDY, entry),
    );
  return found;
}

function hyphens(entry: YamlEntry, name: string): readonly Refusal[] {
  if (!name.startsWith('-') && !name.endsWith('-') && !name.includes('--')) return [];
  return [refuse('name-hyphens', 'The name starts or ends with a hyphen or has two in a row.', NAME_REMEDY, entry)];
}

function longerThan(field: string, entry: YamlEntry, length: number, limit: number): Refusal[] {
  if (length <= limit) return [];
  const message = `The ${field} has ${length} characters; ${limit} are allowed.`;
  return [refuse(`${field}-long`, message, 'Shorten it.', entry)];
}

/** Whether PyYAML reads a scalar as text: unquoted it takes some for null, booleans, numbers or dates (YAML 1.1). */
function isPythonText({ value, isPlain, tag }: YamlEntry): boolean {
  if (typeof value !== 'string') return false;
  if (tag !== undefined) return tag === '!' ? value !== '' : tag.endsWith(':str');
  return !(isPlain && PYTHON_TYPED.some((type) => type.test(value)));
}

/** Whether Python takes what YAML read for false: nothing, no, zero, and what is empty. */
function isPythonFalse({ value, isPlain }: YamlEntry): boolean {
  if (typeof value !== 'string') return 'kind' in value ? value.entries.size === 0 : value.length === 0;
  if (value === '') return true;
  return (
    isPlain && /^(?:~|null|Null|NULL|no|No|NO|false|False|FALSE|off|Off|OFF|[-+]?(?:0+|0[xb]0+|0*\.0*))$/.test(value)
  );
}

/** Signs that StrictYAML reads as something else than text. */
function isSpecial({ value, isPlain }: YamlEntry): boolean {
  return isPlain && (value === '=' || value === '<<');
}

/** As Python strips a text: other characters are blank to it than to JavaScript. */
function stripped(text: string): string {
  return text.replace(/^[\s\u0085\u001c-\u001f]+|[\s\u0085\u001c-\u001f]+$/g, (blank) =>
    blank.includes('\ufeff') ? blank.replace(/[^\ufeff]/g, '') : '',
  );
}

const PYTHON_TYPED: readonly RegExp[] = [
  /^(?:~|null|Null|NULL|=|<<)?$/,
  /^(?:yes|no|true|false|on|off|Yes|No|True|False|On|Off|YES|NO|TRUE|FALSE|ON|OFF)$/,
  /^[-+]?(?:0|[1-9][\d_]*|0[0-7_]+|0b[01_]+|0x[\da-fA-F_]+)$/,
  /^[-+]?[1-9][\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)(?:[eE][-+]\d+)?$/,
  /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
  /^\d{4}-\d\d-\d\d$/,
  /^\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?$/,
];

const NAME_REMEDY = 'Use lower-case letters, digits and single hyphens between them.';

const NO_FILE: Refusal = {
  rule: 'file-missing',
  about: 'frontmatter',
  message: 'The folder has no SKILL.md.',
  remedy: 'Write one; its name is in capital letters.',
  line: 1,
};

const UNCLOSED: Refusal = {
  rule: 'unclosed',
  about: 'frontmatter',
  message: MESSAGES.unclosed,
  remedy: 'Put a line "---" after the last field.',
  line: 1,
};

function noFrontmatter(content: string): Refusal {
  const hasMark = content.startsWith('\uFEFF');
  const remedy = hasMark ? 'Save the file as UTF-8 without a mark.' : 'Begin the file with a line "---".';
  return {
    rule: hasMark ? 'byte-order-mark' : 'no-frontmatter',
    about: 'frontmatter',
    message: hasMark ? MESSAGES.bom : MESSAGES.missing,
    remedy,
    line: 1,
  };
}

function missing(field: string): Refusal {
  const about = field === 'name' ? 'name' : 'frontmatter';
  return { rule: `${field}-missing`, about, message: `The field ${field} is missing.`, remedy: 'Add it.', line: 1 };
}

function notText(field: string, entry: YamlEntry): Refusal {
  return refuse(`${field}-type`, `The ${field} is no text to YAML.`, 'Put it between double quotes.', entry);
}

function refuse(rule: string, message: string, remedy: string, entry: YamlEntry): Refusal {
  return { rule, about: rule.startsWith('name-') ? 'name' : 'frontmatter', message, remedy, line: entry.line };
}

function textOf(entry: YamlEntry): string {
  return typeof entry.value === 'string' ? entry.value : '';
}

/** Python reads text with every line end as LF. */
function universal(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
