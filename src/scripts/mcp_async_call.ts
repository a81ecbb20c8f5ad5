/**
 * Calls the tools of one MCP server from a shell. Copied as one bundled file into every skill generated for Node; it
 * needs nothing of its surroundings at run time. Only what a call needs is evaluated: the parts load each other late.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './node/main.ts';

/** Runs one command line, prints, and ends the process with its exit code. A wrapper puts its own options first. */
export async function main(argv: readonly string[] = process.argv.slice(2)): Promise<never> {
  const code = await run(argv, import.meta.url);
  // Sockets kept alive for a next request would hold the process for seconds.
  process.exit(code);
}

function isStarted(): boolean {
  try {
    return (
      process.argv[1] !== undefined && realpathSync(process.argv[1]) === realpathSync(fileURLToPath(import.meta.url))
    );
  } catch {
    return false;
  }
}

if (isStarted()) void main();
