/** Plain calls: every transport and era, argument fidelity, the check before sending, results and their files. */
import { type CallCase, type CaseServer, once } from './case.ts';

export const STDIO: CaseServer = { kind: 'stdio' };
export const HTTP: CaseServer = { kind: 'http', path: '/mcp' };

const SERVERS: readonly (readonly [string, CaseServer])[] = [
  ['stdio', STDIO],
  ['stdio, to a server that ends unless initialize comes first', { kind: 'stdio', args: ['--strict'] }],
  ['stdio, to a server of the stateless revision only', { kind: 'stdio', args: ['--modern'] }],
  ['stdio, to a server that ignores the end of its input', { kind: 'stdio', args: ['--deaf'] }],
  ['stdio, to a server that asks the client things first', { kind: 'stdio', args: ['--asks'] }],
  ['streamable HTTP with event streams', HTTP],
  ['streamable HTTP with JSON replies', { kind: 'http', path: '/json' }],
  ['streamable HTTP without sessions', { kind: 'http', path: '/stateless' }],
  ['streamable HTTP of the stateless revision only', { kind: 'http', path: '/modern' }],
  ['streamable HTTP of an older revision, which it wants to hear with every request', { kind: 'http', path: '/older' }],
  ['streamable HTTP behind a redirect on the same host', { kind: 'http', path: '/moved' }],
  ['streamable HTTP that forgets its session once', { kind: 'http', path: '/forgetful' }],
  ['legacy SSE, when told so', { kind: 'sse', path: '/sse' }],
  ['legacy SSE, found out from an http address', { kind: 'http', path: '/sse' }],
];

const FAITHFUL =
  '{"big":12345678901234567890,"float":0.1,"nothing":null,"list":[{"a":[]},{}],"from":"x","help":true,"auth-method":"k","$vectorSearch":{"__proto__":1},"text":"é😀 \\" \\\\ \\n"}';

const EDIT = (args: string, complaint: string): CallCase =>
  once(
    `Arguments ${args} are refused before anything is sent`,
    { kind: 'command', definition: { command: 'must-not-be-started' } },
    ['--tool', 'edit_file', '--args', args],
    { exit: 2, stderr: [`error: ${complaint}. See --describe edit_file`] },
  );

const transports: readonly CallCase[] = SERVERS.flatMap(([label, server]) => [
  once(`A call over ${label} prints the text`, server, ['--tool', 'say', '--args', '{"text":"hé 😀"}'], {
    exit: 0,
    is: 'hé 😀',
  }),
]);

