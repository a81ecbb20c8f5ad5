/** `mochi economics` as people use it: what the forms of a real server cost over a session. */
import { afterEach, expect, it } from 'vitest';
import { createWorkspace, mcpJson, serverProgram, type Workspace } from '../support/cli.ts';

const open: Workspace[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.remove();
});

async function recorded(): Promise<Workspace> {
  const made = createWorkspace({
    '.mcp.json': mcpJson({ memory: { command: 'node', args: [serverProgram('memory')] } }),
  });
  open.push(made);
  await made.mochi('economics', '--yes');
  return made;
}

interface Result {
  readonly prices: { readonly model: string };
  readonly servers: readonly {
    readonly forms: readonly { readonly form: string; readonly idle: number; readonly used: number }[];
  }[];
}

it('shows every form in dollars, with the assumptions, in the width of a terminal', async () => {
  const { code, out } = await (await recorded()).mochi('economics', '--offline');
  expect(code).toBe(0);
  for (const text of ['native MCP', 'lazy skill', 'break-even round', '50 rounds at the prices of claude-sonnet-5-5'])
    expect(out).toContain(text);
  for (const line of out.split('\n').slice(0, 7)) expect(line.length).toBeLessThanOrEqual(80);
});

it("takes a person's own prices and number of rounds", async () => {
  const made = await recorded();
  made.write('prices.json', '{"mine": {"miss": 2, "write": 1000000, "read": 0, "output": 0}}');
  const of = async (...args: readonly string[]): Promise<Result> =>
    JSON.parse((await made.mochi('economics', '--offline', '--json', ...args)).out) as Result;
  const mine = await of('--prices', 'prices.json');
  expect(mine.prices.model).toBe('mine');
  const native = mine.servers[0]?.forms.find(({ form }) => form === 'native');
  expect(native?.idle).toBeGreaterThan(800);
  expect(Number.isInteger(native?.idle)).toBe(true);
  const [few, many] = [await of('--rounds', '10'), await of('--rounds', '100')];
  expect(many.servers[0]?.forms[0]?.used).toBeGreaterThan(few.servers[0]?.forms[0]?.used ?? 0);
});

it('says the same beside the tokens of a preview', async () => {
  const made = await recorded();
  const of = async (command: string) =>
    JSON.parse((await made.mochi(command, '--offline', '--json', '--rounds', '9')).out);
  const [{ reports }, { servers, usage, prices }] = [await of('preview'), await of('economics')];
  const { forms, ...told } = reports[0].economics;
  expect(told).toEqual({ model: prices.model, asOf: prices.asOf, source: prices.source, rounds: 9, usage });
  expect(forms).toEqual(servers[0].forms.map(({ tokens: _, ...costs }: { tokens: number }) => costs));
});

it.each([
  [['--model', 'none'], 2, 'There are no prices of "none". Use one of claude-sonnet-5-5'],
  [['--prices', 'none.json'], 3, 'There is no file none.json'],
  [['--prices', '.mcp.json'], 2, 'The prices of "mcpServers" lack miss, write, read, output'],
  [['--rounds', '0'], 2, 'Use 1 to 10000'],
])('refuses %j and says what to do', async (args, code, text) => {
  const made = createWorkspace({ '.mcp.json': mcpJson({}) });
  open.push(made);
  const run = await made.mochi('economics', ...args);
  expect([run.code, run.err]).toEqual([code, expect.stringContaining(text)]);
});
