/**
 * The engine that needs no model: completes code by what the workspace and the open file have said before, answers by
 * quoting declarations, and suggests mined patterns. Nothing it returns was made up; it says so.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Memory } from '../learn/memory.ts';
import { sourceText } from '../learn/source-text.ts';
import { CodeWriter } from './code-writer.ts';
import type {
  Answer,
  Completion,
  CompletionRequest,
  Engine,
  EngineState,
  Passage,
  Question,
  Suggestion,
  SuggestionRequest,
} from './engine.ts';
import { confidenceOf, type Hit, SymbolSearch } from './symbol-search.ts';
import { isCjk, termsOfText } from './terms.ts';

/** Where the engine finds what is learned now. */
export interface MemoryHolder {
  readonly root: string;
  readonly memory: Memory | undefined;
  readonly isLearning: boolean;
}

const noCompletion: Completion = { completion: '', alternatives: [], confidence: 0 };
const longestPassage = 40;
const MOST_SUGGESTIONS = 5;
/** Below it, a pattern shares a word with the goal by chance. */
const LEAST_RELEVANCE = 0.2;

export class EmbeddedEngine implements Engine {
  readonly name = 'embedded';
  readonly #holder: MemoryHolder;
  readonly #writer = new CodeWriter();
  #search: { readonly memory: Memory; readonly index: Promise<SymbolSearch> } | undefined;

  constructor(holder: MemoryHolder) {
    this.#holder = holder;
  }

  get state(): EngineState {
    if (this.#holder.isLearning) return 'learning';
    return this.#holder.memory === undefined ? 'empty' : 'ready';
  }

  async complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    signal.throwIfAborted();
    const { memory } = this.#holder;
    return memory === undefined ? noCompletion : this.#writer.write(memory, request);
  }

