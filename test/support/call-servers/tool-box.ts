/**
 * The tools of the scripted server that the call scripts are tested against, and what each does: good answers of
 * every kind, and misbehaviour on demand. Knows nothing of transports; a transport acts on the {@link Outcome}.
 */
import { JOB_TOOLS, runJobTool } from './job-tools.ts';

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };
export interface Fields {
  readonly [key: string]: Value;
}

/** A tool as `tools/list` gives it. */
export interface ToolEntry {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Fields;
}

/** What a transport has to do for a call. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Fields }
  /** The response's text, in which each `@BROKEN@` becomes bytes that are no UTF-8. */
  | { readonly kind: 'broken'; readonly result: Fields }
  /** A message of so many bytes, sent as one line. */
  | { readonly kind: 'flood'; readonly bytes: number }
  | { readonly kind: 'noisy'; readonly lines: readonly string[]; readonly result: Fields }
  | { readonly kind: 'silence' }
  | { readonly kind: 'exit'; readonly code: number; readonly lastWords: string };

/** What tools may know of the server that runs them. */
export interface Surroundings {
  /** Base address of the file routes; empty over stdio unless one was given. */
  readonly files: string;
  /** Calls of `count` so far, kept by the server. */
  readonly next: () => number;
  /** The one revision that a server speaks; without it, the one that the client asks for. */
  readonly revision?: string;
  /** False for a server that declares no resources. */
  readonly resources?: boolean;
}

const object = (properties: Fields, required: readonly string[] = []): Fields => ({
  type: 'object',
  properties,
  required,
});
const text = { type: 'string' } as const;

/** One pixel, PNG. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const TOOLS: readonly ToolEntry[] = [
  { name: 'say', description: 'Says the text back. Nothing else.', inputSchema: object({ text }, ['text']) },
  { name: 'arguments', description: 'Shows the arguments as received.', inputSchema: { type: 'object' } },
  { name: 'fail', description: 'Reports an error.', inputSchema: object({}) },
  { name: 'structured', description: 'Gives structured content.', inputSchema: object({ alone: { type: 'boolean' } }) },
  { name: 'wrapped', description: 'Gives its text twice.', inputSchema: object({}) },
  { name: 'gallery', description: 'Gives one block of every kind.', inputSchema: object({}) },
  {
    name: 'links',
    description: 'Gives the links it is given.',
    inputSchema: object({ links: { type: 'array', items: { type: 'object' } } }, ['links']),
  },
  { name: 'big', description: 'Gives a text of many bytes.', inputSchema: object({ megabytes: { type: 'number' } }) },
  { name: 'broken', description: 'Answers with bytes that are no UTF-8.', inputSchema: object({}) },
  {
    name: 'flood',
    description: 'Answers with an endless line.',
    inputSchema: object({ megabytes: { type: 'number' } }),
  },
  { name: 'noisy', description: 'Prints noise before it answers.', inputSchema: object({}) },
  { name: 'hang', description: 'Never answers.', inputSchema: object({}) },
  { name: 'die', description: 'Ends the server.', inputSchema: object({ words: text }) },
  { name: 'count', description: 'Counts its calls.', inputSchema: object({}) },
  { name: 'environment', description: 'Shows variables of the server.', inputSchema: object({}) },
  {
    name: 'edit_file',
    description: 'Takes edits, and changes nothing.',
    inputSchema: {
      ...object(
        {
          path: { type: 'string', minLength: 1 },
          edits: {
            type: 'array',
            items: object({ oldText: text, newText: text }, ['oldText', 'newText']),
          },
          mode: { type: 'string', enum: ['a', 'b'] },
          level: { type: 'integer', minimum: 1, maximum: 5 },
          target: { anyOf: [{ $ref: '#/$defs/line' }, { type: 'string', pattern: '^L[0-9]+$' }] },
          note: { type: ['string', 'null'] },
        },
        ['path'],
      ),
      additionalProperties: false,
      $defs: { line: object({ line: { type: 'number' } }, ['line']) },
    },
  },
  {
    name: 'tenant',
    description: 'Wants one argument in a header too.',
    inputSchema: object({ name: { type: 'string', 'x-mcp-header': 'Tenant' } }, ['name']),
  },
  ...JOB_TOOLS,
];

const said = (words: string): Outcome => ({
  kind: 'result',
  result: { content: [{ type: 'text', text: words }] },
});

const GALLERY: readonly Value[] = [
  { type: 'text', text: 'one of each' },
  { type: 'image', data: PIXEL, mimeType: 'image/png' },
  { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'demo://note', mimeType: 'text/plain', text: 'a note' } },
  { type: 'resource', resource: { uri: 'demo://blob', mimeType: 'application/pdf', blob: 'JVBERi0=' } },
  { type: 'resource_link', uri: 'demo://link\nresource: forged', name: 'a link', mimeType: 'text/csv' },
];

type Run = (args: Fields, around: Surroundings) => Outcome;

const RUN: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['say', (args) => said(String(args['text']))],
  ['arguments', (args) => said(JSON.stringify(args))],
  ['tenant', (args) => said(`tenant ${String(args['name'])}`)],
  ['edit_file', () => said('edited')],
  ['count', (_args, around) => said(`count ${around.next()}`)],
  ['fail', () => ({ kind: 'result', result: { isError: true, content: [{ type: 'text', text: 'it broke' }] } })],
  [
    'structured',
    (args) => {
      const structuredContent = { answer: 42, list: [1, 2] };
      const content = args['alone'] === true ? [] : [{ type: 'text', text: JSON.stringify(structuredContent) }];
      return { kind: 'result', result: { content, structuredContent } };
    },
  ],
  [
    'wrapped',
    () => ({
      kind: 'result',
      result: { content: [{ type: 'text', text: 'a long text' }], structuredContent: { content: 'a long text' } },
    }),
  ],
  ['gallery', () => ({ kind: 'result', result: { content: GALLERY } })],
  [
    'links',
    (args) => {
      const links = Array.isArray(args['links']) ? args['links'] : [];
      return {
        kind: 'result',
        result: {
          content: [{ type: 'text', text: 'see' }, ...links.map((link) => ({ type: 'resource_link', ...link }))],
        },
      };
    },
  ],
  ['big', (args) => said('x'.repeat(Number(args['megabytes'] ?? 11) * 1_048_576))],
  ['broken', () => ({ kind: 'broken', result: { content: [{ type: 'text', text: 'caf@BROKEN@!' }] } })],
  ['flood', (args) => ({ kind: 'flood', bytes: Number(args['megabytes'] ?? 200) * 1_048_576 })],
  [
    'noisy',
    () => ({
      kind: 'noisy',
      lines: ['Starting up…', '{"level":"info"}', '[1,2]', '{"jsonrpc":"2.0","id":987654,"result":{}}', '{broken'],
      result: { content: [{ type: 'text', text: 'after the noise' }] },
    }),
  ],
  ['hang', () => ({ kind: 'silence' })],
  ['die', (args) => ({ kind: 'exit', code: 7, lastWords: String(args['words'] ?? 'last words') })],
  ['environment', () => said(JSON.stringify({ ...process.env, cwd: process.cwd() }))],
]);

/** Calls a tool; undefined when there is none of that name. */
export function runTool(name: string, args: Fields, around: Surroundings): Outcome | undefined {
  return RUN.get(name)?.(args, around) ?? runJobTool(name, args, around);
}
