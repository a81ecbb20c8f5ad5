/**
 * Takes the pictures that the README shows: the packaged extension in a real workbench, the panel on the example
 * workspace with its servers really started, and ghost text in a small code base. `npm run screenshots [panel|ghost]`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from './bed/fetched-parts.ts';
import setup, { vsixFile } from './bed/prepare-once.ts';
import { dialog } from './bed/questions.ts';
import { openFile, runCommand, until, webviewWith } from './bed/user.ts';
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

/** A small service with one habit, and a file in which it is begun once more. */
const things = ['invoice', 'customer', 'order', 'payment', 'refund', 'voucher', 'contract', 'parcel', 'product'];
const upper = (thing: string): string => thing.charAt(0).toUpperCase() + thing.slice(1);
const showing = (thing: string): string => `import { database } from '../database.ts';
import { type Reply, type Request, reply } from '../http.ts';

export async function show${upper(thing)}({ id, user }: Request): Promise<Reply> {
  const ${thing} = await database.${thing}s.find(id);
  if (!${thing}?.team.includes(user)) return reply(404);
  return reply(200, ${thing});
}

export async function remove${upper(thing)}({ id, user }: Request): Promise<Reply> {
  const ${thing} = await database.${thing}s.find(id);
`;
const removing = (thing: string): string => `  if (!${thing}?.team.includes(user)) return reply(404);
  await database.${thing}s.remove(id);
  return reply(204);
}
`;
const service = {
  ...Object.fromEntries(things.map((thing) => [`src/routes/${thing}s.ts`, showing(thing) + removing(thing)])),
  'src/routes/shipments.ts': `${showing('shipment')}  \n}\n`,
  'src/http.ts': `export interface Request {
  readonly id: string;
  readonly user: string;
}
export interface Reply {
  readonly status: number;
  readonly body?: object;
}
export function reply(status: number, body?: object): Reply {
  return body === undefined ? { status } : { status, body };
}
`,
  'src/database.ts': `interface Row {
  readonly id: string;
  readonly team: readonly string[];
}
class Table {
  readonly #rows = new Map<string, Row>();
  async find(id: string): Promise<Row | undefined> {
    return this.#rows.get(id);
  }
  async remove(id: string): Promise<void> {
    this.#rows.delete(id);
  }
}
export const database = {
${[...things, 'shipment'].map((thing) => `  ${thing}s: new Table(),`).join('\n')}
};
`,
};

async function takeGhost(): Promise<void> {
  const settings = {
    'workbench.colorTheme': 'Default Dark Modern',
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
    'editor.minimap.enabled': false,
    'editor.fontSize': 16,
    'mochi.completions.unverified': true,
  };
  const compiler = { allowImportingTsExtensions: true, noEmit: true, target: 'es2022' };
  const files = {
    ...service,
    'tsconfig.json': JSON.stringify({ compilerOptions: compiler }),
  };
  const server = await startWorkbenchServer({ vsix: [vsixFile], testSwitch: false, settings, files });
  const workbench = await openWorkbench(server);
  try {
    const { page } = workbench;
    await page.setViewportSize({ width: 1100, height: 460 });
    await runCommand(page, 'View: Close Primary Side Bar').catch(() => page.keyboard.press('Control+B'));
    await openFile(page, 'shipments.ts');
    await page.locator('.editor-instance .view-lines').first().click();
    await page.keyboard.press('Control+End');
    for (const key of ['ArrowUp', 'ArrowUp', 'End']) await page.keyboard.press(key);
    // The first keys of a window only wake Mochi.
    await until('no ghost text of the whole line appears', async () => {
      await page.keyboard.type('i', { delay: 60 });
      await page.waitForTimeout(500);
      await page.keyboard.press('Backspace');
      await page.waitForTimeout(500);
      await runCommand(page, 'Trigger Inline Suggestion');
      await page.waitForTimeout(1_500);
      const ghost = (await page.locator('.ghost-text-decoration').allInnerTexts()).join('').replaceAll('\u00a0', ' ');
      return ghost.includes('shipment?.team.includes(user)) return reply(404);') ? true : undefined;
    });
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(folder, 'ghost-text.png') });
    console.log('ghost-text.png');
  } finally {
    await workbench.close();
    await server.stop();
  }
}

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
await setup();
mkdirSync(folder, { recursive: true });
if (isWanted('panel')) for (const [name, theme] of themes) await take(name, theme);
if (isWanted('ghost')) await takeGhost();
