/**
 * Mochi's tools for the editor's chat agents. They only pass on: the arguments as they come, the text of the answer as
 * Mochi gives it, which says itself that quotes are data. Nothing is registered where the editor has no such tools.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { LANGUAGE_MODEL_TOOLS } from './contributions.ts';
import type { FullHost } from './mochi-host.ts';
import { mochiMessages as messages } from './mochi-messages.ts';

/** Milliseconds that a tool waits for the process and its answer. */
const PATIENCE_MS = 30_000;

export function registerTools(host: FullHost, folder: () => string | undefined): readonly Disposable[] {
  if (typeof vscode.lm?.registerTool !== 'function') return [];
  return LANGUAGE_MODEL_TOOLS.map(({ name, tool }) =>
    vscode.lm.registerTool<object>(name, {
      prepareInvocation({ input }) {
        const title = titleOf(tool);
        const [text] = Object.values(input).filter((value) => typeof value === 'string');
        return {
          invocationMessage: messages.toolInvocation(title, text ?? ''),
          confirmationMessages: { title: messages.toolQuestion(title), message: messages.toolDetail() },
        };
      },
      async invoke({ input }, token) {
        const cancelled = new AbortController();
        const listening = token.onCancellationRequested(() => cancelled.abort());
        try {
          const where = folder();
          if (where === undefined) throw new Error(messages.noFolder());
          const signal = AbortSignal.any([cancelled.signal, AbortSignal.timeout(PATIENCE_MS)]);
          const client = await host.client(where, signal);
          return new vscode.LanguageModelToolResult([
            new vscode.LanguageModelTextPart(textIn(await client.call(tool, input, signal))),
          ]);
        } finally {
          listening.dispose();
        }
      },
    }),
  );
}

function titleOf(tool: (typeof LANGUAGE_MODEL_TOOLS)[number]['tool']): string {
  switch (tool) {
    case 'domain_query':
      return messages.askTitle();
    case 'complete_code':
      return messages.completeTitle();
    case 'suggest_pattern':
      return messages.suggestTitle();
    default:
      return tool satisfies never;
  }
}

/** The text of a tool result; a refusal is text too, with its reason. */
function textIn(result: Readonly<Record<string, unknown>>): string {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : [];
  const texts = content.flatMap((part) => {
    const { text }: { text?: unknown } = typeof part === 'object' && part !== null ? part : {};
    return typeof text === 'string' ? [text] : [];
  });
  return texts.join('\n');
}
