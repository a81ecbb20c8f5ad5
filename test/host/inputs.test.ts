/**
 * What a config asks of a person, and what it cannot have without one: every kind of input, the home folder, and
 * settings with which a workspace would answer for them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { useWorkbench } from './bed/installed.ts';
import { answerDialog, dialog, notification, picker, takeProposal } from './bed/questions.ts';
import { runCommand, showServers, startCommand, until } from './bed/user.ts';

const fakeServer = fileURLToPath(new URL('../support/fake-mcp-server.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'mochi-inputs-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const startsOf = (name: string): number =>
  existsSync(join(scratch, name)) ? readFileSync(join(scratch, name), 'utf8').trim().split('\n').length : 0;
const entry = (starts: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [fakeServer, 'ok', ...args],
  env: { FAKE_STARTS: join(scratch, starts) },
});

describe('inputs of every kind', () => {
  const config = JSON.stringify({
    inputs: [
      { id: 'size', type: 'pickString', description: 'Which size?', options: ['small', 'large'], default: 'small' },
      { id: 'spice', type: 'promptString', description: 'Which spice?', default: 'salt' },
      { id: 'thief', type: 'command', command: 'workbench.action.files.newUntitledFile' },
    ],
    servers: {
      kitchen: entry('${input:size}-${input:spice}'),
      pit: entry('pit', '${input:thief}'),
    },
  });
  const { page, folder } = useWorkbench({ files: { '.vscode/mcp.json': config, 'other/.vscode/mcp.json': config } });
  const read = async (name: string) => {
    await startCommand(page(), 'Mochi: Read Tools');
    await takeProposal(page(), name === 'pit' ? 'kitchen' : 'pit', name);
  };
  async function answer(size: string, spice: string | undefined): Promise<void> {
    await picker(page()).getByText('Which size?').or(page().getByPlaceholder('Which size?')).first().waitFor();
    await picker(page()).locator('.monaco-list-row').filter({ hasText: size }).click();
    await picker(page()).getByText('Which spice?').waitFor();
    const box = picker(page()).locator('input[type="text"]').first();
    expect(await box.inputValue()).toBe('salt');
    if (spice !== undefined) await box.fill(spice);
    await page().keyboard.press('Enter');
  }

  it('are asked for before the command is shown, which then holds the answers', async () => {
    await runCommand(page(), 'Mochi: Refresh Servers');
    await read('kitchen');
    await answer('large', 'saffron');
    const said = await answerDialog(page(), 'Start the MCP server "kitchen"', 'Start');
    expect(said).toContain('large-saffron');
    await (await showServers(page())).getByText('2 tools').waitFor();
    expect(startsOf('large-saffron')).toBe(1);
  });

  it('are asked for once', async () => {
    await read('kitchen');
    await until('it is not read again', async () => (startsOf('large-saffron') === 2 ? true : undefined));
    expect(await picker(page()).count()).toBe(0);
    expect(await dialog(page()).count()).toBe(0);
  });

  it('that would run a command never do, and their server says so instead of starting', async () => {
    await read('pit');
    await notification(page(), 'A variable of the definition has no value.').waitFor();
    expect(await page().locator('.tab').filter({ hasText: 'Untitled' }).count()).toBe(0);
    expect(startsOf('pit')).toBe(0);
  });

  it('are asked for anew in another workspace of the same file', async () => {
    const { origin } = new URL(page().url());
    await page().goto(`${origin}/?folder=${folder()}/other`);
    await page().locator('.part.statusbar .statusbar-item').first().waitFor();
    await read('kitchen');
    await answer('small', undefined);
    await answerDialog(page(), 'Start the MCP server "kitchen"', 'Start');
    await until('it does not start', async () => (startsOf('small-salt') === 1 ? true : undefined));
    expect(startsOf('large-saffron')).toBe(2);
  });
});

describe('the home folder', () => {
  const files = { '.mcp.json': JSON.stringify({ mcpServers: { garden: entry('garden') } }) };
  const homeFiles = { '.cursor/mcp.json': JSON.stringify({ mcpServers: { attic: entry('attic') } }) };
  const settings = { 'mochi.discovery.userFiles': true };

  describe('where the person wishes it', () => {
    const { page, folder } = useWorkbench({ files, homeFiles, machineSettings: settings });

    it('is shown beside the workspace, and its servers are asked about like any other', async () => {
      await runCommand(page(), 'Mochi: Refresh Servers');
      const rows = await showServers(page());
      await rows.filter({ hasText: '~/.cursor/mcp.json' }).waitFor();
      await rows.filter({ hasText: 'attic' }).getByText('not read yet').waitFor();
      await startCommand(page(), 'Mochi: Read Tools');
      await takeProposal(page(), 'garden', 'attic');
      const said = await answerDialog(page(), 'Start the MCP server "attic"', 'Start');
      expect(said).toContain('~/.cursor/mcp.json');
      await rows.filter({ hasText: 'attic' }).getByText('2 tools').waitFor();
      expect(startsOf('attic')).toBe(1);
      expect(existsSync(join(folder(), '.claude'))).toBe(false);
    });
  });

  describe('where only the workspace wishes it', () => {
    /** Everything a workspace might write to be believed, started or given more than it should have. */
    const greedy = {
      ...settings,
      'mochi.approvals': [{ folder: '', name: 'garden', resolved: '*', spelled: '*' }],
      'mochi.skill.mode': 'eval',
      'mochi.skill.target': '../../../outside',
      'mochi.skill.runtime': '/bin/sh',
      'mochi.server.timeoutSeconds': -5,
      'security.workspace.trust.enabled': false,
    };
    const claude = { enableAllProjectMcpServers: true, enabledMcpjsonServers: ['garden'] };
    const { page, folder } = useWorkbench({
      files: {
        ...files,
        '.vscode/settings.json': JSON.stringify(greedy),
        '.claude/settings.json': JSON.stringify(claude),
      },
      homeFiles,
    });

    it('is not looked at, and nothing is approved, chosen or started by a setting', async () => {
      await runCommand(page(), 'Mochi: Refresh Servers');
      const rows = await showServers(page());
      await rows.filter({ hasText: 'garden' }).getByText('not read yet').waitFor();
      expect(await rows.filter({ hasText: 'attic' }).count()).toBe(0);
      await startCommand(page(), 'Mochi: Generate Skill');
      await takeProposal(page(), 'Which servers');
      for (const [title, proposed] of [
        ['Which form', 'Lazy'],
        ['Where should', '.claude/skills'],
      ] as const) {
        await picker(page()).getByText(title).first().waitFor();
        expect(await picker(page()).innerText()).not.toMatch(/outside|eval/);
        expect(await picker(page()).locator('.monaco-list-row.focused').innerText()).toContain(proposed);
        await takeProposal(page(), title);
      }
      await answerDialog(page(), 'Start the MCP server "garden"', 'Cancel');
      expect(startsOf('garden')).toBe(0);
      expect(existsSync(join(folder(), '.claude', 'skills'))).toBe(false);
    });
  });
});
