/**
 * Links that have no business in a tool's description: schemes that run something, downloads to execute,
 * addresses made to deceive, and places that collect what is sent to them. It opens nothing.
 */

/** A suspicious link, as the end of a sentence that begins with "The text". */
export interface LinkFinding {
  readonly what: string;
  readonly severity: 'error' | 'warning' | 'info';
}

interface LinkRule extends LinkFinding {
  readonly pattern: RegExp;
}

const RULES: readonly LinkRule[] = [
  {
    what: 'holds a link that runs code when it is followed',
    severity: 'error',
    pattern:
      /\b(?:javascript|vbscript):\s*[\w(%'"]|\]\(\s*<?\s*(?:javascript|vbscript|command|vscode|vscode-insiders|file|ms-[a-z-]+):|\bcommand:[a-z][\w-]*\.[\w.-]+/i,
  },
  {
    what: 'holds a data: link with a document in it',
    severity: 'error',
    pattern:
      /\]\(\s*<?\s*data:|\bdata:(?:text\/html|image\/svg\+xml|application\/(?:x-)?(?:java|ecma)script|text\/javascript)\b/i,
  },
  {
    what: 'tells the reader to run what a web address returns',
    severity: 'error',
    pattern:
      /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:iex|invoke-expression)\b|\b(?:ba|z)?sh\s+(?:-c\s+["']?\$|<)\(\s*(?:curl|wget)\b/i,
  },
  {
    what: 'asks for a download of a program from a web address',
    severity: 'warning',
    pattern:
      /\b(?:download|install|run|execute|fetch|curl|wget|open)\b[^\n]{0,120}https?:\/\/[^\s"'<>)]{1,300}\.(?:sh|ps1|exe|bat|cmd|msi|dmg|pkg|scr|vbs|jar|apk|deb|rpm|appimage)\b/i,
  },
  {
    what: 'holds an address that hides where it leads (a user before the host, a bare IP address, or look-alike letters)',
    severity: 'warning',
    pattern:
      /\bhttps?:\/\/(?:[^\s/?#@:]{1,200}\.[a-z]{2,24}(?::[^\s/?#@]{0,100})?@[a-z0-9]|[^\s/?#]{0,200}\bxn--|(?!127\.|10\.|0\.0\.0\.0|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|192\.0\.2\.|198\.51\.100\.|203\.0\.113\.)\d{1,3}(?:\.\d{1,3}){3}\b|0x[0-9a-f]{8}\b|\d{8,10}[/:])/i,
  },
  {
    what: 'holds an address of a service that collects requests, tunnels, pastes or shortens links',
    severity: 'warning',
    pattern:
      /\bhttps?:\/\/(?:[\w-]+\.){0,4}(?:webhook\.site|requestbin\.(?:com|net)|pipedream\.net|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|serveo\.net|burpcollaborator\.net|oast\.(?:fun|me|pro|live|site|online)|interact\.sh|pastebin\.com|paste\.ee|hastebin\.com|transfer\.sh|file\.io|0x0\.st|bit\.ly|tinyurl\.com|t\.co|goo\.gl|is\.gd|rb\.gy|cutt\.ly|ow\.ly)(?![\w.-])/i,
  },
  {
    what: 'embeds a picture from a web address',
    severity: 'info',
    pattern: /!\[[^\]\n]{0,200}\]\(\s*<?\s*https?:|<img\b[^>]{0,200}\bsrc\s*=/i,
  },
];

/** Suspicious links of a text, each kind once. */
export function suspiciousLinks(text: string): readonly LinkFinding[] {
  if (!/[:|]|\biex\b|invoke-expression|<img/i.test(text)) return [];
  const plain = text.normalize('NFKC');
  return RULES.filter((rule) => rule.pattern.test(plain)).map(({ what, severity }) => ({ what, severity }));
}
