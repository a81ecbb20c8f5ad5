import { PassThrough } from 'node:stream';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createTerminal, fitted, grouped, plain, table } from '../../../src/cli/terminal.ts';

function terminal(isTTY: boolean, env: Record<string, string> = {}) {
  const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 80 });
  const [input, output, errors] = [stream(), stream(), stream()];
  const read = (from: PassThrough): string => String(from.read() ?? '');
  return {
    made: createTerminal({ input, output, errors, env, interrupt: () => {} }),
    input,
    printed: () => read(output),
    noted: () => read(errors),
  };
}

describe('a table', () => {
  const columns = [
    { title: 'name' },
    { title: 'tokens', align: 'right' as const },
    { title: 'source', flexible: true },
  ];

  it('fits its width by cutting the flexible column', () => {
    const lines = table(
      columns,
      [
        ['everything', '1,082', 'a/very/long/path/'.repeat(6)],
        ['日本語サーバー', '7', 'x'],
      ],
      60,
    );
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(60);
    expect(lines[1]).toContain('…');
    expect(lines[2]).toMatch(/^日本語サーバー +7 {2}x$/);
  });

  it('aligns wide characters by their columns', () => {
    const [, first = '', second = ''] = table(
      columns,
      [
        ['日本', '1', 'x'],
        ['abcd', '2', 'x'],
      ],
      60,
    );
    expect(stringWidth(first.slice(0, first.indexOf('1')))).toBe(stringWidth(second.slice(0, second.indexOf('2'))));
  });

  it('has its titles where it has no rows', () => {
    expect(table(columns, [], 60)).toEqual(['name  tokens  source']);
  });
});

describe('a terminal', () => {
  it('has colours and progress only where it is one', () => {
    const real = terminal(true);
    expect(real.made.style('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    real.made.progress('reading');
    expect(real.noted()).toContain('reading');
    const piped = terminal(false);
    expect(piped.made.style('red', 'x')).toBe('x');
    piped.made.progress('reading');
    expect(piped.noted()).toBe('');
    expect(terminal(true, { NO_COLOR: '1' }).made.style('red', 'x')).toBe('x');
  });

  it.each([
    ['y\n', true],
    ['yes\n', true],
    ['はい\n', true],
    ['是\n', true],
    ['\n', false],
    ['no\n', false],
    ['yesterday\n', false],
  ])('takes %j for %s', async (typed, answer) => {
    const { made, input } = terminal(true);
    const asked = made.confirm('Start?', new AbortController().signal);
    input.write(typed);
    expect(await asked).toBe(answer);
  });

  it('takes the end of the input for no, and stops asking when cancelled', async () => {
    const { made, input } = terminal(true);
    const asked = made.confirm('Start?', new AbortController().signal);
    input.end();
    expect(await asked).toBe(false);
    const other = terminal(true);
    const cancel = new AbortController();
    const question = other.made.confirm('Start?', cancel.signal);
    cancel.abort(new Error('stop'));
    await expect(question).rejects.toThrow('stop');
  });

  it('counts as no where nobody can answer', async () => {
    const { made } = terminal(false);
    expect(made.canAsk).toBe(false);
    expect(await made.confirm('Start?', new AbortController().signal)).toBe(false);
  });
});

describe('texts', () => {
  it('lose what could steer a terminal', () => {
    expect(plain('a\u001b[31mb\u202ec\nd')).toBe('a\ufffd[31mb\ufffdc\nd');
  });

  it('are cut by columns', () => {
    expect(fitted('日本語', 5)).toBe('日本…');
    expect(fitted('abc', 3)).toBe('abc');
  });

  it('group thousands the same everywhere', () => {
    expect([0, 999, 1000, 1234567].map(grouped)).toEqual(['0', '999', '1,000', '1,234,567']);
  });
});
