/** `complete_code`: what this code base would write at the cursor. */
import { completeCodeOutput, LIMITS } from '#protocol/mochi.ts';
import { completeCodeInput } from '#protocol/mochi-inputs.ts';
import { defineTool } from './tool.ts';

export const completeCode = defineTool({
  name: 'complete_code',
  title: 'Complete code',
  description: 'Complete code based on domain patterns: what this code base would write at the cursor.',
  input: completeCodeInput,
  output: completeCodeOutput(),
  async run({ prefix, suffix, language, path, facts }, engine, signal) {
    const found = await engine.complete(
      {
        prefix,
        maxAlternatives: LIMITS.alternatives,
        ...(suffix === undefined ? {} : { suffix }),
        ...(language === undefined ? {} : { language }),
        ...(path === undefined ? {} : { path }),
        ...(facts === undefined ? {} : { facts }),
      },
      signal,
    );
    const { completion, alternatives, confidence, steps, isPartial } = found;
    return {
      completion,
      alternatives: alternatives.slice(0, LIMITS.alternatives),
      confidence,
      ...(steps === undefined ? {} : { steps: steps.map((step) => ({ ...step })) }),
      ...(isPartial === undefined ? {} : { is_partial: isPartial }),
      engine: found.engine ?? engine.name,
    };
  },
  text: ({ completion }) => completion,
});
