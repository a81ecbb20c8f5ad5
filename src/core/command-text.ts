/**
 * Shows what a server's definition would run or reach, for consent: everything, untruncated, with what cannot be
 * seen made visible and what is dangerous named. Takes lifted definitions, so that no secret is shown.
 */
import type { Endpoint } from './model.ts';

export type DangerKind =
  | 'shell'
  | 'superuser'
  | 'deletes'
  | 'downloads'
  | 'encoded'
  | 'preload'
  | 'hidden'
  | 'long'
  | 'plain-http';

/** A part of the command that a person should look at before saying yes. */
export interface Danger {
  readonly kind: DangerKind;
  /** The part as it is shown. */
  readonly part: string;
}

/** Characters that are invisible, reorder text, or would end the line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|[^\S ]/gu;

function shown(text: string): string {
  return text
    .replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(/ {4,}/g, (run) => ` ⟨${run.length} spaces⟩ `);
}

function word(text: string): string {
  const plain = shown(text);
  return /^[\w@%+=:,./${}~-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}

/** The whole command line, or the address with its header names. */
export function commandText(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case 'stdio': {
      const env = Object.entries(endpoint.env).map(([name, value]) =>
        value === null ? `${word(name)}=` : `${word(name)}=${word(value)}`,
      );
      const from = [
        ...(endpoint.cwd === undefined ? [] : [`in ${word(endpoint.cwd)}`]),
        ...(endpoint.envFile === undefined ? [] : [`with variables from ${word(endpoint.envFile)}`]),
      ];
      const command = [...env, word(endpoint.command), ...endpoint.args.map(word)].join(' ');
      return from.length === 0 ? command : `${command}  (${from.join(', ')})`;
    }
    case 'http':
    case 'sse': {
      const headers = Object.keys(endpoint.headers);
      return `${shown(endpoint.url)}${headers.length === 0 ? '' : `  (headers: ${headers.map(shown).join(', ')})`}`;
    }
    default:
      return endpoint satisfies never;
  }
}

const WORDS: readonly (readonly [kind: DangerKind, pattern: RegExp])[] = [
  ['superuser', /^(?:sudo|doas|su|runas|pkexec)$/i],
  ['shell', /^(?:(?:ba|z|da|k|fi)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|pwsh|osascript|eval)$/i],
  ['downloads', /^(?:curl|wget|nc|ncat|ssh|scp|iwr|invoke-webrequest)$/i],
];
const PARTS: readonly (readonly [kind: DangerKind, pattern: RegExp])[] = [
  ['deletes', /\brm\s+-\w*[rf]|\bdel\s+\/|\bformat\s+[a-z]:|\bmkfs\b/i],
  ['downloads', /\b(?:curl|wget)\b[^|]*\|\s*(?:ba|z)?sh\b/i],
  ['superuser', /\bsudo\b/i],
  ['encoded', /(?:^|\s)-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20,}|base64\s+(?:-d|--decode)/i],
];
/** Variables by which a process can be made to load other code. */
const PRELOAD =
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|PYTHONPATH|PERL5OPT|RUBYOPT|BASH_ENV|PATH|JAVA_TOOL_OPTIONS)$/i;
const LONG_COMMAND = 1_000;

/** What to look at, in the order of the command. */
export function dangersOf(endpoint: Endpoint): readonly Danger[] {
  const text = commandText(endpoint);
  const found: Danger[] = [];
  const add = (kind: DangerKind, part: string): void => {
    if (!found.some((one) => one.kind === kind && one.part === part)) found.push({ kind, part });
  };
  if (endpoint.kind === 'stdio') {
    for (const name of Object.keys(endpoint.env)) if (PRELOAD.test(name)) add('preload', shown(name));
    for (const part of [endpoint.command, ...endpoint.args])
      for (const [kind, pattern] of WORDS) if (pattern.test(part.split(/[\\/]/).at(-1) ?? part)) add(kind, shown(part));
    for (const [kind, pattern] of PARTS) {
      const match = pattern.exec([endpoint.command, ...endpoint.args].join(' '));
      if (match !== null) add(kind, shown(match[0]));
    }
  } else if (/^http:\/\/(?!localhost[:/]|127\.|\[::1\])/i.test(endpoint.url))
    add('plain-http', shown(endpoint.url.split(/[?#]/)[0] ?? ''));
  if (/\\u\{|⟨\d+ spaces⟩/.test(text)) add('hidden', (/\\u\{[^}]*\}|⟨\d+ spaces⟩/.exec(text) ?? [''])[0]);
  if (text.length > LONG_COMMAND) add('long', `${text.length} characters`);
  return found;
}
