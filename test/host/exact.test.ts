/** Claude's own counts in a real workbench: the question for the key, its keeping, and every way in which it fails. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redirect, startFakeAnthropic } from '../support/fake-anthropic.ts';
import { root } from './bed/fetched-parts.ts';
import { useWorkbench } from './bed/installed.ts';
import { packExtension } from './bed/neighbour.ts';
import { vsixFile } from './bed/prepare-once.ts';
import { answerDialog, answerNotification, notification, picker, takeProposal } from './bed/questions.ts';
import { checkLog, runCommand, startCommand, until, webviewWith } from './bed/user.ts';

const fakeServer = fileURLToPath(new URL('../support/fake-mcp-server.ts', import.meta.url));
// Assembled, so that no scanner takes it for a real one.
const KEY = ['sk', 'ant', 'api03', 'Zq7'.repeat(12)].join('-');
const anthropic = await startFakeAnthropic(KEY);
afterAll(() => anthropic.close());
const neighbour = packExtension('mochi-test-redirect', redirect);

/** A workspace that would like to have the texts and the key. */
const greedy = {
  'mochi.tokens.claudeModel': 'of-the-workspace',
  'mochi.tokens.endpoint': 'http://127.0.0.1:9/',
  'http.proxy': 'http://127.0.0.1:9/',
};

