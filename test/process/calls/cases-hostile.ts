/** Servers that break, stall, flood and lie: each ends in one clear line and the right exit code, and harms nothing. */
import { type CallCase, type CaseServer, type Expectation, once } from './case.ts';
import { HTTP, STDIO } from './cases-calls.ts';

const ROLES = ['--submit-tool', 'render_submit', '--status-tool', 'render_status', '--result-tool', 'render_result'];

const download = (name: string, file: string, expect: Expectation, more: readonly string[] = []): CallCase =>
  once(name, HTTP, [...ROLES, '--args', JSON.stringify({ prompt: 'a', files: [file] }), ...more], expect);

const SERVERS: readonly (readonly [string, CaseServer])[] = [
  ['stdio', STDIO],
  ['streamable HTTP', HTTP],
  ['legacy SSE', { kind: 'sse', path: '/sse' }],
];

const everywhere = SERVERS.flatMap(([label, server]) => [
  once(`Bytes that are no UTF-8 over ${label} become replacement characters`, server, ['broken'], {
    exit: 0,
    stdout: [/^caf\ufffd+!\n$/],
  }),
  once(`Noise before the answer over ${label} is passed over`, server, ['noisy'], { exit: 0, is: 'after the noise' }),
  once(`Silence over ${label} ends at the deadline`, server, ['hang', '--timeout', '2'], {
    exit: 4,
    stderr: ['error: no answer within 2 s'],
  }),
  once(`A server that ends during a call over ${label} is reported`, server, ['die'], { exit: 3 }),
]);

const servers: readonly CallCase[] = [
  once('The last words of a server are in the error', STDIO, ['die', '{"words":"no disk left"}'], {
    exit: 3,
    stderr: ['no disk left', /exit code 7|code 7/],
  }),
  once('A line of 200 megabytes is given up on', STDIO, ['flood', '{"megabytes":200}'], { exit: 3 }),
  once('A body without end is given up on', { kind: 'http', path: '/json' }, ['flood'], { exit: 3 }),
  once(
    'An event stream that never answers ends at the deadline',
    { kind: 'http', path: '/endless' },
    ['say', '{"text":"x"}', '--timeout', '1'],
    { exit: 4 },
  ),
  once(
    'A timeout is told to programs',
    { kind: 'http', path: '/endless' },
    ['say', '{"text":"x"}', '--timeout', '1', '--json'],
    {
      exit: 4,
      json: { ok: false, error: { kind: 'timeout' } },
    },
  ),
  once('An event without end is given up on', { kind: 'http', path: '/flooding' }, ['say', '{"text":"x"}'], {
    exit: 3,
  }),
  once('A page that is no MCP endpoint is reported', { kind: 'http', path: '/html' }, ['say', '{"text":"x"}'], {
    exit: 3,
  }),
  once('A redirect to another host is not followed', { kind: 'http', path: '/moved-away' }, ['say', '{"text":"x"}'], {
    exit: 3,
  }),
  once(
    'An event stream that names a foreign endpoint is refused',
    { kind: 'sse', path: '/sse-foreign' },
    ['say', '{"text":"x"}'],
    { exit: 3 },
  ),
  once('A busy server is reported with its status', { kind: 'http', path: '/overloaded' }, ['say', '{"text":"x"}'], {
    exit: 3,
    stderr: ['429'],
  }),
  once(
    'An address where nothing listens is reported',
    { kind: 'http', path: '/mcp' },
    ['-e', 'http://127.0.0.1:9/mcp', 'say', '{"text":"x"}'],
    {
      exit: 3,
      stderr: ['127.0.0.1'],
    },
  ),
  once(
    'A command that does not exist is reported',
    { kind: 'command', definition: { command: 'no-such-command-here' } },
    ['say', '{"text":"x"}'],
    {
      exit: 3,
      stderr: ['no-such-command-here'],
    },
  ),
  once(
    'A command that is no MCP server is reported',
    {
      kind: 'command',
      definition: { command: '{{node}}', args: ['-e', 'console.error("I am no server"); process.exit(3)'] },
    },
    ['say', '{"text":"x"}'],
    {
      exit: 3,
      stderr: ['I am no server'],
    },
  ),
  once(
    'A command that says nothing ends at the deadline',
    { kind: 'command', definition: { command: '{{node}}', args: ['-e', 'setInterval(() => {}, 1000)'] } },
    ['say', '{"text":"x"}', '--timeout', '1'],
    { exit: 4, stderr: ['error: no answer within 1 s'] },
  ),
];

const downloads: readonly CallCase[] = [
  download('A redirect to file: is refused and nothing is saved', 'to-file', {
    exit: 3,
    stderr: ['file:'],
    output: [],
  }),
  download('Redirects in a circle end', 'loop', { exit: 3, output: [] }),
  download('A result that is gone is reported', 'gone', { exit: 3, stderr: ['410'], output: [] }),
  download('A file: address is not read', 'file:///etc/hostname', { exit: 0, output: [] }),
  download('A name with folders in it stays in the output folder', 'traversal', { exit: 0, output: ['evil.sh'] }),
  download('A name with Windows folders in it stays in the output folder', 'traversal-windows', {
    exit: 0,
    output: ['evil.bat'],
  }),
  download('A name of dots is not used', 'dots', { exit: 0, output: [/^dots\.txt$/] }),
  download('A device name is not used', 'device', { exit: 0, output: [/^(?!NUL\.).+\.txt$/i] }),
  download('A leading dot is taken away', 'hidden', { exit: 0, output: [/^bashrc/] }),
  download('A download over the limit leaves nothing behind', 'large', { exit: 3, stderr: ['50000'], output: [] }, [
    '--max-bytes',
    '50000',
  ]),
  download('A download without end leaves nothing behind', 'endless', { exit: 3, output: [] }, [
    '--max-bytes',
    '3000000',
  ]),
  once(
    'Headers of the server are not sent with downloads',
    { kind: 'http', path: '/mcp', more: { headers: { Authorization: 'Bearer for-the-server' } } },
    [...ROLES, '--args', '{"prompt":"a","files":["agent"]}'],
    { exit: 0, files: { 'output/agent.txt': 'no authorization' } },
  ),
];

export const HOSTILE: readonly CallCase[] = [...everywhere, ...servers, ...downloads];
