/** Opens a running workbench server in headless Chromium. What is done on the page is up to the caller. */
import { chromium, type Page, type Browser as RunningBrowser } from 'playwright-core';
import { prepareBrowser } from './fetched-parts.ts';
import type { WorkbenchServer } from './workbench-server.ts';

const openDeadline = 60_000;

/** An unpacked extension and the module whose `run()` is called in its extension host; absolute paths. */
export interface Suite {
  readonly extension: string;
  readonly tests: string;
  /** A line of the workbench's console. */
  onLog(level: string, values: readonly unknown[]): void;
  /** The suite has ended. A killed extension host also arrives here, with code 0. */
  onExit(code: number): void;
}

export interface Workbench {
  readonly page: Page;
  close(): Promise<void>;
}

export interface PageOptions {
  /** The display language, for example `ja`. The workbench's own texts stay English: its language packs are not here. */
  readonly language?: string;
  /** A `.code-workspace` file in the workspace folder, opened in place of the folder. */
  readonly workspaceFile?: string;
}

/** Resolves when the workbench is restored and can be used. */
export async function openWorkbench(
  server: WorkbenchServer,
  suite?: Suite,
  options: PageOptions = {},
): Promise<Workbench> {
  const { executable, env } = await prepareBrowser();
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  const browser = await chromium.launch({
    executablePath: executable,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', ...quiet],
    env: { ...process.env, ...env },
    timeout: openDeadline,
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
    page.setDefaultTimeout(openDeadline);
    if (options.language !== undefined) {
      const value = JSON.stringify(options.language);
      // What a language pack would set; extensions are told it as the display language.
      await page.addInitScript(
        `Object.defineProperty(globalThis, '_VSCODE_NLS_LANGUAGE', { get: () => ${value}, set() {} })`,
      );
    }
    await page.goto(await addressOf(server, page, suite, options));
    await page.locator('.monaco-workbench').waitFor();
    await page.locator('.part.statusbar .statusbar-item').first().waitFor();
    if (server.testSwitch) {
      await page.waitForFunction('globalThis.driver !== undefined');
      await page.evaluate('globalThis.driver.whenWorkbenchRestored?.()');
    }
    return { page, close: () => close(browser) };
  } catch (error) {
    await close(browser);
    throw error;
  }
}

async function addressOf(
  server: WorkbenchServer,
  page: Page,
  suite: Suite | undefined,
  { workspaceFile }: PageOptions,
): Promise<string> {
  const query = new URLSearchParams(
    workspaceFile === undefined ? { folder: server.workspace } : { workspace: `${server.workspace}/${workspaceFile}` },
  );
  if (suite) {
    if (!server.testSwitch) throw new Error('A suite needs a server with its test switch on');
    await page.exposeFunction('codeAutomationLog', (level: string, values: unknown) =>
      suite.onLog(level, [values].flat()),
    );
    await page.exposeFunction('codeAutomationExit', (code: number) => suite.onExit(code));
    const remote = (path: string) => `vscode-remote://localhost:${server.port}${path}`;
    query.set(
      'payload',
      JSON.stringify([
        ['extensionDevelopmentPath', remote(suite.extension)],
        ['extensionTestsPath', remote(suite.tests)],
      ]),
    );
  }
  return `${server.url}/?${query}`;
}

/** A page that hangs must not keep its browser from being closed for ever. */
async function close(browser: RunningBrowser): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 10_000);
  });
  await Promise.race([browser.close(), late]).finally(() => clearTimeout(timer));
}
