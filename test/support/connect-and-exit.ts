/** Connects to the server given as JSON, and ends at once without closing the connection. */
import type { Server } from '#core/model.ts';
import { createClient } from './mcp-servers.ts';

const server = JSON.parse(process.argv[2] ?? '') as Server;
await createClient().connect(server, new AbortController().signal);
process.exit(5);
