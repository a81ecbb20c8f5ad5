/**
 * Standard input, line by line: what is a message goes on as it came, what is none is answered with the error that
 * JSON-RPC has for it. The library's transport would drop it, and whoever sent it would wait. It reads no meaning, and knows a message by what it is given.
 */
import process from 'node:process';
import { pipeline, Transform, type TransformCallback, type Writable } from 'node:stream';

/** Throws where a value is no message of the protocol; a library of servers has such a function. */
export type ParseMessage = (value: unknown) => unknown;

const NEWLINE = 10;
/** The codes of JSON-RPC 2.0, section 5.1. */
const FAULTS = {
  parse: { code: -32_700, message: 'This line is no JSON: send one JSON-RPC message a line.' },
  batch: { code: -32_600, message: 'Batches are not served: send one message a line.' },
  invalid: { code: -32_600, message: 'This is no JSON-RPC 2.0 message.' },
} as const;
type FaultName = keyof typeof FAULTS;

/** What is wrong with a line; undefined where it is a message, empty, or an answer, which nobody answers. */
export function faultOfLine(line: string, parse: ParseMessage): FaultName | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'parse';
  }
  if (Array.isArray(value)) return 'batch';
  try {
    parse(value);
    return undefined;
  } catch {
    const isAnswer =
      typeof value === 'object' && value !== null && !('method' in value) && ('result' in value || 'error' in value);
    return isAnswer ? undefined : 'invalid';
  }
}

/**
 * `answers` is where the protocol writes. A line of more than `longest` bytes goes on unread: the transport knows that
 * bound, too, and ends the connection.
 */
export function createMessageFilter(answers: Writable, longest: number, parse: ParseMessage): Transform {
  let kept: Buffer[] = [];
  let size = 0;
  /** All that is kept, with its end. */
  const take = (end: Buffer): Buffer => {
    const line = Buffer.concat([...kept, end]);
    kept = [];
    size = 0;
    return line;
  };
  const transform = (chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void => {
    const passed: Buffer[] = [];
    const faults: FaultName[] = [];
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; from = to + 1, to = chunk.indexOf(NEWLINE, from)) {
      const line = take(chunk.subarray(from, to + 1));
      const fault = line.length > longest ? undefined : faultOfLine(line.toString('utf8', 0, line.length - 1), parse);
      if (fault === undefined) passed.push(line);
      else faults.push(fault);
    }
    const rest = chunk.subarray(from);
    kept.push(rest);
    size += rest.length;
    if (size > longest) passed.push(take(Buffer.alloc(0)));
    const answer = faults.map((fault) => `${JSON.stringify({ jsonrpc: '2.0', id: null, error: FAULTS[fault] })}\n`);
    const next = (): void => done(null, passed.length === 0 ? undefined : Buffer.concat(passed));
    // Whoever sends without reading is not read either.
    if (answer.length === 0 || answers.destroyed || answers.write(answer.join(''))) next();
    else answers.once('drain', next);
  };
  return new Transform({
    transform,
    // What has no end is no line; the transport drops it as it always did.
    flush: (done) => done(null, take(Buffer.alloc(0))),
  });
}

/** Standard input of this process behind such a filter. To be destroyed when nobody reads it any more. */
export function filteredInput(longest: number, parse: ParseMessage): Transform {
  const filter = createMessageFilter(process.stdout, longest, parse);
  // Its end is the end of what goes on, however it came.
  pipeline(process.stdin, filter, () => {});
  return filter;
}
