/**
 * The second opinion on secrets: secretlint's recommended rules, in batches, together with the rules of
 * `core/scan`. Only positions and rule names are taken from it, never its messages, which repeat the secret.
 * Text is hostile: a comment in it that switches secretlint off has no effect.
 */
import type { Catalog, Endpoint } from '#core/model.ts';
import { cleanText } from '#core/scan/clean.ts';
import { textsOfEndpoint } from '#core/scan/lift.ts';
import { findSecrets, isPlaceholder, mergeSpans, type SecretSpan, type SpansOf } from '#core/scan/secrets.ts';
import { type CatalogText, textsOf } from '#core/scan/texts.ts';

/** A text to search, with the name of the variable, header or flag that it is the value of. */
export interface ScanText {
  readonly text: string;
  readonly name?: string;
}

/** Our own rules for any text, and secretlint's findings for the texts it was shown before. */
export interface SecretFinder {
  /** Answers at once, so that the pure pipeline can ask. */
  readonly spansOf: SpansOf;
  /** Shows secretlint every text of a catalog, and of the definition of its server where that is given. */
  learn(catalog: Catalog, endpoint?: Endpoint, signal?: AbortSignal): Promise<void>;
  /** Shows secretlint any texts. */
  learnTexts(texts: Iterable<ScanText>, signal?: AbortSignal): Promise<void>;
}

/** Characters that secretlint gets at once; more texts make more batches, a longer text one of its own. */
const BATCH = 200_000;
/** Texts whose answers are kept; a server of 500 tools has about 20,000. */
const MOST_REMEMBERED = 60_000;
/** Ends every construct that a rule could carry over from one text to the next. */
const BETWEEN = '\n\n\n';

/** A finder that has seen nothing yet. Loads the library, once for the process. */
export async function createSecretFinder(): Promise<SecretFinder> {
  const library = await loadLibrary();
  const foreign = new Map<string, readonly SecretSpan[]>();
  const shown = new Set<string>();
  // A catalog is asked about several times while it is cleaned, and again whenever a tool is left out.
  const answers = new Map<string, readonly SecretSpan[]>();
  const learnTexts: SecretFinder['learnTexts'] = async (texts, signal) => {
    const unseen = distinct(texts).filter((item) => !shown.has(keyOf(item.text, item.name)));
    for (const batch of batchesOf(unseen)) {
      signal?.throwIfAborted();
      if (shown.size > MOST_REMEMBERED) shown.clear();
      for (const [key, spans] of await lintBatch(library, batch)) foreign.set(key, spans);
      for (const item of batch) shown.add(keyOf(item.text, item.name));
      answers.clear();
    }
  };
  return {
    spansOf: (text, context) => {
      const key = JSON.stringify([context?.name, context?.documented, text]);
      const before = answers.get(key);
      if (before !== undefined) return before;
      const known = foreign.get(keyOf(text, context?.name)) ?? foreign.get(text) ?? [];
      const spans = mergeSpans([...findSecrets(text, context), ...known], text.length);
      if (answers.size > MOST_REMEMBERED) answers.clear();
      answers.set(key, spans);
      return spans;
    },
    learn: async (catalog, endpoint, signal) => {
      await learnTexts(textsOf(catalog).flatMap(bothForms), signal);
      if (endpoint !== undefined) await learnTexts(textsOfEndpoint(endpoint), signal);
    },
    learnTexts,
  };
}

/** Cleaning a catalog asks about a text as it came and as it is written. */
function bothForms(text: CatalogText): readonly ScanText[] {
  const clean = text.role === 'prose' ? cleanText(text.text) : text.text;
  return clean === text.text ? [text] : [text, { text: clean }];
}

function batchesOf(texts: readonly ScanText[]): readonly (readonly ScanText[])[] {
  const batches: ScanText[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const item of texts) {
    if (size + item.text.length > BATCH) {
      batches.push([]);
      size = 0;
    }
    batches.at(-1)?.push(item);
    size += item.text.length + BETWEEN.length;
  }
  return batches;
}

