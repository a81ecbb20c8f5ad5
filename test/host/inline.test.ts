/** Ghost text as a person sees it: typed for, taken with keys, and absent where it has no business. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { mochiProcesses } from '../support/mochi-processes.ts';
import { useWorkbench } from './bed/installed.ts';
import { packExtension } from './bed/neighbour.ts';
import { vsixFile } from './bed/prepare-once.ts';
import { notification } from './bed/questions.ts';
import { openFile, runCommand, until } from './bed/user.ts';
import { openWorkbench } from './bed/workbench-page.ts';

const head = "import { DishError, heatOven, openLog, serve } from './kitchen.ts';\n\n";
const kitchen = `export class DishError extends Error {}
export function heatOven(degrees: number): number {
  return degrees;
}
export function serve(oven: number, minutes: number): number {
  return oven + minutes;
}
export function openLog(name: string): { write(text: string): void; close(): void } {
  return { write: () => name, close: () => {} };
}
`;
const clean = (at: number): string => `export function clean${at}(): void {
  const log = openLog('kitchen');
  log.write('cleaned');
  log.close();
}
`;
/** Enough of the same habits that whoever has seen them is sure. */
const dishes = Object.fromEntries(
  Array.from({ length: 14 }, (_, at) => [
    [
      `dish-${at}.ts`,
      `${head}export function cook${at}(minutes: number): number {
  const oven = heatOven(180);
  if (minutes < ${at}) throw new DishError('raw');
  return serve(oven, minutes);
}
`,
    ],
    [
      `clean-${at}.ts`,
      `import { openLog } from './kitchen.ts';\n\n${[at, at + 100, at + 200, at + 300].map(clean).join('\n')}`,
    ],
  ]).flat(),
);
const files = {
  ...dishes,
  'kitchen.ts': kitchen,
  'soup.ts': head,
  'stew.ts': head,
  'stock.ts': head,
  'sauce.ts': head,
  'pie.ts': head,
  'broth.ts': head,
  'salad.js': 'const heatOven = 1;\n',
  'long.ts': `${head}const long = '${'x'.repeat(1 << 20)}';\n\n`,
  '.env': 'SECRET=1\n',
};
/** The editor's own list is left out of these tests: which of the two shows first is a matter of milliseconds. */
const settings = {
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.wordBasedSuggestions': 'off',
  'mochi.completions.languages': { '*': true, javascript: false },
};
const unverified = { 'mochi.completions.unverified': true };

const ghost = (page: Page): Locator =>
  page.locator('.ghost-text-decoration, .ghost-text-decoration-preview, .suggest-preview-text');
const ghostText = async (page: Page): Promise<string> =>
  (await ghost(page).allInnerTexts()).join('').replaceAll('\u00a0', ' ');

function ghostLike(page: Page, wanted: RegExp): Promise<string> {
  return until(`no ghost text like ${wanted}`, async () => {
    const text = await ghostText(page);
    return wanted.test(text) ? text : undefined;
  });
}

/** Long enough for one to come. Nothing tells that none will. */
async function noGhost(page: Page): Promise<void> {
  await page.waitForTimeout(1_500);
  expect(await ghostText(page)).toBe('');
}

async function openAtEnd(page: Page, name: string): Promise<void> {
  await openFile(page, name);
  await page.locator('.editor-instance .view-lines').first().click();
  await page.keyboard.press('Control+End');
}

const type = (page: Page, text: string) => page.keyboard.type(text, { delay: 60 });
/** What the document holds: the lines on the page without the ghost text among them. */
async function shown(page: Page): Promise<string> {
  const bare = await page.evaluate(`[...document.querySelectorAll('.editor-instance .view-line')].map((line) => {
    const copy = line.cloneNode(true);
    for (const ghost of copy.querySelectorAll('[class*="ghost-text"], .suggest-preview-text')) ghost.remove();
    return copy.textContent;
  }).join('\\n')`);
  return String(bare).replaceAll('\u00a0', ' ');
}

/** Types until Mochi has started, learned and answered: the first keys of a window only wake it. */
async function typeUntilGhost(page: Page, text: string, wanted: RegExp): Promise<void> {
  await type(page, text);
  await until(`no ghost text like ${wanted}`, async () => {
    if (wanted.test(await ghostText(page))) return true;
    await page.keyboard.press('Backspace');
    await page.waitForTimeout(300);
    await type(page, text.slice(-1));
    await page.waitForTimeout(700);
    return undefined;
  });
}

