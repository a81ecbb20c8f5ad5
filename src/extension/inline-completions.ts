/**
 * Ghost text. This file touches the document first (a bounded piece of text around the cursor) and last (an item with a
 * range); what lies between are the pure steps of `core/completion`. A failure is an empty answer and a line in the log.
 */
import * as vscode from 'vscode';
import { type Around, type Lines, lineBefore, textAround } from '#core/completion/around.ts';
import { Asking, type Clock, type Question, until } from '#core/completion/asking.ts';
import { suffixFor } from '#core/completion/below.ts';
import { judged, type Known } from '#core/completion/confirmed.ts';
import { type Choice, type Refusal, refusalAt, refusalBefore, type Trigger } from '#core/completion/gate.ts';
import { createPace } from '#core/completion/pace.ts';
import { type Asked, Recall } from '#core/completion/recall.ts';
import type { Sighted } from '#core/completion/sight.ts';
import { type Answer, type Suggestion, shortened, suggestionsOf, type Wishes } from '#core/completion/suggestions.ts';
import type { Disposable, Logger } from '#core/ports.ts';
import { nextTurn } from '#node/next-turn.ts';
import { watchAcceptance } from './inline-acceptance.ts';
import { LanguageFacts, type PlaceFacts } from './inline-facts.ts';
import { rehearse } from './inline-rehearsal.ts';
import type { MochiHost } from './mochi-contract.ts';
import { readCompletionSettings } from './mochi-settings.ts';

export interface InlineCompletionsPorts {
  readonly host: MochiHost;
  readonly logger: Logger;
}

/** Milliseconds that a suggestion waits for the language server at most. */
const CHECK_MS: Readonly<Record<Trigger, number>> = { automatic: 500, invoke: 1_500 };

/**
 * Pauses in the first questions of a window and in its first answers, which come much later: code that never ran takes
 * milliseconds where it takes a part of one later, so it runs in pieces.
 */
const FIRST_PAUSES = 15;

const CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Registers the provider. Nothing is started before a suggestion is wanted. */
export function createInlineCompletions({ host, logger }: InlineCompletionsPorts): Disposable {
  const facts = new LanguageFacts();
  const recall = new Recall();
  const pace = createPace();
  const acceptance = watchAcceptance(host);
  const asking = new Asking({
    clock: CLOCK,
    recall,
    pace,
    ask: async (question, signal) => answerOf(question, signal, host),
  });
  const provider = new Provider({ host, logger, facts, asking, acceptance });
  const parts: readonly Disposable[] = [
    acceptance,
    { dispose: () => asking.stop() },
    host.onDidChangeStatus(() => recall.clear()),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0 || document.uri.scheme !== 'file') return;
      pace.typed(CLOCK.now());
      provider.deleted =
        contentChanges.every(({ text, rangeLength }) => text === '' && rangeLength > 0) && document.uri.toString();
    }),
    vscode.languages.registerInlineCompletionItemProvider({ scheme: 'file' }, provider),
  ];
  return { dispose: () => parts.forEach((part) => void part.dispose()) };
}

async function answerOf(question: Question, signal: AbortSignal, host: MochiHost): Promise<Answer | undefined> {
  const { around, language, facts } = question;
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === question.document);
  if (document === undefined) return undefined;
  const request = { prefix: around.before, suffix: suffixFor(around), language };
  const result = await host.complete(document, facts === undefined ? request : { ...request, facts }, signal);
  if (result === undefined) return undefined;
  // Reading an answer and making a suggestion of it are two pieces.
  await nextTurn();
  const { completion, confidence, steps = [], alternatives, engine } = result;
  return { draft: { text: completion, confidence, steps }, alternatives, engine };
}

interface Parts extends InlineCompletionsPorts {
  readonly facts: LanguageFacts;
  readonly asking: Asking;
  readonly acceptance: ReturnType<typeof watchAcceptance>;
}

/** What is found of a suggestion before it is shown. */
interface Found {
  readonly suggestions: readonly Suggestion[];
  readonly engine: string;
  readonly confirmed: number | undefined;
}