describe('Count Exactly for Claude', () => {
  const { page, folder } = useWorkbench({
    files: {
      '.mcp.json': JSON.stringify({ mcpServers: { kitchen: { command: process.execPath, args: [fakeServer, 'ok'] } } }),
      '.vscode/settings.json': JSON.stringify(greedy),
    },
    settings: { 'mochi.skill.runtime': 'python' },
    env: anthropic.env,
    vsix: [vsixFile, neighbour],
  });
  const frame = () => webviewWith(page(), '.heading, .face');
  const button = (panel: Frame) => panel.locator('vscode-button').filter({ hasText: 'Count Exactly for Claude' });
  const caption = async () => (await frame()).locator('.forms caption').innerText();
  const totals = async () => (await frame()).locator('.form .total strong').allInnerTexts();
  const idle = async () => {
    const panel = await frame();
    await until('the panel stays busy', async () =>
      (await panel.locator('.busy.active').count()) === 0 ? true : undefined,
    );
  };
  const isEstimate = async (before: readonly string[]) => {
    await idle();
    expect(await caption()).toContain('o200k_base');
    expect(await totals()).toEqual(before);
  };
  async function typeKey(key: string): Promise<void> {
    const box = picker(page());
    await box.getByText('Anthropic API key').waitFor();
    expect(await box.locator('input').first().getAttribute('type')).toBe('password');
    await box.locator('input').first().fill(key);
    await page().keyboard.press('Enter');
  }
  const failure = async (text: string) => {
    const panel = await frame();
    await panel.locator('.banner').filter({ hasText: text }).waitFor();
    await idle();
  };
  let estimate: readonly string[];

  beforeAll(async () => {
    await runCommand(page(), 'Mochi: Open Panel');
    const panel = await frame();
    await panel.locator('vscode-button').filter({ hasText: 'Read Tools' }).click();
    await answerDialog(page(), 'Start the MCP server "kitchen"', 'Start');
    await panel.locator('.verdict').waitFor();
    estimate = await totals();
  });

  it('sends nothing before there is a key, and is quiet after a no', async () => {
    const panel = await frame();
    await button(panel).click();
    await picker(page())
      .getByText('Texts of the skill are sent to Anthropic to be counted for claude-opus-5')
      .waitFor();
    await page().keyboard.press('Escape');
    await isEstimate(estimate);
    expect(await panel.locator('.banner').count()).toBe(0);
    expect(anthropic.keys).toEqual([]);
  });

  it('says that a key was refused, forgets it and asks for another', async () => {
    await button(await frame()).click();
    await typeKey('not-the-key');
    await failure('Anthropic refused the key, so it was forgotten');
    await isEstimate(estimate);
    expect(anthropic.keys).toContain('not-the-key');
    const asked = anthropic.keys.length;
    await button(await frame()).click();
    await picker(page()).getByText('Anthropic API key').waitFor();
    expect(anthropic.keys).toHaveLength(asked);
    await page().keyboard.press('Escape');
    await idle();
  });

  it('says that the network is gone, and loses nothing', async () => {
    anthropic.mood = 'gone';
    await button(await frame()).click();
    await typeKey(KEY);
    await failure('Anthropic cannot be reached. The estimate stays');
    await isEstimate(estimate);
  });

  it.each([
    ['busy', 'Anthropic takes no more questions now'],
    [
      'broken',
      'Anthropic gave no count for claude-opus-5. The estimate stays; look at the setting mochi.tokens.claudeModel',
    ],
  ] as const)('says so where Anthropic is %s, with the key it was given', async (mood, text) => {
    anthropic.mood = mood;
    await button(await frame()).click();
    await failure(text);
    await isEstimate(estimate);
  });

  it('ends when the person cancels, without a complaint', async () => {
    anthropic.mood = 'silent';
    // What the last count showed may stand for another moment.
    await notification(page(), 'Counting with Anthropic').waitFor({ state: 'detached' });
    const panel = await frame();
    const asked = anthropic.keys.length;
    await button(panel).click();
    await until('nothing is asked', async () => (anthropic.keys.length > asked ? true : undefined));
    await answerNotification(page(), 'Counting with Anthropic', 'Cancel');
    await isEstimate(estimate);
    expect(await panel.locator('.banner').count()).toBe(0);
  });

  it('shows the counts of the command line, as Claude’s own', async () => {
    anthropic.mood = 'counts';
    const panel = await frame();
    await button(panel).click();
    await until('it is not counted', async () => ((await caption()).includes('claude-opus-5') ? true : undefined));
    await idle();
    const command = [join(root, 'dist', 'cli.mjs'), 'preview', '--json', '--yes', '--anthropic', 'claude-opus-5'];
    const env = { ...process.env, ...anthropic.env, ANTHROPIC_API_KEY: KEY };
    // The stand-in lives in this process, which must not wait.
    const { stdout } = await promisify(execFile)(process.execPath, ['--require', redirect, ...command], {
      cwd: folder(),
      env,
    });
    const printed = JSON.parse(stdout);
    const forms: { toFirstCall: { tokens: number } }[] = printed.reports[0].forms;
    expect(await totals()).toEqual(forms.map(({ toFirstCall }) => toFirstCall.tokens.toLocaleString('en')));
    expect(await panel.locator('.verdict').innerText()).toContain('Counted by Anthropic, claude-opus-5');
    expect(await panel.locator('.claude').count()).toBe(0);
    expect(await button(panel).count()).toBe(0);
  });

  it('goes back to the estimate with the next change, and counts again without a question', async () => {
    const panel = await frame();
    await panel.getByLabel('Include add', { exact: true }).click();
    await until('it is not an estimate', async () => ((await caption()).includes('o200k_base') ? true : undefined));
    await panel.getByLabel('Include add', { exact: true }).click();
    await panel.locator('#tools-title + p').getByText('2 of 2').waitFor();
    await until('it is not the estimate', async () =>
      JSON.stringify(await totals()) === JSON.stringify(estimate) ? true : undefined,
    );
    await button(panel).click();
    await until('it is not counted', async () => ((await caption()).includes('claude-opus-5') ? true : undefined));
    expect(await picker(page()).count()).toBe(0);
  });

  it('asks again once the key was forgotten', async () => {
    const panel = await frame();
    await startCommand(page(), 'Mochi: Forget Approvals');
    await takeProposal(page(), 'All approvals', 'Anthropic key');
    await notification(page(), 'Forgotten').waitFor();
    await panel.getByLabel('Include add', { exact: true }).click();
    await until('it is not an estimate', async () => ((await caption()).includes('o200k_base') ? true : undefined));
    await button(panel).click();
    await picker(page()).getByText('Anthropic API key').waitFor();
    await page().keyboard.press('Escape');
  });

  it('leaves the key in no file and no log', async () => {
    await checkLog(page());
    const base = join(folder(), '..');
    const files = readdirSync(base, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.length).toBeGreaterThan(10);
    const holding = files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => statSync(file).size < 5_000_000 && readFileSync(file, 'latin1').includes(KEY));
    expect(holding).toEqual([]);
  });
});
