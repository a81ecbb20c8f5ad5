/** Jobs: submit, wait, resume, words and shapes of real services, downloads and their names. */
import { type CallCase, type CaseServer, type Expectation, once } from './case.ts';
import { HTTP, STDIO } from './cases-calls.ts';

const ROLES = ['--submit-tool', 'render_submit', '--status-tool', 'render_status', '--result-tool', 'render_result'];
const FAST = ['--poll-interval', '0.05'];

function job(
  name: string,
  server: CaseServer,
  fields: object,
  expect: Expectation,
  more: readonly string[] = [],
): CallCase {
  return once(
    name,
    server,
    [...ROLES, ...FAST, '--args', JSON.stringify({ prompt: 'a cat', ...fields }), ...more],
    expect,
  );
}

const flow: readonly CallCase[] = [
  job(
    'A job that is done at once is fetched, and what it links to is saved',
    HTTP,
    { files: ['picture.png'] },
    {
      exit: 0,
      stdout: [/saved: output[\\/]picture\.png \(image\/png, 70 bytes\)/],
      output: ['picture.png'],
    },
  ),
  job(
    'A slow job is polled to its end',
    HTTP,
    { seconds: 0.6, files: ['picture.png'] },
    { exit: 0, output: ['picture.png'] },
  ),
  ...['text', 'nested', 'array'].map((shape) =>
    job(
      `A job that speaks in the shape ${shape} is understood`,
      HTTP,
      { shape, seconds: 0.2, files: ['picture.png'] },
      {
        exit: 0,
        output: ['picture.png'],
      },
    ),
  ),
  ...['Complete', 'SUCCEEDED', 'ready', 'finished'].map((outcome) =>
    job(`The status word ${outcome} ends a job well`, HTTP, { outcome }, { exit: 0 }),
  ),
  ...['Failed', 'cancelled', 'canceled', 'ERROR', 'expired'].map((outcome) =>
    job(`The status word ${outcome} ends a job badly`, HTTP, { outcome }, { exit: 1, stdout: [outcome] }),
  ),
  job(
    'A failed job is told to programs',
    HTTP,
    { outcome: 'failed' },
    { exit: 1, json: { ok: false, error: { kind: 'tool' } } },
    ['--json'],
  ),
  {
    name: 'A job that takes longer is handed back with the exact command to resume it',
    server: STDIO,
    steps: [
      {
        argv: [...ROLES, ...FAST, '--wait', '0.2', '--args', '{"prompt":"a cat","seconds":1.2}'],
        expect: {
          exit: 0,
          stdout: ['running', /resume: .*--resume /],
          capture: /resume: (?<resume>[^\n]+)/,
        },
      },
      { shell: '{{resume}} --wait', expect: { exit: 0, stdout: ['"images"'] } },
    ],
  },
  {
    name: 'Programs get the id and the command',
    server: HTTP,
    steps: [
      {
        argv: [...ROLES, ...FAST, '--wait', '0', '--json', '--args', '{"prompt":"a cat","seconds":0.8}'],
        expect: {
          exit: 0,
          json: { ok: true, job: { status: 'running' } },
          capture: /"id": ?"(?<id>[^"]+)"/,
        },
      },
      {
        argv: [...ROLES, ...FAST, '--resume', '{{id}}', '--wait', '--json'],
        expect: { exit: 0, json: { ok: true, job: { id: '{{id}}', status: 'completed', resume: null } } },
      },
    ],
  },
  {
    name: '--submit-only prints the id and nothing else',
    server: HTTP,
    steps: [
      {
        argv: [...ROLES, '--submit-only', '--args', '{"prompt":"a cat"}'],
        expect: { exit: 0, stdout: [/^[\w-]+\n$/], capture: /^(?<id>[\w-]+)\n$/ },
      },
      { argv: [...ROLES, ...FAST, '--resume', '{{id}}'], expect: { exit: 0, stdout: ['"images"'] } },
    ],
  },
  job('Polling gives up after --max-polls', HTTP, { seconds: 30 }, { exit: 4, stderr: ['--resume'] }, [
    '--max-polls',
    '2',
    '--wait',
  ]),
  job(
    'A busy server is asked again',
    { kind: 'http', path: '/busy' },
    { files: ['picture.png'] },
    { exit: 0, output: ['picture.png'] },
  ),
  job(
    'A lost connection is asked again',
    { kind: 'http', path: '/cut' },
    { files: ['picture.png'] },
    { exit: 0, output: ['picture.png'] },
  ),
  job(
    'A lost session is opened again',
    { kind: 'http', path: '/forgetful' },
    { files: ['picture.png'] },
    { exit: 0, output: ['picture.png'] },
  ),
  job(
    'A busy server is not asked twice to submit',
    { kind: 'http', path: '/busy-once' },
    {},
    { exit: 3, stderr: ['429'] },
  ),
  job('An answer without an id is explained', HTTP, { shape: 'none' }, { exit: 3, stderr: [/error: .*id/] }),
  job(
    'Arguments of a job are checked before anything is sent',
    HTTP,
    { prompt: 5 },
    {
      exit: 2,
      stderr: ['error: prompt: expected string, got number 5. See --describe render_submit'],
    },
  ),
  once(
    'Without a status tool the result is fetched straight away',
    HTTP,
    [
      '--submit-tool',
      'render_submit',
      '--result-tool',
      'render_result',
      '--args',
      '{"prompt":"a","files":["picture.png"]}',
    ],
    { exit: 0, output: ['picture.png'] },
  ),
  once(
    'Without a result tool the last status is the result',
    HTTP,
    ['--submit-tool', 'render_submit', '--status-tool', 'render_status', '--args', '{"prompt":"a"}'],
    { exit: 0, stdout: ['completed'] },
  ),
  once(
    '--tool after baked roles calls just that tool',
    HTTP,
    [...ROLES, '--tool', 'say', '--args', '{"text":"just this"}'],
    {
      exit: 0,
      is: 'just this',
    },
  ),
];