class Provider implements vscode.InlineCompletionItemProvider {
  readonly #parts: Parts;
  #lastRefusal: Refusal | undefined;
  readonly #pauses = { asking: FIRST_PAUSES, answered: FIRST_PAUSES };
  #rehearsal: Promise<void> | undefined;
  /** The document whose last change only took text away. */
  deleted: string | false = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const started = performance.now();
    const abort = new AbortController();
    const cancelling = token.onCancellationRequested(() => abort.abort());
    try {
      if (token.isCancellationRequested) return [];
      return await this.#provide(document, position, context, abort.signal, started);
    } catch (error) {
      this.#parts.logger.error(`completion: ${error instanceof Error ? error.name : 'unknown error'}`);
      return [];
    } finally {
      cancelling.dispose();
    }
  }

  async #provide(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    signal: AbortSignal,
    started: number,
  ): Promise<vscode.InlineCompletionItem[]> {
    const trigger: Trigger = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke ? 'invoke' : 'automatic';
    const settings = readCompletionSettings(document.uri);
    const refusal = refusalBefore({
      trigger,
      ...standingOf(this.#parts.host),
      isLanguageWanted: settings.enabled && settings.isWanted(document.languageId),
      scheme: document.uri.scheme,
      path: document.uri.path,
      ...selectionIn(document),
      isDeleting: this.deleted === document.uri.toString(),
    });
    if (refusal !== undefined) return this.#refuse(refusal);
    const isFirst = this.#rehearsal === undefined;
    this.#rehearsal ??= rehearse();
    await this.#pauseAtFirst('asking');
    // Whoever types on gives this question up, but not Mochi.
    if (isFirst) this.#parts.host.wake(document);
    if (signal.aborted) return [];
    const around = textAround(linesOf(document), position.line, position.character);
    const choice = choiceOf(context, position, around);
    const late = refusalAt(around, document.languageId, trigger, choice);
    if (late !== undefined) return this.#refuse(late);
    const wishes: Wishes = {
      trigger,
      minimumLength: settings.minimumLength,
      threshold: settings.threshold,
      mayBeSeveralLines: settings.severalLines,
      indent: indentIn(document),
      choice,
    };
    await this.#pauseAtFirst('asking');
    const place = this.#parts.facts.at(document, position, around, !settings.unverified);
    await this.#pauseAtFirst('asking');
    const asked = { document: document.uri.toString(), language: document.languageId, around };
    const found = await this.#found(asked, trigger, wishes, place, signal);
    if (found === undefined || signal.aborted || found.suggestions.length === 0) return [];
    await this.#pauseAtFirst('answered');
    if (signal.aborted) return [];
    return this.#items(document, position, found, performance.now() - started);
  }

  /** Asks Mochi and the language server, and Mochi once more where what it wrote does not exist. */
  async #found(
    asked: Asked,
    trigger: Trigger,
    wishes: Wishes,
    place: PlaceFacts,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    const { asking } = this.#parts;
    const { around } = asked;
    const isMember = /\.\s*[\p{L}\p{N}_$]*$/u.test(lineBefore(around));
    const server = isMember ? place.askHere() : undefined;
    const isOfUse = (known: Answer): boolean => suggestionsOf(known, around, wishes).length > 0;
    const question = { ...asked, trigger, isOfUse, facts: isMember ? place.here?.facts : undefined };
    const answer = await asking.answer(question, signal);
    if (answer === undefined) return undefined;
    await this.#pauseAtFirst('answered');
    const first = suggestionsOf(answer, around, wishes);
    await this.#pauseAtFirst('answered');
    // While code is new, what the text tells is read in pieces.
    if (this.#pauses.answered > 0) for (const _ of place.sight.steps()) await nextTurn();
    if (signal.aborted) return undefined;
    // Of nothing only a list of members can make something.
    if (first.length === 0 && server === undefined) return undefined;
    const enough = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS[trigger])]);
    const checked = await checkedBy(place, first, wishes, server, enough);
    if (checked.suggestions.length > 0 || signal.aborted) return { ...checked, engine: answer.engine };
    const facts = place.here?.facts;
    if (facts === undefined || facts.length === 0) return undefined;
    // What was written does not exist, or nothing was, and now it is known what does.
    const second = await asking.answer({ ...asked, trigger, facts, isAgain: true }, signal);
    if (second === undefined) return undefined;
    const again = await checkedBy(place, suggestionsOf(second, around, wishes), wishes, undefined, enough);
    return { ...again, engine: second.engine };
  }

  #items(
    document: vscode.TextDocument,
    position: vscode.Position,
    { suggestions, engine, confirmed }: Found,
    latencyMs: number,
  ): vscode.InlineCompletionItem[] {
    const caret = document.offsetAt(position);
    const [first] = suggestions;
    if (first !== undefined)
      this.#parts.acceptance.show(
        document,
        caret,
        suggestions.map(({ insert, left, text }) => ({ typed: insert.slice(0, left), text })),
        {
          language: document.languageId,
          engine,
          confidence: first.confidence,
          latencyMs,
          ...(confirmed === undefined ? {} : { confirmed }),
        },
      );
    return suggestions.map(({ insert, left, right }, index) => {
      const range = new vscode.Range(position.translate(0, -left), position.translate(0, right));
      const item = new vscode.InlineCompletionItem(insert, range);
      item.command = this.#parts.acceptance.command(index);
      return item;
    });
  }

  async #pauseAtFirst(stage: 'asking' | 'answered'): Promise<void> {
    if (this.#pauses[stage] === 0) return;
    this.#pauses[stage] -= 1;
    await nextTurn();
  }

  #refuse(reason: Refusal): vscode.InlineCompletionItem[] {
    if (reason !== this.#lastRefusal) this.#parts.logger.trace(`no completion here: ${reason}`);
    this.#lastRefusal = reason;
    return [];
  }
}

