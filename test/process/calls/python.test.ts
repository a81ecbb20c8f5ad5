/** The Python call script against the shared table. */
import { afterAll, beforeAll, describe, test } from 'vitest';
import { start } from '../../support/call-servers/http-server.ts';
import { describeProcesses } from '../../support/call-servers/process-checks.ts';
import { runCase } from '../../support/call-servers/run-case.ts';
import { CASES } from './cases.ts';
import { python } from './python-runtime.ts';

let http: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  http = await start();
});
afterAll(() => http.close());

describe('Python call script', () => {
  for (const row of CASES) test(row.name, () => runCase(row, python, http.url));
});

describe('Processes of the Python call script', () => describeProcesses(python));
