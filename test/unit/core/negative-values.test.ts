/** A negative number after an option is the value of that option, and is refused for what it is. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/arguments.ts';
import { joinNegatives } from '../../../src/core/negative-values.ts';
import { parseOptions } from '../../../src/mochi/options.ts';

describe('negative numbers', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['belong to the option before them', ['serve', '--port', '-1'], ['serve', '--port=-1']],
    ['may begin with the point', ['--memory-limit', '-.5', '--yes'], ['--memory-limit=-.5', '--yes']],
    ['are no value of an option that has one', ['--port=1', '-2'], ['--port=1', '-2']],
    ['are what they are after a lone --', ['--', '--port', '-1'], ['--', '--port', '-1']],
    ['are not what only begins with a dash', ['--name', '-x', '-w', '-1'], ['--name', '-x', '-w', '-1']],
  ])('%s', (_, argv, joined) => expect(joinNegatives(argv)).toEqual(joined));

  it.each<[readonly string[], RegExp]>([
    [['--port', '-1'], /^--port -1 is not possible\.$/],
    [['--memory-limit', '-1'], /^--memory-limit -1 is not possible\.$/],
  ])('are told the range by the command line and the server: %j', async (words, message) => {
    const refusal = { kind: 'usage', message: expect.stringMatching(message), remedy: expect.stringContaining('from') };
    const around = { env: {}, cwd: '/', files: { read: async () => undefined } };
    await expect(parseOptions(words, around)).rejects.toMatchObject(refusal);
    await expect(async () => parseArguments(['serve', ...words])).rejects.toMatchObject(refusal);
  });

  it('are no number of seconds or rounds either', () => {
    expect(() => parseArguments(['list', '--timeout', '-5'])).toThrow('--timeout -5 is no number of seconds.');
    expect(() => parseArguments(['economics', '--rounds', '-5'])).toThrow('--rounds -5 is no number of rounds.');
  });
});
