/** The packaged extension as a person meets it: installed into a workbench and used through its interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vsixFile } from './bed/prepare-once.ts';
import { openFile, runCommand, textOf, until, webviewWith } from './bed/user.ts';
import { openWorkbench, type Workbench } from './bed/workbench-page.ts';
import { startWorkbenchServer, type WorkbenchServer } from './bed/workbench-server.ts';

describe('the packaged extension in a workbench', () => {
  let server: WorkbenchServer | undefined;
  let workbench: Workbench | undefined;
  const page = () => {
    if (!workbench) throw new Error('The workbench is not open');
    return workbench.page;
  };

  beforeAll(async () => {
    server = await startWorkbenchServer({
      vsix: [vsixFile],
      testSwitch: false,
      files: { 'notes.md': '# Rice and sugar\n' },
    });
    workbench = await openWorkbench(server);
  });
  afterAll(async () => {
    await workbench?.close();
    await server?.stop();
  });

  it('shows its log when the command is run from the palette', async () => {
    await runCommand(page(), 'Mochi: Show Log');
    const lines = page().locator('.output-view .view-lines');
    const text = await until('the log stays empty', async () => {
      const now = await textOf(lines).catch(() => '');
      return now.includes('active') ? now : undefined;
    });
    expect(text).toMatch(/\[info\] Mochi \d+\.\d+\.\d+ is active/);
  });

  it('stands in a workbench whose webviews can be read', async () => {
    await openFile(page(), 'notes.md');
    await runCommand(page(), 'Markdown: Open Preview to the Side');
    const preview = await webviewWith(page(), 'h1');
    expect(await preview.locator('h1').textContent()).toBe('Rice and sugar');
  });
});
