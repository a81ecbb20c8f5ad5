/** Standard error of Mochi, read again: levels, halves of lines, and the sentence that tells why it ended. */
import { describe, expect, it } from 'vitest';
import { createLogReplay, lastWords } from '../../../src/node/mochi-log.ts';

function setUp() {
  const said: string[] = [];
  const say = (level: string) => (message: string) => void said.push(`${level} ${message}`);
  const logger = {
    trace: say('trace'),
    debug: say('debug'),
    info: say('info'),
    warn: say('warn'),
    error: say('error'),
  };
  const take = createLogReplay(logger, 'Mochi');
  return { said, hear: (text: string) => take(Buffer.from(text)) };
}

const line = (level: string, message: string) => `${JSON.stringify({ time: 't', level, message })}\n`;

describe('the log of Mochi', () => {
  it('is said again at its own level, line by line, however it arrives', () => {
    const { said, hear } = setUp();
    const text = line('info', 'one') + line('error', 'two é');
    hear(text.slice(0, 20));
    hear(text.slice(20));
    expect(said).toEqual(['info Mochi: one', 'error Mochi: two é']);
  });

  it.each([
    ['what the runtime says', 'Segmentation fault\n', 'warn Mochi: Segmentation fault'],
    ['JSON of another kind', '{"a":1}\n', 'warn Mochi: {"a":1}'],
    ['half of JSON', '{"level":"info"\n', 'warn Mochi: {"level":"info"'],
    ['a level of another log', line('fatal', 'x'), 'warn Mochi: {"time"'],
  ])('takes %s for a warning', (_what, text, expected) => {
    const { said, hear } = setUp();
    hear(text);
    expect(said[0]?.startsWith(expected)).toBe(true);
  });

  it('gives up on a line without an end, and keeps none of it', () => {
    const { said, hear } = setUp();
    hear('x'.repeat(1_500_000));
    hear(line('info', 'later'));
    expect(said).toEqual([]);
  });

  it.each([
    ['the last error', line('error', 'first') + line('error', 'last') + line('info', 'ending'), 'last'],
    ['else the last that is no log', `${line('info', 'one')}Killed\n`, 'Killed'],
    ['nothing where there is nothing', line('info', 'fine'), ''],
    ['nothing of nothing', '', ''],
  ])('has for its last words %s', (_what, output, expected) => {
    expect(lastWords(output)).toBe(expected);
  });
});