/** Texts too short for any credential are left to our own rules. */
const SHORTEST = 12;

function distinct(texts: Iterable<ScanText>): readonly ScanText[] {
  const seen = new Map<string, ScanText>();
  for (const item of texts) {
    if (item.text.length >= SHORTEST) seen.set(keyOf(item.text, item.name), item);
  }
  return [...seen.values()];
}

function keyOf(text: string, name: string | undefined): string {
  return name === undefined ? text : `${name}\u0000${text}`;
}

type Library = Pick<typeof import('@secretlint/core'), 'lintSource'> &
  Pick<typeof import('@secretlint/secretlint-rule-preset-recommend'), 'rules'>;

let loading: Promise<Library> | undefined;

/**
 * The preset's rules one by one, without the one that obeys comments in the text: the preset itself does not
 * honour `disabled` for a rule of its own.
 */
function loadLibrary(): Promise<Library> {
  loading ??= Promise.all([import('@secretlint/core'), import('@secretlint/secretlint-rule-preset-recommend')]).then(
    ([{ lintSource }, { rules }]) => ({
      lintSource,
      rules: rules.filter(({ meta }) => !meta.id.includes('filter-comments')),
    }),
  );
  return loading;
}

async function lintBatch(
  { lintSource, rules }: Library,
  batch: readonly ScanText[],
): Promise<ReadonlyMap<string, readonly SecretSpan[]>> {
  const placed: Placed[] = [];
  let content = '';
  for (const item of batch) {
    const from = content.length;
    // Some rules want to see the variable's name beside the value.
    if (item.name !== undefined && /^[\w.-]{1,100}$/.test(item.name)) content += `${item.name}=`;
    const start = content.length;
    content += item.text;
    placed.push({ item, from, start, end: content.length });
    content += BETWEEN;
  }
  const result = await lintSource({
    source: { filePath: 'text', content, contentType: 'text' },
    options: { noPhysicFilePath: true, config: { rules: rules.map((rule) => ({ id: rule.meta.id, rule })) } },
  });
  return spread(result.messages, placed);
}

/** Where a text stands in a batch; `from` is where its name begins. */
interface Placed {
  readonly item: ScanText;
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

interface Message {
  readonly range: readonly [number, number];
  readonly ruleId: string;
}

/** Gives each message to the text it lies in; both run in order, so one pass is enough. */
function spread(messages: readonly Message[], placed: readonly Placed[]): ReadonlyMap<string, readonly SecretSpan[]> {
  const found = new Map<string, SecretSpan[]>();
  let at = 0;
  for (const { range, ruleId } of [...messages].sort((a, b) => a.range[0] - b.range[0])) {
    while (at < placed.length && (placed[at]?.end ?? 0) <= range[0]) at += 1;
    const place = placed[at];
    if (place === undefined || range[0] < place.from || range[1] > place.end || range[1] <= place.start) continue;
    const { item, start: origin } = place;
    const start = Math.max(range[0], origin) - origin;
    const end = endOfRun(item.text, range[1] - origin);
    if (isPlaceholder(item.text.slice(start, end))) continue;
    const key = keyOf(item.text, item.name);
    found.set(key, [...(found.get(key) ?? []), { start, end, rule: shortRule(ruleId) }]);
  }
  return found;
}

/** Some rules count the length from the name before the value, and so end inside of the secret. */
function endOfRun(text: string, from: number): number {
  let end = from;
  while (end < text.length && /[\w+/=-]/.test(text[end - 1] ?? '') && /[\w+/=-]/.test(text[end] ?? '')) end += 1;
  return end;
}

function shortRule(ruleId: string): string {
  return ruleId.replace(/^@secretlint\/secretlint-rule-/, 'secretlint-');
}
