/**
 * Splits a text into literal pieces and variables, in the canonical notation or a dialect's, and joins it again. Every
 * step is linear in the length of the text, whatever it holds.
 */
import type { Canonical, Variable, VariableSyntax } from './variables.ts';

/** A piece of a text: literal, with all escapes undone, or a variable. */
export type Segment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'variable'; readonly value: Variable };
export type Unknown = Canonical['unknown'][number];
type Notation = VariableSyntax | 'canonical';

/** Fallbacks nested deeper than this are taken literally. */
export const MAX_NESTING = 16;
const MAX_NAME = 200;

const WORDS: ReadonlyMap<string, Variable> = new Map<string, Variable>([
  ['workspaceFolder', { kind: 'workspaceFolder' }],
  ['workspaceFolderBasename', { kind: 'workspaceFolderBasename' }],
  ['userHome', { kind: 'userHome' }],
  ['pathSeparator', { kind: 'pathSeparator' }],
]);

/** Other spellings of the words above that editors accept. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['workspaceRoot', 'workspaceFolder'],
  ['workspaceRootFolderName', 'workspaceFolderBasename'],
  ['/', 'pathSeparator'],
]);

const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const WIDE_NAME = /^[A-Za-z_][A-Za-z0-9_.()-]*$/;

/** Splits a text. What looked like a variable and is none is added to `unknown` and stays literal. */
export function scan(text: string, notation: Notation, depth: number, unknown: Unknown[]): readonly Segment[] {
  switch (notation) {
    case 'none':
      return [{ kind: 'literal', text }];
    case 'braces':
      return scanPattern(text, /\{(env|file):([^{}]*)\}/g, (prefix, name) =>
        prefix === 'env' && WIDE_NAME.test(name) ? { kind: 'env', name } : report(unknown, `{${prefix}:…}`),
      );
    case 'secrets':
      return scanPattern(text, /\$\{\{\s*([A-Za-z]+)\.([^{}\s]*)\s*\}\}/g, (prefix, name) =>
        prefix === 'secrets' && WIDE_NAME.test(name) ? { kind: 'env', name } : report(unknown, `\${{ ${prefix}.… }}`),
      );
    case 'canonical':
    case 'shell':
    case 'dollar':
    case 'percent':
    case 'editor':
    case 'env':
      return scanDollars(text, notation, depth, unknown);
    default:
      return notation satisfies never;
  }
}

function report(unknown: Unknown[], prefix: string): undefined {
  unknown.push({ prefix, bare: false });
  return undefined;
}

/** Dialects whose variables are flat: one expression finds them all. */
function scanPattern(
  text: string,
  pattern: RegExp,
  read: (prefix: string, name: string) => Variable | undefined,
): readonly Segment[] {
  const segments: Segment[] = [];
  let done = 0;
  for (const match of text.matchAll(pattern)) {
    const value = read(match[1] ?? '', match[2] ?? '');
    if (value === undefined) continue;
    segments.push({ kind: 'literal', text: text.slice(done, match.index) }, { kind: 'variable', value });
    done = match.index + match[0].length;
  }
  segments.push({ kind: 'literal', text: text.slice(done) });
  return segments;
}

function scanDollars(text: string, notation: Notation, depth: number, unknown: Unknown[]): readonly Segment[] {
  const closes = matchBraces(text);
  const dollars = notation === 'dollar' || notation === 'percent';
  const segments: Segment[] = [];
  let literal = '';
  let at = 0;
  const push = (value: Variable, end: number): void => {
    segments.push({ kind: 'literal', text: literal }, { kind: 'variable', value });
    literal = '';
    at = end;
  };
  while (at < text.length) {
    const next = nextMark(text, at, notation === 'percent');
    literal += text.slice(at, next);
    at = next;
    if (at >= text.length) break;
    if (text[at] === '%') {
      const name = /^%([A-Za-z_][A-Za-z0-9_]*)%/.exec(text.slice(at, at + MAX_NAME))?.[1];
      if (name !== undefined) {
        push({ kind: 'env', name }, at + name.length + 2);
      } else {
        literal += '%';
        at += 1;
      }
      continue;
    }
    let run = 1;
    while (text[at + run] === '$') run += 1;
    const open = at + run - 1;
    if (text[open + 1] !== '{') {
      const name = dollars ? NAME.exec(text.slice(open + 1, open + 1 + MAX_NAME))?.[0] : undefined;
      literal += '$'.repeat(name === undefined ? run : run - 1);
      if (name === undefined) at = open + 1;
      else push({ kind: 'env', name }, open + 1 + name.length);
      continue;
    }
    if (notation === 'canonical') {
      literal += '$'.repeat(Math.floor(run / 2));
      if (run % 2 === 0) {
        literal += '{';
        at = open + 2;
        continue;
      }
    } else {
      literal += '$'.repeat(run - 1);
    }
    const close = closes.get(open);
    const body = close === undefined ? undefined : text.slice(open + 2, close);
    const value = body === undefined ? undefined : readBody(body, notation, depth, unknown);
    if (value !== undefined && close !== undefined) {
      push(value, close + 1);
      continue;
    }
    if (body !== undefined) unknown.push(describeUnknown(body));
    literal += '${';
    at = open + 2;
  }
  segments.push({ kind: 'literal', text: literal });
  return segments;
}

