/** Answers to the inputs of a config: once, kept secretly, for one workspace, and never by running a command. */
import { describe, expect, it } from 'vitest';
import type { Input, Server } from '../../../src/core/model.ts';
import { createInputAnswers } from '../../../src/extension/input-answers.ts';

const server: Server = {
  id: 'vscode:/w/.vscode/mcp.json#kitchen',
  name: 'kitchen',
  source: {
    id: 'vscode:/w/.vscode/mcp.json',
    dialect: 'vscode',
    label: 'VS Code',
    path: '/w/.vscode/mcp.json',
    display: '.vscode/mcp.json',
    scope: 'folder',
  },
  at: { file: '.vscode/mcp.json' },
  endpoint: { kind: 'stdio', command: 'cook', args: [], env: {} },
  disabled: false,
  inputs: [],
};
const input = (id: string, kind: Input['kind'] = 'promptString'): Input => ({
  id,
  kind,
  description: '',
  password: true,
});

function newAnswers(says: string | undefined, secrets = new Map<string, string>(), workspace = '/w') {
  const asked: string[] = [];
  let kept: unknown;
  const answers = createInputAnswers({
    secrets: {
      get: async (key) => secrets.get(key),
      store: async (key, value) => void secrets.set(key, value),
      delete: async (key) => void secrets.delete(key),
    },
    index: {
      get: () => kept,
      set: async (value) => {
        kept = value;
      },
    },
    workspace: () => workspace,
    ask: async ({ id }) => {
      asked.push(id);
      return says;
    },
  });
  return { answers, asked, secrets };
}

describe('an input', () => {
  it('is asked for once, and its answer is kept', async () => {
    const { answers, asked, secrets } = newAnswers('salt');
    expect(await answers.answer(input('spice'), server)).toBe('salt');
    expect(await answers.answer(input('spice'), server)).toBe('salt');
    expect(asked).toEqual(['spice']);
    expect([...secrets.values()]).toEqual(['salt']);
  });

  it('is asked for once where two servers wait for it', async () => {
    const { answers, asked } = newAnswers('salt');
    await Promise.all([answers.answer(input('spice'), server), answers.answer(input('spice'), server)]);
    expect(asked).toEqual(['spice']);
  });

  it('is asked for in every workspace by itself', async () => {
    const secrets = new Map<string, string>();
    await newAnswers('salt', secrets).answers.answer(input('spice'), server);
    const other = newAnswers('pepper', secrets, '/other');
    expect(await other.answers.answer(input('spice'), server)).toBe('pepper');
  });

  it('that runs a command is never answered', async () => {
    const { answers, asked } = newAnswers('salt');
    expect(await answers.answer(input('spice', 'command'), server)).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('that was not answered stops everything, and nothing is kept', async () => {
    const { answers, secrets } = newAnswers(undefined);
    await expect(answers.answer(input('spice'), server)).rejects.toMatchObject({ kind: 'consent-needed' });
    expect(secrets.size).toBe(0);
  });

  it('is asked for again once answers were forgotten', async () => {
    const { answers, asked, secrets } = newAnswers('salt');
    await answers.answer(input('spice'), server);
    await answers.forget();
    expect(secrets.size).toBe(0);
    await answers.answer(input('spice'), server);
    expect(asked).toHaveLength(2);
  });
});
