/**
 * What Mochi's tools take, as the server checks it and tells it to clients. Nobody else reads this file: it needs all of
 * zod, and a client of Mochi sends what it sends. The answers stand in `mochi.ts`.
 */
import * as z from 'zod';
import { LIMITS } from './mochi.ts';

const shortText = z.string().trim().min(1).max(LIMITS.shortText);
const longText = z.string().max(LIMITS.longText);

/** Relative, with forward slashes, and inside the folder it is relative to. */
const isInside = (path: string): boolean =>
  !/^[/\\]|^[a-z]:|\\|\0/i.test(path) && !path.split('/').some((part) => part === '..');

export const domainQueryInput = z.strictObject({
  instruction: shortText.describe('The question or instruction'),
  input: longText.optional().describe('Additional context (optional)'),
  max_tokens: z
    .number()
    .min(1)
    .max(LIMITS.maxTokens)
    .default(512)
    .describe('Maximum tokens to generate (default: 512)'),
});

export const completeCodeInput = z.strictObject({
  prefix: longText.describe('Code before cursor'),
  suffix: longText.optional().describe('Code after cursor (optional)'),
  language: z.string().max(100).optional().describe('Programming language'),
  path: z
    .string()
    .max(LIMITS.path)
    .refine(isInside, 'must be a path inside the workspace, with forward slashes')
    .optional()
    .describe('Path of the file in the workspace (optional); a hint that is never opened'),
  facts: z
    .array(z.string().max(LIMITS.fact))
    .max(LIMITS.facts)
    .optional()
    .describe('Names or signatures that a language server offers at the cursor (optional)'),
});

export const suggestPatternInput = z.strictObject({
  goal: shortText.describe("What you're trying to achieve"),
  context: longText.optional().describe('Current code context (optional)'),
});

/** Of the tool that loads a skill, whose answer is text alone. */
export const skillInput = z.strictObject({
  skill: z.string().trim().min(1).max(200).describe('The name of the skill, as listed'),
});

/** Of the notification that files changed. */
export const filesChanged = z.object({ paths: z.array(z.string().max(LIMITS.path)).max(1_000).optional() });
