/**
 * Secrets for tests, put together at run time so that no scanner takes a test file for a leak, and the look-alikes
 * that no rule may take for one. None was ever issued by anyone.
 */
import type { Endpoint } from '#core/model.ts';

/** Letters and digits without a pattern; the same seed gives the same text. */
export function random(
  length: number,
  seed = 1,
  alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789',
): string {
  let state = seed * 2654435761;
  let text = '';
  for (let at = 0; at < length; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += alphabet[(state >>> 8) % alphabet.length];
  }
  return text;
}

const HEX = '0123456789abcdef';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const join = (...parts: readonly string[]): string => parts.join('');
const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
const base64url = (text: string): string => Buffer.from(text, 'utf8').toString('base64url');

export const github = join('gh', 'p_', random(36, 2));
export const githubFine = join('github', '_pat_', random(22, 3), '_', random(59, 4));
export const openai = join('s', 'k-', 'proj-', random(24, 5), 'T3', 'BlbkFJ', random(24, 6));
export const anthropic = join('s', 'k-ant', '-api03-', random(93, 7), 'AA');
export const slack = join('xo', 'xb-', '123456789012-', '1234567890123-', random(24, 8));
export const awsId = join('AK', 'IA', random(16, 9, UPPER));
export const awsSecret = random(40, 10);
export const jwt = join(
  base64url('{"alg":"HS256","typ":"JWT"}'),
  '.',
  base64url('{"sub":"1234567890","name":"A"}'),
  '.',
  random(43, 11),
);
export const bearer = random(40, 12);
export const plainHex = random(32, 13, HEX);
export const password = join('hun', 'ter2', '-', random(6, 14));
export const searchKey = join('BS', random(29, 15));
export const privateKey = join(
  '-----BEGIN ',
  'PRIVATE KEY-----\n',
  random(64, 16),
  '\n',
  random(64, 17),
  '\n-----END ',
  'PRIVATE KEY-----',
);
export const stripe = join('sk', '_live_', random(24, 18));
export const npm = join('np', 'm_', random(36, 19));
export const google = join('AI', 'za', random(35, 20));

export const encodedGithub = base64(github);
export const basic = base64(`admin:${password}`);

/** Servers of a realistic config, with the fourteen secrets that they hold. */
export function plantedServers(): readonly {
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly secrets: readonly string[];
}[] {
  const stdio = (args: readonly string[], env: Record<string, string> = {}): Endpoint => ({
    kind: 'stdio',
    command: 'npx',
    args,
    env,
  });
  const http = (url: string, headers: Record<string, string> = {}): Endpoint => ({
    kind: 'http',
    url,
    headers,
    sseFallback: false,
  });
  return [
    {
      name: 'github',
      endpoint: stdio(['-y', '@modelcontextprotocol/server-github', '--token', github], {
        GITHUB_PERSONAL_ACCESS_TOKEN: githubFine,
        LOG_LEVEL: 'info',
      }),
      secrets: [github, githubFine],
    },
    {
      name: 'models',
      endpoint: stdio(['-y', 'models-mcp@1.4.2'], { OPENAI_API_KEY: openai, ANTHROPIC_API_KEY: anthropic }),
      secrets: [openai, anthropic],
    },
    {
      name: 'slack',
      endpoint: stdio(['-y', 'slack-mcp'], { SLACK_BOT_TOKEN: slack, SLACK_TEAM_ID: 'T0123456' }),
      secrets: [slack],
    },
    {
      name: 'postgres',
      endpoint: stdio(['-y', 'pg-mcp', `postgresql://app:${password}@db.internal:5432/main`]),
      secrets: [password],
    },
    {
      name: 'aws',
      endpoint: stdio(['awslabs.core-mcp-server@latest'], {
        AWS_ACCESS_KEY_ID: awsId,
        AWS_SECRET_ACCESS_KEY: awsSecret,
        AWS_REGION: 'eu-west-1',
      }),
      secrets: [awsId, awsSecret],
    },
    { name: 'grafana', endpoint: http(`https://admin:${plainHex}@grafana.example.com/mcp`), secrets: [plainHex] },
    {
      name: 'remote',
      endpoint: http('https://mcp.example.com/mcp', { Authorization: `Bearer ${bearer}`, Accept: 'application/json' }),
      secrets: [bearer],
    },
    {
      name: 'maps',
      endpoint: http(`https://maps.example.com/mcp?api_key=${random(32, 21)}&lang=en`),
      secrets: [random(32, 21)],
    },
    { name: 'session', endpoint: http('https://session.example.com/mcp', { 'X-Session': jwt }), secrets: [jwt] },
    { name: 'search', endpoint: stdio(['-y', 'brave-search-mcp'], { BRAVE_API_KEY: searchKey }), secrets: [searchKey] },
    {
      name: 'tracker',
      endpoint: stdio(['tracker-mcp'], { TRACKER_TOKEN: random(24, 22, HEX) }),
      secrets: [random(24, 22, HEX)],
    },
  ];
}

