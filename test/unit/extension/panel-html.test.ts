/** The page's own policy, read as a browser reads it. */
import { describe, expect, it } from 'vitest';
import { panelHtml } from '../../../src/extension/panel-html.ts';

const html = panelHtml({
  cspSource: 'https://*.vscode-cdn.net',
  script: 'https://x/webview.js',
  style: 'https://x/webview.css',
  nonce: 'NONCE',
  styleNonce: 'STYLE',
  title: '"><script>alert(1)</script>',
  language: 'en"',
});
const policy = new Map(
  (/Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? '')
    .split(';')
    .map((rule) => rule.trim().split(' '))
    .map(([name, ...sources]) => [name, sources.join(' ')]),
);

describe('the panel page', () => {
  it('lets nothing in but its script and its sheet', () => {
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'none'",
      'style-src': "https://*.vscode-cdn.net 'nonce-STYLE'",
      'script-src': "'nonce-NONCE'",
      'base-uri': "'none'",
      'form-action': "'none'",
    });
  });

  it('has one script, with the nonce, and neither inline code nor inline style', () => {
    expect(html.match(/<script/g)).toEqual(['<script']);
    expect(html).toContain('<script nonce="NONCE" src="https://x/webview.js"></script>');
    expect(html).not.toMatch(/\son\w+=|<style|\sstyle=/);
  });
});
