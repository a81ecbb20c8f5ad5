/**
 * Takes the pictures of the panel that the README shows: the packaged extension in a real workbench, on the example
 * workspace, with its servers really started. `npm run screenshots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from './bed/fetched-parts.ts';
import setup, { vsixFile } from './bed/prepare-once.ts';
import { dialog } from './bed/questions.ts';
import { runCommand, until, webviewWith } from './bed/user.ts';
import { openWorkbench } from './bed/workbench-page.ts';
import { startWorkbenchServer } from './bed/workbench-server.ts';

const folder = join(root, 'media', 'screenshots');
const themes = [
  ['light', 'Default Light Modern'],
  ['dark', 'Default Dark Modern'],
  ['high-contrast', 'Default High Contrast'],
] as const;

/** Agrees to every server that wants to start, until all were read. */
async function readAll(page: Page): Promise<void> {
  const panel = await webviewWith(page, '.server');
  await panel.locator('.server').filter({ hasText: 'All servers' }).click();
  await panel.locator('vscode-button').filter({ hasText: 'Read Tools of All Servers' }).click();
  await until('not every server was read', async () => {
    const start = dialog(page).locator('.monaco-button').filter({ hasText: 'Start' });
    if ((await start.count()) > 0) await start.click({ timeout: 2_000 }).catch(() => undefined);
    return (await panel.locator('.server', { hasText: 'tokens' }).count()) >= 3 ? true : undefined;
  });
}

async function take(name: string, theme: string): Promise<void> {
  const settings = { 'workbench.colorTheme': theme, 'mochi.skill.runtime': 'python' };
  const server = await startWorkbenchServer({ vsix: [vsixFile], testSwitch: false, settings });
  const workbench = await openWorkbench({ ...server, workspace: join(root, 'examples', 'workspace') });
  try {
    const { page } = workbench;
    await page.setViewportSize({ width: 1280, height: 1240 });
    await runCommand(page, 'Mochi: Open Panel');
    await readAll(page);
    await runCommand(page, 'View: Close Primary Side Bar').catch(() => page.keyboard.press('Control+B'));
    const panel = await webviewWith(page, '.server');
    await panel.locator('.server').filter({ hasText: 'filesystem' }).click();
    await panel.locator('h1').filter({ hasText: 'filesystem' }).waitFor();
    await page.mouse.move(0, 0);
    // Bars grow for a moment.
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `panel-${name}.png`) });
    console.log(`panel-${name}.png`);
  } finally {
    await workbench.close();
    await server.stop();
  }
}

await setup();
mkdirSync(folder, { recursive: true });
for (const [name, theme] of themes) await take(name, theme);
