/** What a person does in the workbench: look for a command, run it, read what a webview shows. No API of VS Code. */
import type { Frame, Locator, Page } from 'playwright-core';

const patience = 30_000;

/**
 * Opens the command palette and finds the entry with this text. The palette computes its list when it opens: opened
 * before an extension is known it never shows its commands, so it is closed and opened until the entry is there.
 */
async function findCommand(page: Page, title: string): Promise<Locator> {
  const palette = page.locator('.quick-input-widget').filter({ visible: true });
  const entry = palette.locator('.monaco-list-row').filter({ hasText: title }).first();
  return await until(`no command "${title}" in the palette`, async () => {
    await page.keyboard.press('F1');
    try {
      await palette.locator('input[type="text"]').first().fill(`>${title}`, { timeout: 3_000 });
      await entry.waitFor({ timeout: 2_000 });
      return entry;
    } catch {
      await page.keyboard.press('Escape');
      return undefined;
    }
  });
}

/** Runs a command as a person would, and waits until the palette is gone. */
export async function runCommand(page: Page, title: string): Promise<void> {
  await (await findCommand(page, title)).click();
  await page.locator('.quick-input-widget').filter({ visible: true }).waitFor({ state: 'detached' });
}

/** Runs a command that asks something at once, in the place of the palette. */
export async function startCommand(page: Page, title: string): Promise<void> {
  await (await findCommand(page, title)).click();
}

/** Opens the Servers view by its icon in the activity bar, and gives its rows. */
export async function showServers(page: Page): Promise<Locator> {
  await showContainer(page);
  return page.locator('.sidebar .pane').first().locator('.pane-body .monaco-list-row');
}

/** Opens the Skills view below it, and gives its parts. */
export async function showSkills(
  page: Page,
): Promise<{ readonly pane: Locator; readonly header: Locator; readonly rows: Locator }> {
  await showContainer(page);
  const pane = page.locator('.sidebar .pane').nth(1);
  const header = pane.locator('.pane-header');
  await header.waitFor();
  if ((await header.getAttribute('aria-expanded')) !== 'true') await header.click();
  return { pane, header, rows: pane.locator('.pane-body .monaco-list-row') };
}

async function showContainer(page: Page): Promise<void> {
  const icon = page
    .locator('.activitybar .action-item')
    .filter({ has: page.locator('[aria-label="Mochi"]') })
    .first();
  await icon.waitFor();
  if ((await icon.getAttribute('class'))?.includes('checked') !== true) await icon.click();
}

/** Opens a file of the workspace by its name. */
export async function openFile(page: Page, name: string): Promise<void> {
  const picker = page.locator('.quick-input-widget').filter({ visible: true });
  await until(`no file ${name} to open`, async () => {
    await page.keyboard.press('Control+P');
    try {
      await picker.locator('input[type="text"]').first().fill(name, { timeout: 3_000 });
      await picker.locator('.monaco-list-row').filter({ hasText: name }).first().click({ timeout: 2_000 });
      return true;
    } catch {
      await page.keyboard.press('Escape');
      return undefined;
    }
  });
  await page.locator(`.editor-instance [data-uri$="/${name}"]`).first().waitFor();
}

/** The frame of a webview in which the selector finds something. A webview's content lies two frames deep. */
export async function webviewWith(page: Page, selector: string): Promise<Frame> {
  return await until(`no webview shows ${selector}`, async () => {
    for (const frame of page.frames()) {
      const isContent = frame.parentFrame()?.parentFrame() !== null && frame.parentFrame() !== null;
      const found = isContent
        ? await frame
            .locator(selector)
            .count()
            .catch(() => 0)
        : 0;
      if (found > 0) return frame;
    }
    return undefined;
  });
}

/** The text of an editor-like view. The page holds no-break spaces where the document has spaces. */
export async function textOf(lines: Locator): Promise<string> {
  return (await lines.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
}

/** Repeats an attempt until it gives something; throws with the complaint once patience has run out. */
export async function until<T>(complaint: string, attempt: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const result = await attempt();
    if (result !== undefined) return result;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`After ${patience / 1000} s: ${complaint}`);
}

/** Opens the log and finds that it begins as it should. */
export async function checkLog(page: Page): Promise<void> {
  await runCommand(page, 'Mochi: Show Log');
  await until('the log does not say that the extension is active', async () => {
    const now = await textOf(page.locator('.output-view .view-lines'));
    return /\[info\] Mochi \d+\.\d+\.\d+ is active/.test(now) ? true : undefined;
  });
}
