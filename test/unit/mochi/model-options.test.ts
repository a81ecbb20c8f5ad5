/** The words of the server about engines and models. */
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/core/problem.ts';
import { threads } from '../../../src/mochi/model-engines.ts';
import { type ModelWords, modelOptions } from '../../../src/mochi/model-options.ts';

const options = (words: ModelWords, env: Record<string, string> = {}) => modelOptions(words, { env, cwd: '/here' });
const at = (path: string): string => resolve('/here', path);

describe('the words about models', () => {
  it('mean the embedded engine alone unless a model is named', () => {
    expect(options({})).toEqual({ engine: 'auto', model: undefined, adapters: [], backend: undefined });
    expect(options({ model: 'm.gguf', engine: 'llama', backend: 'b' })).toEqual({
      engine: 'llama',
      model: at('m.gguf'),
      adapters: [],
      backend: at('b'),
    });
  });

  it('may stand in the environment, where the words say nothing', () => {
    const env = { MOCHI_MODEL: 'env.gguf', MOCHI_BACKEND: 'env' };
    expect(options({}, env)).toMatchObject({ model: at('env.gguf'), backend: at('env') });
    expect(options({ model: 'm', backend: 'b' }, env)).toMatchObject({ model: at('m'), backend: at('b') });
    expect(options({}, { MOCHI_MODEL: '', MOCHI_BACKEND: '' })).toMatchObject({ model: undefined, backend: undefined });
  });

  it.each([
    ['a', { folder: at('a') }],
    ['./a:0.5', { folder: at('a'), scale: 0.5 }],
    ['./a:0', { folder: at('a'), scale: 0 }],
    ['C:1', { folder: at('C:1') }],
    ['C:\\my adapter', { folder: at('C:\\my adapter') }],
    ['C:\\a:2', { folder: at('C:\\a'), scale: 2 }],
    ['/a:b/c', { folder: '/a:b/c' }],
  ])('name an adapter by %j', (word, adapter) => {
    expect(options({ model: 'm', adapter: [word] }).adapters).toEqual([adapter]);
  });

  it.each<[ModelWords, RegExp]>([
    [{ engine: 'gpt' }, /--engine gpt/],
    [{ engine: 'llama' }, /needs a model/],
    [{ adapter: ['a'] }, /--adapter needs the model/],
    [{ model: '' }, /--model is empty/],
    [{ model: 'm', adapter: [''] }, /--adapter is empty/],
    [{ model: 'm', adapter: ['./a:x'] }, /"x" is no scale/],
    [{ model: 'm', adapter: ['./a:11'] }, /"11" is no scale/],
    [{ model: 'm', adapter: ['./a:'] }, /"" is no scale/],
    [{ model: 'm', adapter: Array.from({ length: 9 }, () => 'a') }, /9 adapters/],
  ])('are refused with what to do: %j', (words, message) => {
    expect(() => options(words)).toThrow(message);
    expect(() => options(words)).toThrow(OperationError);
  });

  it('name a model server, where --model is a name and no file', () => {
    const url = 'http://127.0.0.1:8080/v1';
    expect(options({ engine: 'http', 'model-url': url, model: 'our/adapter' })).toMatchObject({
      engine: 'http',
      model: undefined,
      server: { url: new URL(url), model: 'our/adapter', key: undefined },
    });
    const env = { MOCHI_MODEL_URL: 'https://models.example/v1', MOCHI_MODEL_KEY: 'k' };
    expect(options({}, env).server).toMatchObject({ url: new URL(env.MOCHI_MODEL_URL), key: 'k' });
    expect(options({ engine: 'embedded' }, env).server).toBeUndefined();
    expect(options({ engine: 'llama', model: 'm' }, env).server).toBeUndefined();
  });

  it.each<[ModelWords, Record<string, string>, RegExp]>([
    [{ engine: 'http' }, {}, /needs a server/],
    [{ 'model-url': 'ftp://a' }, {}, /no http or https/],
    [{ 'model-url': 'http://me:secret@a/' }, {}, /holds a password/],
    [{ 'model-url': 'http://10.0.0.1/v1' }, { MOCHI_MODEL_KEY: 'k' }, /in the clear/],
    [{ 'model-url': 'http://a/v1', adapter: ['x'] }, {}, /--adapter is for a model of this machine/],
  ])('of a server are refused with what to do: %j', (words, env, message) => {
    expect(() => options(words, env)).toThrow(message);
  });

  it.each(['http://localhost:1/v1', 'http://127.0.0.1:1/v1', 'http://[::1]:1/v1', 'https://a.example/v1'])(
    'let a key go to %s',
    (url) => {
      expect(options({ 'model-url': url }, { MOCHI_MODEL_KEY: 'k' }).server?.key).toBe('k');
    },
  );

  it('leave processors to others', () => {
    expect([1, 2, 4, 8, 12, 128].map(threads)).toEqual([1, 1, 3, 4, 6, 16]);
  });
});
