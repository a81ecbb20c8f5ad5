/**
 * The part of the extension that runs Mochi: one supervised process a folder, and the client of its contract. Loaded
 * when Mochi is first needed, so that neither activation nor the bundle that reads servers grows by it.
 */
import type { Logger } from '#core/ports.ts';
import { openStdioLink } from '#node/connect-stdio.ts';
import { createManagedProcess, type ManagedProcess } from '#node/managed-process.ts';
import { greetMochi, type MochiClient } from '#node/mochi-client.ts';
import { createLogReplay, lastWords } from '#node/mochi-log.ts';

export interface CompanionOptions {
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The editor's own executable, which is a Node when told so. */
  readonly runtime: string;
  /** `dist/mochi.mjs`, absolute. */
  readonly program: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** What else Mochi is told at its start, for example its engine. */
  words(): readonly string[];
}

export interface Companion {
  /** The process of a folder; nothing is started by asking for it. */
  open(folder: string): ManagedProcess<MochiClient>;
  /** Why a process ended, from what it wrote last. */
  lastWords(output: string): string;
}

/** Where the index lies depends on these, so that agents' Mochi and ours share one. */
const PASSED_ON = ['XDG_CACHE_HOME', 'LOCALAPPDATA'];

export function createCompanion(options: CompanionOptions): Companion {
  const { logger, env, platform, clientInfo } = options;
  return {
    lastWords,
    open(folder) {
      return createManagedProcess({
        name: 'Mochi',
        logger,
        spawn: () =>
          openStdioLink({
            server: 'Mochi',
            endpoint: {
              kind: 'stdio',
              command: options.runtime,
              args: [options.program, `--workspace=${folder}`, ...options.words()],
              env: {
                ...Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
                ELECTRON_RUN_AS_NODE: '1',
              },
            },
            env,
            cwd: folder,
            platform,
            onErrorOutput: createLogReplay(logger, 'Mochi'),
          }),
        greet: (link, signal) => greetMochi(link, { clientInfo }, signal),
      });
    },
  };
}
