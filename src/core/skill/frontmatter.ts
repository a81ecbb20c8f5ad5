/**
 * Reads the frontmatter of a SKILL.md strictly: what is refused by any of the readers skills meet (StrictYAML among
 * them) is a problem with its line, and so is text that YAML would silently drop. Every scalar is text here; which
 * fields are allowed and what they may hold is decided in `validate.ts`.
 */
import { isAlias, isCollection, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Problem, Reported } from '../problem.ts';

export type FrontmatterValue =
  | string
  | readonly FrontmatterValue[]
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, FrontmatterValue> };

export interface Frontmatter {
  readonly frontmatter: ReadonlyMap<string, FrontmatterValue>;
  readonly body: string;
  /** The line of SKILL.md at which the body starts, from 1. */
  readonly bodyLine: number;
  /** Whether no YAML reader makes fields of it, so that clients read none: not closed, no mapping, or no YAML. */
  readonly isBroken: boolean;
}

/** Frontmatter longer than this (UTF-16 units) is not parsed. */
export const MAX_FRONTMATTER = 65_536;

/** What can be unusual about a piece of YAML; readers differ in which of these they refuse. */
export type YamlRule =
  | 'syntax'
  | 'tab'
  | 'alias-unknown'
  | 'alias-name'
  | 'special'
  | 'control'
  | 'duplicate'
  | 'anchor'
  | 'tag'
  | 'foreign-tag'
  | 'flow'
  | 'not-mapping'
  | 'cut';

export interface YamlFinding {
  readonly rule: YamlRule;
  readonly message: string;
  readonly remedy: string;
  /** In the whole file, from 1. */
  readonly line: number;
}

export interface YamlEntry {
  readonly value: FrontmatterValue;
  /** Where it is written with one, whole. */
  readonly tag?: string | undefined;
  /** A scalar without quotes, whose type a YAML reader guesses. */
  readonly isPlain: boolean;
  readonly line: number;
}

export interface YamlReading {
  /** The last of duplicate keys counts. */
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly findings: readonly YamlFinding[];
}

/** Where a frontmatter begins and ends in a text with LF line ends. */
export interface Extent {
  readonly yaml: string;
  readonly body: string;
  readonly yamlLine: number;
  readonly bodyLine: number;
}

/** Reads the frontmatter of a skill's main file; `file` is the path that problems name. */
export function readFrontmatter(text: string, file: string): Reported<Frontmatter> {
  const problems: Problem[] = [];
  const report = (message: string, remedy: string, line: number, severity: 'error' | 'warning' = 'error'): void => {
    problems.push({ kind: 'skill-invalid', severity, message, remedy, at: { file, line } });
  };
  if (text.startsWith('\uFEFF')) report(MESSAGES.bom, 'Save the file as UTF-8 without a mark.', 1);
  const lf = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const extent = extentOf(lf);
  if (extent === undefined) {
    const isOpen = /^---[ \t]*(?:\n|$)/.test(lf);
    if (isOpen) report(MESSAGES.unclosed, 'Put a line "---" after the last field.', 1);
    else report(MESSAGES.missing, 'Begin the file with "---", the fields name and description, and "---".', 1);
    return { value: { frontmatter: new Map(), body: lf, bodyLine: 1, isBroken: true }, problems };
  }
  const { entries, findings } = readYaml(extent.yaml, extent.yamlLine);
  for (const { rule, message, remedy, line } of findings)
    report(message, remedy, line, rule === 'cut' ? 'warning' : 'error');
  const frontmatter = new Map([...entries].map(([key, entry]) => [key, entry.value]));
  const isBroken = findings.some(({ rule }) => BREAKING.has(rule));
  return { value: { frontmatter, body: extent.body, bodyLine: extent.bodyLine, isBroken }, problems };
}

/** What every YAML reader refuses. */
const BREAKING: ReadonlySet<YamlRule> = new Set<YamlRule>(['syntax', 'not-mapping', 'alias-unknown']);

export const MESSAGES = {
  bom: 'The file begins with a byte order mark, which hides the frontmatter from most readers.',
  missing: 'The file does not begin with a line "---".',
  unclosed: 'The frontmatter is never closed.',
} as const;

/** The lines between the first line `---` and the next. */
export function extentOf(text: string): Extent | undefined {
  const lines = text.split('\n');
  if (lines[0]?.trimEnd() !== '---') return undefined;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) return undefined;
  const [yaml, body] = [lines.slice(1, end), lines.slice(end + 1)].map((part) => part.join('\n'));
  return { yaml: yaml ?? '', body: body ?? '', yamlLine: 2, bodyLine: end + 2 };
}

