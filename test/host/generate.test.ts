/** From a configured server to a written skill, as a person goes: asked, shown, agreed, written, and never overwritten. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SKILL_MD } from '../../src/core/skill/lock.ts';
import { validateSkill } from '../../src/core/skill/validate.ts';
import { readSkillFolder } from '../../src/node/skill-folder.ts';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, answerNotification, dialog, notification, picker, takeProposal } from './bed/questions.ts';
import { checkLog, runCommand, showServers, startCommand, textOf, until } from './bed/user.ts';

const fakeServer = fileURLToPath(new URL('../support/fake-mcp-server.ts', import.meta.url));

function configOf(starts: string, ...args: readonly string[]): string {
  const entry = { command: process.execPath, args: [fakeServer, ...args], env: { FAKE_STARTS: starts } };
  return `${JSON.stringify({ mcpServers: { kitchen: entry } }, undefined, 2)}\n`;
}

const startsIn = (file: string): number =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;

describe('Generate Skill', () => {
  const starts = join(tmpdir(), `mochi-starts-${process.pid}`);
  const { page, folder } = useWorkbench({ files: { '.mcp.json': configOf(starts, 'ok') } });
  const skill = () => join(folder(), '.claude', 'skills', 'kitchen', SKILL_MD);

  async function choose(): Promise<void> {
    await startCommand(page(), 'Mochi: Generate Skill');
    for (const title of ['Which servers', 'Which form', 'Where should']) await takeProposal(page(), title);
  }

  it('shows the whole command, and a no starts nothing', async () => {
    await choose();
    const said = await answerDialog(page(), 'Start the MCP server "kitchen"', 'Cancel');
    expect(said).toContain(`${process.execPath} ${fakeServer} ok`);
    expect(said).toContain(`FAKE_STARTS=${starts}`);
    expect(said).toContain('.mcp.json');
    expect(startsIn(starts)).toBe(0);
    expect(existsSync(join(folder(), '.claude'))).toBe(false);
  });

  it('writes nothing before the plan was shown and agreed to', async () => {
    await choose();
    await answerDialog(page(), 'Start the MCP server "kitchen"', 'Start');
    await notification(page(), /Write \d+ files/).waitFor();
    await page().locator('.multiDiffEntry, .multi-diff-root-floating-menu, .diff-editor').first().waitFor();
    expect(startsIn(starts)).toBe(1);
    expect(existsSync(join(folder(), '.claude'))).toBe(false);
    await answerNotification(page(), /Write \d+ files/, 'Write');
    await notification(page(), 'Claude Code sees it after a restart').waitFor();
    expect(existsSync(skill())).toBe(true);
  });

  it('opens the written SKILL.md, which keeps the rules of Agent Skills', async () => {
    await answerNotification(page(), 'Wrote kitchen', 'Open SKILL.md');
    await page().locator('.editor-instance [data-uri$="/kitchen/SKILL.md"]').first().waitFor();
    const files = await readSkillFolder(join(folder(), '.claude', 'skills'), 'kitchen');
    const problems = validateSkill('kitchen', files ?? new Map(), {});
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  it('has nothing to write a second time, and does not ask again', async () => {
    await choose();
    await notification(page(), 'Nothing to write: kitchen is up to date').waitFor();
    expect(startsIn(starts)).toBe(1);
  });

  it('is valid and up to date afterwards, and counted in the Servers view', async () => {
    await startCommand(page(), 'Mochi: Validate Skill');
    await takeProposal(page(), 'Which skill');
    await notification(page(), 'kitchen is valid').waitFor();
    await startCommand(page(), 'Mochi: Check Skills');
    await picker(page()).getByText('up to date').waitFor();
    await page().keyboard.press('Escape');
    const rows = await showServers(page());
    await rows.getByText('2 tools').waitFor();
    await rows.filter({ hasText: '2 tools' }).click();
    await rows.filter({ hasText: 'echo' }).getByText('tokens').waitFor();
  });

  it('says what its icons show to those who do not see them', async () => {
    const rows = await showServers(page());
    const said = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label')));
    expect(said[0]).toBe('Claude Code, .mcp.json');
    expect(said[1]).toMatch(/^kitchen, 2 tools · \d+ tokens$/);
    expect(said[2]).toMatch(/^echo, \d+ tokens$/);
  });

  it('leaves out a tool whose box is unchecked, and takes it back', async () => {
    const rows = await showServers(page());
    const box = rows.filter({ hasText: 'add' }).getByRole('checkbox');
    // A click while the tree is being drawn anew is lost, as it would be for a person.
    for (const [wanted, count] of [
      ['false', '1 tools'],
      ['true', '2 tools'],
    ] as const)
      await until(`the box does not become ${wanted}`, async () => {
        if ((await box.getAttribute('aria-checked')) !== wanted) await box.click();
        return rows
          .getByText(count)
          .waitFor({ timeout: 3_000 })
          .then(
            () => true,
            () => undefined,
          );
      });
  });

  it('does not overwrite what a person wrote, and shows the difference', async () => {
    const mine = `${readFileSync(skill(), 'utf8')}\nMy own sentence.\n`;
    writeFileSync(skill(), mine);
    await choose();
    await answerNotification(page(), 'kitchen was not written', 'Show Difference');
    await page().locator('.diff-editor, .monaco-diff-editor').first().waitFor();
    await until('the diff does not show the sentence', async () =>
      (await textOf(page().locator('.monaco-diff-editor .view-lines'))).includes('My own sentence.') ? true : undefined,
    );
    expect(readFileSync(skill(), 'utf8')).toBe(mine);
  });

  it('asks again after one argument changed', async () => {
    const before = startsIn(starts);
    writeFileSync(join(folder(), '.mcp.json'), configOf(starts, 'ok', '--salt'));
    await startCommand(page(), 'Mochi: Read Tools');
    await takeProposal(page(), 'kitchen');
    const said = await answerDialog(page(), 'Start the MCP server "kitchen"', 'Cancel');
    expect(said).toContain('ok --salt');
    expect(startsIn(starts)).toBe(before);
  });
});

describe('in Restricted Mode', () => {
  const canary = join(tmpdir(), `mochi-restricted-${process.pid}`);
  const config = { mcpServers: { pit: { command: 'touch', args: [canary] } } };
  const { page, folder } = useWorkbench({ restricted: true, files: { '.mcp.json': JSON.stringify(config) } });

  it('commands refuse, and the server is still seen', async () => {
    await page().getByText('Restricted Mode').first().waitFor();
    await checkLog(page());
    for (const command of ['Mochi: Generate Skill', 'Mochi: Read Tools']) {
      await runCommand(page(), command);
      await notification(page(), 'This workspace is in Restricted Mode').waitFor();
      await runCommand(page(), 'Notifications: Clear All Notifications');
      expect(await picker(page()).count()).toBe(0);
      expect(await dialog(page()).count()).toBe(0);
    }
    const rows = await showServers(page());
    await rows.filter({ hasText: 'pit' }).waitFor();
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(folder(), '.claude'))).toBe(false);
  });
});

describe('in Japanese', () => {
  const config = { mcpServers: { kitchen: { command: 'touch', args: ['/nowhere/else'] } } };
  const files = { '.mcp.json': JSON.stringify(config), '.kiro/settings/mcp.json': '{ // later\n"mcpServers": {} }\n' };
  const { page } = useWorkbench({ language: 'ja', files });

  it('commands, questions and the Servers view speak it', async () => {
    await startCommand(page(), 'Mochi: ツールを読み込む');
    await takeProposal(page(), 'kitchen');
    const said = await answerDialog(page(), 'MCP サーバー「kitchen」を起動してツールを読み込みますか?', 'Cancel');
    expect(said).toContain('touch /nowhere/else');
    expect(said).toContain('設定元: .mcp.json');
    const rows = await showServers(page());
    await rows.filter({ hasText: 'kitchen' }).getByText('未読み込み').waitFor();
  });

  it('problems speak it, sentence by sentence', async () => {
    const rows = await showServers(page());
    const problem = rows.filter({ hasText: 'ファイルにコメントがあります。' }).first();
    await problem.waitFor();
    expect(await problem.getAttribute('aria-label')).toContain('コメントを削除してください。');
  });
});
