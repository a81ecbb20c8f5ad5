/** Half a minute of mixed calls as fast as they go, over two transports: every one is answered, and memory stays flat. */
import { readFileSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, endAll, WAYS, type Way } from '../support/mochi-fixture/running.ts';

afterEach(endAll);

const SOAK_MS = 10_000;
/** Calls that are in flight at once. */
const LANES = 8;

/** Resident memory of a process in MiB; undefined where the system does not tell. */
function memoryOf(pid: number): number | undefined {
  try {
    const pages = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return pages === undefined ? undefined : Number(pages) / 1024;
  } catch {
    return undefined;
  }
}

/** One call of many kinds, and whether it came out as it must. */
async function oneCall(client: Client, index: number): Promise<boolean> {
  switch (index % 7) {
    case 0:
      return (await client.listTools()).tools.length === 3;
    case 1:
      return (
        (await client.callTool({ name: 'domain_query', arguments: { instruction: `q${index}` } })).isError !== true
      );
    case 2: {
      const prefix = 'x'.repeat(index % 5_000);
      return (await client.callTool({ name: 'complete_code', arguments: { prefix } })).isError !== true;
    }
    case 3:
      return (await client.callTool({ name: 'suggest_pattern', arguments: { goal: 'g' } })).isError !== true;
    case 4:
      return (await client.readResource({ uri: 'mochi://patterns/error-handling' })).contents.length === 1;
    case 5:
      return (await client.callTool({ name: 'domain_query', arguments: { instruction: 7 } })).isError === true;
    default:
      return await client.callTool({ name: `nope-${index}`, arguments: {} }).then(
        () => false,
        () => true,
      );
  }
}

const CALLERS: readonly Way[] = WAYS.filter(({ transport }) => transport !== 'sse');

describe('a soak', () => {
  it.each(CALLERS)(
    'of mixed calls over $transport in the $era era leaves memory flat and no call open',
    async (way) => {
      const { client, pid } = await connect(way);
      let calls = 0;
      let wrong = 0;
      const memory: number[] = [];
      const until = performance.now() + SOAK_MS;
      const lane = async (): Promise<void> => {
        while (performance.now() < until) {
          const index = calls++;
          if (!(await oneCall(client, index))) wrong++;
          if (index % 200 === 0) memory.push(memoryOf(pid) ?? 0);
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(wrong).toBe(0);
      expect(calls).toBeGreaterThan(500);
      // The heap grows until the collector has seen a few rounds; after that it must not keep growing.
      const settled = memory.slice(Math.floor(memory.length / 3));
      const [early, late] = [settled.slice(0, settled.length / 2), settled.slice(settled.length / 2)];
      console.log(
        `${way.transport} ${way.era}: ${calls} calls, ${Math.min(...early).toFixed()} to ${Math.max(...late).toFixed()} MiB`,
      );
      expect(Math.max(...late)).toBeLessThan(Math.max(...early) * 1.25 + 32);
    },
    60_000,
  );
});
