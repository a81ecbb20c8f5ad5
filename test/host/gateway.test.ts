/** The gateway in a workbench: servers put behind it after a yes to each and to both files, and all of it undone. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, answerNotification, notification, picker } from './bed/questions.ts';
import { openFile, startCommand, until } from './bed/user.ts';

const config = `{
  "mcpServers": {
    "oven":  { "command": "node", "args": ["oven.mjs"] },
    "fridge": { "command": "node", "args": ["fridge.mjs"] },
    "sink": { "command": "node", "args": ["sink.mjs"] }
  }
}
`;
const files = { '.mcp.json': config, 'note.txt': 'a file\n' };

/** Confirms what the picker with these words shows, as it is. */
async function confirm(page: Page, words: string): Promise<void> {
  const box = picker(page).locator('input[type="text"]').first();
  await until(`nothing asks "${words}"`, async () => {
    const hint = await box.getAttribute('placeholder', { timeout: 500 }).catch(() => null);
    return hint?.includes(words) === true ? true : undefined;
  });
  await page.keyboard.press('Enter');
}

/** Up to the question about the files, with a yes for the first two servers and a no for the third. */
async function choose(page: Page): Promise<void> {
  await startCommand(page, 'Mochi: Put Servers Behind the Gateway');
  await confirm(page, 'Which servers of .mcp.json');
  await confirm(page, 'How should the gateway show');
}

describe('servers of a workspace', () => {
  const { page, folder } = useWorkbench({ files });
  const text = (name: string): string | undefined =>
    existsSync(join(folder(), name)) ? readFileSync(join(folder(), name), 'utf8') : undefined;
  const names = (name: string): readonly string[] => Object.keys(JSON.parse(text(name) ?? '{}').mcpServers ?? {});
  const restored = () =>
    until('the files are not as before', async () =>
      text('.mcp.json') === config && text('.mcp.gateway.json') === undefined ? true : undefined,
    );

  it('are put behind it only after a yes to each command and to both files', async () => {
    await choose(page());
    const shown = await answerDialog(page(), 'Start the MCP server "oven"', 'Start');
    expect(shown).toContain('node oven.mjs');
    await answerDialog(page(), 'Start the MCP server "fridge"', 'Start');
    await answerDialog(page(), 'Start the MCP server "sink"', 'Cancel');
    await notification(page(), 'Not put behind the gateway: sink').waitFor();
    await answerDialog(page(), 'Put oven, fridge behind the gateway?', 'Cancel');
    await restored();
    await page().locator('.multi-diff-editor, .multiDiffEditor').first().waitFor();
  });

  it('are one entry in .mcp.json then, and come back with the undo of the message', async () => {
    await choose(page());
    await answerDialog(page(), 'Start the MCP server "oven"', 'Start');
    await answerDialog(page(), 'Start the MCP server "fridge"', 'Start');
    await answerDialog(page(), 'Start the MCP server "sink"', 'Cancel');
    await answerDialog(page(), 'Put oven, fridge behind the gateway?', 'Put Behind');
    await until('nothing is written', async () => (text('.mcp.gateway.json') === undefined ? undefined : true));
    expect(names('.mcp.json')).toEqual(['sink', 'mochi-gateway']);
    expect(names('.mcp.gateway.json')).toEqual(['oven', 'fridge']);
    const { args } = JSON.parse(text('.mcp.json') ?? '').mcpServers['mochi-gateway'];
    expect(existsSync(args[0])).toBe(true);
    await answerNotification(page(), 'The gateway stands for the servers', 'Undo');
    await restored();
  });

  it('are not asked about again once they were agreed to, their entry is renewed, and the command takes them back', async () => {
    await choose(page());
    await answerDialog(page(), 'Start the MCP server "sink"', 'Start');
    await answerDialog(page(), 'Put oven, fridge, sink behind the gateway?', 'Put Behind');
    await until('nothing is written', async () => (text('.mcp.gateway.json') === undefined ? undefined : true));
    expect(names('.mcp.json')).toEqual(['mochi-gateway']);
    const written = text('.mcp.json') ?? '';
    writeFileSync(join(folder(), '.mcp.json'), written.replace('/mochi-gateway.mjs', '/old/mochi-gateway.mjs'));
    await startCommand(page(), 'Mochi: Put Servers Behind the Gateway');
    await confirm(page(), 'How should the gateway show');
    await answerDialog(page(), 'Write the entry of the gateway anew?', 'Write');
    await until('the entry is not renewed', async () => (text('.mcp.json') === written ? true : undefined));
    await startCommand(page(), 'Mochi: Take Servers From Behind the Gateway');
    await confirm(page(), 'Which servers should stand');
    await answerDialog(page(), 'Take oven, fridge, sink from behind the gateway?', 'Take Back');
    await restored();
  });
});

describe('a workspace that is not trusted', () => {
  const { page, folder } = useWorkbench({ files, restricted: true });

  it('is left as it is', async () => {
    await openFile(page(), 'note.txt');
    await startCommand(page(), 'Mochi: Put Servers Behind the Gateway');
    await notification(page(), 'Restricted Mode').waitFor();
    expect(readFileSync(join(folder(), '.mcp.json'), 'utf8')).toBe(config);
  });
});

describe('the list of MCP servers', () => {
  const settings = { 'chat.disableAIFeatures': false, 'mochi.gateway.enabled': true };
  const { page } = useWorkbench({ files, settings });

  it('has the gateway in it where the settings want it', async () => {
    await openFile(page(), 'note.txt');
    await startCommand(page(), 'MCP: List Servers');
    await picker(page()).locator('.monaco-list-row').filter({ hasText: 'Mochi gateway' }).first().waitFor();
  });
});
