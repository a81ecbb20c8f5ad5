/** What the manifest promises of Mochi, held against the contract that Mochi keeps. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { LANGUAGE_MODEL_TOOLS, SERVER_PROVIDER, settingIds } from '../../../src/extension/contributions.ts';
import { completeCodeInput, domainQueryInput, suggestPatternInput } from '../../../src/protocol/mochi-inputs.ts';

const { contributes, capabilities } = JSON.parse(readFileSync('package.json', 'utf8'));

interface Tool {
  readonly name: string;
  readonly inputSchema: { readonly properties: object; readonly required: readonly string[] };
  readonly [key: string]: unknown;
}
const tools: readonly Tool[] = contributes.languageModelTools;
const inputs = new Map<string, z.ZodType>([
  ['domain_query', domainQueryInput],
  ['complete_code', completeCodeInput],
  ['suggest_pattern', suggestPatternInput],
]);

describe('the tools for chat', () => {
  it('are those that the code registers', () => {
    const registered = LANGUAGE_MODEL_TOOLS.map(({ name }) => name);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...registered]));
  });

  it.each(LANGUAGE_MODEL_TOOLS.map(({ name, tool }) => [name, tool] as const))(
    '%s takes what %s takes, with the same words',
    (name, tool) => {
      const schema = inputs.get(tool);
      // A tool that is no tool of the contract has its schema elsewhere.
      if (schema === undefined) return;
      const promised = tools.find((one) => one.name === name)?.inputSchema;
      const kept = z.toJSONSchema(schema, { io: 'input' }) as unknown as Tool['inputSchema'];
      const described = (properties: object) =>
        Object.entries(properties).map(([key, value]) => [key, value.type, value.description]);
      expect(described(promised?.properties ?? {})).toEqual(described(kept.properties));
      expect(promised?.required).toEqual(kept.required);
    },
  );

  it('have all that a chat shows of them, in the language of the person', () => {
    for (const { displayName, userDescription, modelDescription, toolReferenceName, icon } of tools) {
      expect([displayName, userDescription].every((text) => /^%[\w.]+%$/.test(String(text)))).toBe(true);
      expect(String(modelDescription).length).toBeGreaterThan(40);
      expect(toolReferenceName).toMatch(/^[a-zA-Z]+$/);
      expect(icon).toMatch(/^\$\([a-z-]+\)$/);
    }
  });
});

describe('the settings of Mochi', () => {
  it('let no workspace name a file, an engine, or a limit of the machine', () => {
    const { engine, model, modelUrl, adapter, memoryGigabytes, askAboveFiles, learnOnBattery } = settingIds;
    for (const id of [engine, model, modelUrl, adapter, memoryGigabytes, askAboveFiles, learnOnBattery])
      expect(contributes.configuration.properties[id].scope).toBe('machine');
  });

  it('let no workspace switch completions on before it is trusted', () => {
    const restricted: readonly string[] = capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(restricted).toEqual(
      expect.arrayContaining([settingIds.completionsEnabled, settingIds.completionsLanguages]),
    );
  });
});

it('tells the editor of Mochi under the name that the code registers', () => {
  expect(contributes.mcpServerDefinitionProviders).toContainEqual({ id: SERVER_PROVIDER, label: 'Mochi' });
});
