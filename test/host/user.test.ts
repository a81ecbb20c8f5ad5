/** The packaged extension as a person meets it: installed into a workbench and used through its interface. */
import { describe, expect, it } from 'vitest';
import { useWorkbench } from './bed/installed.ts';
import { checkLog, openFile, runCommand, webviewWith } from './bed/user.ts';

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
