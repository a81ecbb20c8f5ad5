/**
 * The environment a server is started with: a short list of harmless names from ours, then the file of variables
 * and the variables its definition names. Secrets of the host never reach a server by accident.
 */
import { parseEnv } from 'node:util';
import type { Endpoint } from '#core/model.ts';
import { readEnv } from './connect-command.ts';

/** As the official SDK inherits them, and the folders and languages that programs need to behave as in a terminal. */
const INHERITED_POSIX = [
  ...['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'TMPDIR', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR', 'XDG_STATE_HOME'],
];
const INHERITED_WINDOWS = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP'],
  ...['USERNAME', 'USERPROFILE', 'WINDIR'],
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The child's environment. `fileText` is the text of the definition's `envFile`; the definition's own values win. */
export function childEnvironment(
  host: Environment,
  endpoint: Extract<Endpoint, { kind: 'stdio' }>,
  platform: NodeJS.Platform,
  fileText = '',
): Readonly<Record<string, string>> {
  const result = new Map<string, string>();
  for (const name of platform === 'win32' ? INHERITED_WINDOWS : INHERITED_POSIX) {
    const value = readEnv(host, name, platform);
    // An exported shell function is code, not a value.
    if (value !== undefined && !value.startsWith('()')) result.set(name, value);
  }
  const set = (name: string, value: string | null): void => {
    if (platform === 'win32') {
      for (const key of result.keys()) if (key.toUpperCase() === name.toUpperCase()) result.delete(key);
    }
    if (value === null) result.delete(name);
    else result.set(name, value);
  };
  for (const [name, value] of Object.entries(parseEnv(fileText))) set(name, value ?? null);
  for (const [name, value] of Object.entries(endpoint.env)) set(name, value);
  return Object.fromEntries(result);
}
