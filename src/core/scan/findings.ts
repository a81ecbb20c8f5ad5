/**
 * What a person should look at before a catalog becomes a skill: prose that steers, hidden characters,
 * suspicious links and secrets, each with tool and place. It changes nothing ({@link ./clean.ts} does) and quotes
 * nothing but decoded hidden messages. Deterministic, so that a finding can be compared between runs.
 */
import type { Catalog } from '../model.ts';
import type { Problem } from '../problem.ts';
import { cleanText, contextOf, placeOf } from './clean.ts';
import { type HiddenKind, hiddenRuns } from './hidden.ts';
import { suspiciousLinks } from './links.ts';
import { createShadowFinder, type OtherTools, type PoisonFinding, poisonIn } from './poison.ts';
import { findSecrets, redact, type SpansOf } from './secrets.ts';
import { type CatalogText, textsOf } from './texts.ts';

export interface ScanOptions {
  /** Names of the other servers that the same person uses. */
  readonly otherServers: readonly string[];
  readonly otherTools?: readonly OtherTools[];
  /** Defaults to the rules of this room alone. */
  readonly spansOf?: SpansOf;
}

/** All findings of a catalog, in its order. */
export function scanCatalog(catalog: Catalog, options: ScanOptions): readonly Problem[] {
  const spansOf = options.spansOf ?? findSecrets;
  const texts = textsOf(catalog);
  const shadows = createShadowFinder({
    servers: options.otherServers,
    tools: options.otherTools ?? [],
    own: new Set([catalog.server, ...catalog.tools.map((tool) => tool.name), ...texts.flatMap(ownWords)]),
  });
  const problems: Problem[] = [];
  for (const text of texts) {
    problems.push(...hiddenProblems(catalog.server, text));
    problems.push(...secretProblems(catalog.server, text, spansOf));
    if (text.role === 'structure' || text.role === 'key') continue;
    const plain = cleanText(text.text);
    if (text.role === 'prose') {
      for (const finding of [...poisonIn(plain), ...shadows(plain)]) {
        problems.push(poisonProblem(catalog.server, text, finding));
      }
    }
    for (const { what, severity } of suspiciousLinks(plain)) {
      problems.push({
        kind: 'suspicious-url',
        severity,
        message: `The text at ${placeOf(text)} ${what}.`,
        remedy: 'Read the text and follow the link only if you trust the server.',
        ...origin(catalog.server, text),
      });
    }
  }
  return problems;
}

/** Words of the server's own vocabulary: the names of its properties, and the values they allow. */
function ownWords(text: CatalogText): readonly string[] {
  return text.role === 'value' || text.role === 'key' ? [text.text] : [];
}

function origin(server: string, text: CatalogText): { readonly server: string; readonly tool?: string } {
  return { server, ...(text.tool === undefined ? {} : { tool: text.tool }) };
}

function poisonProblem(server: string, text: CatalogText, finding: PoisonFinding): Problem {
  return {
    kind: finding.rule === 'E002' ? 'shadowing' : 'poisoned',
    severity: finding.rule === 'E001' ? 'error' : 'warning',
    message: `The text at ${placeOf(text)} ${finding.what} (${finding.rule}).`,
    remedy: 'Read the text before you write the skill, and leave the tool out if you do not trust it.',
    ...origin(server, text),
  };
}

function secretProblems(server: string, text: CatalogText, spansOf: SpansOf): readonly Problem[] {
  const clean = text.role === 'prose' ? cleanText(text.text) : text.text;
  const spans = [
    ...spansOf(text.text, contextOf(text)),
    ...(clean === text.text ? [] : spansOf(clean, contextOf(text))),
  ];
  const rules = [...new Set(spans.map((span) => span.rule))].sort();
  if (rules.length === 0) return [];
  return [
    {
      kind: 'secret',
      severity: 'error',
      message: `The text at ${placeOf(text)} holds what looks like a secret (${rules.join(', ')}).`,
      remedy: 'Replace the secret by a new one where it is issued; Mochi writes a mark in its place.',
      ...origin(server, text),
    },
  ];
}

const KIND_LABEL: Readonly<Record<HiddenKind, string>> = {
  control: 'control characters',
  ansi: 'terminal escapes',
  bidi: 'characters that reorder text',
  'zero-width': 'zero-width characters',
  tag: 'tag characters',
  'variation-selector': 'stray variation selectors',
  format: 'invisible format characters',
  surrogate: 'broken characters',
  'line-separator': 'unusual line separators',
};

/** A text with this many kinds of hidden characters is no accident. */
const MANY_KINDS = 3;
const MESSAGE_SHOWN = 120;

function hiddenProblems(server: string, text: CatalogText): readonly Problem[] {
  const runs = hiddenRuns(text.text);
  if (runs.length === 0) return [];
  const kinds = [...new Set(runs.map((run) => run.kind))].sort();
  const message = runs.map((run) => run.message ?? '').join('');
  const shown = redact(message, findSecrets(message)).slice(0, MESSAGE_SHOWN);
  const spelt = shown === '' ? '' : `, which spell ${JSON.stringify(shown)}`;
  return [
    {
      kind: 'hidden-unicode',
      severity: kinds.length >= MANY_KINDS || message !== '' ? 'error' : 'warning',
      message: `The text at ${placeOf(text)} holds ${kinds.map((kind) => KIND_LABEL[kind]).join(', ')}${spelt}.`,
      remedy:
        text.role === 'prose'
          ? 'Compare the text with what you see; Mochi leaves these characters out.'
          : 'Compare the value with what you see; Mochi keeps it, because a call must spell it exactly.',
      ...origin(server, text),
    },
  ];
}
