/**
 * What each form costs, stage by stage: always loaded, on activation, before a first call; against both baselines.
 * Counts come from a `TokenCounter` and carry its name; bytes are always exact. Nothing here guesses tokens.
 */
import type { Catalog, Mode, Skill, Tool } from './model.ts';
import type { TokenCounter } from './ports.ts';

/** Tokens and bytes of one text. */
export interface Cost {
  readonly tokens: number;
  /** UTF-8. */
  readonly bytes: number;
}

/** One form of a server's tools, as an agent pays for it. */
export interface FormCost {
  readonly form: Mode | 'native' | 'deferred';
  /** In every session, used or not: the listing line, all schemas, or the names. */
  readonly always: Cost;
  /** Once the skill is activated: SKILL.md. Zero for the baselines. */
  readonly activation: Cost;
  /** Read before a first call: the called tool's reference. For the forms without a named tool, the median over tools. */
  readonly beforeCall: Cost;
  /** The three together. */
  readonly toFirstCall: Cost;
  /** Whether the agent has seen the called tool's whole schema by then. */
  readonly wholeSchema: boolean;
}

/** How much of a limit is used; over 1 is over the limit. */
export interface Meter {
  readonly name: 'listing-entry' | 'listing-budget' | 'body-tokens' | 'body-lines';
  readonly form: Mode;
  readonly used: number;
  readonly limit: number;
}

export type Verdict =
  /** The skill is cheaper than native tools by its first call. */
  | { readonly kind: 'saves'; readonly form: Mode; readonly saved: number; readonly share: number }
  /** Cheaper while idle, dearer by the first call: worth it only for a server that is rarely used. */
  | { readonly kind: 'saves-idle'; readonly form: Mode; readonly saved: number; readonly extra: number }
  /** A skill costs more than it saves. */
  | { readonly kind: 'costs-more'; readonly form: Mode; readonly extra: number; readonly tools: number };

export interface TokenReport {
  readonly server: string;
  readonly tools: number;
  /** The tokenizer's name; every figure shown goes with it. */
  readonly tokenizer: string;
  readonly exact: boolean;
  readonly forms: readonly FormCost[];
  readonly meters: readonly Meter[];
  readonly verdict: Verdict;
  /** The same verdict against deferred tool search: what the best form saves by the first call, negative where it costs. */
  readonly savedAgainstDeferred: number;
}

/** Claude Code: one percent of a 200,000-token window, in characters. (platform facts, section 5.1) */
export const LISTING_BUDGET_CHARS = 8_000;
/** Claude Code cuts each listing entry there. */
export const LISTING_ENTRY_CHARS = 1_536;
/** Agent Skills' recommended ceilings for SKILL.md. */
export const BODY_TOKENS = 5_000;
export const BODY_LINES = 500;
/** Claude Code cuts server instructions and tool descriptions there when it defers tools. */
const INSTRUCTIONS_BYTES = 2_048;

/**
 * The span of what current Claude models may count for a text of `tokens` in o200k_base. Anthropic states 15 to 20 %
 * more for earlier models on plain text; independent counts of the newer tokenizer lie up to 1.47 times above those.
 */
export function claudeRange(tokens: number): readonly [low: number, high: number] {
  return [Math.round(tokens * 1.15), Math.round(tokens * 1.2 * 1.47)];
}

/** A tool definition as a model receives it: name, description and input schema, minified. */
export function definitionText(tool: Tool): string {
  return JSON.stringify({ name: tool.name, description: tool.description, input_schema: tool.inputSchema });
}

/** The line a client's skill listing holds. */
export function listingLine(skill: Skill): string {
  return `- ${skill.name}: ${skill.description}`;
}

const utf8 = new TextEncoder();

function sum(...costs: readonly Cost[]): Cost {
  return costs.reduce((a, b) => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes }), { tokens: 0, bytes: 0 });
}

function median(costs: readonly Cost[]): Cost {
  const sorted = [...costs].sort((a, b) => a.tokens - b.tokens || a.bytes - b.bytes);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? { tokens: 0, bytes: 0 };
}

/** The reference files that hold one tool each, in the order of `catalog`; empty for the full layout. */
function toolFiles(skill: Skill): readonly { readonly path: string; readonly text: string }[] {
  return skill.files.filter((file) => file.path.startsWith(`references/tools/${skill.name}/`));
}