/** Characters that YAML 1.1 calls not printable. */
const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Parses a YAML mapping that starts at a line of its file. Never throws: what is wrong is a finding. */
export function readYaml(yaml: string, firstLine: number): YamlReading {
  const findings: YamlFinding[] = [];
  const lines = new LineCounter();
  const find = (rule: YamlRule, offset: number, message: string, remedy: string): void => {
    findings.push({ rule, message, remedy, line: firstLine + Math.max(lines.linePos(offset).line - 1, 0) });
  };
  if (yaml.length > MAX_FRONTMATTER) {
    find('syntax', 0, 'The frontmatter is too long to be read.', 'Move text to the body.');
    return { entries: new Map(), findings };
  }
  const entries = new Map<string, YamlEntry>();
  yaml = withIndentedQuotes(yaml);
  try {
    const options = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false, lineCounter: lines } as const;
    const document = parseDocument(yaml, options);
    const control = UNPRINTABLE.exec(yaml);
    if (control !== null)
      find('control', control.index, 'The frontmatter holds a control character.', 'Remove the character.');
    for (const error of document.errors) find('syntax', error.pos[0], syntaxMessage(error), SYNTAX_REMEDY);
    const root = document.contents;
    if (root !== null) inspect(root, find);
    const tab = tabOutsideQuotes(yaml, root);
    if (tab !== undefined) find('tab', tab, 'The frontmatter holds a tab outside quotes.', 'Write a space instead.');
    if (!isMap(root)) {
      find('not-mapping', 0, 'The frontmatter is no list of "key: value" lines.', 'Write name and description.');
      return { entries, findings };
    }
    for (const { key, value } of root.items) {
      const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
      const isPlain = value === null || (isScalar(value) && value.type === 'PLAIN' && value.tag === undefined);
      const line = firstLine + lines.linePos(offset).line - 1;
      const tag = isScalar(value) || isCollection(value) ? value.tag : undefined;
      entries.set(keyOf(key), { value: valueFrom(value), isPlain, line, tag });
    }
  } catch (error) {
    // The walk over the nodes may run out of stack where the parser just did not.
    if (!(error instanceof RangeError)) throw error;
    find('syntax', 0, TOO_DEEP, SYNTAX_REMEDY);
  }
  return { entries, findings };
}

/**
 * Python's readers let a text in quotes go on at the start of the next line; the parser here wants it indented. A
 * space more changes no line and no verdict.
 */
