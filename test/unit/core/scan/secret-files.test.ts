import { describe, expect, it } from 'vitest';
import { isSecretFile } from '#core/scan/secret-files.ts';

describe('a file of secrets', () => {
  it.each([
    '.env',
    'a/.env.local',
    'prod.env',
    '.npmrc',
    'deploy/id_ed25519',
    'tls/server.PEM',
    'terraform.tfvars',
    'aws_credentials',
    'secrets.yaml',
    'service-account-prod.json',
    '/home/x/.ssh/config',
    '/home/x/.aws/config',
  ])('is %s', (path) => {
    expect(isSecretFile(path)).toBe(true);
  });

  it.each([
    '.env.example',
    '.env.sample',
    '.env.dist',
    'src/env.ts',
    'environment.ts',
    'src/secrets/rules.ts',
    'keyboard.ts',
    'credentials-form/a.ts',
    'monkey',
  ])('is not %s', (path) => {
    expect(isSecretFile(path)).toBe(false);
  });
});
