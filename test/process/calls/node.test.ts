/** The Node call script against the shared table. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { start } from '../../support/call-servers/http-server.ts';
import { describeProcesses } from '../../support/call-servers/process-checks.ts';
import { runCase } from '../../support/call-servers/run-case.ts';
import { CASES } from './cases.ts';
import { node } from './node-runtime.ts';

let http: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  http = await start();
});
afterAll(() => http.close());

describe('Node call script', () => {
  for (const row of CASES) test(row.name, () => runCase(row, node, http.url));
});

describe('Processes of the Node call script', () => describeProcesses(node));