function withIndentedQuotes(yaml: string): string {
  let quote: string | undefined;
  return yaml
    .split('\n')
    .map((line) => {
      const shown = quote !== undefined && /^\S/.test(line) ? ` ${line}` : line;
      const opened = quote === undefined ? /^[^\s#'"][^'"#]*?:\s+(["'])(.*)$/.exec(line) : undefined;
      if (opened?.[1] !== undefined && !closes(opened[2] ?? '', opened[1])) quote = opened[1];
      else if (quote !== undefined && closes(line, quote)) quote = undefined;
      return shown;
    })
    .join('\n');
}

/** Whether a quoted text ends in a line that begins inside it. */
function closes(line: string, quote: string): boolean {
  return (quote === '"' ? line.replace(/\\./g, '') : line.replaceAll("''", '')).includes(quote);
}

/** The first tab that stands neither in quotes nor in a block of text nor in a comment: Python's readers refuse it. */
function tabOutsideQuotes(yaml: string, root: Node | null): number | undefined {
  if (!yaml.includes('\t')) return undefined;
  const held: (readonly [from: number, to: number])[] = [];
  const collect = (node: unknown): void => {
    if (isScalar(node)) {
      if (node.type !== 'PLAIN' && node.range) held.push([node.range[0], node.range[1]]);
    } else if (isMap(node)) for (const { key, value } of node.items) [key, value].forEach(collect);
    else if (isSeq(node)) node.items.forEach(collect);
  };
  collect(root);
  const isHeld = (at: number): boolean => held.some(([from, to]) => at >= from && at < to);
  for (let at = yaml.indexOf('\t'); at >= 0; at = yaml.indexOf('\t', at + 1)) {
    const start = yaml.lastIndexOf('\n', at) + 1;
    const comment = [...yaml.slice(start, at).matchAll(/(?:^|\s)#/g)].some(({ index }) => !isHeld(start + index));
    if (!isHeld(at) && !comment) return at;
  }
  return undefined;
}

const TOO_DEEP = 'The frontmatter is nested too deep.';
const SYNTAX_REMEDY = 'Put the value between double quotes.';

function syntaxMessage(error: { readonly code: string; readonly message: string }): string {
  if (error.code === 'BLOCK_AS_IMPLICIT_KEY')
    return 'A value without quotes holds ": ", which starts another field in YAML.';
  // The parser turns the end of its stack into an error of its own kind.
  if (/call stack/.test(error.message)) return TOO_DEEP;
  return `The frontmatter is no valid YAML: ${error.message.split('\n')[0]}`;
}

type Find = (rule: YamlRule, offset: number, message: string, remedy: string) => void;

/** Reports what strict readers refuse, anywhere in a tree of nodes. */
function inspect(node: Node, find: Find, seenAnchors = new Set<string>()): void {
  const offset = node.range?.[0] ?? 0;
  if (isAlias(node)) {
    find('anchor', offset, 'The frontmatter uses a YAML alias.', 'Write the value out.');
    if (!seenAnchors.has(node.source))
      find('alias-unknown', offset, 'The frontmatter uses a YAML alias of nothing.', 'Put the value in quotes.');
    return;
  }
  if ((isScalar(node) || isCollection(node)) && node.anchor !== undefined) {
    find('anchor', offset, 'The frontmatter uses a YAML anchor.', 'Remove the anchor.');
    if (!/^[\w-]+$/.test(node.anchor))
      find('alias-name', offset, 'The name of a YAML anchor has other characters than letters.', 'Put it in quotes.');
    seenAnchors.add(node.anchor);
  }
  if (isScalar(node) && node.type === 'PLAIN' && node.tag === undefined && /^(?:=|<<)$/.test(node.source ?? ''))
    find('special', offset, 'YAML reads "=" and "<<" as signs of its own.', 'Put them in quotes.');
  if (node.tag === '!') find('tag', offset, 'The frontmatter uses a YAML tag.', 'Remove the tag.');
  else if (node.tag !== undefined) {
    const isKnown = /^tag:yaml\.org,2002:(?:str|int|float|bool|null|seq|map|set|omap|pairs|binary|timestamp)$/.test(
      node.tag,
    );
    find(isKnown ? 'tag' : 'foreign-tag', offset, 'The frontmatter uses a YAML tag.', 'Remove the tag.');
  }
  if (isScalar(node)) {
    if (node.type === 'PLAIN' && (node.comment ?? '') !== '')
      find('cut', offset, 'What follows " #" in a value without quotes is dropped.', SYNTAX_REMEDY);
    return;
  }
  if (!isCollection(node)) return;
  if (node.flow === true)
    find('flow', offset, 'The frontmatter uses YAML flow style, "[ ]" or "{ }".', 'Write one item a line.');
  const seen = new Set<string>();
  for (const item of node.items) {
    if (!isMap(node)) {
      if (isNodeLike(item)) inspect(item, find, seenAnchors);
      continue;
    }
    const [key, value] = isPairLike(item) ? [item.key, item.value] : [undefined, undefined];
    if (isNodeLike(key) && keyOf(key) !== '<<') inspect(key, find, seenAnchors);
    if (isNodeLike(value)) inspect(value, find, seenAnchors);
    const name = keyOf(key);
    const at = isNodeLike(key) ? (key.range?.[0] ?? 0) : offset;
    if (seen.has(name)) find('duplicate', at, `The key "${name}" stands twice.`, 'Remove one of the two.');
    seen.add(name);
  }
}

function isPairLike(item: unknown): item is { readonly key: unknown; readonly value: unknown } {
  return typeof item === 'object' && item !== null && 'key' in item && 'value' in item;
}

function isNodeLike(value: unknown): value is Node {
  return isScalar(value) || isCollection(value) || isAlias(value);
}

function keyOf(key: unknown): string {
  const value = valueFrom(key);
  return typeof value === 'string' ? value : '';
}

function valueFrom(node: unknown): FrontmatterValue {
  if (isScalar(node)) return typeof node.value === 'string' ? node.value : (node.source ?? '');
  if (isSeq(node)) return node.items.map(valueFrom);
  if (isMap(node))
    return { kind: 'map', entries: new Map(node.items.map((pair) => [keyOf(pair.key), valueFrom(pair.value)])) };
  return '';
}
