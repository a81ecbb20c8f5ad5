/** Finds what a job's answers say: its id and its status, wherever servers put them. Pure. */
import { exactInteger, isObject, type JsonObject, own, parseJson } from './json.ts';
import { blocksOf, textIn, textOf } from './result.ts';

/** Names of the id, likeliest first. */
export const ID_NAMES: readonly string[] = [
  'request_id',
  'requestId',
  'job_id',
  'jobId',
  'task_id',
  'taskId',
  'session_id',
  'sessionId',
  'id',
];

const DONE: ReadonlySet<string> = new Set([
  'completed',
  'complete',
  'done',
  'success',
  'succeeded',
  'finished',
  'ready',
]);
const FAILED: ReadonlySet<string> = new Set([
  'failed',
  'failure',
  'error',
  'cancelled',
  'canceled',
  'timeout',
  'expired',
  'rejected',
]);
const INNER = ['data', 'result', 'job'];
const TEXT_LIMIT = 10 * 1024 * 1024;

/** The value, or the first of a list, where that is an object; a list of one or none. */
function firstObject(value: unknown): readonly Record<string, unknown>[] {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return isObject(first) ? [first] : [];
}

/** Objects that a result carries: its structured content, then JSON in its texts, then one level deeper. */
function dataOf(result: unknown): readonly Record<string, unknown>[] {
  const values: unknown[] = [own(result, 'structuredContent')];
  for (const block of blocksOf(result)) {
    const text = textIn(block);
    if (text === undefined || text.length > TEXT_LIMIT || !/^\s*[[{]/.test(text)) continue;
    try {
      values.push(parseJson(text));
    } catch {
      // Text that only begins like JSON says nothing.
    }
  }
  const outer = values.flatMap(firstObject);
  return [...outer, ...outer.flatMap((value) => INNER.flatMap((name) => firstObject(own(value, name))))];
}

function idText(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return String(value);
  if (typeof value !== 'string') return undefined;
  return exactInteger(value) ?? (value.trim() || undefined);
}

/** The job's id in the answer of its submit tool; `ownName` is looked for first. */
export function jobIdOf(result: unknown, ownName: string | undefined): string | undefined {
  const names = ownName === undefined ? ID_NAMES : [ownName, ...ID_NAMES];
  for (const data of dataOf(result)) {
    for (const name of names) {
      const id = idText(own(data, name));
      if (id !== undefined) return id;
    }
  }
  return undefined;
}

/** What a status word means for the one who waits. */
export type Progress =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly word: string }
  | { readonly kind: 'running' };

/** How far a job is, by the status word of an answer; anything unknown keeps running. */
export function progressOf(result: unknown): Progress {
  const word = statusWord(result);
  if (DONE.has(word)) return { kind: 'done' };
  return FAILED.has(word) ? { kind: 'failed', word } : { kind: 'running' };
}

function statusWord(result: unknown): string {
  for (const data of dataOf(result)) {
    for (const name of ['status', 'state']) {
      const value = own(data, name);
      if (typeof value === 'string') return value.trim().toLowerCase();
    }
  }
  return textOf(result)
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '');
}

/** The id argument of a status or result tool: under the name, and in the type, that its schema wants. */
export function idArguments(id: string, schema: JsonObject | undefined, ownName: string | undefined): JsonObject {
  const properties = own(schema, 'properties');
  const known = isObject(properties) ? ID_NAMES.find((name) => Object.hasOwn(properties, name)) : undefined;
  const name = ownName ?? known ?? 'request_id';
  const type = own(own(properties, name), 'type');
  const numeric = (type === 'integer' || type === 'number') && /^-?[0-9]+$/.test(id);
  return Object.fromEntries([[name, numeric ? parseJson(id) : id]]);
}
