/**
 * Whether a completion may be asked for here and now, and if not, why: each refusal has a code that the status can show.
 * Decides from values only; nothing is read, asked or waited for.
 */
import { isSecretFile } from '../scan/secret-files.ts';
import { type Around, lineAfter } from './around.ts';
import { isWordChar, standingOf } from './syntax.ts';

export type Trigger = 'automatic' | 'invoke';

/** Why no completion is shown; stable words for logs and tests. */
export type Refusal =
  | 'untrusted'
  | 'off'
  | 'paused'
  | 'scheme'
  | 'language'
  | 'secret-file'
  | 'several-cursors'
  | 'selection'
  | 'deleting'
  | 'inside-word'
  | 'text-after'
  | 'comment'
  | 'prose'
  | 'short-choice'
  | 'other-choice';

/** What is known before any text is read. */
export interface Circumstances {
  readonly trigger: Trigger;
  readonly isTrusted: boolean;
  readonly isEnabled: boolean;
  readonly isPaused: boolean;
  readonly isLanguageWanted: boolean;
  /** Of the document's address; only files on a disk belong to a workspace. */
  readonly scheme: string;
  /** With forward slashes. */
  readonly path: string;
  readonly cursors: number;
  readonly hasSelection: boolean;
  /** Whether the last change of the document only took text away. */
  readonly isDeleting: boolean;
}

/** What the suggest widget has chosen, where it is open. */
export interface Choice {
  readonly text: string;
  /** What stands in the range it would replace, up to the cursor. */
  readonly typed: string;
}

/** Fewer typed characters of a chosen suggestion do not say what is meant. */
const CHOICE_TYPED = 3;

/** The part of the gate that needs no text, so that of a secret file none is ever read. */
export function refusalBefore(now: Circumstances): Refusal | undefined {
  if (!now.isTrusted) return 'untrusted';
  if (!now.isEnabled) return 'off';
  if (now.isPaused) return 'paused';
  if (now.scheme !== 'file') return 'scheme';
  if (isSecretFile(now.path)) return 'secret-file';
  if (!now.isLanguageWanted) return 'language';
  if (now.cursors > 1) return 'several-cursors';
  if (now.hasSelection) return 'selection';
  return now.trigger === 'automatic' && now.isDeleting ? 'deleting' : undefined;
}

/** The part of the gate that looks at the text around the cursor. */
export function refusalAt(
  around: Around,
  language: string,
  trigger: Trigger,
  choice: Choice | undefined,
): Refusal | undefined {
  const rest = lineAfter(around);
  if (isWordChar(rest.charAt(0))) return 'inside-word';
  if (choice !== undefined) {
    const isContinued = choice.text.startsWith(choice.typed);
    if (!isContinued) return 'other-choice';
    if (trigger === 'automatic' && choice.typed.length < CHOICE_TYPED && choice.text.length > choice.typed.length)
      return 'short-choice';
  }
  if (trigger === 'invoke') return undefined;
  if (!isClosing(rest)) return 'text-after';
  const standing = standingOf(around.before, language);
  if (standing.kind === 'comment') return 'comment';
  return standing.kind === 'string' && /\s\S*\s/.test(standing.text) ? 'prose' : undefined;
}

/** Whether only what closes something stands to the right: an editor that closes brackets by itself puts it there. */
function isClosing(rest: string): boolean {
  return rest.length <= 200 && /^[\s)\]}>;,:'"`]*$/.test(rest);
}
