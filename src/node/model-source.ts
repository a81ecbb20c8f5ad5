/** Where models come from: the default one, what people may name instead, and the file that it becomes. Fetches nothing. */
import { basename } from 'node:path';
import { OperationError } from '#core/problem.ts';

/**
 * The base model, whose vocabulary has the markers for filling in and on which adapters are trained, at one revision,
 * with the hash under which it is known in public.
 */
export const DEFAULT_MODEL = {
  repository: 'ggml-org/Qwen2.5-Coder-1.5B-Q8_0-GGUF',
  revision: '8be1b8a895a84beea772817caaa71eba6b6e0d07',
  file: 'qwen2.5-coder-1.5b-q8_0.gguf',
  sha256: '29871c94d15727a6e243f79a37113d4ae625a6215b5e800bf41a23af2da32832',
  size: '1.65 GB',
  licence: 'Apache-2.0',
} as const;

const HUB = 'https://huggingface.co';

/**
 * Of `hf:USER/REPOSITORY/FILE.gguf`, or an address itself; without a name of the default model. `HF_ENDPOINT` names a
 * mirror of the hub. Throws OperationError `usage`.
 */
export function addressOf(name: string | undefined, env: Readonly<Record<string, string | undefined>>): URL {
  const hub = env['HF_ENDPOINT'] || HUB;
  if (name === undefined) {
    const { repository, revision, file } = DEFAULT_MODEL;
    return new URL(`${hub}/${repository}/resolve/${revision}/${file}`);
  }
  const [, repository, file] = /^hf:(\w[\w.-]*\/\w[\w.-]*)\/((?:\w[\w.-]*\/)*\w[\w.-]*\.gguf)$/.exec(name) ?? [];
  if (repository !== undefined && file !== undefined) return new URL(`${hub}/${repository}/resolve/main/${file}`);
  const url = URL.canParse(name) ? new URL(name) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !/\.gguf$/i.test(url.pathname))
    throw new OperationError('usage', `"${name}" names no model.`, {
      remedy: 'Use hf:USER/REPOSITORY/FILE.gguf or an address that ends in .gguf.',
    });
  return url;
}

/** A name without anything that a file system could take for more than a name. */
export function fileNameOf(url: URL): string {
  return basename(decodeURIComponent(url.pathname)).replace(/[^\w.-]/g, '_');
}
