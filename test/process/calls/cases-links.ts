/** Resource links of plain calls: read on the same connection and saved, or shown as links; no call fails by them. */
import { type CallCase, type CaseServer, type Expectation, once } from './case.ts';
import { HTTP, STDIO } from './cases-calls.ts';

interface Link {
  readonly uri: string;
  readonly name?: string;
  readonly mimeType?: string;
}

const REPORT: Link = { uri: 'demo://docs/report.csv', name: 'report.csv', mimeType: 'text/csv' };
const REPORT_SAVED = /saved: output[\\/]report\.csv \(text\/csv, 8 bytes\) from demo:\/\/docs\/report\.csv/;

const call = (...links: readonly Link[]): readonly string[] => ['links', JSON.stringify({ links })];

/** Links given by a server over stdio; the text before them is always shown. */
const given = (name: string, links: readonly Link[], expect: Expectation, more: readonly string[] = []): CallCase =>
  once(name, STDIO, [...call(...links), ...more], { ...expect, stdout: [/^see\n/, ...(expect.stdout ?? [])] });

const SERVERS: readonly (readonly [string, CaseServer])[] = [
  ['stdio', STDIO],
  ['stdio, of the stateless revision,', { kind: 'stdio', args: ['--modern'] }],
  ['streamable HTTP', HTTP],
  ['streamable HTTP without sessions', { kind: 'http', path: '/stateless' }],
  ['streamable HTTP of the stateless revision', { kind: 'http', path: '/modern' }],
  ['legacy SSE', { kind: 'sse', path: '/sse' }],
];

const everywhere = SERVERS.map(([label, server]) =>
  once(`A resource link over ${label} becomes a file`, server, call(REPORT), {
    exit: 0,
    stdout: [/^see\n/, REPORT_SAVED],
    files: { 'output/report.csv': 'a,b\n1,2\n' },
    output: ['report.csv'],
  }),
);

const names: readonly CallCase[] = [
  given(
    'A link is named for itself, with the extension of its type, of its address, or of its kind',
    [
      { uri: 'demo://pixel', name: 'a pixel' },
      { uri: 'demo://code/notes.rs?line=1', name: 'gone' },
      { uri: 'demo://code/notes.rs', name: 'notes' },
      { uri: 'demo://text', name: 'plain' },
      { uri: 'demo://bytes', name: 'raw' },
      { uri: 'demo://bytes', name: 'typed', mimeType: 'application/pdf' },
    ],
    {
      exit: 0,
      stdout: [/saved: output[\\/]a pixel\.png \(image\/png, 70 bytes\) from demo:\/\/pixel\nlink: demo:/],
      files: { 'output/a pixel.png': 70, 'output/plain.txt': 'words', 'output/raw.bin': 3 },
      output: ['a pixel.png', 'notes.rs', 'plain.txt', 'raw.bin', 'typed.pdf'],
      absent: ['iVBOR'],
    },
  ),
  given('A link without a name is named for its address', [{ uri: REPORT.uri }, { uri: 'urn:isbn:0%2F1' }], {
    exit: 0,
    output: ['1.txt', 'report.csv'],
  }),
  given('Links of one name overwrite nothing', [REPORT, REPORT], {
    exit: 0,
    output: ['report.csv', 'report_1.csv'],
  }),
  once(
    'A link overwrites no file that was there',
    STDIO,
    call(REPORT),
    { exit: 0, files: { 'output/report.csv': 'mine' }, output: ['report.csv', 'report_1.csv'] },
    { files: { 'output/report.csv': 'mine' } },
  ),
  given('-O names the file of a link', [REPORT], { exit: 0, files: { 'chosen.csv': 8 }, output: [] }, [
    '-O',
    './chosen.csv',
  ]),
  given('-O numbers the files of links', [REPORT, { uri: 'demo://text' }], { exit: 0, output: ['c_1.x', 'c_2.x'] }, [
    '-O',
    'c.x',
  ]),
  given('--output chooses the folder of links', [REPORT], { exit: 0, files: { 'here/report.csv': 8 }, output: [] }, [
    '--output',
    'here',
  ]),
  given('A resource of several parts becomes several files', [{ uri: 'demo://parts', name: 'p' }], {
    exit: 0,
    files: { 'output/p.txt': 'one', 'output/p_1.txt': 'two' },
    output: ['p.txt', 'p_1.txt'],
  }),
  given(
    'Names of links stay in the output folder',
    [
      { uri: 'demo://evil/1', name: '../../evil.sh' },
      { uri: 'demo://evil/2', name: '..\\..\\evil.bat' },
      { uri: 'demo://evil/3', name: '/etc/evil.conf' },
      { uri: 'demo://evil/4', name: 'NUL' },
      { uri: 'demo://evil/%2e%2e%2f%2e%2e%2fup.txt' },
      { uri: 'demo://evil/..' },
      { uri: 'demo://evil/\nsaved: forged', name: '\u001b[2J.hid\u202eden' },
    ],
    {
      exit: 0,
      stdout: [/ from demo:\/\/evil\/ saved: forged\n/],
      output: ['[2J.hidden.txt', '_NUL.txt', 'evil.bat', 'evil.conf', 'evil.sh', /^links_\d\.txt$/, 'up.txt'],
      absent: ['\u001b', '\u202e', '\nsaved: forged'],
    },
  ),
];

