/** Definitions without their secrets: what becomes which variable, and what stays. */
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/model.ts';
import { liftSecrets, textsOfEndpoint } from '#core/scan/lift.ts';
import { findSecrets } from '#core/scan/secrets.ts';
import * as planted from './planted.ts';

const { bearer, github, jwt, password, plainHex } = planted;

interface Parts {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | null>>;
  readonly cwd?: string;
}

function stdio(parts: Parts): Endpoint {
  return { kind: 'stdio', command: 'npx', args: [], env: {}, ...parts };
}

function http(url: string, headers: Readonly<Record<string, string>> = {}): Endpoint {
  return { kind: 'http', url, headers, sseFallback: true };
}

interface Case {
  readonly title: string;
  readonly before: Endpoint;
  readonly after: Endpoint;
  readonly variables?: readonly string[];
}

function check({ before, after, variables }: Case): void {
  const lifted = liftSecrets(before, 'My Srv', findSecrets);
  expect(lifted.endpoint).toEqual(after);
  if (variables !== undefined) expect(lifted.placeholders.map((one) => one.variable)).toEqual(variables);
  const again = liftSecrets(lifted.endpoint, 'My Srv', findSecrets);
  expect(again.endpoint).toEqual(lifted.endpoint);
  expect(again.placeholders).toEqual([]);
}

const CASES: readonly Case[] = [
  {
    title: 'a variable of the environment keeps its own name',
    before: stdio({ env: { TOKEN: 'abc', LOG_LEVEL: 'debug', GONE: null } }),
    after: stdio({ env: { TOKEN: '${TOKEN}', LOG_LEVEL: 'debug', GONE: null } }),
    variables: ['TOKEN'],
  },
  {
    title: 'a header keeps its scheme and is named for server and header',
    before: http('https://h.example/mcp', {
      Authorization: `Bearer ${bearer}`,
      Accept: 'text/plain',
      'X-Api-Key': plainHex,
    }),
    after: http('https://h.example/mcp', {
      Authorization: 'Bearer ${MY_SRV_AUTHORIZATION}',
      Accept: 'text/plain',
      'X-Api-Key': '${MY_SRV_X_API_KEY}',
    }),
    variables: ['MY_SRV_AUTHORIZATION', 'MY_SRV_X_API_KEY'],
  },
  {
    title: 'the value of a flag, however it is written',
    before: stdio({
      args: [
        '--token',
        'abc1',
        '--api-key=x y',
        '-H',
        'Authorization: Bearer q',
        '--header=X-Auth-Token:zz9',
        '--verbose',
      ],
    }),
    after: stdio({
      args: [
        ...[
          '--token',
          '${MY_SRV_TOKEN}',
          '--api-key=${MY_SRV_API_KEY}',
          '-H',
          'Authorization: Bearer ${MY_SRV_AUTHORIZATION}',
        ],
        ...['--header=X-Auth-Token:${MY_SRV_X_AUTH_TOKEN}', '--verbose'],
      ],
    }),
  },
  {
    title: 'assignments handed to another program',
    before: stdio({
      args: ['run', '-e', 'API_KEY=abc', '--env=DB_PASSWORD=def', 'sh', '-c', `export A_TOKEN=ghi; run --secret jkl`],
    }),
    after: stdio({
      args: [
        'run',
        '-e',
        'API_KEY=${API_KEY}',
        '--env=DB_PASSWORD=${DB_PASSWORD}',
        'sh',
        '-c',
        'export A_TOKEN=${A_TOKEN}; run --secret ${MY_SRV_SECRET}',
      ],
    }),
  },
  {
    title: 'user and query of a URL',
    before: http(`https://me:${password}@h.example/mcp?api_key=abc&lang=en&sig=${plainHex}`),
    after: http(
      'https://${MY_SRV_USER}:${MY_SRV_PASSWORD}@h.example/mcp?api_key=${MY_SRV_API_KEY}&lang=en&sig=${MY_SRV_SIG}',
    ),
  },
  {
    title: 'a connection string keeps its host',
    before: stdio({ env: { DATABASE_URL: `postgres://app:${password}@db:5432/main` }, args: ['postgres://a:b1@h/d'] }),
    after: stdio({
      env: { DATABASE_URL: 'postgres://${DATABASE_URL_USER}:${DATABASE_URL_PASSWORD}@db:5432/main' },
      args: ['postgres://${MY_SRV_USER}:${MY_SRV_PASSWORD}@h/d'],
    }),
  },
  {
    title: 'a secret without a telling name, found by its format',
    before: stdio({ args: [github], env: { EXTRA: jwt, NOTE: `see ${bearer}` } }),
    after: stdio({ args: ['${MY_SRV_GITHUB_TOKEN}'], env: { EXTRA: '${EXTRA}', NOTE: 'see ${NOTE_SECRET}' } }),
  },
  {
    title: 'a secret in the path of a URL',
    before: http(`https://h.example/s/${bearer}/mcp`),
    after: http('https://h.example/s/${MY_SRV_SECRET}/mcp'),
  },
  {
    title: 'the same secret has one name',
    before: stdio({ args: ['--token', github], env: { GITHUB_TOKEN: github } }),
    after: stdio({ args: ['--token', '${GITHUB_TOKEN}'], env: { GITHUB_TOKEN: '${GITHUB_TOKEN}' } }),
    variables: ['GITHUB_TOKEN', 'GITHUB_TOKEN'],
  },
  {
    title: 'two secrets never share a name, nor take that of a variable in use',
    before: stdio({ args: ['--token', 'aaa1', '--token=bbb2', '--auth', '${MY_SRV_TOKEN}'] }),
    after: stdio({ args: ['--token', '${MY_SRV_TOKEN_2}', '--token=${MY_SRV_TOKEN_3}', '--auth', '${MY_SRV_TOKEN}'] }),
  },
  {
    title: 'variables and references stay, and so do paths and plain URLs',
    before: stdio({
      args: [
        '--token',
        '${A}',
        '--key-file',
        '/k',
        '--auth',
        '--verbose',
        'https://h.example/?lang=en',
        '--api-key=YOUR_KEY',
      ],
      env: {
        TOKEN: '${TOKEN:-}',
        API_KEY: 'op://v/i/f',
        AUTH_URL: 'https://h.example',
        TLS_KEY: '/etc/k.pem',
        HEADER: 'Bearer ${X}',
      },
      cwd: '${workspaceFolder}/a',
    }),
    after: stdio({
      args: [
        '--token',
        '${A}',
        '--key-file',
        '/k',
        '--auth',
        '--verbose',
        'https://h.example/?lang=en',
        '--api-key=YOUR_KEY',
      ],
      env: {
        TOKEN: '${TOKEN:-}',
        API_KEY: 'op://v/i/f',
        AUTH_URL: 'https://h.example',
        TLS_KEY: '/etc/k.pem',
        HEADER: 'Bearer ${X}',
      },
      cwd: '${workspaceFolder}/a',
    }),
    variables: [],
  },
  {
    title: 'a secret as the fallback of a variable goes, the variable stays',
    before: stdio({
      env: { TOKEN: '${TOKEN:-abc1}', X: `\${Y:-${github}}`, P: '${PORT:-3000}', N: '${A:-${B_KEY:-zz9}}' },
    }),
    after: stdio({ env: { TOKEN: '${TOKEN}', X: '${Y}', P: '${PORT:-3000}', N: '${A:-${B_KEY}}' } }),
    variables: ['TOKEN', 'Y', 'B_KEY'],
  },
  {
    title: 'names that are no names of variables',
    before: stdio({ env: { 'my.token': 'abc1', __proto__x: 'y', '1_KEY': 'abc2' } }),
    after: stdio({ env: { 'my.token': '${MY_TOKEN}', __proto__x: 'y', '1_KEY': '${MCP_1_KEY}' } }),
  },
];

