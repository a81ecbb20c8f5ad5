/** The Node call script, as it is bundled, as a runtime of the shared checks. `MOCHI_TEST_NODE` names another Node. */
import { fileURLToPath } from 'node:url';
import type { Runtime } from '../../support/call-servers/run-case.ts';

export const node: Runtime = {
  name: 'node',
  script: fileURLToPath(new URL('../../../dist/scripts/mcp_async_call.mjs', import.meta.url)),
  interpreter: process.env['MOCHI_TEST_NODE'] ?? process.execPath,
};
