/**
 * Writes predicted tokens as text: the space before each is what the open file and the learned code write at the places
 * most like this one. Places of the same kinds of tokens count as well, so that a name that is new here is spaced too.
 */
import { gaps, startsLine } from '../learn/lexer.ts';
import { kinds } from '../learn/vocabulary.ts';
import type { ContextIndex, Sequence } from './context-index.ts';
import type { OpenFile } from './open-file.ts';
import type { Sources } from './sources.ts';

/** Places looked at in the open file, and for each length of context in what is learned. */
const looked = 160;
const sampled = 128;
/** Tokens looked back for kinds alone. */
const nearby = 400;
const longest = 4;
/** So many learned places are enough; shorter contexts are not asked then. */
const enough = 6;
/** How much more a place says that has this in common with the cursor's. */
const shared = { last: 2, token: 3, gapBefore: 8, bracket: 4, before: 3, inFile: 4 } as const;

/** The gap byte before `token` at the end of `file`; `isLine` chooses among line gaps or among the others. */
export function gapBefore(file: OpenFile, token: number, isLine: boolean, sources: Sources): number {
  if (!isLine && isWordy(file, file.ids[file.length - 1] ?? 0) && isWordy(file, token)) return gaps.space;
  const votes = new Float64Array(8);
  const vote = (gap: number, weight: number): void => {
    if (startsLine(gap) === isLine) votes[gap & 7] = (votes[gap & 7] ?? 0) + weight;
  };
  votesOfFile(file, token, vote);
  votesOfKinds(file, token, vote);
  const { near, nearSyntax, syntax, syntaxTokens } = sources;
  const isKnown = votesOf(nearSyntax, near?.tokens, file, token, vote);
  if (!isKnown) votesOf(syntax, syntaxTokens, file, token, vote);
  const most = votes.indexOf(Math.max(...votes));
  if ((votes[most] ?? 0) > 0) return most;
  return isLine ? gaps.line : usualGap(file, token);
}

/** Two of these in a row need a space between them. */
function isWordy({ vocabulary }: OpenFile, token: number): boolean {
  const kind = vocabulary.kind(token);
  return kind === kinds.word || kind === kinds.keyword || kind === kinds.number;
}

function votesOfFile(file: OpenFile, token: number, vote: (gap: number, weight: number) => void): void {
  const { ids, classes, enclosing } = file;
  const end = file.length - 1;
  const wanted = file.vocabulary.classOfToken(token);
  const own = (file.gaps[end] ?? 0) & 7;
  const bracket = file.bracket;
  let at = file.previousLike[end] ?? -1;
  for (let steps = 0; at >= 0 && steps < looked; steps += 1, at = file.previousLike[at] ?? -1) {
    if (classes[at + 1] !== wanted) continue;
    let weight: number = shared.inFile;
    if (ids[at] === ids[end]) weight *= shared.last;
    if (ids[at + 1] === token) weight *= shared.token;
    if (((file.gaps[at] ?? 0) & 7) === own) weight *= shared.gapBefore;
    if ((ids[enclosing[at] ?? 0] ?? 0) === bracket) weight *= shared.bracket;
    if (classes[at - 1] === classes[end - 1]) weight *= shared.before;
    vote(file.gaps[at + 1] ?? 0, weight);
  }
}

/** Votes of learned places, those with the longest context in common first; whether there were enough of them. */
function votesOf(
  index: ContextIndex | undefined,
  tokens: Sequence | undefined,
  file: OpenFile,
  token: number,
  vote: (gap: number, weight: number) => void,
): boolean {
  if (index === undefined || tokens === undefined) return false;
  const end = file.length - 1;
  const wanted = file.vocabulary.classOfToken(token);
  const own = (file.gaps[end] ?? 0) & 7;
  const places = new Int32Array(2 * longest);
  let hits = 0;
  for (let order = index.intervals(file.classes, file.length, longest, places); order >= 1; order -= 1) {
    const low = places[order * 2 - 2] ?? 0;
    const high = places[order * 2 - 1] ?? 0;
    const step = Math.max(1, (high - low) / sampled);
    for (let place = low; place < high; place += step) {
      const at = index.order[Math.trunc(place)] ?? 0;
      if (index.tokens[at] !== wanted || index.isLeftOut(at)) continue;
      let weight: number = order;
      if (tokens[at - 1] === file.ids[end]) weight *= shared.last;
      if (tokens[at] === token) weight *= shared.token;
      if (((index.gaps[at - 1] ?? 0) & 7) === own) weight *= shared.gapBefore;
      vote(index.gaps[at] ?? 0, weight);
      hits += 1;
    }
    if (hits >= enough) return true;
  }
  return false;
}

/** Votes of places in the open file where two tokens of these kinds stand, whatever shape their words have. */
function votesOfKinds(file: OpenFile, token: number, vote: (gap: number, weight: number) => void): void {
  const { vocabulary, gaps: known, kinds: kindOf, classes, enclosing } = file;
  const end = file.length - 1;
  const isFixed = (kind: number | undefined): boolean => kind === kinds.mark || kind === kinds.keyword;
  const kind = vocabulary.kind(token);
  const wanted = vocabulary.classOfToken(token);
  for (let at = end; at > Math.max(0, end - nearby); at -= 1) {
    if (kindOf[at] !== kind || kindOf[at - 1] !== kindOf[end]) continue;
    if (isFixed(kind) && classes[at] !== wanted) continue;
    if (isFixed(kindOf[end]) && classes[at - 1] !== classes[end]) continue;
    const isSameBefore = ((known[at - 1] ?? 0) & 7) === ((known[end] ?? 0) & 7);
    const isSameBracket = (file.ids[enclosing[at - 1] ?? 0] ?? 0) === file.bracket;
    vote(known[at] ?? 0, (isSameBefore ? shared.gapBefore : 1) * (isSameBracket ? shared.bracket : 1));
  }
}

const operator = /^(?:[+\-*/%&|^?]|[=<>!&|+\-*/%^?]*=>?|&&|\|\||\?\?|->)$/;

/** The gap where nothing like it was ever seen: as most people write. */
function usualGap(file: OpenFile, token: number): number {
  const { vocabulary } = file;
  const end = file.length - 1;
  const last = file.ids[end] ?? 0;
  const before = vocabulary.textOf(last);
  const after = vocabulary.textOf(token);
  if (/^(?:[([.@!~]|\?\.|.*\$\{)$/.test(before) || /^(?:[)\],;.:]|\?\.)$/.test(after)) return gaps.none;
  if (vocabulary.kind(token) === kinds.string && after.startsWith('}')) return gaps.none;
  if (/^[,;:]$/.test(before) || after === '{') return gaps.space;
  // An operator has the same on both sides, a sign stands close.
  if (operator.test(before)) return isValue(file, file.ids[end - 1] ?? 0) ? (file.gaps[end] ?? 0) & 1 : gaps.none;
  if (operator.test(after)) return gaps.space;
  return [last, token].every((id) => vocabulary.kind(id) !== kinds.mark) ? gaps.space : gaps.none;
}

/** Whether a token may end a value. */
function isValue({ vocabulary }: OpenFile, token: number): boolean {
  const kind = vocabulary.kind(token);
  return kind === kinds.mark ? /^[)\]}]$/.test(vocabulary.textOf(token)) : kind !== kinds.keyword;
}
