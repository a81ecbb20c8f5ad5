/** The Python call script as a runtime of the shared checks. */
import { fileURLToPath } from 'node:url';
import { findPython } from '../../support/call-servers/find-python.ts';
import type { Runtime } from '../../support/call-servers/run-case.ts';

export const python: Runtime = {
  name: 'python',
  script: fileURLToPath(new URL('../../../src/scripts/mcp_async_call.py', import.meta.url)),
  interpreter: findPython(),
};
