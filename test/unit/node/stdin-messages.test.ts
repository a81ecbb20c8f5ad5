/** Standard input: messages go on as they came, and what is none is answered. */
import { PassThrough } from 'node:stream';
import { parseJSONRPCMessage as parse } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createMessageFilter, faultOfLine } from '#node/stdin-messages.ts';

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

describe('a line of standard input', () => {
  it.each([
    [ping, undefined],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', undefined],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
    ['{"id":1,"result":{}}', undefined],
    ['', undefined],
    ['  \r', undefined],
    ['hello', 'parse'],
    ['{"jsonrpc":', 'parse'],
    ['7', 'invalid'],
    ['null', 'invalid'],
    ['{}', 'invalid'],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 'invalid'],
    ['{"jsonrpc":"2.0","id":1,"method":7}', 'invalid'],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}', 'invalid'],
    [`[${ping}]`, 'batch'],
  ])('%j is %s', (line, fault) => expect(faultOfLine(line, parse)).toBe(fault));
});

describe('standard input', () => {
  async function through(chunks: readonly (string | Buffer)[], longest = 1_000) {
    const output = new PassThrough();
    const filter = createMessageFilter(output, longest, parse);
    let passed = '';
    filter.on('data', (chunk: Buffer) => {
      passed += chunk.toString('utf8');
    });
    const ended = new Promise((done) => filter.once('end', done));
    for (const chunk of chunks) filter.write(chunk);
    filter.end();
    await ended;
    const answers = String(output.read() ?? '');
    return {
      passed,
      answers: answers
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    };
  }

  it('is given on line by line, however it is cut, with characters of several bytes', async () => {
    const text = `${ping.replace('ping', '鍵')}\n\n${ping}\r\n`;
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
    expect(await through(bytes)).toEqual({ passed: text, answers: [] });
  });

  it('is answered where it is no message, each line once and with no id, and what is one goes on', async () => {
    const { passed, answers } = await through([`nonsense\n${ping}\n{"a":`, `1}\n[]\n${ping}\n`]);
    expect(passed).toBe(`${ping}\n${ping}\n`);
    expect(answers.map(({ id, error }) => [id, error.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      [null, -32_600],
    ]);
  });

  it('goes on unread where a line is too long, for the transport to refuse', async () => {
    const long = 'x'.repeat(1_500);
    expect(await through([long, `${long}\nshort\n`])).toMatchObject({
      passed: `${long}${long}\n`,
      answers: [{ id: null }],
    });
  });
});
