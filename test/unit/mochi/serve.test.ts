/** Standard output kept for the protocol. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { reserveOutput } from '../../../src/mochi/serve.ts';

it('lets any number of answers wait for the stream without a warning', () => {
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
  const output = reserveOutput(new PassThrough() as unknown as NodeJS.WriteStream, () => quiet);
  expect(output.getMaxListeners()).toBe(0);
});
