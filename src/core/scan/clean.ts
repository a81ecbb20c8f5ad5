/**
 * Makes a catalog safe to write: secrets that a server echoes become a mark, machine paths become neutral, and
 * what a person cannot see is taken out of prose. It does not escape anything for Markdown or YAML; that is the
 * renderer's part. What it changes in a schema beyond prose, it reports.
 */
import { type MachinePaths, neutralisePaths } from '../catalog/neutralise.ts';
import type { Catalog } from '../model.ts';
import type { Problem, Reported } from '../problem.ts';
import { type HiddenRun, hiddenRuns } from './hidden.ts';
import { findSecrets, redact, SECRET_MARK, type SpansOf } from './secrets.ts';
import { type CatalogText, changeTexts } from './texts.ts';

/**
 * The text without terminal escapes, control, zero-width, reordering and tag characters; emoji sequences and the
 * joiners of scripts that need them stay. Line ends become `\n`, tabs stay, half a surrogate pair becomes U+FFFD.
 * Running it again changes nothing.
 */
export function cleanText(text: string): string {
  const plain = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  let result = '';
  let done = 0;
  for (const run of hiddenRuns(plain)) {
    result += plain.slice(done, run.start) + replacement(run);
    done = run.end;
  }
  return result + plain.slice(done);
}

function replacement(run: HiddenRun): string {
  switch (run.kind) {
    case 'surrogate':
      return '\uFFFD'.repeat(run.end - run.start);
    case 'line-separator':
      return '\n'.repeat(run.end - run.start);
    case 'control':
    case 'ansi':
    case 'bidi':
    case 'zero-width':
    case 'tag':
    case 'variation-selector':
    case 'format':
      return '';
    default:
      return run.kind satisfies never;
  }
}

export interface CleanOptions {
  /** Defaults to the rules of this room alone. */
  readonly spansOf?: SpansOf;
  readonly paths?: MachinePaths;
}

/** The catalog with the secrets, machine paths and hidden characters of its texts gone, and what was changed. */
export function cleanCatalog(catalog: Catalog, options: CleanOptions = {}): Reported<Catalog> {
  const problems: Problem[] = [];
  const spansOf = options.spansOf ?? findSecrets;
  const value = changeTexts(catalog, (text) => {
    if (text.role === 'key') return text.text;
    const { safe, redacted } = withoutSecrets(text, spansOf);
    const neutral = neutralisePaths(safe, options.paths);
    if (redacted) problems.push(secretProblem(catalog.server, text));
    if (neutral !== safe) problems.push(pathProblem(catalog.server, text));
    return neutral;
  });
  return { value, problems };
}

/**
 * Prose is searched cleaned, because hidden characters can split a secret, and as it came, because they can also
 * set one apart from its surroundings.
 */
function withoutSecrets(at: CatalogText, spansOf: SpansOf): { readonly safe: string; readonly redacted: boolean } {
  const clean = at.role === 'prose' ? cleanText(at.text) : at.text;
  let safe = redact(clean, spansOf(clean, contextOf(at)));
  if (clean !== at.text) {
    for (const { start, end } of spansOf(at.text, contextOf(at))) {
      safe = safe.replaceAll(cleanText(at.text.slice(start, end)) || SECRET_MARK, SECRET_MARK);
    }
  }
  return { safe, redacted: safe !== clean };
}

/** What a secret finder should know about a text of a catalog. */
export function contextOf(text: CatalogText): { readonly name?: string; readonly documented: true } {
  return { documented: true, ...(text.name === undefined ? {} : { name: text.name }) };
}

/** A text's pointer for messages: property names are hostile too. */
export function placeOf(text: CatalogText): string {
  const pointer = cleanText(text.pointer).replace(/\s+/g, ' ');
  return redact(pointer, findSecrets(pointer));
}

function secretProblem(server: string, text: CatalogText): Problem {
  const lossy = text.role === 'value' || text.role === 'structure';
  return {
    kind: 'secret',
    severity: 'error',
    message: `The server echoes a secret at ${placeOf(text)}; it is replaced by ${SECRET_MARK}${lossy ? ', so the schema differs from the server’s there' : ''}.`,
    remedy: 'Replace the secret by a new one, and tell the maker of the server.',
    server,
    ...(text.tool === undefined ? {} : { tool: text.tool }),
  };
}

function pathProblem(server: string, text: CatalogText): Problem {
  const lossy = text.role === 'value' || text.role === 'structure';
  return {
    kind: lossy ? 'schema-lossy' : 'path-neutralised',
    severity: lossy ? 'warning' : 'info',
    message: lossy
      ? `A path of this machine at ${placeOf(text)} is replaced by a neutral one, so the schema differs from the server’s there.`
      : `A path of this machine at ${placeOf(text)} is replaced by a neutral one, so that the skill is the same everywhere.`,
    ...(lossy ? { remedy: 'Give the real path when you call the tool.' } : {}),
    server,
    ...(text.tool === undefined ? {} : { tool: text.tool }),
  };
}
