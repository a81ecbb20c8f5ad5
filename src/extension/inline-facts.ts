/**
 * What the language server offers, asked through the editor: names at a cursor, members of a receiver, symbols of a
 * document. Asks run beside, one at a time for a document, and what they gave is kept for a few seconds. Suggestions
 * themselves are never asked for here, so a provider cannot come back to itself.
 */
import * as vscode from 'vscode';
import { type Around, lineBefore } from '#core/completion/around.ts';
import type { Known, Offer } from '#core/completion/confirmed.ts';
import type { Space } from '#core/completion/script-frames.ts';
import { type Sight, sightOf } from '#core/completion/sight.ts';
import { wordAtEnd } from '#core/completion/syntax.ts';

/** Milliseconds. */
const FRESH = 5_000;
const SYMBOLS_FRESH = 20_000;
/** Asked at once at most; a server that is slower than typing is not given more and more to do. */
const MOST_AT_ONCE = 2;
const MOST_KEPT = 60;
const MOST_FACTS = 300;
const LONGEST_FACT = 300;

/** Nobody knows: asked, and no names of a language came. */
const NOTHING: Offer = { names: new Set(), onlyTypes: new Set(), noTypes: new Set(), isPartial: true, facts: [] };

interface Kept {
  readonly offer: Promise<Offer>;
  readonly asked: number;
  value: Offer | undefined;
}

/** A list that can be asked for: of what is taken of something, or of what stands alone. */
export interface Wanted {
  readonly receiver: string | undefined;
  readonly space: Space;
}

export interface PlaceFacts extends Known {
  /** What the text around the cursor tells; read when it is first wanted. */
  readonly sight: Sight;
  /** Asks for what the cursor's own name needs, unless it is known. */
  askHere(): Promise<unknown>;
  /** Asks for lists of other places in the document, the first of them. */
  askElsewhere(wanted: readonly Wanted[]): Promise<unknown>;
}

export class LanguageFacts {
  readonly #kept = new Map<string, Kept>();
  readonly #symbols = new Map<string, { names: ReadonlySet<string>; asked: number }>();
  #running = 0;

