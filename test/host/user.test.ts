/** The packaged extension as a person meets it: installed into a workbench and used through its interface. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useWorkbench } from './bed/installed.ts';
import { openFile, runCommand, textOf, until, webviewWith } from './bed/user.ts';

async function checkLog(page: Page): Promise<void> {
  await runCommand(page, 'Mochi: Show Log');
  const text = await until('the log stays empty', async () => {
    const now = await textOf(page.locator('.output-view .view-lines'));
    return now.includes('active') ? now : undefined;
  });
  expect(text).toMatch(/\[info\] Mochi \d+\.\d+\.\d+ is active/);
}

describe('the packaged extension in a workbench', () => {
  const { page } = useWorkbench({ files: { 'notes.md': '# Rice and sugar\n' } });

  it('shows its log when the command is run from the palette', async () => {
    await checkLog(page());
  });

  it('stands in a workbench whose webviews can be read', async () => {
    await openFile(page(), 'notes.md');
    await runCommand(page(), 'Markdown: Open Preview to the Side');
    const preview = await webviewWith(page(), 'h1');
    expect(await preview.locator('h1').textContent()).toBe('Rice and sugar');
  });
});

describe('the packaged extension in a folder that is not trusted', () => {
  const { page } = useWorkbench({ restricted: true, files: { 'notes.md': '# Rice and sugar\n' } });

  it('is there, in Restricted Mode', async () => {
    await page().getByText('Restricted Mode').first().waitFor();
    await checkLog(page());
  });
});
