/** Opens a web address in the person's browser. Only http and https, and never through a shell. */
import { spawn } from 'node:child_process';

export interface BrowserCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The program that opens an address; undefined where there is no screen, or the person asked for none. */
export function browserCommand(
  url: URL,
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): BrowserCommand | undefined {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  if (env['MOCHI_NO_BROWSER'] || env['CI'] || env['SSH_CONNECTION']) return undefined;
  if (platform === 'win32') return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', url.href] };
  if (platform === 'darwin') return { command: '/usr/bin/open', args: [url.href] };
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return undefined;
  return { command: 'xdg-open', args: [url.href] };
}

/** Tries to open the address; whether it worked is for the person to see. */
export function openBrowser(url: URL): void {
  const plan = browserCommand(url, process.platform, process.env);
  if (plan === undefined) return;
  const child = spawn(plan.command, plan.args, { stdio: 'ignore', detached: true, shell: false, windowsHide: true });
  child.on('error', () => {});
  child.unref();
}