const kept: readonly CallCase[] = [
  given(
    'A link that cannot be read stays a link, and the others are saved, in order',
    [
      { uri: 'demo://nobody', name: 'n', mimeType: 'text/plain' },
      { uri: 'demo://odd', name: 'odd' },
      { uri: 'demo://no-list' },
      { uri: 'demo://empty' },
      REPORT,
    ],
    {
      exit: 0,
      stdout: [
        /^see\nlink: demo:\/\/nobody \(n, text\/plain\)\nlink: demo:\/\/odd \(odd\)\nlink: demo:\/\/no-list\nlink: demo:\/\/empty\nsaved: /,
        REPORT_SAVED,
      ],
      output: ['report.csv'],
    },
  ),
  given(
    'A link to more than --max-bytes stays a link',
    [{ uri: 'demo://large' }, REPORT],
    { exit: 0, stdout: [/^see\nlink: demo:\/\/large\nsaved: /], output: ['report.csv'] },
    ['--max-bytes', '1000'],
  ),
  given(
    'A link that is read for too long stays a link, and so do those after it',
    [REPORT, { uri: 'demo://silence' }, REPORT],
    { exit: 0, stdout: [REPORT_SAVED, /\nlink: demo:\/\/silence\nlink: demo:\/\/docs/], output: ['report.csv'] },
    ['--timeout', '1.5'],
  ),
  given('A server that ends during a read fails no call', [REPORT, { uri: 'demo://end' }, REPORT], {
    exit: 0,
    stdout: [REPORT_SAVED, /\nlink: demo:\/\/end\nlink: demo:\/\/docs/],
    output: ['report.csv'],
  }),
  given(
    'Twenty links are read and no more',
    Array.from({ length: 22 }, (_, index) => ({ uri: `demo://number/${index}`, name: `n${index}` })),
    {
      exit: 0,
      stdout: [
        /n19\.txt \(text\/plain, 2 bytes\) from demo:\/\/number\/19\nlink: demo:\/\/number\/20 \(n20\)\nlink: demo/,
      ],
      output: Array(20).fill(/^n\d+\.txt$/),
    },
  ),
  {
    name: 'A web address that the server cannot read stays a link and is not fetched',
    server: HTTP,
    steps: [
      {
        argv: ['links', '{"links":[{"uri":"{{http}}/files/never-fetched","name":"w"}]}'],
        expect: { exit: 0, is: 'see\nlink: {{http}}/files/never-fetched (w)', output: [] },
      },
      {
        shell: `{{node}} -e 'fetch("{{http}}/received").then((r) => r.text()).then((t) => console.log(t.includes("never-fetched")))'`,
        expect: { exit: 0, is: 'false' },
      },
    ],
  },
  given('A folder that cannot be written leaves links as links', [REPORT], { exit: 0, stdout: ['\nlink: demo:'] }, [
    '--output',
    '/dev/null/x',
  ]),
];

const PROGRAM: CallCase = once(
  '--json tells the files of links from links',
  STDIO,
  [...call(REPORT, { uri: 'demo://nobody', name: 'n' }), '--json'],
  {
    exit: 0,
    json: {
      ok: true,
      tool: 'links',
      content: [
        { type: 'text', text: 'see' },
        { type: 'file', uri: REPORT.uri, mimeType: 'text/csv', bytes: 8 },
        { type: 'resource_link', uri: 'demo://nobody', name: 'n' },
      ],
    },
    files: { 'output/report.csv': 8 },
  },
);

const COUNT: readonly string[] = ['count', '--session', 's'];
const inSession = (label: string, server: CaseServer): CallCase => ({
  name: `A link in a session over ${label} is read from the server of that session`,
  server,
  sessions: ['s'],
  steps: [
    { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
    {
      argv: [...call({ uri: 'demo://count', name: 'c' }), '--session', 's'],
      expect: { exit: 0, files: { 'output/c.txt': 'count 2' }, output: ['c.txt'] },
    },
    { argv: COUNT, expect: { exit: 0, is: 'count 3' } },
  ],
});

const sessions: readonly CallCase[] = [
  inSession('stdio', STDIO),
  inSession('streamable HTTP', HTTP),
  {
    name: 'A server that declares no resources is not asked for them',
    server: { kind: 'stdio', args: ['--no-resources'] },
    sessions: ['s'],
    steps: [
      { argv: COUNT, expect: { exit: 0, is: 'count 1' } },
      {
        argv: [...call(REPORT), '--session', 's'],
        expect: { exit: 0, is: 'see\nlink: demo://docs/report.csv (report.csv, text/csv)', output: [] },
      },
      { argv: COUNT, expect: { exit: 0, is: 'count 2' } },
    ],
  },
  {
    name: 'A link that ends the server of a session fails no call, and the next call starts it again',
    server: STDIO,
    sessions: ['s'],
    steps: [
      {
        argv: [...call({ uri: 'demo://end' }, REPORT), '--session', 's'],
        expect: { exit: 0, stdout: [/^see\nlink: demo:\/\/end\nlink: demo:/], output: [] },
      },
      { argv: COUNT, expect: { exit: 0, is: 'count 1', stderr: [/started again/] } },
    ],
  },
];

export const LINKS: readonly CallCase[] = [...everywhere, ...names, ...kept, PROGRAM, ...sessions];
