/** What counts tokens for a command; built by the commands that count, because tables of tokens are heavy. */
import type { TokenCounter } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { createAnthropicCounter, createOfflineCounter } from '#node/token-counter.ts';
import type { Context } from './context.ts';

/** Throws OperationError `usage` where exact counts are wanted and there is no key. */
export function counterOf({ args, host }: Pick<Context, 'args' | 'host'>): TokenCounter {
  if (args.anthropic === undefined) return createOfflineCounter();
  const apiKey = host.env['ANTHROPIC_API_KEY'] ?? '';
  if (apiKey === '')
    throw new OperationError('usage', '--anthropic needs a key.', {
      remedy: 'Set ANTHROPIC_API_KEY, or leave the option out to count offline.',
    });
  return createAnthropicCounter({ apiKey, model: args.anthropic });
}
