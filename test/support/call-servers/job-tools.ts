/**
 * A job as three tools: `render_submit`, `render_status`, `render_result`. The id itself holds what the job will
 * do and when, so that another process can go on with it, and the server keeps no state.
 */
import type { Fields, Outcome, Surroundings, ToolEntry, Value } from './tool-box.ts';

const ID = { type: 'object', properties: { request_id: { type: 'string' } }, required: ['request_id'] };

export const JOB_TOOLS: readonly ToolEntry[] = [
  {
    name: 'render_submit',
    description: 'Submits a picture to render.',
    inputSchema: {
      type: 'object',
      properties: {
        prompt: { type: 'string' },
        seconds: { type: 'number', description: 'How long the job takes' },
        outcome: { type: 'string', description: 'The last status word' },
        shape: { type: 'string', enum: ['structured', 'text', 'nested', 'array', 'none'] },
        files: { type: 'array', items: { type: 'string' }, description: 'File routes of the result' },
      },
      required: ['prompt'],
    },
  },
  { name: 'render_status', description: 'Tells how the job stands.', inputSchema: ID },
  { name: 'render_result', description: 'Gives what the job made.', inputSchema: ID },
];

interface Job {
  readonly readyAt: number;
  readonly outcome: string;
  readonly shape: string;
  readonly files: readonly string[];
}

function encode(job: Job): string {
  return Buffer.from(JSON.stringify(job)).toString('base64url');
}

function decode(id: Value | undefined): Job | undefined {
  try {
    return JSON.parse(Buffer.from(String(id), 'base64url').toString('utf8')) as Job;
  } catch {
    return undefined;
  }
}

/** An answer in the shape that the job was asked to speak in. */
function answer(shape: string, data: Fields): Outcome {
  const inText = (value: Value): Outcome => ({
    kind: 'result',
    result: { content: [{ type: 'text', text: JSON.stringify(value) }] },
  });
  if (shape === 'text') return inText(data);
  if (shape === 'nested') return inText({ ok: true, data });
  if (shape === 'array') return inText([data]);
  if (shape === 'none') return { kind: 'result', result: { content: [{ type: 'text', text: 'queued' }] } };
  return { kind: 'result', result: { content: [], structuredContent: data } };
}

function submit(args: Fields): Outcome {
  const job: Job = {
    readyAt: Date.now() + Number(args['seconds'] ?? 0) * 1000,
    outcome: String(args['outcome'] ?? 'completed'),
    shape: String(args['shape'] ?? 'structured'),
    files: Array.isArray(args['files']) ? args['files'].map(String) : [],
  };
  return answer(job.shape, { request_id: encode(job), message: 'queued' });
}

const unknown: Outcome = {
  kind: 'result',
  result: { isError: true, content: [{ type: 'text', text: 'no such job' }] },
};

function status(args: Fields): Outcome {
  const job = decode(args['request_id']);
  if (job === undefined) return unknown;
  return answer(job.shape === 'none' ? 'text' : job.shape, {
    status: Date.now() < job.readyAt ? 'IN_PROGRESS' : job.outcome,
  });
}

function result(args: Fields, around: Surroundings): Outcome {
  const job = decode(args['request_id']);
  if (job === undefined) return unknown;
  if (Date.now() < job.readyAt)
    return { kind: 'result', result: { isError: true, content: [{ type: 'text', text: 'not ready' }] } };
  const links = job.files.map((file) => (file.includes('://') ? file : `${around.files}/${file}`));
  // The same address twice, and one inside a string that is JSON, as real services have it.
  const data: Fields = { images: links.map((url) => ({ url })), raw: JSON.stringify({ again: links }) };
  return answer(job.shape === 'none' ? 'text' : job.shape, data);
}

/** Calls one of the job tools; undefined for any other name. */
export function runJobTool(name: string, args: Fields, around: Surroundings): Outcome | undefined {
  if (name === 'render_submit') return submit(args);
  if (name === 'render_status') return status(args);
  if (name === 'render_result') return result(args, around);
  return undefined;
}
