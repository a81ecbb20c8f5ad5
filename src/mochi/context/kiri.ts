/**
 * A kiri server as a source: started by the command that a person gave, asked over MCP within a budget, left alone for a
 * while when it is slow or gone. What it points at is read from the workspace itself, so that passages are what stands
 * there, and a pointer out of the workspace or at a secret leads nowhere.
 */
import { join } from 'node:path';
import type { Server } from '#core/model.ts';
import type { Files, Logger } from '#core/ports.ts';
import { createMcpClient, type McpConnection } from '#node/mcp-client.ts';
import type { Passage } from '../engine/engine.ts';
import { refusalOf, refusalOfName } from '../learn/crawl.ts';
import { identifierIn, pointersOf } from './kiri-answers.ts';
import type { ContextSource, Pointer } from './source.ts';

export interface KiriOptions {
  /** The command and its arguments. */
  readonly words: readonly string[];
  /** The workspace, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  readonly version: string;
  /** Reads within the workspace only, wherever links lead. */
  readonly files: Pick<Files, 'read'>;
  /** Milliseconds that a question may wait for it. */
  readonly budgetMs?: number;
  /** Milliseconds it is left alone after it failed. */
  readonly restMs?: number;
}

const BUDGET_MS = 600;
const REST_MS = 60_000;
/** Milliseconds for the start: kiri indexes the workspace before it speaks. */
const START_MS = 120_000;
/** As kiri's tools count: results of one question. */
const MOST = 5;
const LONGEST_PASSAGE = 40;
const LARGEST_FILE = 512 * 1024;

/** Begins to connect at once; until that is done it finds nothing. */
export function createKiri(options: KiriOptions): ContextSource {
  const { budgetMs = BUDGET_MS, restMs = REST_MS, logger } = options;
  const stop = new AbortController();
  let connection: McpConnection | undefined;
  let isConnecting = false;
  let restUntil = 0;

  const rest = (why: string): void => {
    restUntil = performance.now() + restMs;
    logger.warn(`kiri: ${why}; asked again in ${Math.round(restMs / 1_000)} s`);
  };

  async function connect(): Promise<void> {
    isConnecting = true;
    try {
      const made = await clientOf(options).connect(serverOf(options), stop.signal);
      if (stop.signal.aborted) return await made.close();
      connection = made;
      logger.info('kiri: connected');
      void made.closed.then(() => {
        if (connection === made) connection = undefined;
        if (!stop.signal.aborted) rest('it ended');
      });
    } catch (error) {
      if (!stop.signal.aborted) rest(`not connected (${error instanceof Error ? error.message : 'unknown'})`);
    } finally {
      isConnecting = false;
    }
  }

  void connect();
  return {
    name: 'kiri',
    async find(question, signal) {
      if (stop.signal.aborted || performance.now() < restUntil) return [];
      if (connection === undefined) {
        if (!isConnecting) void connect();
        return [];
      }
      const late = AbortSignal.timeout(budgetMs);
      const within = AbortSignal.any([signal, late, stop.signal]);
      try {
        const pointers = await ask(connection, question, within, budgetMs);
        return await passagesOf(pointers, options, within);
      } catch {
        if (late.aborted && !signal.aborted) rest(`no answer within ${budgetMs} ms`);
        return [];
      }
    },
    async close() {
      stop.abort(new Error('ended'));
      await connection?.close();
    },
  };
}

async function ask(
  connection: McpConnection,
  question: string,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<readonly Pointer[]> {
  const call = async (name: string, args: Readonly<Record<string, string | number | boolean>>) =>
    pointersOf(await connection.callTool(name, { ...args }, { signal, timeoutMs }));
  const identifier = identifierIn(question);
  const asked = [call('context_bundle', { goal: question.slice(0, 500), limit: MOST, compact: true })];
  if (identifier !== undefined) asked.unshift(call('files_search', { query: identifier, limit: MOST, compact: true }));
  const answers = await Promise.allSettled(asked);
  signal.throwIfAborted();
  const lists = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  // Turn by turn, so that neither of the two crowds the other out.
  return Array.from({ length: MOST }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}

async function passagesOf(
  pointers: readonly Pointer[],
  { files, root }: KiriOptions,
  signal: AbortSignal,
): Promise<readonly Passage[]> {
  const passages: Passage[] = [];
  for (const { path, line, endLine } of pointers) {
    signal.throwIfAborted();
    if ([path, ...path.split('/')].some((part) => refusalOfName(part) !== undefined)) continue;
    const bytes = await files.read(join(root, path), LARGEST_FILE).catch(() => undefined);
    const text = bytes === undefined ? '' : new TextDecoder().decode(bytes);
    const lines = text.split('\n');
    if (text === '' || line > lines.length || refusalOf(text) !== undefined) continue;
    const last = Math.min(endLine, lines.length, line + LONGEST_PASSAGE - 1);
    passages.push({ file: path, line, endLine: last, text: lines.slice(line - 1, last).join('\n') });
  }
  return passages;
}

function clientOf({ env, root, logger, version }: KiriOptions) {
  return createMcpClient({
    env,
    cwd: root,
    logger,
    clientInfo: { name: 'mochi', version },
    resolveEndpoint: async ({ endpoint }) => endpoint,
    deadlineMs: START_MS,
  });
}

/** The definition that the person's own command makes; no file of the workspace has a part in it. */
function serverOf({ words: [command = '', ...args], root }: KiriOptions): Server {
  return {
    id: 'option#kiri',
    name: 'kiri',
    source: {
      id: 'option',
      dialect: 'option',
      label: 'mochi serve',
      path: root,
      display: '--kiri',
      scope: 'user',
      folder: root,
    },
    at: { file: root, line: 1, column: 1 },
    endpoint: { kind: 'stdio', command, args, env: {}, cwd: root },
    disabled: false,
    inputs: [],
  };
}
