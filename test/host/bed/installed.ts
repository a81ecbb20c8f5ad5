/** The packaged extension installed into a workbench, for the tests of one block. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { vsixFile } from './prepare-once.ts';
import { openWorkbench, type PageOptions, type Workbench } from './workbench-page.ts';
import { type ServerOptions, startWorkbenchServer, type WorkbenchServer } from './workbench-server.ts';

export interface Installed {
  page(): Page;
  /** The workspace folder's path. */
  folder(): string;
}

/** Opens before the tests of the surrounding block and ends after them. */
export function useWorkbench(options: ServerOptions & PageOptions): Installed {
  let server: WorkbenchServer | undefined;
  let workbench: Workbench | undefined;
  beforeAll(async () => {
    server = await startWorkbenchServer({ vsix: [vsixFile], testSwitch: false, ...options });
    workbench = await openWorkbench(server, undefined, options);
  });
  afterAll(async () => {
    await workbench?.close();
    await server?.stop();
  });
  return {
    page() {
      if (!workbench) throw new Error('The workbench is not open');
      return workbench.page;
    },
    folder() {
      if (!server) throw new Error('The server does not run');
      return server.workspace;
    },
  };
}
