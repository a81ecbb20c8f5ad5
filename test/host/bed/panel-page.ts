/**
 * The panel's page without VS Code: the built script and sheet under the real policy, in headless Chromium, with a
 * host that records what the page says. For what a browser is needed for and a workbench is not.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Page, type Browser as RunningBrowser } from 'playwright-core';
import { panelHtml } from '../../../src/extension/panel-html.ts';
import { panelStrings } from '../../../src/extension/panel-messages.ts';
import type { FromWebview, PanelState, ToWebview } from '../../../src/protocol/preview.ts';
import { prepareBrowser, root } from './fetched-parts.ts';

export const THEMES = ['light', 'dark', 'high-contrast', 'high-contrast-light'] as const;
export type Theme = (typeof THEMES)[number];

export interface PanelPageOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  readonly language?: string;
  /** What the page kept of an earlier life. */
  readonly kept?: unknown;
}

export interface PanelPage {
  readonly page: Page;
  /** What the page has told the host so far. */
  said(): Promise<readonly FromWebview[]>;
  tell(message: ToWebview): Promise<void>;
  /** Tells the texts and a state. */
  show(state: PanelState): Promise<void>;
  /** What the browser refused or complained about. */
  readonly complaints: readonly string[];
}

export interface PanelBrowser {
  open(options?: PanelPageOptions): Promise<PanelPage>;
  close(): Promise<void>;
}

const NONCE = 'abcdef0123456789';

export async function openPanelBrowser(): Promise<PanelBrowser> {
  const server = await serve();
  const { port } = server.address() as AddressInfo;
  const { executable, env } = await prepareBrowser();
  const browser = await chromium.launch({
    executablePath: executable,
    headless: true,
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, ...env },
  });
  return {
    open: (options = {}) => openPage(browser, `http://localhost:${port}`, options),
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const name = request.url?.slice(1) ?? '';
    const origin = `http://${request.headers.host}`;
    const isAsset = name === 'webview.js' || name === 'webview.css';
    if (isAsset) {
      response.setHeader('content-type', name.endsWith('.js') ? 'text/javascript' : 'text/css');
      response.end(readFileSync(join(root, 'dist', name)));
    } else if (name === '') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        panelHtml({
          cspSource: origin,
          script: '/webview.js',
          style: '/webview.css',
          nonce: NONCE,
          styleNonce: 'fedcba9876543210',
          title: 'x',
          language: 'en',
        }),
      );
    } else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function openPage(browser: RunningBrowser, url: string, options: PanelPageOptions): Promise<PanelPage> {
  const { theme = 'light', width = 1100, height = 900, language = 'en', kept } = options;
  const page = await browser.newPage({ viewport: { width, height } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.addInitScript(standIn(theme, kept));
  await page.goto(url);
  const call = <T>(expression: string): Promise<T> => page.evaluate(expression);
  const tell = (message: ToWebview): Promise<void> => call(`postMessage(${JSON.stringify(message)}, origin)`);
  const translations = translationsOf(language);
  const l10n = { t: (text: unknown) => translations[String(text)] ?? String(text) };
  return {
    page,
    complaints,
    tell,
    said: () => call('globalThis.said'),
    show: async (state) => {
      await tell({ kind: 'strings', strings: panelStrings(l10n), language });
      await tell({ kind: 'state', state });
      await page.waitForFunction(`document.querySelector('main') !== null`);
    },
  };
}

function translationsOf(language: string): Readonly<Record<string, string>> {
  if (language === 'en') return {};
  return JSON.parse(readFileSync(join(root, 'l10n', `bundle.l10n.${language}.json`), 'utf8'));
}

/** What VS Code does to a webview before its own script runs: the theme's variables, the body's classes, the host. */
function standIn(theme: Theme, kept: unknown): string {
  const all = JSON.parse(readFileSync(join(root, 'test', 'fixtures', 'themes', 'variables.json'), 'utf8'));
  const css = Object.entries<string>(all[theme])
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
  const classes = `vscode-body vscode-${theme}${theme === 'high-contrast-light' ? ' vscode-high-contrast' : ''}`;
  return `
    globalThis.said = [];
    globalThis.kept = ${JSON.stringify(kept) ?? 'undefined'};
    globalThis.acquireVsCodeApi = () => ({
      postMessage: (message) => void said.push(structuredClone(message)),
      getState: () => kept,
      setState: (state) => { kept = structuredClone(state); },
    });
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      observer.disconnect();
      document.documentElement.style.cssText = ${JSON.stringify(css)};
      document.body.className = ${JSON.stringify(classes)};
      document.body.dataset.vscodeThemeKind = ${JSON.stringify(`vscode-${theme}`)};
      const sheet = new CSSStyleSheet();
      sheet.replaceSync('@layer d { body { margin: 0; padding: 0 20px; font: var(--vscode-font-weight) var(--vscode-font-size) var(--vscode-font-family); } }');
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }).observe(document, { childList: true, subtree: true });
  `;
}
