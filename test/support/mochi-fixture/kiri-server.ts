/**
 * Speaks as kiri 0.10 does, from a recorded exchange: `node kiri-server.ts ok|slow|broken|hostile|gone`. The shapes are
 * the real server's (old protocol revision, JSON text in the result); the paths are those of the test's workspace.
 */
import { createInterface } from 'node:readline';

const [scenario = 'ok'] = process.argv.slice(2);
if (scenario === 'gone') process.exit(3);

const bundle = {
  context: [
    { path: 'docs/ledgers.md', range: [2, 3], why: ['text:ledger', 'structural:0.27'], score: 1 },
    { path: 'src/gamma.ts', range: [1, 9], why: ['symbol:readGammaLedger'], score: 0.99 },
  ],
};
const hostile = {
  context: [
    { path: '../outside.txt', range: [1, 2], why: [], score: 1 },
    { path: '/etc/hostname', range: [1, 2], why: [], score: 1 },
    { path: '.env', range: [1, 2], why: [], score: 1 },
    { path: 'link.md', range: [1, 2], why: [], score: 1 },
    { path: 'docs/ledgers.md', range: ['1', null], why: [], score: 1 },
    { path: 'docs/ledgers.md', range: [900, 901], why: [], score: 1 },
  ],
};
const matches = [{ path: 'docs/ledgers.md', matchLine: 5, lang: null, ext: '.md', score: 1 }];

function answer(method: string, params: { readonly name?: string }): object | undefined {
  if (method === 'initialize')
    return {
      protocolVersion: '2024-11-05',
      serverInfo: { name: 'kiri', version: '0.10.0' },
      capabilities: { tools: {}, resources: {} },
    };
  if (method !== 'tools/call') return undefined;
  if (scenario === 'broken') return { content: [{ type: 'text', text: 'Goal is too vague.' }], isError: true };
  const found = params.name === 'files_search' ? matches : scenario === 'hostile' ? hostile : bundle;
  return { content: [{ type: 'text', text: JSON.stringify(found, undefined, 2) }], isError: false };
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { name?: string } };
  if (id === undefined) return;
  const result = answer(method, params ?? {});
  const reply =
    result === undefined ? { error: { code: -32601, message: 'Requested method is not available.' } } : { result };
  const wait = scenario === 'slow' && method === 'tools/call' ? 5_000 : 0;
  setTimeout(() => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...reply })}\n`), wait);
});