const names: readonly CallCase[] = [
  job('A result keeps the name its server gives', HTTP, { files: ['named'] }, { exit: 0, output: ['résumé.txt'] }),
  job(
    'A name without extension gets the one of its type',
    HTTP,
    { files: ['render'] },
    { exit: 0, output: ['render.webp'] },
  ),
  job(
    'An unknown type keeps the extension of the address',
    HTTP,
    { files: ['model.glb'] },
    { exit: 0, output: ['model.glb'] },
  ),
  job('Nothing known gives .bin', HTTP, { files: ['plain'] }, { exit: 0, output: ['plain.bin'] }),
  job('A redirect is followed', HTTP, { files: ['moved'] }, { exit: 0, output: ['picture.png'] }),
  job(
    'An address given twice is saved once, and two of one name get numbers',
    HTTP,
    { files: ['picture.png', 'picture.png', 'moved'] },
    {
      exit: 0,
      output: ['picture.png', 'picture_1.png'],
    },
  ),
  job(
    '-O with a bare name lies in the output folder',
    HTTP,
    { files: ['picture.png'] },
    { exit: 0, output: ['cat.png'] },
    ['-O', 'cat.png'],
  ),
  job(
    '-O with a path is that path',
    HTTP,
    { files: ['picture.png'] },
    { exit: 0, files: { 'there/cat.png': 70 }, output: [] },
    ['-O', 'there/cat.png'],
  ),
  job(
    '-O without extension gets the one of the type',
    HTTP,
    { files: ['picture.png'] },
    { exit: 0, output: ['cat.png'] },
    ['-O', 'cat'],
  ),
  job(
    '-O for several results numbers them',
    HTTP,
    { files: ['picture.png', 'render'] },
    { exit: 0, output: ['cat_1.png', 'cat_2.png'] },
    ['-O', 'cat.png'],
  ),
  job(
    '--auto-filename names by id and time',
    HTTP,
    { files: ['picture.png'] },
    { exit: 0, output: [/^[\w-]{8}_\d{8}_\d{6}\.png$/] },
    ['--auto-filename'],
  ),
  job(
    '--save-logs writes the four logs',
    HTTP,
    { files: ['picture.png'] },
    {
      exit: 0,
      output: [
        'logs/result_response.json',
        'logs/status_final.json',
        'logs/submit_request.json',
        'logs/submit_response.json',
        'picture.png',
      ],
      files: { 'output/logs/submit_request.json': 'a cat' },
    },
    ['--save-logs'],
  ),
  job(
    '--save-logs-inline writes them beside the result',
    HTTP,
    { files: ['picture.png'] },
    {
      exit: 0,
      output: [
        'picture.png',
        'picture_result_response.json',
        'picture_status_final.json',
        'picture_submit_request.json',
        'picture_submit_response.json',
      ],
    },
    ['--save-logs-inline'],
  ),
  job(
    '--json lists the files',
    HTTP,
    { files: ['picture.png'] },
    {
      exit: 0,
      json: { ok: true, job: { status: 'completed', resume: null }, files: [{ mimeType: 'image/png', bytes: 70 }] },
    },
    ['--json'],
  ),
];

export const JOBS: readonly CallCase[] = [...flow, ...names];
