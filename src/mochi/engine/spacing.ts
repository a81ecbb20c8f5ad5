/** Writes predicted tokens as text: the space before each is what the open file, or the learned code, writes there most. */
import { gaps, startsLine } from '../learn/lexer.ts';
import { kinds } from '../learn/vocabulary.ts';
import type { ContextIndex } from './context-index.ts';
import type { OpenFile } from './open-file.ts';
import type { Sources } from './sources.ts';

const looked = 48;

/** The gap byte before `token` at the end of `file`; `isLine` chooses among line gaps or among the others. */
export function gapBefore(file: OpenFile, token: number, isLine: boolean, sources: Sources): number {
  const votes = new Map<number, number>();
  const vote = (gap: number, weight: number): void => {
    if (startsLine(gap) === isLine) votes.set(gap & 7, (votes.get(gap & 7) ?? 0) + weight);
  };
  const last = file.ids[file.length - 1] ?? 0;
  let at = file.previous[file.length - 1] ?? -1;
  for (let steps = 0; at >= 0 && steps < looked; steps += 1) {
    if (file.ids[at + 1] === token) vote(file.gaps[at + 1] ?? 0, 2);
    at = file.previous[at] ?? -1;
  }
  for (const index of [sources.folder, sources.near, sources.base]) {
    if (votes.size > 0) break;
    if (index !== undefined) learnedVotes(index, file, token, vote);
  }
  const [best] = [...votes].sort(([, one], [, two]) => two - one);
  if (best !== undefined) return best[0];
  if (isLine) return gaps.line;
  const both = [last, token].every((id) => file.vocabulary.kind(id) !== kinds.mark);
  return both ? gaps.space : gaps.none;
}

function learnedVotes(
  index: ContextIndex,
  file: OpenFile,
  token: number,
  vote: (gap: number, weight: number) => void,
): void {
  const places = new Int32Array(16);
  const found = index.intervals(file.ids, file.length, 6, places);
  for (let order = found; order >= 1; order -= 1) {
    const low = places[order * 2 - 2] ?? 0;
    const high = places[order * 2 - 1] ?? 0;
    let hits = 0;
    const step = Math.max(1, (high - low) / 256);
    for (let place = low; place < high && hits < looked; place += step) {
      const at = index.order[Math.trunc(place)] ?? 0;
      if (index.tokens[at] !== token) continue;
      vote(index.gaps[at] ?? 0, 1);
      hits += 1;
    }
    if (hits > 0) return;
  }
}
