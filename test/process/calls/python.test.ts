/** The Python call script against the shared table. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { findPython } from '../../support/call-servers/find-python.ts';
import { start } from '../../support/call-servers/http-server.ts';
import { type Runtime, runCase } from '../../support/call-servers/run-case.ts';
import { CASES } from './cases.ts';

const runtime: Runtime = {
  name: 'python',
  script: fileURLToPath(new URL('../../../src/scripts/mcp_async_call.py', import.meta.url)),
  interpreter: findPython(),
};

let http: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  http = await start();
});
afterAll(() => http.close());

describe('Python call script', () => {
  for (const row of CASES) test(row.name, () => runCase(row, runtime, http.url));
});