it.each(CASES)('lifts $title', check);

describe('what is said about it', () => {
  it('names the place and the variable, never the value', () => {
    for (const { name, endpoint, secrets } of planted.plantedServers()) {
      const { problems, placeholders } = liftSecrets(endpoint, name, findSecrets);
      expect(problems.length).toBe(placeholders.length);
      const said = JSON.stringify([problems, placeholders]);
      expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    }
  });

  it('reports an input that only VS Code can ask for, and keeps it', () => {
    const endpoint = http('https://h.example', { Authorization: 'Bearer ${input:token}' });
    const lifted = liftSecrets(endpoint, 's', findSecrets);
    expect(lifted.endpoint).toEqual(endpoint);
    expect(
      lifted.problems.map(({ kind, message }) => [kind, message.includes('${input:token} at headers.Authorization')]),
    ).toEqual([['variable-unknown', true]]);
  });
});

it('lifts all fourteen secrets of a realistic config by our own rules alone', () => {
  const servers = planted.plantedServers();
  expect(servers.flatMap((server) => server.secrets)).toHaveLength(14);
  const written = JSON.stringify(
    servers.map(({ endpoint, name }) => liftSecrets(endpoint, name, findSecrets).endpoint),
  );
  expect(servers.flatMap((server) => server.secrets).filter((secret) => written.includes(secret))).toEqual([]);
  for (const kept of ['info', 'eu-west-1', 'T0123456', 'lang=en', 'application/json', 'db.internal'])
    expect(written).toContain(kept);
});

it('takes a value made of secrets as one', () => {
  const { endpoint, placeholders } = liftSecrets(stdio({ args: ['https://a:b1@'.repeat(5_000)] }), 's', findSecrets);
  expect(endpoint).toMatchObject({ args: ['${S_VALUE}'] });
  expect(placeholders).toHaveLength(1);
  liftSecrets(stdio({ args: ['${A:-'.repeat(20_000) + '}'.repeat(20_000)] }), 's', findSecrets);
  for (const seed of ['${', '${A:-', 'a=', '}']) liftSecrets(stdio({ args: [seed.repeat(50_000)] }), 's', findSecrets);
});

it('names a server of any script', () => {
  const names = ['天気', '3d', 'a/b', ''].map(
    (name) => liftSecrets(http('https://h.example', { Cookie: 'a=b' }), name, findSecrets).placeholders[0]?.variable,
  );
  expect(names).toEqual(['SERVER_COOKIE', 'MCP_3D_COOKIE', 'A_B_COOKIE', 'SERVER_COOKIE']);
});

it('lists every text of a definition with its name', () => {
  const texts = textsOfEndpoint({
    kind: 'stdio',
    command: 'c',
    args: ['--token', 'v'],
    env: { A: 'x', B: null },
    cwd: 'd',
    envFile: 'e',
  });
  expect(texts).toEqual([
    { text: 'x', name: 'A' },
    { text: 'c' },
    { text: '--token' },
    { text: 'v', name: 'token' },
    { text: 'd' },
    { text: 'e' },
  ]);
});
