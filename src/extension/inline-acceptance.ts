/**
 * Sees which ghost text was taken: as a whole by the command that an accepted item runs, in parts by comparing changes of
 * the document with what was shown. Tells counts and texts to the witness and keeps nothing.
 */
import * as vscode from 'vscode';
import { GhostText } from '#core/completion/acceptance.ts';
import type { Disposable } from '#core/ports.ts';
import type { CompletionWitness, ShownSuggestion } from './mochi-contract.ts';

/** Runs after an item was accepted as a whole. The underscore keeps it out of what people and keys are offered. */
const ACCEPTED = '_mochi.accepted';

interface Piece {
  /** What stands left of the cursor in the range that the piece replaces. */
  readonly typed: string;
  readonly text: string;
}

export interface AcceptanceWatch extends Disposable {
  /** What appears at an offset, best first; the continuation of what is shown already is not told again. */
  show(document: vscode.TextDocument, caret: number, pieces: readonly Piece[], about: ShownSuggestion): void;
  /** For the item with this place among those that are shown. */
  command(index: number): vscode.Command;
}

interface Shown {
  readonly document: vscode.TextDocument;
  ghosts: GhostText[];
  readonly pieces: readonly Piece[];
  readonly caret: number;
  readonly id: number;
}

export function watchAcceptance(witness: CompletionWitness): AcceptanceWatch {
  let shown: Shown | undefined;
  let ids = 0;
  /** The last that was taken by its whole text, so that the command that follows does not tell it twice. */
  let told = -1;
  const tell = (document: vscode.TextDocument, offset: number, text: string, id: number): void => {
    if (told === id || text === '') return;
    told = id;
    witness.accepted({ document, offset, text });
  };
  const end = (): void => {
    const taken = shown?.ghosts.map((ghost) => ghost.taken).find((one) => one !== undefined);
    if (shown !== undefined && taken !== undefined) tell(shown.document, taken.offset, taken.text, shown.id);
    shown = undefined;
  };
  const follow = ({ document, contentChanges }: vscode.TextDocumentChangeEvent): void => {
    if (shown?.document !== document || contentChanges.length === 0) return;
    const [change] = contentChanges;
    if (change === undefined || contentChanges.length > 1) return;
    const { rangeOffset: offset, rangeLength: removed, text: inserted } = change;
    const whole = { ...shown };
    const left: GhostText[] = [];
    for (const ghost of shown.ghosts) {
      const fate = ghost.follow({ offset, removed, inserted });
      if (fate === 'whole' && ghost.taken !== undefined) tell(document, ghost.taken.offset, ghost.taken.text, whole.id);
      if (fate === 'part' || fate === 'along') left.push(ghost);
      else if (ghost.taken !== undefined) tell(document, ghost.taken.offset, ghost.taken.text, whole.id);
    }
    if (left.length === 0) shown = undefined;
    else shown.ghosts = left;
  };
  const listening = [
    vscode.workspace.onDidChangeTextDocument(follow),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (shown?.document === document) end();
    }),
    vscode.commands.registerCommand(ACCEPTED, (given: unknown) => {
      const [document, caret, text, id] = Array.isArray(given) ? given : [];
      const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === document);
      if (open !== undefined && typeof caret === 'number' && typeof text === 'string' && typeof id === 'number')
        tell(open, caret, text, id);
    }),
  ];
  return {
    show(document, caret, pieces, about) {
      const isContinued =
        shown?.document === document &&
        shown.ghosts.some((ghost) => ghost.caret === caret && ghost.rest === pieces[0]?.text);
      if (!isContinued) {
        end();
        ids += 1;
        witness.shown(about);
      }
      const ghosts = isContinued ? shown?.ghosts : undefined;
      shown = {
        document,
        caret,
        pieces,
        ghosts: ghosts ?? pieces.map(({ typed, text }) => new GhostText(caret, typed, text)),
        id: ids,
      };
    },
    command(index) {
      const piece = shown?.pieces[index];
      return {
        command: ACCEPTED,
        title: '',
        arguments: [[shown?.document.uri.toString(), shown?.caret, piece?.text, shown?.id]],
      };
    },
    dispose() {
      shown = undefined;
      for (const part of listening) part.dispose();
    },
  };
}
