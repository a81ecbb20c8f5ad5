/**
 * The part of the extension that runs Mochi: one supervised process a folder. Loaded when Mochi is first needed, so that
 * neither activation nor the bundle that reads servers grows by it. The client of its contract is loaded while the process
 * starts, and what only commands need where they run: whoever types must not feel what is loaded.
 */
import type { Logger } from '#core/ports.ts';
import { type Acceptance, addAcceptance, type Counts, readAcceptance, total } from '#node/acceptance-counts.ts';
import { openStdioLink } from '#node/connect-stdio.ts';
import { createFiles } from '#node/files.ts';
import { acceptanceFolder, indexFile, isTooWide } from '#node/learned-place.ts';
import { createManagedProcess, type ManagedProcess } from '#node/managed-process.ts';
import type { MochiClient } from '#node/mochi-client.ts';
import { createLogReplay, lastWords } from '#node/mochi-log.ts';
import { nextTurn } from '#node/next-turn.ts';
import { isOnBattery } from '#node/power.ts';

export interface CompanionOptions {
  readonly logger: Logger;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** The editor's own executable, which is a Node when told so. */
  readonly runtime: string;
  /** `dist/mochi.mjs`, absolute. */
  readonly program: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** What else Mochi is told at its start, for example its engine. */
  words(): readonly string[];
  /** The key of a model server, where one is set up. */
  modelKey(): PromiseLike<string | undefined>;
}

export interface Companion {
  /** The process of a folder; nothing is started by asking for it. */
  open(folder: string): ManagedProcess<MochiClient>;
  /** Why a process ended, from what it wrote last. */
  lastWords(output: string): string;
  /** Whether an index of the folder is kept, so that starting costs little. */
  isLearned(folder: string): Promise<boolean>;
  /** Whether a folder holds far more than one project, as a home folder does. */
  isTooWide(folder: string): boolean;
  /** Undefined where this platform does not say. */
  isOnBattery(): Promise<boolean | undefined>;
  /** How suggestions for a folder were taken so far. */
  acceptance(folder: string): Counts;
  /** Throws OperationError; nothing was added then. */
  addAcceptance(folder: string, more: Acceptance): Promise<Counts>;
}

/** The one way to give a key: what is on a command line can be read by every other process. */
const MODEL_KEY_VARIABLE = 'MOCHI_MODEL_KEY';
/** Besides what every server inherits: an authority of the person's own, for a model server. */
const PASSED_ON = ['NODE_EXTRA_CA_CERTS'];

export function createCompanion(options: CompanionOptions): Companion {
  const { logger, env, platform, home, clientInfo } = options;
  const around = { env, platform, home };
  const files = createFiles();
  return {
    lastWords,
    isLearned: async (folder) => (await files.stat(indexFile(folder, around)).catch(() => undefined))?.kind === 'file',
    isTooWide: (folder) => isTooWide(folder, home),
    isOnBattery: () => isOnBattery(platform),
    acceptance: (folder) => total(readAcceptance(acceptanceFolder(folder, around))),
    addAcceptance: async (folder, more) => total(await addAcceptance(acceptanceFolder(folder, around), more)),
    open(folder) {
      return createManagedProcess({
        name: 'Mochi',
        logger,
        async spawn() {
          const key = await options.modelKey();
          return openStdioLink({
            server: 'Mochi',
            endpoint: {
              kind: 'stdio',
              command: options.runtime,
              args: [options.program, `--workspace=${folder}`, ...options.words()],
              env: {
                ...Object.fromEntries(PASSED_ON.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
                ...(key === undefined ? {} : { [MODEL_KEY_VARIABLE]: key }),
                ELECTRON_RUN_AS_NODE: '1',
              },
            },
            env,
            cwd: folder,
            platform,
            onErrorOutput: createLogReplay(logger, 'Mochi'),
          });
        },
        async greet(link, signal) {
          await nextTurn();
          const { greetMochi } = await import('#node/mochi-client.ts');
          await nextTurn();
          return greetMochi(link, { clientInfo }, signal);
        },
      });
    },
  };
}
