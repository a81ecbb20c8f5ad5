/** `complete_code`: what this code base would write at the cursor. */
import { completeCodeInput, completeCodeOutput, LIMITS } from '#protocol/mochi.ts';
import { defineTool } from './tool.ts';

export const completeCode = defineTool({
  name: 'complete_code',
  title: 'Complete code',
  description: 'Complete code based on domain patterns: what this code base would write at the cursor.',
  input: completeCodeInput,
  output: completeCodeOutput,
  async run({ prefix, suffix, language, path }, engine, signal) {
    const { completion, alternatives } = await engine.complete(
      {
        prefix,
        maxAlternatives: LIMITS.alternatives,
        ...(suffix === undefined ? {} : { suffix }),
        ...(language === undefined ? {} : { language }),
        ...(path === undefined ? {} : { path }),
      },
      signal,
    );
    return { completion, alternatives: alternatives.slice(0, LIMITS.alternatives) };
  },
  text: ({ completion }) => completion,
});
