/**
 * The scripted server over standard input and output. Options: `--modern` (only the stateless revision),
 * `--strict` (ends when anything comes before `initialize`), `--deaf` (ignores the end of its input),
 * `--asks` (pings the client and waits for its answer before it serves), `--files URL` (where job results lie), `--no-resources`
 * (declares none, and ends when it is asked for one).
 */
import { createInterface } from 'node:readline';
import { answer, brokenBytes, type Era, isFields, success } from './protocol.ts';
import type { Outcome, Value } from './tool-box.ts';

const options = process.argv.slice(2);
const era: Era = options.includes('--modern') ? 'modern' : 'legacy';
const files = options.includes('--files') ? (options[options.indexOf('--files') + 1] ?? '') : '';
let count = 0;
let initialized = false;
const around = { files, next: () => ++count, resources: !options.includes('--no-resources') };
const waiting: unknown[] = [];
let pinged = !options.includes('--asks');

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Writes a line of so many bytes as fast as the other side reads. */
function flood(bytes: number): void {
  const chunk = Buffer.alloc(1_048_576, 'x');
  let sent = 0;
  process.stdout.on('error', () => process.exit(0));
  process.stdout.write('{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"');
  const more = () => {
    while (sent < bytes) {
      sent += chunk.length;
      if (!process.stdout.write(chunk)) {
        process.stdout.once('drain', more);
        return;
      }
    }
    process.stdout.write('"}]}}\n');
  };
  more();
}

function act(id: Value, outcome: Outcome): void {
  switch (outcome.kind) {
    case 'result':
      print(success(id, outcome.result, era));
      break;
    case 'broken':
      process.stdout.write(Buffer.concat([brokenBytes(success(id, outcome.result, era)), Buffer.from('\n')]));
      break;
    case 'flood':
      flood(outcome.bytes);
      break;
    case 'noisy':
      process.stdout.write(`${outcome.lines.join('\n')}\n`);
      print(success(id, outcome.result, era));
      break;
    case 'silence':
      break;
    case 'exit':
      process.stderr.write(`${outcome.lastWords}\n`, () => process.exit(outcome.code));
      break;
    default:
      outcome satisfies never;
  }
}

function receive(message: unknown): void {
  if (!isFields(message)) return;
  if (options.includes('--strict') && !initialized && message['method'] !== 'initialize') process.exit(9);
  initialized = true;
  if (!pinged && message['method'] === 'tools/call') {
    waiting.push(message);
    print({ jsonrpc: '2.0', id: 'are-you-there', method: 'ping' });
    print({ jsonrpc: '2.0', id: 'who-else', method: 'roots/list' });
    return;
  }
  if (message['id'] === 'are-you-there' && isFields(message['result'])) {
    pinged = true;
    for (const earlier of waiting.splice(0)) receive(earlier);
    return;
  }
  const reply = answer(message, era, around);
  if (reply.kind === 'message') print(reply.message);
  if (reply.kind === 'outcome') act(reply.id, reply.outcome);
}

if (options.includes('--deaf')) setInterval(() => {}, 60_000);
createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));
