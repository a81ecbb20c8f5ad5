/**
 * All pages of `tools/list`, whatever the server does with its cursors. The request itself is a parameter; what a
 * page holds is not looked into, so that one bad tool cannot end the walk.
 */
import { MAX_TOOLS, readTools } from '#core/catalog/catalog.ts';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { Tool } from '#core/model.ts';
import type { Problem, Reported } from '#core/problem.ts';
import { redactJson } from './connect-secrets.ts';

export interface ListingOptions {
  /** The server's name, for problems. */
  readonly server: string;
  /** The raw result of `tools/list`. */
  readonly request: (cursor: string | undefined) => Promise<unknown>;
  /** How often the server has said that its list changed. */
  readonly changes: () => number;
  /** True when the caller no longer wants the list: then an error is thrown, not hidden in a partial list. */
  readonly isCancelled: () => boolean;
  /** Values that are replaced wherever a tool repeats them. */
  readonly secrets?: readonly string[];
  readonly maxPages?: number;
  readonly maxTools?: number;
}

/** No real server of fifty pages at all; this leaves room for pages of 25. */
export const MAX_PAGES = 200;
/** Bytes of all pages together. */
const MAX_TEXT = 128_000_000;

interface Walk {
  readonly tools: readonly unknown[];
  readonly problems: readonly Problem[];
  readonly pages: number;
  readonly redacted: boolean;
}

/**
 * One consistent list. A list that changes between two pages is read once more. A failure after the first page
 * keeps what was read, with a `catalog-truncated` problem of severity error; at the first page it is thrown.
 */
export async function listAllTools(options: ListingOptions): Promise<Reported<readonly Tool[]>> {
  let before = options.changes();
  let walk = await walkPages(options);
  const problems: Problem[] = [];
  if (walk.pages > 1 && options.changes() !== before) {
    before = options.changes();
    walk = await walkPages(options);
    if (options.changes() !== before) {
      problems.push(paging(options, 'The list of tools kept changing while it was read; tools may be missing.'));
    }
  }
  const read = readTools(walk.tools, { server: options.server, maxTools: options.maxTools ?? MAX_TOOLS });
  if (walk.redacted) problems.push(redactedProblem(options.server));
  return { value: read.value, problems: [...walk.problems, ...problems, ...read.problems] };
}

async function walkPages(options: ListingOptions): Promise<Walk> {
  const { maxPages = MAX_PAGES, maxTools = MAX_TOOLS } = options;
  const seen = new Set<string>();
  const tools: unknown[] = [];
  let redacted = false;
  let text = '';
  let size = 0;
  let cursor: string | undefined;
  const stop = (pages: number, ...problems: readonly Problem[]): Walk => ({ tools, problems, pages, redacted });
  for (let pages = 1; ; pages++) {
    const page = await readPage(options, cursor, pages);
    if ('problem' in page) return stop(pages, page.problem);
    // Servers that ignore the cursor give the first page for ever.
    if (page.text === text && page.tools.length > 0) {
      return stop(pages, paging(options, 'The server gives the same page of tools again and again.'));
    }
    text = page.text;
    size += text.length;
    redacted ||= page.redacted;
    for (const tool of page.tools) tools.push(tool);
    if (page.next === undefined) return stop(pages);
    if (seen.has(page.next)) return stop(pages, paging(options, 'The pages of tools go round in a circle.'));
    if (pages >= maxPages || size > MAX_TEXT) {
      return stop(pages, paging(options, `The list of tools does not end after ${pages} pages.`));
    }
    if (tools.length > maxTools) return stop(pages);
    seen.add(page.next);
    cursor = page.next;
  }
}

type Page =
  | {
      readonly tools: readonly unknown[];
      readonly text: string;
      readonly next: string | undefined;
      readonly redacted: boolean;
    }
  | { readonly problem: Problem };

async function readPage(options: ListingOptions, cursor: string | undefined, page: number): Promise<Page> {
  let result: unknown;
  try {
    result = await options.request(cursor);
  } catch (error) {
    // Some servers offer tools and then do not know the request.
    if (isMethodNotFound(error)) return { tools: [], text: '', next: undefined, redacted: false };
    if (page === 1 || options.isCancelled()) throw error;
    return { problem: truncated(options, page) };
  }
  const list = isRecord(result) ? own(result, 'tools') : undefined;
  if (!Array.isArray(list)) {
    const { problems } = readTools(list, { server: options.server });
    const [problem = truncated(options, page)] = problems;
    return { problem };
  }
  const next = isRecord(result) ? own(result, 'nextCursor') : undefined;
  const raw: readonly unknown[] = list;
  const texts = raw.map(textOf);
  const tools = raw.map((tool, index) => withoutSecrets(tool, texts[index] ?? '', options.secrets ?? []));
  return {
    tools,
    text: texts.join('\n'),
    next: typeof next === 'string' && next !== '' ? next : undefined,
    redacted: tools.some((tool, index) => tool !== raw[index]),
  };
}

/** Empty for a tool that is nested too deep to be written; the reader of tools then refuses it by name. */
function textOf(tool: unknown): string {
  try {
    return JSON.stringify(tool) ?? '';
  } catch {
    return '';
  }
}

function withoutSecrets(tool: unknown, text: string, secrets: readonly string[]): unknown {
  const found = secrets.filter((secret) => text.includes(JSON.stringify(secret).slice(1, -1)));
  return found.length === 0 ? tool : redactJson(tool, found);
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === -32601;
}

function paging(options: ListingOptions, message: string): Problem {
  return {
    kind: 'catalog-paging',
    severity: 'warning',
    message,
    remedy: 'Report it to the author of the server.',
    server: options.server,
  };
}

function truncated(options: ListingOptions, page: number): Problem {
  return {
    kind: 'catalog-truncated',
    severity: 'error',
    message: `The list of tools broke off at page ${page}; it is not complete.`,
    remedy: 'Try again.',
    server: options.server,
  };
}

function redactedProblem(server: string): Problem {
  return {
    kind: 'secret',
    severity: 'warning',
    message: 'The server repeats a secret of its own definition in its list of tools; it was replaced.',
    remedy: 'Report it to the author of the server, and change the secret if the list was shared.',
    server,
  };
}
