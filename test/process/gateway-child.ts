/**
 * A small MCP server for the gateway's tests that dies, freezes, grows and waits when it is called so. Every start and
 * every cancelled call is a line in the file EVENTS. With STUBBORN it does not end when nobody speaks to it any more.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly requestId?: unknown };
}

const note = (line: string): void => appendFileSync(process.env['EVENTS'] ?? '', `${line}\n`);
const names = ['echo', 'grow', 'die', 'freeze', 'wait', 'refuse'];
let isFrozen = false;

note(`start ${process.pid}`);

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function call(id: number | undefined, { name, arguments: args }: NonNullable<Message['params']>): void {
  switch (name) {
    case 'die':
      process.exit(9);
      break;
    case 'freeze':
      isFrozen = true;
      break;
    case 'wait':
      note('waiting');
      break;
    case 'refuse':
      write({ id, error: { code: -32011, message: 'Not today.', data: { until: 'tomorrow' } } });
      break;
    default:
      if (name === 'grow') {
        names.push(`grown_${names.length}`);
        write({ method: 'notifications/tools/list_changed' });
      }
      write({
        id,
        result: {
          content: [{ type: 'text', text: JSON.stringify({ name, args, pid: process.pid }) }],
          _meta: { 'example.com/kept': true },
        },
      });
  }
}

function answer({ id, method, params = {} }: Message): void {
  if (method === 'notifications/cancelled') note('cancelled');
  if (isFrozen || id === undefined) return;
  switch (method) {
    case 'initialize':
      write({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'child', version: '1' },
        },
      });
      break;
    case 'tools/list':
      write({
        id,
        result: {
          tools: names.map((name) => ({
            name,
            description: `Does ${name}. Keywords: ${name}, words`,
            inputSchema: { type: 'object', properties: { text: { type: 'string', minLength: 1 } } },
          })),
        },
      });
      break;
    case 'tools/call':
      call(id, params);
      break;
    default:
      write({ id, error: { code: -32601, message: 'Method not found' } });
  }
}

createInterface({ input: process.stdin })
  .on('line', (line) => answer(JSON.parse(line) as Message))
  .on('close', () => {
    if (process.env['STUBBORN'] === undefined) process.exit(0);
    process.on('SIGTERM', () => {});
    setInterval(() => {}, 1_000);
  });
