/** `complete_code`: what this code base would write at the cursor. */
import { secretFreeEnd } from '#core/scan/source-secrets.ts';
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
    const { confidence, steps, isPartial } = found;
    const end = secretFreeEnd(found.completion, prefix);
    const completion = found.completion.slice(0, end);
    const alternatives = found.alternatives.filter((one) => secretFreeEnd(one, prefix) === one.length);
    return {
      completion,
      alternatives: alternatives.slice(0, LIMITS.alternatives),
      confidence: completion === '' ? 0 : confidence,
      ...(steps === undefined ? {} : { steps: steps.filter((step) => step.end <= end).map((step) => ({ ...step })) }),
      ...(isPartial === undefined ? {} : { is_partial: isPartial }),
      engine: found.engine ?? engine.name,
    };
  },
  text: ({ completion }) => completion,
});
