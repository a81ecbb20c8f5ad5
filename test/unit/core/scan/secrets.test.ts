/** Rules for secrets, each with what it must find and what it must leave alone. */
import { describe, expect, it } from 'vitest';
import { isSecretName } from '#core/scan/secret-names.ts';
import { findSecrets, isPlaceholder, redact, type SecretContext } from '#core/scan/secrets.ts';
import * as planted from './planted.ts';

interface Case {
  readonly text: string;
  readonly context?: SecretContext;
  /** What must be found, or nothing. */
  readonly secret?: string;
}

function check({ text, context, secret }: Case): void {
  const found = findSecrets(text, context).map((span) => text.slice(span.start, span.end));
  expect(found).toEqual(secret === undefined ? [] : [secret]);
  if (secret === undefined) return;
  const safe = redact(text, findSecrets(text, context));
  expect(safe).not.toContain(secret);
  expect(findSecrets(safe, context)).toEqual([]);
}

const { github, jwt, bearer, password, plainHex } = planted;

const RULES: Readonly<Record<string, { readonly bad: readonly Case[]; readonly good: readonly Case[] }>> = {
  'a telling name': {
    bad: [
      { text: 'hunter2', context: { name: 'DB_PASSWORD' }, secret: 'hunter2' },
      { text: plainHex, context: { name: 'X-API-Key' }, secret: plainHex },
      { text: `Token ${plainHex}`, context: { name: 'Authorization' }, secret: plainHex },
      { text: 'a=b; session=c', context: { name: 'Cookie' }, secret: 'a=b; session=c' },
      { text: planted.searchKey, context: { name: 'apiKey', documented: true }, secret: planted.searchKey },
    ],
    good: [
      { text: 'created_at', context: { name: 'sort_key', documented: true } },
      { text: 'auto', context: { name: 'token', documented: true } },
      { text: 'hunter2', context: { name: 'AUTHOR' } },
      { text: 'monkey business', context: { name: 'MONKEY' } },
    ],
  },
  'an authorization scheme': {
    bad: [
      { text: `curl -H "Authorization: Bearer ${bearer}"`, secret: bearer },
      { text: `Basic ${planted.basic}`, secret: planted.basic },
    ],
    good: [
      { text: 'Basic authentication-is-required for this tool' },
      { text: 'a bearer certificate2024 or token' },
      { text: 'token authentication_token_value' },
    ],
  },
  'a JWT': {
    bad: [{ text: `session ${jwt} ends`, secret: jwt }],
    good: [{ text: 'a JWT starts with eyJhbGciOi and has two dots' }],
  },
  'a user in a URL': {
    bad: [
      { text: `postgres://app:${password}@db:5432/x`, secret: password },
      { text: `redis://:${plainHex}@cache`, secret: plainHex },
      { text: `https://${plainHex}@host.example/x`, secret: plainHex },
    ],
    good: [
      { text: 'mongodb://username:password@host' },
      { text: 'https://user:${PASSWORD}@host' },
      { text: 'ssh://git@github.com/a/b' },
    ],
  },
  'an assignment': {
    bad: [
      { text: `--api-key ${plainHex} --verbose`, secret: plainHex },
      { text: `--api-key=${plainHex}`, secret: plainHex },
      { text: `AccountName=a;AccountKey=${bearer};EndpointSuffix=core`, secret: bearer },
      { text: `{"api_key": "${bearer}"}`, secret: bearer },
      { text: `https://x.example/y?access_token=${bearer}&z=1`, secret: bearer },
    ],
    good: [
      { text: 'api_key: string' },
      { text: 'token = process.env.TOKEN_NAME' },
      { text: 'primary_key=customer_id' },
      { text: '--token <value>' },
    ],
  },
  'a known format': {
    bad: [
      github,
      planted.githubFine,
      planted.openai,
      planted.anthropic,
      planted.slack,
      planted.awsId,
      planted.stripe,
      planted.npm,
      planted.google,
      planted.privateKey,
    ].map((secret) => ({ text: `before ${secret} after`, secret })),
    good: [
      { text: 'tokens start with ghp_ or github_pat_' },
      { text: 'the id looks like AKIAIOSFODNN7EXAMPLE' },
      { text: 'A PEM file begins with -----BEGIN PRIVATE KEY----- on a line of its own' },
      { text: 'sk-learn-contrib-models-are-supported' },
    ],
  },
  'an encoded token': {
    bad: [{ text: `x ${planted.encodedGithub} y`, secret: planted.encodedGithub }],
    good: [{ text: Buffer.from('just an everyday sentence in base64').toString('base64').toLowerCase() }],
  },
  'a random value': {
    bad: [{ text: `use ${bearer} here`, secret: bearer }],
    good: [
      { text: 'ListPullRequestReviewCommentsForRepositoryV2Beta1' },
      { text: 'a'.repeat(60) },
      { text: 'src/components/Button2/ButtonGroupItem3.test.tsx' },
      { text: plainHex },
    ],
  },
};

for (const [rule, { bad, good }] of Object.entries(RULES)) {
  describe(`the rule for ${rule}`, () => {
    it.each(bad)('finds its secret, and only that (%#)', check);
    it.each(good)('leaves everyday text alone: $text', check);
  });
}

describe('placeholders and public values', () => {
  it.each(planted.INNOCENT)('are no secret: $name $text', ({ text, name }) => {
    check({ text, ...(name === undefined ? {} : { context: { name } }) });
  });

  it('are told from weak but real passwords', () => {
    expect(['YOUR_KEY', '${VAR}', '<token>', 'xxx', 'op://v/i/f', ''].filter((text) => !isPlaceholder(text))).toEqual(
      [],
    );
    expect(['hunter2', 'postgres', 'admin', github].filter(isPlaceholder)).toEqual([]);
  });
});

it('looks into base64, even where the encoded text looks like nothing', () => {
  const encoded = Buffer.from(planted.awsId, 'utf8').toString('base64');
  expect(findSecrets(`x ${encoded} y`)).toEqual([{ start: 2, end: 2 + encoded.length, rule: 'encoded-token' }]);
});

describe('names', () => {
  it('tell a secret in every spelling', () => {
    const names = [
      'TOKEN',
      'apiKey',
      'x-api-key',
      '--password',
      'PGPASSWORD',
      'SENTRY_DSN',
      'GITHUB_PAT',
      'Cookie',
      'MYSQL_PWD',
      'apikey',
      'AWS_SECRET_ACCESS_KEY',
    ];
    expect(names.filter((name) => !isSecretName(name))).toEqual([]);
  });

  it('tell nothing where the last word is about the secret, or only part of a word matches', () => {
    const names = [
      'MAX_TOKENS',
      'TOKEN_LIMIT',
      'KEY_FILE',
      'AUTH_URL',
      'AUTHOR',
      'KEYBOARD',
      'PATH',
      'PWD',
      'MONKEY',
      'COMPASS',
      '',
      '__proto__',
    ];
    expect(names.filter(isSecretName)).toEqual([]);
  });
});

it('takes linear time on a megabyte made to slow a rule down', () => {
  const seeds = [
    'a',
    '-',
    'ab ',
    'a.',
    '--a ',
    'eyJ',
    'https://a:',
    'bearer ',
    'key=',
    'sk-',
    'A1b2',
    `-----BEGIN ${'PRIVATE KEY'}-----`,
  ];
  for (const seed of seeds) findSecrets(seed.repeat(1_000_000 / seed.length), { name: 'key' });
});