describe('ghost text', () => {
  const { page, folder } = useWorkbench({
    files,
    settings: { ...settings, ...unverified },
    keybindings: [{ key: 'alt+l', command: 'editor.action.inlineSuggest.acceptNextLine' }],
  });

  it('appears while typing and is taken with Tab', async () => {
    await openAtEnd(page(), 'soup.ts');
    await type(page(), 'export function cookSoup(minutes: number): number {');
    await page().keyboard.press('Enter');
    await typeUntilGhost(page(), 'const oven = ', /heatOven\(180\);/);
    await page().keyboard.press('Tab');
    await until('it was not written', async () =>
      /const oven = heatOven\(180\);/.test(await shown(page())) ? true : undefined,
    );
    await until('it is still offered', async () => ((await ghostText(page())).includes('heatOven') ? undefined : true));
  });

  it('stays while it is typed along, and goes when something else is typed', async () => {
    await openAtEnd(page(), 'pie.ts');
    await type(page(), 'const oven = ');
    await ghostLike(page(), /^heatOven/);
    await type(page(), 'hea');
    await ghostLike(page(), /^tOven/);
    await type(page(), 'xx');
    await until('it is still there', async () => ((await ghostText(page())).includes('tOven') ? undefined : true));
  });

  it('is taken by word', async () => {
    await openAtEnd(page(), 'stew.ts');
    await type(page(), 'const oven = ');
    await ghostLike(page(), /^heatOven\(180\);/);
    await page().keyboard.press('Control+ArrowRight');
    await ghostLike(page(), /^\(?180\);|^\(/);
    expect(await shown(page())).toContain('const oven = heatOven');
    await page().keyboard.press('Tab');
    await until('the rest was not written', async () =>
      (await shown(page())).includes('const oven = heatOven(180);') ? true : undefined,
    );
  });

  it('is counted where it was taken, as a whole and by word', async () => {
    await until('the status does not count two', async () => {
      await page().mouse.move(0, 0);
      await page().locator('.statusbar-item[id="mochi.mochi-skills.mochi.status"]').hover();
      await page().waitForTimeout(1_500);
      const words = (await page().locator('.monaco-hover').allInnerTexts()).join(' ').replaceAll('\u00a0', ' ');
      return /accepted [2-9]/.test(words) ? true : undefined;
    });
    await page().mouse.move(0, 0);
  });

  it('goes on over several lines where a block begins', async () => {
    await openAtEnd(page(), 'stock.ts');
    await typeUntilGhost(page(), 'const oven = ', /^heatOven/);
    for (const key of ['Tab', 'Enter', 'Enter']) await page().keyboard.press(key);
    await type(page(), 'export function cleanAll(): void {');
    await page().keyboard.press('Enter');
    await ghostLike(page(), /log\.write/);
    await page().keyboard.press('Tab');
    await until('both lines were not written', async () =>
      /const log = openLog\('kitchen'\);\n *log\.write\('cleaned'\);/.test(await shown(page())) ? true : undefined,
    );
  });

  it('is taken by line', async () => {
    await openAtEnd(page(), 'broth.ts');
    await type(page(), 'export function cleanAll(): void {');
    await page().keyboard.press('Enter');
    await ghostLike(page(), /log\.write/);
    await page().keyboard.press('Alt+l');
    await until('the line was not written', async () =>
      (await shown(page())).includes("const log = openLog('kitchen');") ? true : undefined,
    );
    await ghostLike(page(), /log\.write/);
    expect(await shown(page())).not.toContain('log.write');
  });

  it('has others on request', async () => {
    await openAtEnd(page(), 'sauce.ts');
    await type(page(), 'export function cookSauce(minutes: number): number {');
    await page().keyboard.press('Enter');
    await type(page(), 'if (minutes < ');
    await page().keyboard.press('Escape');
    await runCommand(page(), 'Trigger Inline Suggestion');
    const first = await ghostLike(page(), /\d/);
    await page().keyboard.press('Alt+]');
    await until('there is no other', async () => {
      const text = await ghostText(page());
      return text !== '' && text !== first ? true : undefined;
    });
  });

  it('does not appear in a language that is switched off', async () => {
    await openAtEnd(page(), 'salad.js');
    await type(page(), 'const oven = ');
    await noGhost(page());
  });

  it('does not appear in a file of secrets', async () => {
    await openAtEnd(page(), '.env');
    await type(page(), 'const oven = ');
    await noGhost(page());
  });

  it('appears beside a line of a megabyte, on which typing goes on too', async () => {
    await openAtEnd(page(), 'long.ts');
    await type(page(), 'const oven = ');
    await ghostLike(page(), /^heatOven/);
    await page().keyboard.press('Escape');
    await page().keyboard.press('Control+Home');
    for (let down = 0; down < 2; down += 1) await page().keyboard.press('ArrowDown');
    await type(page(), 'quick ');
    await until('what was typed is not there', async () =>
      (await shown(page())).includes('quick const long') ? true : undefined,
    );
  });

  it('comes again after Mochi was killed in mid-typing, and nothing pops up', async () => {
    const [pid = 0] = mochiProcesses(folder());
    await openAtEnd(page(), 'kitchen.ts');
    await type(page(), 'const ov');
    process.kill(pid, 'SIGKILL');
    await typeUntilGhost(page(), 'en = ', /^heatOven/);
    expect(mochiProcesses(folder()).filter((other) => other !== pid)).toHaveLength(1);
    expect(await notification(page(), /.*/).allTextContents()).toEqual([]);
  });

  it('leaves typing as it is (the figures are for people)', async () => {
    await openAtEnd(page(), 'soup.ts');
    await page().keyboard.press('Enter');
    const figures: string[] = [];
    for (const [name, command] of [
      ['with', 'Mochi: Resume Completions'],
      ['without', 'Mochi: Pause Completions and Learning'],
    ] as const) {
      await runCommand(page(), command);
      await page().locator('.editor-instance .view-lines').first().click();
      await page().keyboard.press('Control+End');
      await page().evaluate(startCounting);
      await type(page(), "  if (minutes < 7) throw new DishError('raw'); const oven = heatOven(180);");
      const frames = (await page().evaluate(stopCounting)) as readonly number[];
      figures.push(`${name} p50/p95/max ${frames.join('/')} ms`);
    }
    console.log(`from key to frame ${figures.join(', ')}`);
    expect(figures).toHaveLength(2);
  });
});

/** Run in the page: how long after a key the next frame is done. */
const startCounting = `(() => {
  const kept = [];
  const isFirst = globalThis.mochiFrames === undefined;
  globalThis.mochiFrames = kept;
  if (isFirst) document.addEventListener('keydown', () => {
    const pressed = performance.now();
    requestAnimationFrame(() => setTimeout(() => globalThis.mochiFrames.push(performance.now() - pressed)));
  }, true);
})()`;
const stopCounting = `(() => {
  const frames = globalThis.mochiFrames.sort((one, two) => one - two);
  return [0.5, 0.95, 1].map((share) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * share))]));
})()`;

describe('ghost text and the language server', () => {
  const pipes = Object.fromEntries(
    Array.from({ length: 14 }, (_, at) => [
      `pipe-${at}.ts`,
      `import { openPipe } from './pipe.ts';\n\nexport function drain${at}(): void {\n  const out = openPipe();\n  out.flushEverything();\n}\n`,
    ]),
  );
  const pipe = `export function openPipe(): { flushEverything(): void } {
  return { flushEverything: () => {} };
}
export function openTube(): { closeTube(): void } {
  return { closeTube: () => {} };
}
`;
  const { page } = useWorkbench({
    files: {
      ...pipes,
      'pipe.ts': pipe,
      'real.ts': "import { openPipe } from './pipe.ts';\n\nconst out = openPipe();\n",
      'listed.ts': "import { openPipe } from './pipe.ts';\n\nconst out = openPipe();\n",
      'invented.ts': "import { openTube } from './pipe.ts';\n\nconst out = openTube();\n",
      'tsconfig.json': '{"compilerOptions":{"allowImportingTsExtensions":true,"noEmit":true}}',
    },
    settings,
  });

  /** The server takes its time to start; its own list tells that it is there. */
  async function typeMember(name: string, member: string): Promise<void> {
    await openAtEnd(page(), name);
    await type(page(), 'out.');
    const offered = page().locator('.suggest-widget .monaco-list-row').filter({ hasText: member });
    await until(`the language server does not offer ${member}`, async () => {
      await page().keyboard.press('Control+Space');
      await page().waitForTimeout(2_000);
      if ((await offered.count()) > 0) return true;
      await page().keyboard.press('Escape');
      return undefined;
    });
    await page().keyboard.press('Escape');
    await page().keyboard.press('Backspace');
    await type(page(), '.');
  }

  it('shows a member that exists', async () => {
    await typeMember('real.ts', 'flushEverything');
    await ghostLike(page(), /^flushEverything/);
  });

  it('goes on from the entry that the list has chosen, and leaves taking it to the list', async () => {
    await typeMember('listed.ts', 'flushEverything');
    await type(page(), 'flu');
    const chosen = page().locator('.suggest-widget.visible .monaco-list-row.focused');
    await page().keyboard.press('Control+Space');
    await chosen.filter({ hasText: 'flushEverything' }).waitFor();
    await ghostLike(page(), /^shEverything\(/);
    await page().keyboard.press('Tab');
    await until('the entry was not written', async () =>
      /^out\.flushEverything$/m.test(await shown(page())) ? true : undefined,
    );
    await type(page(), '();');
    await until('what was typed is not there', async () =>
      /^out\.flushEverything\(\);$/m.test(await shown(page())) ? true : undefined,
    );
  });

  it('does not show one that does not exist, however often the code base says it', async () => {
    await typeMember('invented.ts', 'closeTube');
    await page().waitForTimeout(2_000);
    expect(await ghostText(page())).not.toContain('flush');
    await type(page(), 'f');
    await page().waitForTimeout(2_000);
    expect(await ghostText(page())).not.toContain('lush');
  });
});

describe('ghost text and the extension host', () => {
  const meter = mkdtempSync(join(tmpdir(), 'mochi-meter-'));
  const during = (phase: string): void => writeFileSync(join(meter, 'phase'), phase);
  // Whatever the host does first is measured too.
  during('opening');
  const { page } = useWorkbench({
    files,
    settings: { ...settings, ...unverified },
    vsix: [
      vsixFile,
      packExtension('mochi-test-meter', fileURLToPath(new URL('../support/host-meter.cjs', import.meta.url))),
    ],
    env: { MOCHI_METER: meter },
  });
  afterAll(() => rmSync(meter, { recursive: true, force: true }));

  it('share it (the figures are for people)', async () => {
    await openAtEnd(page(), 'soup.ts');
    await page().locator('.statusbar-item[id="mochi.mochi-skills.mochi.status"]').waitFor();
    await page().waitForTimeout(2_000);
    during('first keys');
    await page().waitForTimeout(500);
    await typeUntilGhost(page(), 'const oven = ', /^heatOven/);
    const line = "\n  if (minutes < 7) throw new DishError('raw'); const oven = heatOven(180);";
    during('with');
    await page().waitForTimeout(500);
    await type(page(), line);
    during('between');
    await runCommand(page(), 'Mochi: Pause Completions and Learning');
    await page().locator('.editor-instance .view-lines').first().click();
    await page().keyboard.press('Control+End');
    during('without');
    await page().waitForTimeout(500);
    await type(page(), line);
    during('end');
    const phases = ['opening', 'first keys', 'with', 'without'];
    await until('the host was not measured', async () =>
      phases.every((phase) => existsSync(join(meter, `${phase}.json`))) ? true : undefined,
    );
    for (const phase of phases) {
      const figures = JSON.parse(readFileSync(join(meter, `${phase}.json`), 'utf8')) as {
        readonly held: number;
        readonly mochi: readonly { readonly ms: number; readonly where: string }[];
      };
      const ours = figures.mochi.map(({ ms, where }) => `${ms.toFixed(1)} (${where})`).join(', ');
      console.log(`${phase}: host held at most ${figures.held.toFixed(1)} ms at a time; by Mochi ${ours}`);
    }
  });
});

describe('ghost text in two windows', () => {
  it('comes in both', async () => {
    const { startWorkbenchServer } = await import('./bed/workbench-server.ts');
    const server = await startWorkbenchServer({
      vsix: [vsixFile],
      testSwitch: false,
      files,
      settings: { ...settings, ...unverified },
    });
    const windows = [await openWorkbench(server), await openWorkbench(server)];
    try {
      for (const [at, { page }] of windows.entries()) {
        await openAtEnd(page, at === 0 ? 'soup.ts' : 'stew.ts');
        await typeUntilGhost(page, 'const oven = ', /^heatOven/);
      }
      expect(mochiProcesses(server.workspace)).toHaveLength(2);
    } finally {
      for (const window of windows) await window.close();
      await server.stop();
    }
  });
});

describe('ghost text without trust', () => {
  const { page, folder } = useWorkbench({ files, settings, restricted: true });

  it('does not appear, and nothing is started', async () => {
    await openAtEnd(page(), 'soup.ts');
    await type(page(), 'const oven = ');
    await noGhost(page());
    expect(mochiProcesses(folder())).toEqual([]);
  });
});