function nextMark(text: string, from: number, percent: boolean): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '$' || (percent && text[at] === '%')) return at;
  }
  return text.length;
}

/** For each `${` the index of the `}` that closes it; an escaped `$${` takes part, so that fallbacks stay balanced. */
export function matchBraces(text: string): ReadonlyMap<number, number> {
  const closes = new Map<number, number>();
  const open: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '$' && text[at + 1] === '{') {
      open.push(at);
      at += 1;
    } else if (text[at] === '}') {
      const start = open.pop();
      if (start !== undefined) closes.set(start, at);
    }
  }
  return closes;
}

function readBody(body: string, notation: Notation, depth: number, unknown: Unknown[]): Variable | undefined {
  const editor = notation === 'editor' || notation === 'env';
  const word = WORDS.get(editor ? (ALIASES.get(body) ?? body) : body);
  if (word !== undefined) return word;
  if (editor || notation === 'canonical') {
    const colon = body.indexOf(':');
    const prefix = colon < 0 ? '' : body.slice(0, colon);
    const rest = body.slice(colon + 1);
    if (editor && prefix === 'env') return WIDE_NAME.test(rest) ? envOf(rest) : undefined;
    if (prefix === 'input' && notation !== 'env' && isLabel(rest)) return { kind: 'input', id: rest };
    if (prefix === 'workspaceFolder' && isLabel(rest)) return { kind: 'workspaceFolder', name: rest };
    if (editor) return undefined;
  }
  const split = body.indexOf(':-');
  const name = split < 0 ? body : body.slice(0, split);
  if (name.length > MAX_NAME || !(notation === 'canonical' ? WIDE_NAME : /^[A-Za-z_][A-Za-z0-9_]*$/).test(name)) {
    return undefined;
  }
  if (split < 0) return { kind: 'env', name };
  const fallback = body.slice(split + 2);
  if (notation === 'canonical') return { kind: 'env', name, fallback };
  const inner: readonly Segment[] =
    depth >= MAX_NESTING ? [{ kind: 'literal', text: fallback }] : scan(fallback, notation, depth + 1, unknown);
  return { kind: 'env', name, fallback: format(inner) };
}

/** An environment variable that is named like a word is told apart from it by an empty fallback. */
function envOf(name: string): Variable {
  return WORDS.has(name) ? { kind: 'env', name, fallback: '' } : { kind: 'env', name };
}

function isLabel(text: string): boolean {
  return text !== '' && text.length <= MAX_NAME && !text.startsWith('-') && !/[{}$\u0000-\u001f]/.test(text);
}

function describeUnknown(body: string): Unknown {
  const name = NAME.exec(body)?.[0] ?? '';
  if (name === body && name.length <= 60) return { prefix: `\${${body}}`, bare: true };
  return { prefix: `\${${name.length > 30 ? '' : name}…}`, bare: false };
}

/** Joins segments into the canonical notation. */
export function format(segments: readonly Segment[]): string {
  const merged = segments.filter((segment) => segment.kind === 'variable' || segment.text !== '');
  return merged
    .map((segment, index) => {
      if (segment.kind === 'literal') {
        return escapeDollars(segment.text, merged[index + 1]?.kind === 'variable');
      }
      const { value } = segment;
      if (value.kind !== 'env' || value.fallback === undefined) return spell(value);
      return `\${${value.name}:-${value.fallback}}`;
    })
    .join('');
}

/** Doubles the runs of dollar signs before `{`, and the last run where a variable follows. Linear in the length. */
export function escapeDollars(text: string, beforeVariable: boolean): string {
  let result = '';
  let done = 0;
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', at)) {
    let end = at + 1;
    while (text[end] === '$') end += 1;
    const run = text.slice(at, end);
    const doubled = text[end] === '{' || (beforeVariable && end === text.length);
    result += text.slice(done, at) + (doubled ? run + run : run);
    done = end;
    at = end;
  }
  return result + text.slice(done);
}

/** A variable in canonical notation, without its fallback: for messages. */
export function spell(variable: Variable): string {
  switch (variable.kind) {
    case 'env':
      return `\${${variable.name}}`;
    case 'input':
      return `\${input:${variable.id}}`;
    case 'workspaceFolder':
      return variable.name === undefined ? '${workspaceFolder}' : `\${workspaceFolder:${variable.name}}`;
    case 'workspaceFolderBasename':
    case 'userHome':
    case 'pathSeparator':
      return `\${${variable.kind}}`;
    default:
      return variable satisfies never;
  }
}
