/** Placeholders, where their values come from, and that no secret is ever shown. */
import { type CallCase, type CaseServer, once } from './case.ts';

/** Put together here, so that this file holds nothing that looks like a secret. */
const SECRET = ['open', 'sesame', '1234'].join('-');

const WITH_ENV: CaseServer = {
  kind: 'stdio',
  more: {
    env: {
      FROM_ENV: '${SCRIPTED_TOKEN}',
      FALLBACK: '${SCRIPTED_UNSET:-plan ${SCRIPTED_B:-b}}',
      FROM_INPUT: '${input:api-key}',
      FOLDER: '${workspaceFolder}',
      LITERAL: '$${NOT_ONE}',
      TERM: null,
    },
  },
};
const SHOWN = ['environment'];
const bearer = (value: string) => ({ headers: { Authorization: `Bearer ${value}` } });

export const SECRETS: readonly CallCase[] = [
  once(
    'Placeholders are resolved from the environment, with defaults and inputs',
    WITH_ENV,
    SHOWN,
    {
      exit: 0,
      stdout: [`"FROM_ENV":"${SECRET}"`, '"FALLBACK":"plan b"', '"FROM_INPUT":"from input"', '"LITERAL":"${NOT_ONE}"'],
      absent: ['"TERM"', '"UNRELATED"', '"SCRIPTED_TOKEN"'],
    },
    { env: { SCRIPTED_TOKEN: SECRET, MOCHI_INPUT_API_KEY: 'from input', UNRELATED: 'stays here', TERM: 'dumb' } },
  ),
  once(
    'An input is looked up by its plain name too',
    WITH_ENV,
    SHOWN,
    { exit: 0, stdout: ['"FROM_INPUT":"plain"'] },
    { env: { SCRIPTED_TOKEN: SECRET, API_KEY: 'plain' } },
  ),
  once(
    'Placeholders are resolved from the .env of the project',
    WITH_ENV,
    SHOWN,
    { exit: 0, stdout: ['"FROM_ENV":"dot env"', '"FROM_INPUT":"single"'] },
    { files: { '.env': '# comment\nexport SCRIPTED_TOKEN="dot env"\nAPI_KEY=\'single\' # more\n' } },
  ),
  once(
    'The environment wins over the .env file',
    WITH_ENV,
    SHOWN,
    { exit: 0, stdout: ['"FROM_ENV":"env"'] },
    { env: { SCRIPTED_TOKEN: 'env', API_KEY: 'x' }, files: { '.env': 'SCRIPTED_TOKEN=file\n' } },
  ),
  once(
    'The file the editor names comes last',
    WITH_ENV,
    SHOWN,
    { exit: 0, stdout: ['"FROM_ENV":"editor"', '"FROM_INPUT":"dotenv"'] },
    {
      env: { MOCHI_ENV_FILE: 'editor.env' },
      files: { '.env': 'API_KEY=dotenv\n', 'editor.env': 'SCRIPTED_TOKEN=editor\nAPI_KEY=editor\n' },
    },
  ),
  once('Every placeholder without a value is named, and nothing else', WITH_ENV, SHOWN, {
    exit: 5,
    stderr: [/error: .*SCRIPTED_TOKEN.*API_KEY/],
    absent: ['SCRIPTED_UNSET'],
  }),
  once('A missing secret is told to programs', WITH_ENV, [...SHOWN, '--json'], {
    exit: 5,
    json: { ok: false, error: { kind: 'secret' } },
  }),
  once(
    'The environment file of the server is read at the call',
    { kind: 'stdio', more: { envFile: '${workspaceFolder}/server.env' } },
    SHOWN,
    { exit: 0, stdout: ['"IN_FILE":"yes"'] },
    { files: { 'server.env': 'IN_FILE=yes\n' } },
  ),
  once('A server starts in the project folder', { kind: 'stdio' }, SHOWN, {
    exit: 0,
    stdout: ['"cwd":"{{root}}"'],
  }),
  once(
    'A secret in the last words of a server is masked',
    WITH_ENV,
    ['die', `{"words":"cannot log in with ${SECRET} at all"}`],
    { exit: 3, stderr: ['cannot log in with *** at all'], absent: [SECRET] },
    { env: { SCRIPTED_TOKEN: SECRET, API_KEY: 'x-input' } },
  ),
  once(
    'A header with a placeholder opens a locked server',
    { kind: 'http', path: '/locked', more: bearer('${SCRIPTED_TOKEN}') },
    ['say', '{"text":"in"}'],
    { exit: 0, is: 'in' },
    { env: { SCRIPTED_TOKEN: SECRET } },
  ),
  once(
    'A server that wants authorization is explained',
    { kind: 'http', path: '/locked', more: bearer('${SCRIPTED_TOKEN}') },
    ['say', '{"text":"in"}'],
    { exit: 3, stderr: [/error: .*authori[sz]/i], absent: ['wrong-sesame'] },
    { env: { SCRIPTED_TOKEN: 'wrong-sesame' } },
  ),
  once(
    '--header wins over the configuration, and its placeholders are resolved',
    { kind: 'http', path: '/locked', more: bearer('nothing') },
    ['say', '{"text":"in"}', '--header', 'authorization: Bearer ${SCRIPTED_TOKEN}'],
    { exit: 0, is: 'in' },
    { env: { SCRIPTED_TOKEN: SECRET } },
  ),
  once(
    'Headers of the configuration are not sent to another address',
    { kind: 'http', path: '/locked', more: bearer('${SCRIPTED_TOKEN}') },
    ['-e', '{{http}}/locked', 'say', '{"text":"in"}'],
    { exit: 3 },
    { env: { SCRIPTED_TOKEN: SECRET } },
  ),
];