const results: readonly CallCase[] = [
  once('The short form takes the tool and the arguments as words', STDIO, ['say', '{"text":"short"}'], {
    exit: 0,
    is: 'short',
  }),
  once(
    'Arguments come from standard input',
    STDIO,
    ['say', '--args', '-'],
    { exit: 0, is: 'piped' },
    {
      stdin: '{"text":"piped"}',
    },
  ),
  once(
    'Arguments come from a file',
    STDIO,
    ['say', '--args-file', 'a.json'],
    { exit: 0, is: 'from a file' },
    {
      files: { 'a.json': '\ufeff{"text":"from a file"}' },
    },
  ),
  once(
    'Arguments file - is standard input',
    STDIO,
    ['say', '--args-file', '-'],
    { exit: 0, is: 'x' },
    {
      stdin: '{"text":"x"}',
    },
  ),
  once('Arguments arrive exactly as given', STDIO, ['arguments', FAITHFUL], {
    exit: 0,
    stdout: ['"nothing":null', '"list":[{"a":[]},{}]', '"$vectorSearch":{"__proto__":1}', '"auth-method":"k"', 'é😀'],
  }),
  once('No arguments are an empty object', STDIO, ['arguments'], { exit: 0, is: '{}' }),
  once('A tool error prints its text and exits 1', STDIO, ['fail'], { exit: 1, is: 'it broke' }),
  once('A tool error is told to programs', STDIO, ['fail', '--json'], {
    exit: 1,
    json: { ok: false, error: { kind: 'tool' } },
  }),
  once('Structured content that the text already holds is printed once', STDIO, ['structured'], {
    exit: 0,
    is: '{"answer":42,"list":[1,2]}',
  }),
  once('Structured content that only wraps the text is not printed again', STDIO, ['wrapped'], {
    exit: 0,
    is: 'a long text',
  }),
  once('Structured content alone is printed as JSON', STDIO, ['structured', '{"alone":true}'], {
    exit: 0,
    is: '{\n  "answer": 42,\n  "list": [\n    1,\n    2\n  ]\n}',
  }),
  once('Every kind of block is printed or saved, never as base64', STDIO, ['gallery'], {
    exit: 0,
    stdout: [
      /^one of each\n/,
      /saved: output[\\/]gallery_1\.png \(image\/png, 70 bytes\)/,
      /saved: output[\\/]gallery_2\.wav \(audio\/wav, 4 bytes\)/,
      'resource: demo://note\na note\n',
      /saved: output[\\/]gallery_3\.pdf \(application\/pdf, 5 bytes\)/,
      /link: demo:\/\/link resource: forged \(a link, text\/csv\)/,
    ],
    absent: ['iVBOR', 'UklGR', 'JVBER'],
    files: { 'output/gallery_1.png': 70, 'output/gallery_3.pdf': '%PDF-' },
    output: ['gallery_1.png', 'gallery_2.wav', 'gallery_3.pdf'],
  }),
  {
    name: 'A second call saves beside the files of the first and overwrites none',
    server: STDIO,
    steps: [
      { argv: ['gallery'], expect: { exit: 0 } },
      {
        argv: ['gallery'],
        expect: { exit: 0, files: { 'output/gallery_1.png': 70 }, output: Array(6).fill(/^gallery_/) },
      },
    ],
  },
  once('--output chooses the folder', STDIO, ['gallery', '--output', 'here/deep'], {
    exit: 0,
    files: { 'here/deep/gallery_1.png': 70 },
    output: [],
  }),
  once('--json holds text, files and structured content', STDIO, ['gallery', '--json'], {
    exit: 0,
    json: {
      ok: true,
      tool: 'gallery',
      content: [{ type: 'text', text: 'one of each' }, { type: 'file' }, { type: 'file' }, {}, { type: 'file' }, {}],
    },
    absent: ['iVBOR'],
  }),
  once('A text over ten megabytes goes to a file', STDIO, ['big', '{"megabytes":11}'], {
    exit: 0,
    stdout: [/^saved: output[\\/]big_1\.txt \(text\/plain, 11534336 bytes\)\n$/],
    files: { 'output/big_1.txt': 11_534_336 },
  }),
  once(
    'A tool that wants an argument in a header gets it',
    { kind: 'http', path: '/modern' },
    ['tenant', '{"name":"acmé"}'],
    {
      exit: 0,
      is: 'tenant acmé',
    },
  ),
  once(
    'A tool that wants an argument in a header gets it without a reference file too',
    { kind: 'http', path: '/modern' },
    ['tenant', '{"name":"acme"}'],
    { exit: 0, is: 'tenant acme' },
    { form: 'bare' },
  ),
  once('-e calls another address', STDIO, ['-e', '{{http}}/mcp', 'say', '{"text":"there"}'], { exit: 0, is: 'there' }),
  once(
    '-e with --type sse speaks the legacy transport',
    STDIO,
    ['-e', '{{http}}/sse', '--type', 'sse', 'say', '{"text":"old"}'],
    {
      exit: 0,
      is: 'old',
    },
  ),
];

const reference: readonly CallCase[] = (['lazy', 'json'] as const).flatMap((form) => [
  once(
    `--list works offline from ${form} files`,
    { kind: 'command', definition: { command: 'must-not-be-started' } },
    ['--list'],
    {
      exit: 0,
      stdout: [/say\W+Says the text back\.\n/, /edit_file\W+Takes edits, and changes nothing\.\n/],
    },
    { form },
  ),
  once(
    `--describe works offline from ${form} files`,
    { kind: 'command', definition: { command: 'must-not-be-started' } },
    ['--describe', 'edit_file'],
    {
      exit: 0,
      stdout: ['Takes edits, and changes nothing.', 'oldText', 'additionalProperties', '$defs'],
    },
    { form },
  ),
  once(
    `An unknown tool is named with its nearest kin, from ${form} files`,
    STDIO,
    ['sey', '{}'],
    {
      exit: 2,
      stderr: [/error: .*sey.*\bsay\b/],
    },
    { form },
  ),
  once(
    `Arguments are checked against ${form} files`,
    STDIO,
    ['say', '{"text":5}'],
    {
      exit: 2,
      stderr: ['error: text: expected string, got number 5. See --describe say'],
    },
    { form },
  ),
]);

