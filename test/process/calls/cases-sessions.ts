/** Sessions: one server over several calls, its end, its restart, and that the socket is the user's own. */
import type { CallCase, CaseServer } from './case.ts';
import { STDIO } from './cases-calls.ts';

const COUNT = ['count', '--session', 's'];

const counting = (label: string, server: CaseServer): CallCase => ({
  name: `A session over ${label} keeps the server between calls`,
  server,
  sessions: ['s'],
  steps: [
    { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
    { argv: COUNT, expect: { exit: 0, is: 'count 2' } },
    { argv: ['count', '--session', 'other'], expect: { exit: 0, is: 'count 1' } },
    { argv: ['--session-stop', 'other'], expect: { exit: 0 } },
    { argv: COUNT, expect: { exit: 0, is: 'count 3' } },
  ],
});

export const SESSIONS: readonly CallCase[] = [
  counting('stdio', STDIO),
  counting('streamable HTTP', { kind: 'http', path: '/mcp' }),
  {
    name: 'Without a session every call has a server of its own',
    server: STDIO,
    steps: [
      { argv: ['count'], expect: { exit: 0, is: 'count 1' } },
      { argv: ['count'], expect: { exit: 0, is: 'count 1' } },
    ],
  },
  {
    name: '--session-list shows what lives, --session-stop ends it',
    server: STDIO,
    sessions: ['s'],
    steps: [
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
      { argv: ['--session-list'], expect: { exit: 0, stdout: [/\bs\b/] } },
      { argv: ['--session-stop', 's'], expect: { exit: 0 } },
      { argv: ['--session-list', '--json'], expect: { exit: 0, absent: ['"s"'] } },
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
    ],
  },
  {
    name: 'Stopping a session that is not there is no error',
    server: STDIO,
    steps: [{ argv: ['--session-stop', 'nobody'], expect: { exit: 0 } }],
  },
  {
    name: 'A server that ended is started again by the next call, which says so',
    server: STDIO,
    sessions: ['s'],
    steps: [
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
      { argv: ['die', '--session', 's'], expect: { exit: 3 } },
      { argv: COUNT, expect: { exit: 0, is: 'count 1', stderr: [/started again|restarted/] } },
    ],
  },
  {
    name: 'A session resolves secrets when it starts and stores none',
    server: { kind: 'stdio', more: { env: { FROM_ENV: '${SCRIPTED_TOKEN}' } } },
    env: { SCRIPTED_TOKEN: ['open', 'sesame', '1234'].join('-') },
    sessions: ['s'],
    steps: [
      { argv: ['environment', '--session', 's'], expect: { exit: 0, stdout: ['"FROM_ENV":"open-sesame-1234"'] } },
      { shell: 'grep -r "open-sesame" run .claude || echo clean', expect: { exit: 0, is: 'clean' } },
      { shell: 'ps ax -o args | grep "[o]pen-sesame" || echo clean', expect: { exit: 0, is: 'clean' } },
    ],
  },
  {
    name: 'A session without its secret fails with exit code 5 and leaves no daemon',
    server: { kind: 'stdio', more: { env: { FROM_ENV: '${SCRIPTED_TOKEN}' } } },
    steps: [
      { argv: COUNT, expect: { exit: 5, stderr: ['SCRIPTED_TOKEN'] } },
      { shell: 'sleep 0.5', expect: { exit: 0 } },
      { argv: ['--session-list', '--json'], expect: { exit: 0, absent: ['"s"'] } },
      { argv: ['--session-stop', 's'], expect: { exit: 0 } },
    ],
  },
  {
    name: 'The socket lies in a folder that only the user can enter',
    server: STDIO,
    sessions: ['s'],
    steps: [
      { argv: COUNT, expect: { exit: 0 } },
      { shell: "stat -c '%a' run/mochi-sessions", expect: { exit: 0, is: '700' } },
      { shell: 'find run/mochi-sessions -type s -perm /077 | wc -l', expect: { exit: 0, stdout: ['0'] } },
      { shell: 'find run/mochi-sessions -type s | wc -l', expect: { exit: 0, stdout: ['1'] } },
    ],
  },
  {
    name: 'A session that nobody uses ends by itself, with its server',
    server: STDIO,
    steps: [
      { argv: [...COUNT, '--session-idle', '0.3'], expect: { exit: 0, is: 'count 1' } },
      {
        shell:
          'for i in 1 2 3 4 5 6 7 8 9 10; do [ -z "$(find run -type s)" ] && break; sleep 0.5; done; find run -type s | wc -l',
        expect: { exit: 0, stdout: ['0'] },
      },
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
      { argv: ['--session-stop', 's'], expect: { exit: 0 } },
    ],
  },
  {
    name: 'A call that times out leaves the session alive',
    server: STDIO,
    sessions: ['s'],
    steps: [
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
      { argv: ['hang', '--session', 's', '--timeout', '0.5'], expect: { exit: 4 } },
      { argv: COUNT, expect: { exit: 0, is: 'count 2' } },
    ],
  },
  {
    name: 'A job runs inside a session',
    server: STDIO,
    sessions: ['s'],
    steps: [
      {
        argv: [
          '--submit-tool',
          'render_submit',
          '--status-tool',
          'render_status',
          '--result-tool',
          'render_result',
          '--session',
          's',
          '--poll-interval',
          '0.05',
          '--args',
          '{"prompt":"a","seconds":0.2}',
        ],
        expect: { exit: 0, stdout: ['"images"'] },
      },
    ],
  },
];
