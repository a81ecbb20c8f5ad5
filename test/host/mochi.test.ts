/** Mochi in a workbench: asked from the palette, seen in the status bar, killed, paused, and refused without trust. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { mochiProcesses } from '../support/mochi-processes.ts';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, notification, picker } from './bed/questions.ts';
import { openFile, runCommand, startCommand, until, webviewWith } from './bed/user.ts';

const files = {
  'oven.ts': [
    '/** Heats the oven to the temperature that the recipe asks for. */',
    'export function heatOven(degrees: number): void {',
    '  if (degrees > 300) throw new Error("too hot");',
    '}',
    '',
  ].join('\n'),
  'cake.ts': [
    "import { heatOven } from './oven.ts';",
    '',
    '/** Bakes a cake <img src=x> and waits until it is done. */',
    'export function bakeCake(minutes: number): void {',
    '  heatOven(180);',
    '  if (minutes < 10) throw new Error("too short");',
    '}',
    '',
  ].join('\n'),
};

/** Enough of one habit to be one. */
const dishes = Object.fromEntries(
  Array.from({ length: 12 }, (_, at) => [
    `dishes/dish-${at}.ts`,
    `export function cook${at}(minutes: number): number {\n  if (minutes < ${at}) throw new Error('raw');\n  return minutes;\n}\n`,
  ]),
);

const status = (page: Page): Locator => page.locator('.statusbar-item[id="mochi.mochi-skills.mochi.status"]');
const says = (page: Page, words: RegExp) =>
  until(`the status does not say ${words}`, async () => {
    const label =
      (await status(page)
        .locator('a')
        .first()
        .getAttribute('aria-label')
        .catch(() => null)) ?? '';
    return words.test(label) ? label : undefined;
  });

async function ask(page: Page, title: string, question: string): Promise<void> {
  await startCommand(page, title);
  const box = picker(page).locator('input[type="text"]').first();
  await until('no question is asked', async () => {
    const hint = await box.getAttribute('placeholder').catch(() => null);
    return hint?.startsWith('for example') === true ? true : undefined;
  });
  await box.fill(question);
  await page.keyboard.press('Enter');
}

describe('Mochi in a workbench', () => {
  const { page, folder } = useWorkbench({ files: { ...files, ...dishes } });
  const running = (count: number) =>
    until(`not ${count} processes of Mochi`, async () => {
      const found = mochiProcesses(folder());
      return found.length === count ? found : undefined;
    });

  it('stands in the status bar once a file is open, and runs nothing yet', async () => {
    await openFile(page(), 'cake.ts');
    await says(page(), /starts when you type|learning|ready/);
    expect(await status(page()).innerText()).toContain('Mochi');
  });

  it('answers a question with a document whose link opens the code at its line', async () => {
    await ask(page(), 'Mochi: Ask the Domain', 'How is the oven heated to a temperature?');
    const preview = await webviewWith(page(), 'h1:has-text("How is the oven heated")');
    expect(await preview.locator('body').innerText()).toMatch(/about \d+ %/);
    await preview.locator('a:has-text("oven.ts:2")').first().click();
    await page().locator('.editor-instance [data-uri$="/oven.ts"]').first().waitFor();
    await until('the cursor is not at the line', async () => {
      const where = await page().locator('.statusbar-item[id="status.editor.selection"]').innerText();
      return /Ln 2\b/.test(where) ? true : undefined;
    });
    await says(page(), /ready/);
  });

  it('shows patterns, and text of files as text', async () => {
    await ask(page(), 'Mochi: Suggest Pattern', 'throw an error');
    const preview = await webviewWith(page(), 'h1:has-text("throw an error")');
    expect(await preview.locator('img').count()).toBe(0);
    expect(await preview.locator('body').innerText()).toMatch(/\.ts:\d+/);
  });

  it('comes back after a kill, and says quietly when it will not any more', async () => {
    const [first = 0] = await running(1);
    process.kill(first, 'SIGKILL');
    const second = await until('it did not come back', async () =>
      mochiProcesses(folder()).find((pid) => pid !== first),
    );
    await says(page(), /ready/);
    process.kill(second, 'SIGKILL');
    const third = await until('it did not come back again', async () =>
      mochiProcesses(folder()).find((pid) => pid !== first && pid !== second),
    );
    await says(page(), /ready/);
    process.kill(third, 'SIGKILL');
    await says(page(), /failed/);
    expect(await notification(page(), /.*/).allTextContents()).toEqual([]);
    expect(mochiProcesses(folder())).toEqual([]);
  });

  it('is restarted from its menu, which tells the state', async () => {
    await status(page()).click();
    const menu = picker(page());
    await menu.getByText(/Mochi: failed/).waitFor();
    await menu.locator('.monaco-list-row').filter({ hasText: 'Restart Mochi' }).first().click();
    await running(1);
    await says(page(), /ready/);
  });

  it('ends when it is paused, and says so', async () => {
    await runCommand(page(), 'Mochi: Pause Completions and Learning');
    await says(page(), /paused/);
    await running(0);
    await runCommand(page(), 'Mochi: Resume Completions');
    await says(page(), /starts when you type/);
  });

  it('learns when it is told to', async () => {
    await runCommand(page(), 'Mochi: Learn Workspace');
    await running(1);
    await says(page(), /ready/);
  });

  it('is added for Claude Code only after the change was shown and agreed to', async () => {
    const file = join(folder(), '.mcp.json');
    await startCommand(page(), 'Mochi: Add to Claude Code');
    await answerDialog(page(), 'Add Mochi to .mcp.json?', 'Cancel');
    expect(existsSync(file)).toBe(false);
    await startCommand(page(), 'Mochi: Add to Claude Code');
    await answerDialog(page(), 'Add Mochi to .mcp.json?', 'Add');
    const written = await until('nothing is written', async () =>
      existsSync(file) ? readFileSync(file, 'utf8') : undefined,
    );
    expect(JSON.parse(written).mcpServers.mochi.args[0]).toMatch(/mochi\.mjs$/);
  });

  it('leaves nothing behind when the window is loaded anew', async () => {
    const [pid] = await running(1);
    await startCommand(page(), 'Developer: Reload Window');
    await until('it still runs', async () => (mochiProcesses(folder()).includes(pid ?? 0) ? undefined : true));
  });
});

describe('Mochi without trust', () => {
  const { page, folder } = useWorkbench({ files, restricted: true });

  it('refuses, says why, and starts nothing', async () => {
    await openFile(page(), 'cake.ts');
    await says(page(), /Restricted Mode/);
    await startCommand(page(), 'Mochi: Ask the Domain');
    await notification(page(), 'Restricted Mode').waitFor();
    expect(mochiProcesses(folder())).toEqual([]);
  });
});

describe('the list of MCP servers', () => {
  const { page } = useWorkbench({ files, settings: { 'chat.disableAIFeatures': false } });

  it('has Mochi in it', async () => {
    await openFile(page(), 'cake.ts');
    await startCommand(page(), 'MCP: List Servers');
    await picker(page()).locator('.monaco-list-row').filter({ hasText: 'Mochi' }).first().waitFor();
  });
});
