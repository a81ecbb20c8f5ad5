/**
 * What the language server offers, asked through the editor: names at a cursor, members of a receiver, symbols of a
 * document. Asks run beside, one at a time for a document, and what they gave is kept for a few seconds. Suggestions
 * themselves are never asked for here, so a provider cannot come back to itself.
 */
import * as vscode from 'vscode';
import { type Around, lineBefore } from '#core/completion/around.ts';
import { isChain, placesBehind } from '#core/completion/chains.ts';
import type { Known, Offer } from '#core/completion/confirmed.ts';
import { wordAtEnd } from '#core/completion/syntax.ts';
import { writtenAround } from '#core/completion/visible.ts';

/** Milliseconds. */
const FRESH = 5_000;
const SYMBOLS_FRESH = 20_000;
/** Asked at once at most; a server that is slower than typing is not given more and more to do. */
const MOST_AT_ONCE = 2;
const MOST_KEPT = 60;
const MOST_FACTS = 300;
const LONGEST_FACT = 300;

/** Nobody knows: asked, and no names of a language came. */
const NOTHING: Offer = { names: new Set(), isPartial: true, facts: [] };

interface Kept {
  readonly offer: Promise<Offer>;
  readonly asked: number;
  value: Offer | undefined;
}

export interface PlaceFacts extends Known {
  /** Asks for what the cursor's own name needs, unless it is known. */
  askHere(): Promise<unknown>;
  /** Asks for the members of receivers that stand elsewhere in the text. */
  askMembers(receivers: readonly string[]): Promise<unknown>;
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
    let members: ReadonlyMap<string, string> = new Map();
    const isWritten = writtenAround(around, document.languageId);
    return {
      isStrict,
      get here() {
        return facts.#value(hereKey);
      },
      members: (receiver) => facts.#value(members.get(receiver) ?? ''),
      isWritten: (text) => isWritten(text) || facts.#symbolsOf(document, around).has(text),
      askHere: async () => facts.#ask(hereKey, document, start),
      async askMembers(receivers) {
        const places = receivers.slice(0, MOST_AT_ONCE).flatMap((receiver) => {
          const place = placeOf(receiver, around, position);
          return place === undefined ? [] : [{ receiver, place, key: keyAt(document, place) }];
        });
        members = new Map(places.map(({ receiver, key }) => [receiver, key]));
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

/** Behind the dot of the last `receiver.` above the cursor that a server can be asked at. */
function placeOf(receiver: string, { before }: Around, cursor: vscode.Position): vscode.Position | undefined {
  const [end] = isChain(receiver) ? placesBehind(before, receiver) : placesOf(before, `${receiver}.`);
  if (end === undefined) return undefined;
  const below = before.slice(end).split('\n');
  const line = cursor.line - (below.length - 1);
  const first = before.lastIndexOf('\n', end - 1) + 1;
  return new vscode.Position(line, below.length === 1 ? cursor.character - (before.length - end) : end - first);
}

/** The ends of a text within another where no longer name ends with it, the last first. */
function* placesOf(before: string, wanted: string): Generator<number> {
  for (let at = before.lastIndexOf(wanted); at >= 0; at = at === 0 ? -1 : before.lastIndexOf(wanted, at - 1))
    if (!/[\p{L}\p{N}_$.]/u.test(before.charAt(at - 1))) yield at + wanted.length;
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

/** Words of open documents and snippets are offered in any language; they say nothing of what exists. */
function offerOf({ items, isIncomplete }: vscode.CompletionList): Offer {
  const real = items.filter(
    ({ kind }) => kind !== vscode.CompletionItemKind.Text && kind !== vscode.CompletionItemKind.Snippet,
  );
  if (!real.some(({ kind }) => kind !== vscode.CompletionItemKind.Keyword)) return NOTHING;
  const sorted = [...real].sort((one, two) => compare(one.sortText ?? labelOf(one), two.sortText ?? labelOf(two)));
  return {
    names: new Set(real.flatMap(namesOf)),
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
