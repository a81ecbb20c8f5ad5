/** A server of the modern era for the gateway's tests: it speaks no other, and its list of tools grows when it is told to. */
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const names = ['grow'];

serveStdio(
  () => {
    const server = new Server(
      { name: 'modern-child', version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler('tools/list', () => ({
      tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
    }));
    server.setRequestHandler('tools/call', async () => {
      names.push(`grown_${names.length}`);
      await server.sendToolListChanged();
      return { content: [{ type: 'text', text: 'grown' }] };
    });
    return server;
  },
  { legacy: 'reject' },
);
