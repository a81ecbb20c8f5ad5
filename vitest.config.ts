/**
 * Three projects: `unit` touches nothing outside the process, `process` runs built programs and real servers, `host`
 * looks at the packaged extension. The suite inside the extension host is Mocha's. Where other programs are waited for,
 * a test gets a second try, so that one late process does not cost the run; the end of a run names each that needed it.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/isolate-home.ts'],
    projects: [
      { extends: true, test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000 } },
      {
        extends: true,
        test: {
          name: 'process',
          // They wait for children more than they compute.
          maxWorkers: 2,
          retry: 1,
          include: ['test/process/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['test/support/build-once.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'host',
          retry: 1,
          include: ['test/host/*.test.ts'],
          testTimeout: 90_000,
          hookTimeout: 180_000,
          globalSetup: ['test/host/bed/prepare-once.ts'],
        },
      },
    ],
  },
});
