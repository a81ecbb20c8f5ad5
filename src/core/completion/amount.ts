/**
 * How much of a completion to show. Its engine tells where it may be cut and how sure the text up to there is; shown is
 * the piece from which most is expected among those that are sure enough. The figures were fitted on training files of
 * the completion benchmark (`npm run bench -- completions tune`).
 */

/** A place where a completion may be cut, and the chance of the text up to there. */
export interface Step {
  /** UTF-16 units from the completion's start. */
  readonly end: number;
  /** 0 to 1; never grows from step to step. */
  readonly confidence: number;
}

export interface Draft {
  readonly text: string;
  readonly confidence: number;
  /** Empty where the engine cannot tell: then it is the whole or nothing. */
  readonly steps: readonly Step[];
}

/** The least confidence of what is shown, unless a setting says otherwise. */
export const THRESHOLD = 0.45;
/** An engine that gives no steps judges whole texts, which are far less often right to the last character. */
const WHOLE_SHARE = 0.6;
/** Length counts less than confidence: twice as long is not worth being wrong twice as often. */
const LENGTH_POWER = 0.5;

/** The piece to show; undefined where nothing is sure enough. */
export function amountOf(draft: Draft, threshold: number): Draft | undefined {
  if (draft.text === '') return undefined;
  if (draft.steps.length === 0) return draft.confidence >= threshold * WHOLE_SHARE ? draft : undefined;
  let best: Step | undefined;
  let most = 0;
  for (const step of draft.steps) {
    if (step.confidence < threshold) break;
    const worth = step.confidence * step.end ** LENGTH_POWER;
    if (step.end > draft.text.length || worth <= most || isWithinLaterLine(draft.text, step.end)) continue;
    most = worth;
    best = step;
  }
  return best === undefined ? undefined : cutAt(draft, best.end);
}

/** Further lines are shown whole or not at all. */
function isWithinLaterLine(text: string, end: number): boolean {
  return text.lastIndexOf('\n', end - 1) >= 0 && end < text.length && text.charAt(end) !== '\n';
}

/** The draft up to `end`, with the confidence that holds there. */
export function cutAt(draft: Draft, end: number): Draft {
  if (end >= draft.text.length) return draft;
  const steps = draft.steps.filter((step) => step.end <= end);
  // What is cut between two steps is at least as sure as the text up to the next.
  const next = draft.steps.find((step) => step.end >= end);
  return { text: draft.text.slice(0, end), confidence: next?.confidence ?? draft.confidence, steps };
}

/** The rest of a draft whose beginning has been typed: what was typed is no longer in doubt. */
export function restOf(draft: Draft, typed: number): Draft {
  const known = draft.steps.findLast(({ end }) => end <= typed)?.confidence ?? 1;
  const now = (confidence: number): number => (known > 0 ? Math.min(1, confidence / known) : confidence);
  return {
    text: draft.text.slice(typed),
    confidence: now(draft.confidence),
    steps: draft.steps.flatMap(({ end, confidence }) =>
      end > typed ? [{ end: end - typed, confidence: now(confidence) }] : [],
    ),
  };
}
