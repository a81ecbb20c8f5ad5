/**
 * What kiri's tools answer, read strictly: `context_bundle` gives an object with `context`, `files_search` a list, both
 * as JSON text in the result. Anything else is nothing. Facts of kiri 0.10.
 */
import { z } from 'zod';
import type { JsonObject } from '#core/model.ts';
import type { Pointer } from './source.ts';

const line = z.number().int().min(1);
/** Relative, with forward slashes, and no way out. */
const path = z
  .string()
  .min(1)
  .max(1_000)
  .refine((it) => !/^[/\\]|^[a-z]:|\\|\0/i.test(it) && !it.split('/').includes('..'));
const bundle = z.object({ context: z.array(z.unknown()) });
const stretch = z.object({ path, range: z.tuple([line, line]) });
const match = z.object({ path, matchLine: line });
const content = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
});

/** How many lines after a match belong to it. */
const AROUND = 8;

/** Empty where the result is an error or of another shape. */
export function pointersOf(result: JsonObject): readonly Pointer[] {
  const read = content.safeParse(result);
  if (!read.success || read.data.isError === true) return [];
  const text = read.data.content.find((one) => one.type === 'text')?.text ?? '';
  const value = parsed(text);
  const listed = bundle.safeParse(value);
  const items: readonly unknown[] = listed.success ? listed.data.context : Array.isArray(value) ? value : [];
  return items.flatMap((item) => pointerOf(item) ?? []);
}

function pointerOf(item: unknown): Pointer | undefined {
  const found = stretch.safeParse(item);
  if (found.success) {
    const [from, to] = found.data.range;
    return { path: found.data.path, line: from, endLine: Math.max(from, to) };
  }
  const matched = match.safeParse(item);
  if (!matched.success) return undefined;
  return { path: matched.data.path, line: matched.data.matchLine, endLine: matched.data.matchLine + AROUND };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first word of a question that can only be a name in code: with a hump, an underscore, or called. */
export function identifierIn(question: string): string | undefined {
  const names = question.match(/[A-Za-z_$][\w$]*(?:\(\))?/g) ?? [];
  return names
    .find((name) => /[a-z][A-Z]|[A-Z]{2,}[a-z]|\w_\w|\(\)$/.test(name) && name.length > 3)
    ?.replace(/\(\)$/, '');
}
