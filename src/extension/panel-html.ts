/** The empty page that the panel's script fills. Its policy lets nothing in but that one script and that one sheet. */

export interface PanelPage {
  /** What VS Code calls its own origin for webviews. */
  readonly cspSource: string;
  readonly script: string;
  readonly style: string;
  /** New for every page. */
  readonly nonce: string;
  /** Another one; the UI toolkit tries a style of its own with it, and finds it in the page. */
  readonly styleNonce: string;
  readonly title: string;
  readonly language: string;
}

export function panelHtml({ cspSource, script, style, nonce, styleNonce, title, language }: PanelPage): string {
  const policy = `default-src 'none'; style-src ${cspSource} 'nonce-${styleNonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!DOCTYPE html>
<html lang="${quoted(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${quoted(policy)}">
<meta property="csp-nonce" content="${quoted(styleNonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${quoted(title)}</title>
<link rel="stylesheet" href="${quoted(style)}">
</head>
<body>
<script nonce="${quoted(nonce)}" src="${quoted(script)}"></script>
</body>
</html>
`;
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
