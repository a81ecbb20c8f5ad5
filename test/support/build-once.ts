/** Builds `dist/` before the process tests, so that they run what is shipped and never a stale bundle. */
import { execFileSync } from 'node:child_process';

export default function setup(): void {
  execFileSync(process.execPath, ['esbuild.mjs'], { stdio: 'inherit' });
}
