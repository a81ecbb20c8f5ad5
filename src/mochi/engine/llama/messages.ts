/**
 * What the server and the process that runs the model say to each other, over the channel that Node gives a child.
 * Both sides check what arrives; neither dies of a message that is none of these.
 */
import { z } from 'zod';
import { faultSchema } from '#protocol/mochi.ts';

const pieceSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    text: z.string(),
    gives: z.object({ at: z.enum(['start', 'end']), rank: z.number() }).optional(),
  }),
  z.object({ kind: z.literal('special'), text: z.string() }),
]);

const adapterSchema = z.object({
  /** A folder as PEFT saves it. */
  folder: z.string(),
  /** Instead of the one in its settings. */
  scale: z.number().optional(),
});
export type AdapterWish = z.infer<typeof adapterSchema>;

const loadSchema = z.object({
  kind: z.literal('load'),
  /** The folder with the library's `node_modules`. */
  backend: z.string(),
  model: z.string(),
  adapters: z.array(adapterSchema),
  cacheFolder: z.string(),
  /** Bytes that this process may use in all. */
  memoryBytes: z.number(),
  /** Tokens of one context, at most. */
  contextTokens: z.number(),
  maxThreads: z.number(),
});
export type LoadWish = z.infer<typeof loadSchema>;

const requestSchema = z.discriminatedUnion('kind', [
  loadSchema,
  z.object({ kind: z.literal('adapt'), adapters: z.array(adapterSchema) }),
  z.object({
    kind: z.literal('generate'),
    id: z.number(),
    purpose: z.enum(['completion', 'answer']),
    prompt: z.array(pieceSchema),
    maxTokens: z.number(),
    stop: z.array(z.string()),
    deadlineMs: z.number(),
  }),
  z.object({ kind: z.literal('abort'), id: z.number() }),
]);
/** To the process of the model. */
export type Request = z.infer<typeof requestSchema>;

const traitsSchema = z.object({
  name: z.string(),
  form: z.enum(['alpaca', 'chatml', 'raw']),
  fim: z.object({ prefix: z.string(), suffix: z.string(), middle: z.string() }).optional(),
  contextTokens: z.number(),
});

const replySchema = z.discriminatedUnion('kind', [
  /** It runs and waits for what to load. */
  z.object({ kind: z.literal('started') }),
  z.object({ kind: z.literal('progress'), share: z.number() }),
  /** The model is there with these adapters, or with others than before. */
  z.object({ kind: z.literal('ready'), traits: traitsSchema, swapMs: z.number() }),
  /** Without an id it was the loading that failed. */
  z.object({ kind: z.literal('failed'), id: z.number().optional(), fault: faultSchema() }),
  z.object({
    kind: z.literal('generated'),
    id: z.number(),
    text: z.string(),
    tokens: z.array(z.object({ end: z.number(), probability: z.number() })),
    evaluated: z.number(),
    promptTokens: z.number(),
    reason: z.enum(['end', 'stop', 'length', 'deadline']),
  }),
  z.object({ kind: z.literal('aborted'), id: z.number() }),
  z.object({ kind: z.literal('memory'), bytes: z.number(), estimatedBytes: z.number() }),
  z.object({ kind: z.literal('log'), level: z.enum(['debug', 'warn']), message: z.string() }),
]);
/** From the process of the model. */
export type Reply = z.infer<typeof replySchema>;

export function parseRequest(message: unknown): Request | undefined {
  return requestSchema.safeParse(message).data;
}

export function parseReply(message: unknown): Reply | undefined {
  return replySchema.safeParse(message).data;
}
