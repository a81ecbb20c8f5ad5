import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/core/problem.ts';
import { createAnthropicCounter, createOfflineCounter, partsOf } from '../../../src/node/token-counter.ts';
import { corpus } from '../../support/corpus.ts';

interface Asked {
  readonly url: string;
  readonly key: string | null;
  readonly text: string;
}

/** Counts a token for each letter and 7 for the message, as the real endpoint adds a fixed cost. */
function counterWith(answer: (asked: Asked) => Response | Promise<Response>): {
  asked: Asked[];
  count: (texts: string[], signal?: AbortSignal) => Promise<readonly number[]>;
} {
  const asked: Asked[] = [];
  const counter = createAnthropicCounter({
    apiKey: 'the-key',
    model: 'claude-test',
    deadlineMs: 50,
    fetch: async (url, init) => {
      const body = JSON.parse(String(init?.body)) as { messages: [{ content: string }] };
      const one = {
        url: String(url),
        key: new Headers(init?.headers).get('x-api-key'),
        text: body.messages[0].content,
      };
      asked.push(one);
      init?.signal?.throwIfAborted();
      return await Promise.race([
        answer(one),
        new Promise<Response>((_, reject) =>
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
        ),
      ]);
    },
  });
  return { asked, count: (texts, signal) => counter.count(texts, signal) };
}

const letters = ({ text }: Asked): Response => Response.json({ input_tokens: text.length + 7 });

describe("Anthropic's count", () => {
  it('is of the text alone, at one fixed address, each text asked once', async () => {
    const { asked, count } = counterWith(letters);
    expect(await count(['four', '', 'four', 'seven77'])).toEqual([4, 0, 4, 7]);
    expect(asked.map((one) => one.text).sort()).toEqual(['a', 'four', 'seven77']);
    expect(new Set(asked.map((one) => one.url))).toEqual(
      new Set(['https://api.anthropic.com/v1/messages/count_tokens']),
    );
    expect(asked[0]?.key).toBe('the-key');
  });

  it.each<[string, () => Response | Promise<Response>, OperationError['kind']]>([
    ['a refused key', () => new Response('', { status: 401 }), 'auth-needed'],
    ['too many questions', () => new Response('', { status: 429 }), 'conflict'],
    ['no count', () => Response.json({}), 'protocol'],
    ['no JSON', () => new Response('<html>'), 'protocol'],
    ['no network', () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
    ['silence', () => new Promise<Response>(() => {}), 'timeout'],
  ])('fails with its kind and never with the key in its message: %s', async (_what, answer, kind) => {
    const error: unknown = await counterWith(answer)
      .count(['x'])
      .catch((caught: unknown) => caught);
    expect(OperationError.is(error, kind)).toBe(true);
    expect(String(error)).not.toContain('the-key');
  });

  it('stops when cancelled', async () => {
    await expect(counterWith(letters).count(['x'], AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });
});

describe('counting offline', () => {
  const whole = (text: string) => countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });

  it('cuts long texts where the count does not change, whatever stands there', async () => {
    const piece = fc.constantFrom(
      ...['\n', '\r\n', '\n\n  ', ' ', '/', '{"', '{"name":"', '"}},{"', "it's", '\u0301', '語', '👩‍👩‍👧', '\ud800'],
      ...[
        '<|endoftext|>',
        '12345',
        'x',
        'Word',
        '- ',
        '###',
        '\t',
        '\u00a0',
        '\ufeff',
        '\u2028',
        '```\n',
        'aVeryLongName',
      ],
    );
    const counter = createOfflineCounter();
    const text = fc
      .array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 })), { minLength: 300, maxLength: 600 })
      .map((parts) => parts.join('').padEnd(1_000, 'y'));
    await fc.assert(
      fc.asyncProperty(text, async (one) => {
        expect(partsOf(one).join('')).toBe(one);
        expect(await counter.count([one])).toEqual([whole(one)]);
      }),
      { numRuns: 150 },
    );
  });

  it('does so on the recorded lists of real servers too', async () => {
    const texts = corpus().flatMap(({ tools }) => [JSON.stringify(tools), JSON.stringify(tools, undefined, 2)]);
    expect(texts.flatMap(partsOf).length).toBeGreaterThan(10 * texts.length);
    expect(await createOfflineCounter().count(texts)).toEqual(texts.map(whole));
  });
});