  /** What is known at a cursor; asks nothing by itself. */
  at(document: vscode.TextDocument, position: vscode.Position, around: Around, isStrict: boolean): PlaceFacts {
    const start = position.translate(0, -wordAtEnd(lineBefore(around)).length);
    const hereKey = keyAt(document, start);
    const facts = this;
    let known: Sight | undefined;
    const sight = (): Sight => {
      known ??= sightOf(around, document.languageId);
      return known;
    };
    const placeOf = ({ receiver, space }: Wanted): vscode.Position | undefined => {
      const at = receiver === undefined ? sight().placeOf(space) : sight().placeBehind(receiver, space);
      return at === undefined ? undefined : positionOf(at, around, position);
    };
    const keys = new Map<string, string>();
    const offerOfWanted = (wanted: Wanted): Offer | undefined => facts.#value(keys.get(nameOf(wanted)) ?? '');
    return {
      isStrict,
      get sight() {
        return sight();
      },
      get here() {
        return facts.#value(hereKey);
      },
      members: (receiver, space) => offerOfWanted({ receiver, space }),
      scope: (space) => offerOfWanted({ receiver: undefined, space }),
      isSymbol: (text) => facts.#symbolsOf(document, around).has(text),
      askHere: async () => facts.#ask(hereKey, document, start),
      async askElsewhere(wanted) {
        const places = wanted.slice(0, MOST_AT_ONCE).flatMap((one) => {
          const place = placeOf(one);
          return place === undefined ? [] : [{ one, place, key: keyAt(document, place) }];
        });
        for (const { one, key } of places) keys.set(nameOf(one), key);
        await Promise.all(places.map(({ key, place }) => facts.#ask(key, document, place)));
      },
    };
  }

  clear(): void {
    this.#kept.clear();
    this.#symbols.clear();
  }

  #value(key: string): Offer | undefined {
    return this.#kept.get(key)?.value;
  }

  async #ask(key: string, document: vscode.TextDocument, position: vscode.Position): Promise<Offer | undefined> {
    const now = Date.now();
    const kept = this.#kept.get(key);
    if (kept !== undefined && now - kept.asked < FRESH) return kept.offer;
    if (this.#running >= MOST_AT_ONCE) return kept?.value;
    this.#running += 1;
    const offer = offerAt(document.uri, position).finally(() => {
      this.#running -= 1;
    });
    const asked: Kept = { offer, asked: now, value: kept?.value };
    this.#kept.delete(key);
    this.#kept.set(key, asked);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    asked.value = await offer;
    return asked.value;
  }

  /** Of a document that is longer than what is read around the cursor; those of the last time while new ones come. */
  #symbolsOf(document: vscode.TextDocument, around: Around): ReadonlySet<string> {
    if (!around.isCut) return NOTHING.names;
    const key = document.uri.toString();
    const known = this.#symbols.get(key) ?? { names: NOTHING.names, asked: 0 };
    if (Date.now() - known.asked > SYMBOLS_FRESH) {
      const asked = { names: known.names, asked: Date.now() };
      this.#symbols.delete(key);
      this.#symbols.set(key, asked);
      const [oldest] = this.#symbols.keys();
      if (this.#symbols.size > MOST_KEPT && oldest !== undefined) this.#symbols.delete(oldest);
      symbolNames(document.uri).then(
        (names) => {
          asked.names = names;
        },
        () => undefined,
      );
    }
    return known.names;
  }
}

function keyAt(document: vscode.TextDocument, start: vscode.Position): string {
  const text = document.lineAt(start.line).text;
  return `${document.uri}\n${start.line}\n${text.slice(Math.max(0, start.character - 300), start.character)}`;
}

const nameOf = ({ receiver, space }: Wanted): string => `${space} ${receiver ?? ''}`;

/** Of a place in the text before the cursor. */
function positionOf(at: number, { before }: Around, cursor: vscode.Position): vscode.Position {
  const below = before.slice(at).split('\n');
  const first = before.lastIndexOf('\n', at - 1) + 1;
  const line = cursor.line - (below.length - 1);
  return new vscode.Position(line, below.length === 1 ? cursor.character - (before.length - at) : at - first);
}

async function offerAt(uri: vscode.Uri, position: vscode.Position): Promise<Offer> {
  try {
    const list = await vscode.commands.executeCommand<vscode.CompletionList | undefined>(
      'vscode.executeCompletionItemProvider',
      uri,
      position,
    );
    return list === undefined ? NOTHING : offerOf(list);
  } catch {
    return NOTHING;
  }
}

const { Text, Snippet, Keyword, Interface, Function: Callable, Method } = vscode.CompletionItemKind;

/** Words of open documents and snippets are offered in any language; they say nothing of what exists. */
function offerOf({ items, isIncomplete }: vscode.CompletionList): Offer {
  const offered = items.filter(({ kind }) => kind !== Text && kind !== Snippet);
  const real = offered.filter(({ kind }) => kind !== Keyword);
  if (real.length === 0) return NOTHING;
  const named = (some: readonly vscode.CompletionItem[]): ReadonlySet<string> => new Set(some.flatMap(namesOf));
  const sorted = [...offered].sort((one, two) => compare(one.sortText ?? labelOf(one), two.sortText ?? labelOf(two)));
  return {
    names: named(real),
    onlyTypes: named(real.filter(({ kind }) => kind === Interface)),
    noTypes: named(real.filter(({ kind }) => kind === Callable || kind === Method)),
    isPartial: isIncomplete === true,
    facts: sorted.slice(0, MOST_FACTS).map((item) => labelOf(item).slice(0, LONGEST_FACT)),
  };
}

const compare = (one: string, two: string): number => (one < two ? -1 : one > two ? 1 : 0);

function labelOf({ label }: vscode.CompletionItem): string {
  return typeof label === 'string' ? label : label.label;
}

/** What a label, a filter or an inserted text names: some servers add parameters, marks or a dot. */
function namesOf(item: vscode.CompletionItem): readonly string[] {
  const inserted = typeof item.insertText === 'string' ? item.insertText : item.insertText?.value;
  return [labelOf(item), item.filterText, inserted].flatMap((text) => {
    const name = /#?[\p{L}_$][\p{L}\p{N}_$]*/u.exec(text ?? '')?.[0];
    return name === undefined ? [] : [name];
  });
}

async function symbolNames(uri: vscode.Uri): Promise<ReadonlySet<string>> {
  const found = await vscode.commands.executeCommand<
    readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
  >('vscode.executeDocumentSymbolProvider', uri);
  const names = new Set<string>();
  const add = (symbols: readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[]): void => {
    for (const symbol of symbols) {
      names.add(symbol.name);
      if ('children' in symbol) add(symbol.children);
    }
  };
  add(found ?? []);
  return names;
}
