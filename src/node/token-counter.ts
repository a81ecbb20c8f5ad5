/**
 * The token counters: o200k_base offline, and Anthropic's own count for a named model, which needs a key and sends
 * the texts, so it runs only where a person asked for it.
 */

import type { TokenCounter } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';

/** Offline. The vocabulary is loaded on first use (about 2 MB), counts of the same text are remembered. */
export function createOfflineCounter(): TokenCounter {
  let load: Promise<(text: string) => number> | undefined;
  const known = new Map<string, number>();
  const loaded = async (): Promise<(text: string) => number> => {
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
    // Texts may hold the tokenizer's own control words; they are counted as the plain text they are.
    return (text) => countTokens(text, { allowedSpecial: new Set(), disallowedSpecial: new Set() });
  };
  return {
    name: 'o200k_base',
    exact: false,
    async count(texts, signal) {
      load ??= loaded();
      const countOne = await load;
      const counts: number[] = [];
      const remembered = (text: string): number => {
        const before = known.get(text);
        if (before !== undefined) return before;
        const count = countOne(text);
        if (known.size > MOST_REMEMBERED) known.clear();
        known.set(text, count);
        return count;
      };
      for (const text of texts) {
        signal?.throwIfAborted();
        counts.push(partsOf(text).reduce((sum, part) => sum + remembered(part), 0));
      }
      return counts;
    },
  };
}

/** Parts whose counts are kept; the texts of a server of 500 tools have about 40,000. */
const MOST_REMEMBERED = 100_000;
/** Shorter texts are counted whole. */
const LONG = 1_000;

/**
 * Parts whose counts add up to the text's own: it is cut only where the encoding's pattern ends a match whatever
 * stands around, which is after a line end before anything but space and slash, and inside `{"name` before the name.
 * When one tool of many is left out, nearly all parts of the texts are known.
 */
export function partsOf(text: string): readonly string[] {
  return text.length < LONG ? [text] : text.split(/(?<=\n)(?=[^\s/])|(?<=\{")(?=[A-Za-z])/);
}

export interface AnthropicCounterOptions {
  readonly apiKey: string;
  /** For example `claude-opus-5`; the count is this model's own. */
  readonly model: string;
  /** For tests; the address itself is fixed, so that no workspace can send the key elsewhere. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds a request may take. */
  readonly deadlineMs?: number;
}

const ENDPOINT = 'https://api.anthropic.com/v1/messages/count_tokens';
const CONCURRENT = 4;

/**
 * Counts by Anthropic's count_tokens endpoint. The fixed cost of a message is counted once and taken off. Throws
 * OperationError `auth-needed`, `unreachable`, `timeout`, `conflict` (too many questions) or `protocol`.
 */
export function createAnthropicCounter(options: AnthropicCounterOptions): TokenCounter {
  const send = options.fetch ?? globalThis.fetch;
  const known = new Map<string, Promise<number>>();
  const ask = async (text: string, signal: AbortSignal | undefined): Promise<number> => {
    const deadline = AbortSignal.timeout(options.deadlineMs ?? 30_000);
    let response: Response;
    try {
      response = await send(ENDPOINT, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json', 'x-api-key': options.apiKey, 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({ model: options.model, messages: [{ role: 'user', content: text === '' ? ' ' : text }] }),
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted) throw new OperationError('timeout', 'Anthropic did not answer in time.', { cause: error });
      throw new OperationError('unreachable', 'Anthropic could not be reached.', {
        remedy: 'Check the network, or leave out --anthropic to count offline.',
        cause: error,
      });
    }
    if (response.status === 401 || response.status === 403)
      throw new OperationError('auth-needed', `Anthropic refused the key (HTTP ${response.status}).`, {
        remedy: 'Set ANTHROPIC_API_KEY to a valid key.',
      });
    if (response.status === 429 || response.status === 529)
      throw new OperationError('conflict', `Anthropic takes no more questions now (HTTP ${response.status}).`, {
        remedy: 'Count again later, or leave out --anthropic to count offline.',
      });
    const answer: unknown = await response.json().catch(() => undefined);
    if (
      !response.ok ||
      typeof answer !== 'object' ||
      answer === null ||
      !('input_tokens' in answer) ||
      typeof answer.input_tokens !== 'number'
    )
      throw new OperationError('protocol', `Anthropic answered HTTP ${response.status} without a count.`, {
        remedy: `Check that the model "${options.model}" exists.`,
      });
    return answer.input_tokens;
  };
  const remembered = (text: string, signal: AbortSignal | undefined): Promise<number> => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const count = ask(text, signal);
    known.set(text, count);
    count.catch(() => known.delete(text));
    return count;
  };
  return {
    name: `Anthropic, ${options.model}`,
    exact: true,
    async count(texts, signal) {
      // One letter is one token, so what is beyond it is the message's own overhead.
      const overhead = (await remembered('a', signal)) - 1;
      const counts = new Array<number>(texts.length).fill(0);
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let index = next++; index < texts.length; index = next++) {
          const text = texts[index] ?? '';
          counts[index] = text === '' ? 0 : Math.max(0, (await remembered(text, signal)) - overhead);
        }
      };
      await Promise.all(Array.from({ length: Math.min(CONCURRENT, texts.length) }, worker));
      return counts;
    },
  };
}