/** `calledTool` picks the tool whose reference counts as read before the first call; by default the median one. */
export async function measure(
  catalog: Catalog,
  skills: readonly Skill[],
  counter: TokenCounter,
  options: { readonly calledTool?: string; readonly signal?: AbortSignal } = {},
): Promise<TokenReport> {
  const definitions = catalog.tools.map(definitionText);
  const native = `[${definitions.join(',')}]`;
  const instructions = (catalog.instructions ?? '').slice(0, INSTRUCTIONS_BYTES);
  const names = [instructions, ...catalog.tools.map((tool) => tool.name)].filter((line) => line !== '').join('\n');
  const texts = [native, names, ...definitions];
  const places = skills.map((skill) => {
    const body = skill.files.find((file) => file.path === 'SKILL.md')?.text ?? '';
    const files = toolFiles(skill);
    const at = texts.length;
    texts.push(listingLine(skill), body, ...files.map((file) => file.text));
    return { skill, at, files, body };
  });
  const counts = await counter.count(texts, options.signal);
  const cost = (index: number): Cost => ({ tokens: counts[index] ?? 0, bytes: utf8.encode(texts[index] ?? '').length });
  const none: Cost = { tokens: 0, bytes: 0 };
  const called = catalog.tools.findIndex((tool) => tool.name === options.calledTool);
  const oneOf = (costs: readonly Cost[]): Cost => (called >= 0 ? costs[called] : undefined) ?? median(costs);

  const form = (
    name: FormCost['form'],
    always: Cost,
    activation: Cost,
    beforeCall: Cost,
    wholeSchema: boolean,
  ): FormCost => ({
    form: name,
    always,
    activation,
    beforeCall,
    toFirstCall: sum(always, activation, beforeCall),
    wholeSchema,
  });
  const definitionCosts = definitions.map((_, index) => cost(2 + index));
  const baselines = [
    form('native', cost(0), none, none, true),
    form('deferred', cost(1), none, oneOf(definitionCosts), true),
  ];
  const forms = places.map(({ skill, at, files }) => {
    const each = files.map((_, index) => cost(at + 2 + index));
    const before = files.length === 0 ? none : calledFile(skill, files, each, options.calledTool);
    return form(skill.mode, cost(at), cost(at + 1), before, skill.mode !== 'compact');
  });
  return {
    server: catalog.server,
    tools: catalog.tools.length,
    tokenizer: counter.name,
    exact: counter.exact,
    forms: [...baselines, ...forms],
    meters: places.flatMap(({ skill, at, body }) => meters(skill, body, counts[at + 1] ?? 0)),
    ...verdictOf(catalog, baselines, forms),
  };
}

function calledFile(
  skill: Skill,
  files: readonly { readonly path: string }[],
  costs: readonly Cost[],
  tool: string | undefined,
): Cost {
  const at = files.findIndex((file) => file.path === `references/tools/${skill.name}/${tool ?? ''}.yaml`);
  return (at >= 0 ? costs[at] : undefined) ?? median(costs);
}

function meters(skill: Skill, body: string, tokens: number): readonly Meter[] {
  const entry = listingLine(skill).length;
  const form = skill.mode;
  return [
    { name: 'listing-entry', form, used: skill.description.length, limit: LISTING_ENTRY_CHARS },
    { name: 'listing-budget', form, used: entry, limit: LISTING_BUDGET_CHARS },
    { name: 'body-tokens', form, used: tokens, limit: BODY_TOKENS },
    { name: 'body-lines', form, used: body.split('\n').length - 1, limit: BODY_LINES },
  ];
}

function verdictOf(
  catalog: Catalog,
  baselines: readonly FormCost[],
  forms: readonly FormCost[],
): Pick<TokenReport, 'verdict' | 'savedAgainstDeferred'> {
  const [native, deferred] = baselines;
  const best = [...forms].sort((a, b) => a.toFirstCall.tokens - b.toFirstCall.tokens)[0];
  if (
    native === undefined ||
    deferred === undefined ||
    best === undefined ||
    best.form === 'native' ||
    best.form === 'deferred'
  )
    return {
      verdict: { kind: 'costs-more', form: 'lazy', extra: 0, tools: catalog.tools.length },
      savedAgainstDeferred: 0,
    };
  const upfront = native.toFirstCall.tokens;
  const saved = upfront - best.toFirstCall.tokens;
  const idle = native.always.tokens - best.always.tokens;
  const verdict: Verdict =
    saved > 0
      ? { kind: 'saves', form: best.form, saved, share: upfront === 0 ? 0 : saved / upfront }
      : idle > 0
        ? { kind: 'saves-idle', form: best.form, saved: idle, extra: -saved }
        : { kind: 'costs-more', form: best.form, extra: -saved, tools: catalog.tools.length };
  return { verdict, savedAgainstDeferred: deferred.toFirstCall.tokens - best.toFirstCall.tokens };
}
