/**
 * A line diff (Myers, greedy forward search) and its unified form. Bounded: texts that differ in more than
 * {@link MAX_EDITS} lines are shown as one replaced block, correct though not minimal.
 */

/** Lines before and after the change that starts at these indices (from 0); what lies between changes is equal. */
export interface Change {
  readonly from: number;
  readonly removed: number;
  readonly to: number;
  readonly added: number;
}

/** Beyond this many removed and added lines no shortest diff is sought: memory grows with its square. */
export const MAX_EDITS = 2000;

/** The changes that turn one list of lines into the other, in order. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly Change[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  if (a.length === 0 && b.length === 0) return [];
  const whole = [{ from: start, removed: a.length, to: start, added: b.length }];
  if (a.length === 0 || b.length === 0) return whole;
  const trace = searchTrace(a, b);
  return trace === undefined ? whole : changesOf(trace, a.length, b.length, start);
}

/** The furthest reach on each diagonal before every round, or nothing where the bound was met first. */
function searchTrace(a: readonly string[], b: readonly string[]): readonly Int32Array[] | undefined {
  const bound = Math.min(a.length + b.length, MAX_EDITS);
  const reach = new Int32Array(2 * bound + 3);
  const at = (diagonal: number): number => reach[diagonal + bound + 1] ?? 0;
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= bound; edits += 1) {
    trace.push(reach.slice(bound - edits, bound + edits + 3));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
      let x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      reach[diagonal + bound + 1] = x;
      if (x >= a.length && x - diagonal >= b.length) return trace;
    }
  }
  return undefined;
}

/** Walks the trace back from the end and joins neighbouring edits. */
function changesOf(trace: readonly Int32Array[], fromEnd: number, toEnd: number, offset: number): readonly Change[] {
  const changes: { from: number; removed: number; to: number; added: number }[] = [];
  let x = fromEnd;
  let y = toEnd;
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const at = (diagonal: number): number => trace[edits]?.[diagonal + edits + 1] ?? 0;
    const diagonal = x - y;
    const down = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
    const from = down ? at(diagonal + 1) : at(diagonal - 1);
    const to = from - (down ? diagonal + 1 : diagonal - 1);
    const last = changes.at(-1);
    const [removed, added] = down ? [0, 1] : [1, 0];
    if (last !== undefined && last.from === offset + from + removed && last.to === offset + to + added) {
      last.from -= removed;
      last.to -= added;
      last.removed += removed;
      last.added += added;
    } else {
      changes.push({ from: offset + from, removed, to: offset + to, added });
    }
    x = from;
    y = to;
  }
  return changes.reverse();
}

/** One side of a diff: its label, and its text or nothing where the file does not exist. */
export interface DiffSide {
  readonly label: string;
  readonly text: string | undefined;
}

/** The unified diff of two texts with three lines of context; empty where they are equal. */
export function unifiedDiff(before: DiffSide, after: DiffSide, context = 3): string {
  const a = linesOf(before.text ?? '');
  const b = linesOf(after.text ?? '');
  const changes = diffLines(a, b);
  if (changes.length === 0 && (before.text === undefined) === (after.text === undefined)) return '';
  const head = [side(before, '---'), side(after, '+++')];
  return [...head, ...hunksOf(changes, context).flatMap((hunk) => hunkLines(hunk, a, b, context)), ''].join('\n');
}

function side(side: DiffSide, mark: string): string {
  return `${mark} ${side.text === undefined ? '/dev/null' : side.label}`;
}

/** Lines with their line ends marked where one is missing, so that a lost last newline is a difference. */
function linesOf(text: string): readonly string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const last = lines.pop();
  return last === '' || last === undefined ? lines : [...lines, `${last}\n\\ No newline at end of file`];
}

/** Changes whose contexts touch belong to one hunk. */
function hunksOf(changes: readonly Change[], context: number): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const change of changes) {
    if (change.from - end <= 2 * context) hunks.at(-1)?.push(change);
    else hunks.push([change]);
    end = change.from + change.removed;
  }
  return hunks;
}

function hunkLines(hunk: readonly Change[], a: readonly string[], b: readonly string[], context: number): string[] {
  const first = hunk[0];
  const last = hunk.at(-1);
  if (first === undefined || last === undefined) return [];
  const lead = Math.min(context, first.from);
  const tail = Math.min(context, a.length - last.from - last.removed);
  const lines: string[] = [];
  let next = first.from - lead;
  for (const { from, removed, to, added } of hunk) {
    lines.push(...a.slice(next, from).map((line) => ` ${line}`));
    lines.push(...a.slice(from, from + removed).map((line) => `-${line}`));
    lines.push(...b.slice(to, to + added).map((line) => `+${line}`));
    next = from + removed;
  }
  lines.push(...a.slice(next, next + tail).map((line) => ` ${line}`));
  const fromCount = last.from + last.removed + tail - (first.from - lead);
  const toCount = last.to + last.added + tail - (first.to - lead);
  return [`@@ -${span(first.from - lead, fromCount)} +${span(first.to - lead, toCount)} @@`, ...lines];
}

/** The start (from 1; the line before where the count is 0) and the count of a hunk's side. */
function span(start: number, count: number): string {
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}
