/**
 * Reads the `mochi.json` that may lie beside an adapter: how it wants to be asked and how strongly it is applied. What
 * is not there has a default; what is there must be right.
 */
import { z } from 'zod';
import { OperationError } from '#core/problem.ts';
import { parseJson, readSmall } from './adapter-config.ts';

const settingsSchema = z.strictObject({
  /** So that editors can offer the schema; not read. */
  $schema: z.string().optional(),
  /** The form of a question: what the adapter was trained on. */
  prompt: z.enum(['alpaca', 'chatml', 'raw']).default('alpaca'),
  /** Whether code is filled in between prefix and suffix: as the base's tokens allow, always, or never. */
  fim: z.enum(['auto', 'on', 'off']).default('auto'),
  /** How strongly it is applied; 1 as trained, 0 not at all. */
  scale: z.number().min(0).max(10).default(1),
  /** For people. */
  description: z.string().max(500).default(''),
});

export type AdapterSettings = Readonly<Omit<z.infer<typeof settingsSchema>, '$schema'>>;

/** The settings of an adapter whose folder has no such file. */
export const DEFAULT_ADAPTER_SETTINGS: AdapterSettings = settingsSchema.parse({});

/** Throws OperationError `io` or `usage` with the file, the field and what it may be. */
export async function readAdapterSettings(file: string): Promise<AdapterSettings> {
  const text = await readSmall(file);
  if (text === undefined) return DEFAULT_ADAPTER_SETTINGS;
  const parsed = settingsSchema.safeParse(parseJson(text, file));
  if (parsed.success) {
    const { $schema: _, ...settings } = parsed.data;
    return settings;
  }
  const issue = parsed.error.issues[0];
  const field = issue?.path.join('.') ?? '';
  throw new OperationError('usage', `${file}: ${field === '' ? '' : `${field}: `}${issue?.message}.`, {
    remedy:
      'Use prompt (alpaca, chatml or raw), fim (auto, on or off), scale (0 to 10) and description, and nothing else.',
  });
}