  async answer(question: Question, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const { memory } = this.#holder;
    const hits = memory === undefined ? [] : (await this.#index(memory)).search(asked(question), 5);
    signal.throwIfAborted();
    const passages: Passage[] = [];
    for (const hit of hits) {
      signal.throwIfAborted();
      passages.push(await this.#passage(hit));
    }
    const { text, words } = passages.length === 0 ? nothingFor(question) : tell(hits, passages, question.maxTokens);
    return { response: text, confidence: Math.round(confidenceOf(hits) * 1e4) / 1e4, tokensGenerated: words, passages };
  }

  async suggest(request: SuggestionRequest, signal: AbortSignal): Promise<readonly Suggestion[]> {
    signal.throwIfAborted();
    const { memory } = this.#holder;
    if (memory === undefined) return [];
    const mined = suggestions(memory, request);
    const wanted = new Set(termsOfText(request.goal));
    const [best] = (await this.#index(memory))
      .search(request.goal, 10)
      .map((hit) => ({ hit, relevance: nearness(hit, wanted) }))
      .sort((one, two) => two.relevance - one.relevance);
    signal.throwIfAborted();
    if (best === undefined || best.relevance === 0 || best.relevance <= (mined[0]?.relevance ?? 0)) return mined;
    const { symbol } = best.hit;
    const { file, line, text } = await this.#passage(best.hit);
    const example = {
      name: `example-${symbol.name}`,
      description: `The ${symbol.kind} ${symbol.name} of ${file}${symbol.doc === '' ? '.' : `: ${symbol.doc}`}`,
      example: `${file}:${line}\n${text}`,
      relevance: best.relevance,
    };
    return [example, ...mined.slice(0, MOST_SUGGESTIONS - 1)];
  }

  /** Makes ready what the first question would have to wait for. */
  async prepare(): Promise<void> {
    const { memory } = this.#holder;
    if (memory !== undefined) await this.#index(memory);
  }

  /** Made once after a learning, in slices; follows single files as they change. */
  async #index(memory: Memory): Promise<SymbolSearch> {
    if (this.#search?.memory !== memory) this.#search = { memory, index: SymbolSearch.inSlices(memory) };
    const index = await this.#search.index;
    index.catchUp();
    return index;
  }

  async #passage({ file, symbol }: Hit): Promise<Passage> {
    const { path } = file.record;
    const text = await readFile(join(this.#holder.root, path)).then(sourceText, () => '');
    const endLine = Math.min(symbol.endLine, symbol.line + longestPassage - 1);
    const lines = text.split('\n').slice(symbol.line - 1, endLine);
    return { file: path, line: symbol.line, endLine, text: lines.join('\n') };
  }
}

const asked = ({ instruction, input }: Question): string =>
  input === undefined ? instruction : `${instruction}\n${input}`;

/** What to do where nothing was found, in the language of the question; code is mostly English. */
function nothingFor({ instruction }: Question): { text: string; words: number } {
  const text = /[\u3040-\u30ff]/.test(instruction)
    ? '学習したコードに当てはまるものがありません。コードやコメントにある名前、ファイル名、または英語の言葉で尋ねてください。'
    : isCjk(instruction)
      ? '在学习过的代码中没有找到。请用代码或注释中的名称、文件名或英文词语提问。'
      : 'Nothing in the learned code answers this. Ask with a name, a file or words that stand in the code or its comments.';
  return { text, words: 0 };
}

const PREFACE = 'Quoted from the learned code, not generated:';

/** Quotes the passages, best first, as far as `most` words reach; what they are is said first where the best one fits too. */
function tell(hits: readonly Hit[], passages: readonly Passage[], most: number): { text: string; words: number } {
  const parts: string[] = [];
  hits.forEach(({ symbol }, at) => {
    const passage = passages[at];
    if (passage === undefined) return;
    const about = symbol.doc === '' ? '' : `: ${symbol.doc}`;
    parts.push(`${passage.file}:${passage.line} ${symbol.kind} ${symbol.name}${about}`);
    // Only the first is quoted at length; the others are in the passages.
    if (at === 0) parts.push(passage.text);
  });
  const best = [PREFACE, ...parts.slice(0, 2)].join('\n\n');
  const said = wordsOf(best).length <= most ? [PREFACE, ...parts] : parts;
  const pieces = wordsOf(said.join('\n\n'));
  const kept = pieces.slice(0, Math.max(0, Math.floor(most)));
  return { text: kept.join('').trimEnd(), words: kept.length };
}

const wordsOf = (text: string): readonly string[] => text.match(/\S+\s*/g) ?? [];

/** How well a declaration's name, comment and path say the words; 0 where its name says none or half are not said. */
function nearness({ file, symbol }: Hit, wanted: ReadonlySet<string>): number {
  const name = new Set(termsOfText(symbol.name));
  const about = new Set(termsOfText(`${symbol.doc} ${file.record.path}`));
  const words = [...wanted];
  const named = words.filter((term) => name.has(term)).length;
  const told = words.filter((term) => !name.has(term) && about.has(term)).length;
  return named === 0 || 2 * (named + told) < words.length ? 0 : (2 * named + told) / (2 * words.length);
}

/** Patterns and conventions by the words of the goal; the context breaks ties. */
function suggestions(memory: Memory, { goal, context }: SuggestionRequest): readonly Suggestion[] {
  const { patterns, conventions } = memory.knowledge;
  const wanted = new Set(termsOfText(goal));
  const around = new Set(context === undefined ? [] : termsOfText(context));
  const rated = [...patterns, ...conventions].map((finding) => {
    const own = new Set(
      termsOfText(`${finding.title} ${finding.description} ${finding.examples.map(({ code }) => code).join(' ')}`),
    );
    const title = new Set(termsOfText(finding.title));
    let score = 0;
    for (const term of wanted) score += title.has(term) ? 2 : own.has(term) ? 1 : 0;
    const shared = [...around].filter((term) => own.has(term)).length;
    const relevance = score === 0 ? 0 : score / (2 * wanted.size) + Math.min(0.1, shared * 0.02);
    return { finding, relevance: Math.min(1, relevance) };
  });
  return rated
    .filter(({ relevance }) => relevance >= LEAST_RELEVANCE)
    .sort((one, two) => two.relevance - one.relevance || two.finding.support - one.finding.support)
    .slice(0, MOST_SUGGESTIONS)
    .map(({ finding, relevance }) => ({
      name: finding.name,
      description: `${finding.title}. ${finding.description}`,
      example: finding.examples.map(({ file, line, code }) => `${file}:${line}\n${code}`).join('\n\n'),
      relevance,
    }));
}
