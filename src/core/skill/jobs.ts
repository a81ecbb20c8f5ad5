/**
 * Finds the tools that run a job together: one submits, one tells the status, one gives the result. Roles are
 * taken only where the three names share a stem; a lone `submit` or a word in a description proves nothing
 * (upstream's guess made `gzip-file-as-resource` a submit tool).
 */
import type { Tool } from '../model.ts';
import { wordsOf } from './words.ts';

/** The names of three tools that run one job. */
export interface JobRoles {
  readonly submit: string;
  readonly status: string;
  readonly result: string;
}

const SUBMIT = new Set([
  'submit',
  'start',
  'create',
  'generate',
  'run',
  'enqueue',
  'queue',
  'launch',
  'request',
  'begin',
]);
const STATUS = new Set(['status', 'state', 'progress', 'poll']);
const RESULT = new Set(['result', 'results', 'output', 'outputs']);
/** Verbs that may stand beside a role word without being part of the stem. */
const READING = new Set(['get', 'check', 'fetch', 'retrieve', 'read', 'query', 'wait', 'job', 'task']);

function stem(words: readonly string[], role: ReadonlySet<string>): string | undefined {
  const at = words.findIndex((word) => role.has(word));
  if (at < 0) return undefined;
  return words.filter((word, index) => index !== at && !READING.has(word)).join(' ');
}

/** The first job, in the order of its submit tool, whose three names share a stem; undefined where there is none. */
export function findJob(tools: readonly Tool[]): JobRoles | undefined {
  const byStem = (role: ReadonlySet<string>, others: readonly ReadonlySet<string>[]): Map<string, string> => {
    const found = new Map<string, string>();
    for (const tool of tools) {
      const words = wordsOf(tool.name);
      if (words.some((word) => others.some((other) => other.has(word)))) continue;
      const name = stem(words, role);
      if (name !== undefined && !found.has(name)) found.set(name, tool.name);
    }
    return found;
  };
  const statuses = byStem(STATUS, [RESULT]);
  const results = byStem(RESULT, [STATUS]);
  for (const [name, submit] of byStem(SUBMIT, [STATUS, RESULT])) {
    const status = statuses.get(name);
    const result = results.get(name);
    if (status !== undefined && result !== undefined) return { submit, status, result };
  }
  return undefined;
}
