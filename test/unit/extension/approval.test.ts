/** What a yes is good for: this folder, this name, this definition as it resolves here, and nothing else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint, Input, Server } from '../../../src/core/model.ts';
import { createApprovals } from '../../../src/extension/approval.ts';
import { type DefinitionContext, describeDefinition } from '../../../src/extension/definition.ts';

import { createSecretFinder } from '../../../src/node/secret-scan.ts';

const base = mkdtempSync(join(tmpdir(), 'mochi-approval-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folder = base;
let count = 0;
beforeEach(() => {
  count += 1;
  folder = join(base, String(count));
  mkdirSync(folder);
});

function serverWith(endpoint: Endpoint, more: Partial<Server> = {}): Server {
  const source = {
    id: 'test:/x',
    dialect: 'test',
    label: 'Test',
    path: join(folder, 'mcp.json'),
    display: 'mcp.json',
    scope: 'folder' as const,
    folder,
  };
  return {
    id: 'test:/x#kitchen',
    name: 'kitchen',
    source,
    at: { file: 'mcp.json' },
    endpoint,
    disabled: false,
    inputs: [],
    ...more,
  };
}

const usual: Endpoint & { kind: 'stdio' } = {
  kind: 'stdio',
  command: '${TOOL:-cook}',
  args: ['--pan', '${PAN:-small}'],
  env: { HEAT: 'low' },
  cwd: '${workspaceFolder}',
  envFile: 'heat.env',
};

function contextWith(more: Partial<DefinitionContext> = {}): DefinitionContext {
  return {
    env: {},
    home: '/home/cook',
    folders: [folder],
    finder: { spansOf: () => [], learn: async () => {}, learnTexts: async () => {} },
    answer: async () => undefined,
    ...more,
  };
}

const inputOf = (more: Partial<Input>): Input => ({
  id: 'spice',
  kind: 'promptString',
  description: '',
  password: false,
  ...more,
});

describe('an approval', () => {
  it('is asked for once for the same definition', async () => {
    const { approvals, asked } = newApprovals('yes');
    const definition = await describeDefinition(serverWith(usual), contextWith());
    expect(await approvals.request(serverWith(usual), definition)).toBe(true);
    expect(await approvals.request(serverWith(usual), definition)).toBe(true);
    expect(asked).toEqual(['kitchen']);
  });

  it('is not remembered after a no', async () => {
    const { approvals, asked } = newApprovals('no');
    const definition = await describeDefinition(serverWith(usual), contextWith());
    expect(await approvals.request(serverWith(usual), definition)).toBe(false);
    expect(await approvals.request(serverWith(usual), definition)).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it('is gone after it was taken back', async () => {
    const { approvals, asked } = newApprovals('yes');
    const definition = await describeDefinition(serverWith(usual), contextWith());
    await approvals.request(serverWith(usual), definition);
    expect(approvals.looksApproved(serverWith(usual), definition.spelledHash)).toBe(true);
    await approvals.forget(serverWith(usual));
    expect(approvals.looksApproved(serverWith(usual), definition.spelledHash)).toBe(false);
    await approvals.request(serverWith(usual), definition);
    expect(asked).toHaveLength(2);
  });

  type Changed = () => readonly [Server, DefinitionContext, (readonly [file: string, text: string])?];
  it.each<readonly [what: string, changed: Changed]>([
    ['one argument', () => [serverWith({ ...usual, args: ['--pan', 'big'] }), contextWith()]],
    ['one value of the environment', () => [serverWith({ ...usual, env: { HEAT: 'high' } }), contextWith()]],
    ['the folder it runs in', () => [serverWith({ ...usual, cwd: '/elsewhere' }), contextWith()]],
    ['the file of variables', () => [serverWith({ ...usual, envFile: 'other.env' }), contextWith()]],
    ['what the file of variables holds', () => [serverWith(usual), contextWith(), ['heat.env', 'LD_PRELOAD=/evil.so']]],
    ['what a variable stands for', () => [serverWith(usual), contextWith({ env: { TOOL: 'knife' } })]],
    ['what the .env file of the workspace says', () => [serverWith(usual), contextWith(), ['.env', 'TOOL=/evil']]],
    ['the folder it belongs to', () => [serverIn('/other/folder'), contextWith()]],
    ['an answer', () => [asking(inputOf({})), contextWith({ answer: async () => 'pepper' })]],
  ])('does not hold for another: %s', async (_what, changed) => {
    const { approvals, asked } = newApprovals('yes');
    writeFileSync(join(folder, 'heat.env'), 'HEAT=low');
    const before = asking(inputOf({}));
    const first = await describeDefinition(serverWith(usual), contextWith());
    await approvals.request(serverWith(usual), first);
    const salted = contextWith({ answer: async () => 'salt' });
    await approvals.request(before, await describeDefinition(before, salted));
    const [server, context, file] = changed();
    if (file !== undefined) writeFileSync(join(folder, file[0]), file[1]);
    await approvals.request(server, await describeDefinition(server, context));
    expect(asked).toHaveLength(3);
  });

  it('is not found in a memory that holds something else', async () => {
    const { approvals, asked, memory } = newApprovals('yes');
    const definition = await describeDefinition(serverWith(usual), contextWith());
    memory.value = [{ folder, name: 'kitchen' }, 'yes', null, { name: 'kitchen', resolved: definition.resolvedHash }];
    await approvals.request(serverWith(usual), definition);
    expect(asked).toHaveLength(1);
  });
});

describe('what a person is shown', () => {
  it('is the resolved command with its place, whatever its length', async () => {
    const long = 'x'.repeat(5_000);
    const server = serverWith({ ...usual, args: [long, '${PAN:-small}', 'END'] });
    const { text, kind } = await describeDefinition(server, contextWith({ env: { TOOL: 'knife' } }));
    expect(kind).toBe('process');
    expect(text).toContain(`HEAT=low knife ${long} small END`);
    expect(text).toContain(folder);
    expect(text).toContain('heat.env');
  });

  it('holds no secret of the person, and hides nothing that the workspace sets', async () => {
    const server = serverWith({ ...usual, args: ['${MY_TOKEN}', '${EVIL_TOKEN}'] });
    writeFileSync(join(folder, '.env'), 'EVIL_TOKEN=rm-everything\n');
    const { text } = await describeDefinition(server, contextWith({ env: { MY_TOKEN: 'hush-hush-hush' } }));
    expect(text).not.toContain('hush-hush-hush');
    expect(text).toContain('${MY_TOKEN}');
    expect(text).toContain('rm-everything');
  });

  it('holds no secret that the file spells out', async () => {
    // Put together here, so that no scanner takes this file for a leak.
    const token = ['ghp', 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4zAb7d'].join('_');
    const server = serverWith({ ...usual, args: ['--token', token], env: { KITCHEN_TOKEN: token } });
    const { text } = await describeDefinition(server, contextWith({ finder: await createSecretFinder() }));
    expect(text).not.toContain(token);
    expect(text).toContain('--token');
  });

  it('names an answer that is a password only by its input, and does not ask for it before', async () => {
    const server = asking(inputOf({ password: true }));
    const context = contextWith({ answer: () => Promise.reject(new Error('asked')) });
    expect((await describeDefinition(server, context)).text).toContain('${input:spice}');
  });

  it('is nothing where a variable has no value or an input would run a command', async () => {
    const missing = serverWith({ ...usual, args: ['${NOBODY_KNOWS}'] });
    await expect(describeDefinition(missing, contextWith())).rejects.toMatchObject({ kind: 'unresolved-variable' });
    const context = contextWith({ answer: () => Promise.reject(new Error('asked')) });
    const running = asking(inputOf({ kind: 'command' }));
    await expect(describeDefinition(running, context)).rejects.toMatchObject({ kind: 'unresolved-variable' });
  });
});

function asking(input: Input): Server {
  return serverWith({ ...usual, args: ['${input:spice}'] }, { inputs: [input] });
}

function serverIn(other: string): Server {
  const server = serverWith(usual);
  return { ...server, source: { ...server.source, folder: other } };
}

function newApprovals(says: 'yes' | 'no') {
  const memory: { value: unknown } = { value: undefined };
  const asked: string[] = [];
  const approvals = createApprovals({
    memory: {
      get: () => memory.value,
      set: async (value) => {
        memory.value = JSON.parse(JSON.stringify(value));
      },
    },
    ask: async (server) => {
      asked.push(server.name);
      return says === 'yes';
    },
  });
  return { approvals, asked, memory };
}