/** Lets only what exists stand. Waits for the language server as long as `enough` lets it. */
async function checkedBy(
  place: PlaceFacts,
  suggestions: readonly Suggestion[],
  wishes: Wishes,
  server: Promise<unknown> | undefined,
  enough: AbortSignal,
): Promise<Omit<Found, 'engine'>> {
  const { sight } = place;
  const open = suggestions.flatMap(({ text }) => judged(text, sight, relaxed(place)).open);
  if (open.length === 0 && server === undefined) return verdictOn(place, suggestions, wishes);
  const isOwn = ({ receiver, space, start }: Sighted): boolean =>
    receiver === undefined ? space === sight.space : start <= 0 && space !== 'type';
  const needed = open.filter(({ receiver, isUsed }) => receiver !== undefined || isUsed);
  const elsewhere = new Map(
    needed.filter((name) => !isOwn(name)).map(({ receiver, space }) => [`${space} ${receiver}`, { receiver, space }]),
  );
  const asks = [
    server,
    needed.some((name) => name.receiver === undefined && isOwn(name)) ? place.askHere() : undefined,
    place.askElsewhere([...elsewhere.values()]),
  ];
  await until(enough, Promise.all(asks));
  return verdictOn(place, suggestions, wishes);
}

/** The same knowledge, for finding out what is still open. */
function relaxed(place: PlaceFacts): Known {
  return {
    here: place.here,
    members: (receiver, space) => place.members(receiver, space),
    scope: (space) => place.scope(space),
    isSymbol: (text) => place.isSymbol(text),
    isStrict: false,
  };
}

function verdictOn(place: PlaceFacts, suggestions: readonly Suggestion[], wishes: Wishes): Omit<Found, 'engine'> {
  let confirmed = 0;
  const standing = suggestions.flatMap((suggestion, index) => {
    const verdict = judged(suggestion.text, place.sight, place);
    if (index === 0) confirmed = verdict.confirmed;
    const kept = shortened(suggestion, verdict.end, wishes);
    return kept === undefined ? [] : [kept];
  });
  return { suggestions: standing, confirmed: confirmed === 0 ? undefined : confirmed };
}

function standingOf(host: MochiHost): {
  readonly isTrusted: boolean;
  readonly isEnabled: boolean;
  readonly isPaused: boolean;
} {
  const { kind } = host.status;
  const may = host.mayComplete;
  return {
    isTrusted: may || kind !== 'restricted',
    isEnabled: may || kind !== 'off',
    isPaused: !may && kind !== 'off' && kind !== 'restricted',
  };
}

function selectionIn(document: vscode.TextDocument): { readonly cursors: number; readonly hasSelection: boolean } {
  const editor = vscode.window.activeTextEditor;
  const selections = editor?.document === document ? editor.selections : [];
  return { cursors: selections.length, hasSelection: selections.some(({ isEmpty }) => !isEmpty) };
}

function linesOf(document: vscode.TextDocument): Lines {
  return { count: document.lineCount, line: (at) => document.lineAt(at).text };
}

function choiceOf(
  { selectedCompletionInfo }: vscode.InlineCompletionContext,
  position: vscode.Position,
  around: Around,
): Choice | undefined {
  if (selectedCompletionInfo === undefined) return undefined;
  const { range, text } = selectedCompletionInfo;
  const before = lineBefore(around);
  const typed = before.slice(Math.max(0, before.length - (position.character - range.start.character)));
  return { text, typed };
}

function indentIn(document: vscode.TextDocument): Wishes['indent'] {
  const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
  const { insertSpaces, tabSize } = editor?.options ?? {};
  return { insertSpaces: insertSpaces !== false, tabSize: typeof tabSize === 'number' ? tabSize : 4 };
}
