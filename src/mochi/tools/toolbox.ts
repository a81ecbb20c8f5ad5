/** All tools in the order they are listed, and the one way to call them: checked, under the laws, never throwing. */
import { setTimeout as delay } from 'node:timers/promises';
import { compactTool } from '#core/catalog/compact.ts';
import type { JsonObject } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { FAULT_KEY, type Fault } from '#protocol/mochi.ts';
import type { Adapter } from '../adapter.ts';
import { type Limits, MochiFault } from '../limits.ts';
import { completeCode } from './complete-code.ts';
import { domainQuery } from './domain-query.ts';
import type { SkillTool } from './skill.ts';
import { suggestPattern } from './suggest-pattern.ts';
import type { MochiTool } from './tool.ts';

/** A new tool is one file and one line here. */
const TOOLS: readonly MochiTool[] = [domainQuery, completeCode, suggestPattern];

/** Milliseconds that a call waits at most for what is being loaded or learned, and between two looks at it. */
const READY_MS = 3_000;
const LOOK_MS = 20;

/** They look at what was learned and change nothing anywhere. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations: typeof ANNOTATIONS;
}

/** What a call came to; a refusal is an answer too. */
export type CallOutcome =
  | { readonly kind: 'answered'; readonly structured?: JsonObject; readonly text: string }
  | { readonly kind: 'refused'; readonly fault: Fault; readonly text: string };

export interface Toolbox {
  /** In a fixed order; the same bytes as long as the skills are the same. */
  list(compact: boolean): Promise<readonly ListedTool[]>;
  /** Undefined where there is no tool of that name. Rejects only with the signal's reason. */
  call(name: string, args: unknown, signal: AbortSignal): Promise<CallOutcome | undefined>;
}

/** Where a refusal is kept in a tool result. */
export const faultMeta = (fault: Fault): Record<string, unknown> => ({ [FAULT_KEY]: fault });

function listed({ name, title, description, inputSchema, outputSchema }: MochiTool, compact: boolean): ListedTool {
  if (!compact) return { name, title, description, inputSchema, outputSchema, annotations: ANNOTATIONS };
  const short = compactTool({ name, description, inputSchema }, 'safe');
  return { name, title, description: short.description, inputSchema: short.inputSchema, annotations: ANNOTATIONS };
}

/** `skills` comes last where there is any. */
export function createToolbox(adapter: Adapter, limits: Limits, logger: Logger, skills?: SkillTool): Toolbox {
  const lists = new Map([true, false].map((compact) => [compact, TOOLS.map((tool) => listed(tool, compact))]));
  return {
    async list(compact) {
      const more = await skills?.listed(compact).catch((error: unknown) => {
        logger.warn(`the skills could not be listed: ${error instanceof Error ? error.name : 'unknown'}`);
        return undefined;
      });
      const fixed = lists.get(compact) ?? [];
      return more === undefined ? fixed : [...fixed, { ...more, annotations: ANNOTATIONS }];
    },
    async call(name, args, signal) {
      const tool = TOOLS.find((one) => one.name === name);
      const loadsSkills = skills?.name === name;
      if (tool === undefined && !loadsSkills) return undefined;
      try {
        if (tool === undefined) {
          const load = skills?.prepare(args);
          // What is kept in files can be read before anything was learned.
          return { kind: 'answered', text: (await limits.run(async () => load?.(), signal)) ?? '' };
        }
        const ask = tool.prepare(args);
        const answer = await limits.run(async (stop) => {
          await untilLearned(adapter, stop);
          if (!adapter.isLearned) throw adapter.refusal ?? notReady(adapter);
          return ask(adapter.engine, stop);
        }, signal);
        return { kind: 'answered', ...answer };
      } catch (error) {
        if (signal.aborted) throw error;
        const fault = asFault(error);
        if (fault.kind === 'failed') logger.error(`${name} failed: ${error instanceof Error ? error.name : 'unknown'}`);
        else logger.debug(`${name} refused: ${fault.kind}`);
        const { status, message, remedy } = fault.data;
        return {
          kind: 'refused',
          fault: fault.data,
          text: `${status} ${fault.kind}: ${message}${remedy === undefined ? '' : ` ${remedy}`}`,
        };
      }
    },
  };
}

/** Waits a little for what is being loaded, so that the first call after a start is answered too. */
async function untilLearned(adapter: Adapter, signal: AbortSignal): Promise<void> {
  const until = performance.now() + READY_MS;
  while (!adapter.isLearned && adapter.isBusy === true && performance.now() < until)
    await delay(LOOK_MS, undefined, { signal });
}

function notReady({ engine }: Adapter): MochiFault {
  return engine.state === 'learning'
    ? new MochiFault('not-ready', 'Mochi is learning this workspace.', { remedy: 'Try again in a few seconds.' })
    : new MochiFault('not-ready', 'Mochi has learned nothing here.', {
        remedy: 'Start it with --workspace DIR on a folder with source files.',
      });
}

function asFault(error: unknown): MochiFault {
  return error instanceof MochiFault
    ? error
    : new MochiFault('failed', 'The engine failed on this request.', { remedy: "See the server's log." });
}