/** Values that look a little like secrets and are none, with the names they are found under. */
export const INNOCENT: readonly { readonly text: string; readonly name?: string }[] = [
  { text: 'YOUR_KEY', name: 'API_KEY' },
  { text: 'your-api-key-here', name: 'API_KEY' },
  { text: 'my-secret-token', name: 'API_KEY' },
  { text: 'api_key_here', name: 'API_KEY' },
  { text: '<your token>', name: 'GITHUB_TOKEN' },
  { text: '<token>', name: 'TOKEN' },
  { text: 'xxx', name: 'SECRET' },
  { text: join('gh', 'p_', 'x'.repeat(36)), name: 'GITHUB_TOKEN' },
  { text: join('s', 'k-', '...'), name: 'OPENAI_API_KEY' },
  { text: 'changeme', name: 'PASSWORD' },
  { text: '', name: 'TOKEN' },
  { text: '${VAR}', name: 'TOKEN' },
  { text: '${GITHUB_TOKEN:-}', name: 'TOKEN' },
  { text: 'Bearer ${API_TOKEN}', name: 'Authorization' },
  { text: '${input:k}', name: 'API_KEY' },
  { text: 'op://v/i/f', name: 'API_KEY' },
  { text: 'op://Private/GitHub PAT/credential', name: 'GITHUB_TOKEN' },
  { text: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b', name: 'COMMIT' },
  { text: 'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b of 2026' },
  { text: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', name: 'CHECKSUM' },
  { text: '123e4567-e89b-12d3-a456-426614174000', name: 'WORKSPACE_ID' },
  { text: 'id 123e4567-e89b-12d3-a456-426614174000' },
  { text: 'https://mcp.example.com/v1/mcp?lang=en', name: 'MCP_URL' },
  { text: 'https://auth.example.com/.well-known/openid', name: 'AUTH_ISSUER' },
  { text: '/home/someone/.config/gcloud/key.json', name: 'GOOGLE_APPLICATION_CREDENTIALS' },
  { text: './certs/client.pem', name: 'TLS_KEY' },
  { text: 'C:\\certs\\client.pem', name: 'TLS_KEY' },
  { text: '@modelcontextprotocol/server-everything@2026.8.31' },
  { text: '^1.2.3-beta.4', name: 'VERSION' },
  { text: '4096', name: 'MAX_TOKENS' },
  { text: 'true', name: 'AUTH_ENABLED' },
  { text: 'oauth', name: 'AUTH_MODE' },
  { text: '/usr/local/bin:/usr/bin:/bin', name: 'PATH' },
  { text: 'created_at', name: 'SORT_FIELD' },
  { text: 'postgresql://user:password@localhost:5432/db is an example' },
  { text: 'Pass token: string, the API key of your account' },
  { text: 'Authorization: Bearer <token>' },
  { text: 'Send Authorization: Bearer YOUR_API_KEY with each request' },
  { text: 'getUserRepositoriesByOrganizationAndTeamMember2' },
  { text: 'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==' },
  { text: 'ghcr.io/github/github-mcp-server:v0.20.1' },
];
