/** The words of `mochi serve` about engines and models, checked. Looks at no file: what is wrong with one is said later. */
import { resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { isLoopback } from './http/guard.ts';

/** Who answers: `auto` is the embedded engine, and a model beside it where one is named. */
export const ENGINES = ['auto', 'embedded', 'llama', 'http'] as const;
export type EngineChoice = (typeof ENGINES)[number];

export interface ModelOptions {
  readonly engine: EngineChoice;
  /** A GGUF file, absolute. */
  readonly model: string | undefined;
  /** All are applied together; a scale takes the place of the one in the adapter's settings. */
  readonly adapters: readonly { readonly folder: string; readonly scale?: number }[];
  /** The folder in which the engine for models was installed, absolute. */
  readonly backend: string | undefined;
  /** A model server, in the place of a file. */
  readonly server?: { readonly url: URL; readonly model: string | undefined; readonly key: string | undefined };
}

export interface ModelWords {
  readonly engine?: string | undefined;
  readonly model?: string | undefined;
  readonly adapter?: readonly string[] | undefined;
  readonly backend?: string | undefined;
  readonly 'model-url'?: string | undefined;
}

/** Environment variables that say the same as the words. */
export const MODEL_VARIABLES = {
  model: 'MOCHI_MODEL',
  backend: 'MOCHI_BACKEND',
  url: 'MOCHI_MODEL_URL',
  /** Only here: what is on a command line can be read by every other process. */
  key: 'MOCHI_MODEL_KEY',
} as const;
const MOST_ADAPTERS = 8;

interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** Throws OperationError `usage`. */
export function modelOptions(words: ModelWords, { env, cwd }: Around): ModelOptions {
  const engine = ENGINES.find((one) => one === (words.engine ?? 'auto'));
  if (engine === undefined)
    throw usage(`--engine ${words.engine ?? ''} is not known.`, `Use one of ${ENGINES.join(', ')}.`);
  const model = words.model ?? given(env[MODEL_VARIABLES.model]);
  const adapters = words.adapter ?? [];
  const address = words['model-url'] ?? given(env[MODEL_VARIABLES.url]);
  if (engine === 'http' && address === undefined)
    throw usage('--engine http needs a server.', `Give --model-url URL or set ${MODEL_VARIABLES.url}.`);
  if (address !== undefined && engine !== 'embedded' && engine !== 'llama') {
    if (adapters.length > 0)
      throw usage('--adapter is for a model of this machine.', 'Load the adapter there, and name it with --model.');
    const server = { url: urlOf(address, env), model: words.model || undefined, key: given(env[MODEL_VARIABLES.key]) };
    return { engine, model: undefined, adapters: [], backend: undefined, server };
  }
  if (model === undefined && engine === 'llama')
    throw usage('--engine llama needs a model.', `Give --model FILE or set ${MODEL_VARIABLES.model}.`);
  if (model === undefined && adapters.length > 0)
    throw usage('--adapter needs the model that it was trained on.', 'Give --model FILE too.');
  if (model === '') throw usage('--model is empty.', 'Name a GGUF file.');
  if (adapters.length > MOST_ADAPTERS)
    throw usage(`${adapters.length} adapters are too many.`, `Give at most ${MOST_ADAPTERS}.`);
  const backend = words.backend ?? given(env[MODEL_VARIABLES.backend]);
  return {
    engine,
    model: model === undefined ? undefined : resolve(cwd, model),
    adapters: adapters.map((one) => adapterOf(one, cwd)),
    backend: backend === undefined ? undefined : resolve(cwd, backend),
  };
}

const given = (value: string | undefined): string | undefined => (value === '' ? undefined : value);

/** `DIR` or `DIR:SCALE`. The colon of a Windows drive is no separator, and a number after it no scale. */
function adapterOf(word: string, cwd: string): ModelOptions['adapters'][number] {
  if (word.trim() === '') throw usage('--adapter is empty.', 'Name the folder that PEFT saved.');
  const [, folder, text = ''] = /^(.{2,}):([^:/\\]*)$/s.exec(word) ?? [];
  if (folder === undefined) return { folder: resolve(cwd, word) };
  const scale = text.trim() === '' ? Number.NaN : Number(text);
  if (!(scale >= 0 && scale <= 10))
    throw usage(`--adapter ${word}: "${text}" is no scale.`, 'Use a number from 0 to 10: --adapter DIR:0.5');
  return { folder: resolve(cwd, folder), scale };
}

/** A key must not cross a network in the clear. */
function urlOf(text: string, env: Around['env']): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usage('--model-url is no http or https address.', 'Give one such as http://127.0.0.1:8080/v1');
  if (url.username !== '' || url.password !== '')
    throw usage('--model-url holds a password.', `Put the key in ${MODEL_VARIABLES.key} instead.`);
  const isHere = isLoopback(url.hostname.replace(/^\[|\]$/g, ''));
  if (given(env[MODEL_VARIABLES.key]) !== undefined && url.protocol === 'http:' && !isHere)
    throw usage('--model-url would carry the key in the clear.', 'Use https, or a server of this machine.');
  return url;
}

function usage(message: string, remedy: string): OperationError {
  return new OperationError('usage', message, { remedy });
}