const check: readonly CallCase[] = [
  EDIT('{"path":"a","edits":[{"oldText":5,"newText":"b"}]}', 'edits[0].oldText: expected string, got number 5'),
  EDIT('{"path":"a","mode":"x"}', 'mode: "x" is not allowed; use one of "a", "b"'),
  EDIT('{"mode":"a"}', 'path: required (string)'),
  once('A misspelt property is named with its nearest kin', STDIO, ['edit_file', '{"path":"x","pth":"x"}'], {
    exit: 2,
    stderr: ['error: pth: unknown property; did you mean path?', 'See --describe edit_file'],
  }),
  once('A number out of its bounds is refused', STDIO, ['edit_file', '{"path":"x","level":9}'], {
    exit: 2,
    stderr: [/error: level: .*5.*9|error: level: .*9.*5/],
  }),
  once('A number that is no integer is refused', STDIO, ['edit_file', '{"path":"x","level":1.5}'], {
    exit: 2,
    stderr: ['error: level: expected integer, got number 1.5'],
  }),
  once('5.0 is an integer', STDIO, ['edit_file', '{"path":"x","level":5.0}'], { exit: 0, is: 'edited' }),
  once('The nearest branch of anyOf explains the error', STDIO, ['edit_file', '{"path":"x","target":{"line":"3"}}'], {
    exit: 2,
    stderr: ['error: target.line: expected number, got string "3"'],
  }),
  once('A pattern is checked', STDIO, ['edit_file', '{"path":"x","target":"17"}'], {
    exit: 2,
    stderr: ['error: target'],
  }),
  once('null is allowed where the schema lists it', STDIO, ['edit_file', '{"path":"x","note":null,"target":"L17"}'], {
    exit: 0,
    is: 'edited',
  }),
  once('--no-check sends what the schema forbids', STDIO, ['edit_file', '{"pth":1}', '--no-check'], {
    exit: 0,
    is: 'edited',
  }),
  once('Without reference files nothing is checked', STDIO, ['edit_file', '{"pth":1}'], { exit: 0 }, { form: 'bare' }),
  once('Bad JSON is a usage error', STDIO, ['say', '--args', '{"text":'], { exit: 2, stderr: ['JSON'] }),
  once('Arguments must be an object', STDIO, ['say', '--args', '["a"]'], { exit: 2, stderr: ['object'] }),
  once('An unknown option is a usage error', STDIO, ['say', '--argz', '{}'], { exit: 2, stderr: ['--argz'] }),
  once('A usage error is told to programs', STDIO, ['say', '{"text":5}', '--json'], {
    exit: 2,
    json: { ok: false, error: { kind: 'usage', message: 'text: expected string, got number 5' } },
  }),
  once('No tool at all is a usage error', STDIO, [], { exit: 2 }),
  once('--help fits sixty lines', STDIO, ['--help'], {
    exit: 0,
    stdout: [/^(?:[^\n]*\n){20,60}$/, '--session', '--resume'],
  }),
  once('--version prints a version', STDIO, ['--version'], { exit: 0, stdout: [/\d+\.\d+\.\d+/] }),
];

const GOODBYE: CallCase = {
  name: 'A session over streamable HTTP is given back at the end',
  server: { kind: 'http', path: '/goodbye' },
  steps: [
    { argv: ['say', '{"text":"x"}'], expect: { exit: 0, is: 'x' } },
    {
      shell: `{{node}} -e 'fetch("{{http}}/received").then((r) => r.json()).then((t) => console.log(t.filter((line) => line.includes("goodbye")).at(-1)))'`,
      expect: { exit: 0, is: 'DELETE /goodbye' },
    },
  ],
};

export const CALLS: readonly CallCase[] = [...transports, GOODBYE, ...results, ...reference, ...check];
