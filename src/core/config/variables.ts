/**
 * Variables in configured strings. Every dialect's spelling is turned into one canonical notation when a file is
 * parsed; expansion happens only when a caller that may read the environment asks for it and hands in the lookup.
 *
 * Canonical notation: `${NAME}` and `${NAME:-fallback}` (environment; the fallback may hold variables),
 * `${input:id}`, `${workspaceFolder}`, `${workspaceFolder:name}`, `${workspaceFolderBasename}`, `${userHome}`,
 * `${pathSeparator}`. In a run of dollar signs before `{` each pair stands for one literal dollar sign: `$${` is a
 * literal `${`, and `$$${A}` is a dollar sign followed by the value of `A`.
 */

import { escapeDollars, format, MAX_NESTING, scan, spell, type Unknown } from './variable-scan.ts';

/** Something whose value is known only when a connection is made. */
export type Variable =
  /** `fallback` is canonical text, used when the environment has no such variable. */
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  | { readonly kind: 'input'; readonly id: string }
  /** `name` picks one folder of a multi-root workspace. */
  | { readonly kind: 'workspaceFolder'; readonly name?: string }
  | { readonly kind: 'workspaceFolderBasename' }
  | { readonly kind: 'userHome' }
  | { readonly kind: 'pathSeparator' };

/**
 * How a client spells variables.
 * - `none`: it expands nothing, so every `${` is literal.
 * - `shell`: `${NAME}`, `${NAME:-fallback}`.
 * - `dollar`: `shell`, and `$NAME`.
 * - `percent`: `dollar`, and `%NAME%`.
 * - `editor`: `${env:NAME}`, `${input:id}` and the predefined words.
 * - `env`: `editor` without inputs.
 * - `braces`: `{env:NAME}`.
 * - `secrets`: `${{ secrets.NAME }}`.
 */
export type VariableSyntax = 'none' | 'shell' | 'dollar' | 'percent' | 'editor' | 'env' | 'braces' | 'secrets';

/** A text in canonical notation, and what looked like a variable but is none in its dialect. */
export interface Canonical {
  readonly text: string;
  /**
   * One item for each such spelling, in order. `prefix` is what stands before the first colon, shown in place of
   * the whole, which may hold a secret; `bare` means a plain `${NAME}`, which is often meant for a shell.
   */
  readonly unknown: readonly { readonly prefix: string; readonly bare: boolean }[];
}

/** Rewrites a dialect's spelling into the canonical notation. Never fails: what it does not know stays literal. */
export function canonicalise(text: string, syntax: VariableSyntax): Canonical {
  const unknown: Unknown[] = [];
  return { text: format(scan(text, syntax, 0, unknown)), unknown };
}

/** The variables of a canonical text in order of appearance, those inside fallbacks included. */
export function variablesOf(text: string): readonly Variable[] {
  const found: Variable[] = [];
  collect(text, 0, found);
  return found;
}

function collect(text: string, depth: number, found: Variable[]): void {
  if (depth > MAX_NESTING) return;
  for (const segment of scan(text, 'canonical', 0, [])) {
    if (segment.kind === 'literal') continue;
    found.push(segment.value);
    if (segment.value.kind === 'env' && segment.value.fallback !== undefined) {
      collect(segment.value.fallback, depth + 1, found);
    }
  }
}

/**
 * The text with every variable replaced by what `lookup` gives; a looked-up value is never expanded again. A
 * variable without value and without fallback stays as spelt and is named in `missing`, each once.
 */
export function expand(
  text: string,
  lookup: (variable: Variable) => string | undefined,
): { readonly text: string; readonly missing: readonly Variable[] } {
  const missing = new Map<string, Variable>();
  return { text: expandInto(text, lookup, 0, missing), missing: [...missing.values()] };
}

function expandInto(
  text: string,
  lookup: (variable: Variable) => string | undefined,
  depth: number,
  missing: Map<string, Variable>,
): string {
  if (depth > MAX_NESTING) return text;
  let result = '';
  for (const segment of scan(text, 'canonical', 0, [])) {
    if (segment.kind === 'literal') {
      result += segment.text;
      continue;
    }
    const variable = segment.value;
    const value = lookup(variable);
    if (value !== undefined) {
      result += value;
    } else if (variable.kind === 'env' && variable.fallback !== undefined) {
      result += expandInto(variable.fallback, lookup, depth + 1, missing);
    } else {
      result += spell(variable);
      missing.set(spell(variable), variable);
    }
  }
  return result;
}

/** The canonical form of a text in which nothing is a variable. */
export function escapeLiteral(text: string): string {
  return escapeDollars(text, false);
}
