/** How a person answers what the workbench asks: pickers, modal dialogs, notifications. */
import type { Locator, Page } from 'playwright-core';
import { until } from './user.ts';

/** The picker or input box that is open. */
export function picker(page: Page): Locator {
  return page.locator('.quick-input-widget').filter({ visible: true });
}

/** Takes what a picker with this text proposes, or what it proposes once a filter is typed. */
export async function takeProposal(page: Page, title: string, filter?: string): Promise<void> {
  const open = picker(page);
  await open.getByText(title).first().waitFor();
  if (filter !== undefined) {
    await open.locator('input[type="text"]').first().fill(filter);
    await open.getByText(title).first().waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    return;
  }
  // A picker that has just appeared may not take keys yet, and what opens behind it may take them away.
  await until(`the picker "${title}" stays`, async () => {
    const field = open.locator('input[type="text"]').first();
    await field.press('Enter', { timeout: 2_000 }).catch(() => page.keyboard.press('Enter'));
    return open
      .getByText(title)
      .first()
      .waitFor({ state: 'detached', timeout: 3_000 })
      .then(
        () => true,
        () => undefined,
      );
  });
}

/** The modal dialog that is open. */
export function dialog(page: Page): Locator {
  return page.locator('.monaco-dialog-box');
}

/** Waits for a modal dialog with this text, presses a button and gives all that it said. */
export async function answerDialog(page: Page, text: string, button: string): Promise<string> {
  const open = dialog(page).filter({ hasText: text });
  await open.waitFor();
  const said = (await open.innerText()).replaceAll('\u00a0', ' ');
  await open.locator('.monaco-button').filter({ hasText: button }).click();
  await open.waitFor({ state: 'detached' });
  return said;
}

/** A notification with this text. */
export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text }).first();
}

export async function answerNotification(page: Page, text: string | RegExp, button: string): Promise<void> {
  const shown = notification(page, text);
  await shown.waitFor();
  await shown.locator('.monaco-button').filter({ hasText: button }).first().click();
}
