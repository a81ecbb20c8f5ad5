/** The authorization flow of the Node call script against a scripted OAuth server; the test plays the browser. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callEnvironment, type Ran } from '../../support/call-servers/run-case.ts';
import { makeSkillFolder, type SkillFolder } from '../../support/call-servers/skill-folder.ts';
import { type OAuthScript, type OAuthServer, startOAuthServer } from '../../support/oauth-server.ts';
import { node } from './node-runtime.ts';

let server: OAuthServer | undefined;
let folder: SkillFolder;
const ARGS = ['look', '{"at":1}', '--no-check'];

beforeEach(() => {
  folder = makeSkillFolder({ script: node.script, config: { mcpServers: {} }, tools: [], form: 'bare' });
});
afterEach(async () => {
  folder.dispose();
  await server?.close();
  server = undefined;
});

async function serve(script: OAuthScript = {}, headers: Record<string, string> = {}): Promise<OAuthServer> {
  server = await startOAuthServer(script);
  const config = { mcpServers: { guarded: { type: 'http', url: server.url, headers } } };
  writeFileSync(join(folder.skill, 'references', 'mcp.json'), JSON.stringify(config));
  return server;
}

/** Calls the script; `browse` gets the address that it prints for the person. */
function call(
  argv: readonly string[],
  browse: (url: string) => void,
  more: Record<string, string> = {},
): Promise<Ran & { readonly opened: string | undefined }> {
  const state = join(folder.root, 'state');
  mkdirSync(state, { recursive: true });
  const env = callEnvironment(folder.root, { XDG_STATE_HOME: state, MOCHI_NO_BROWSER: '1', ...more });
  return new Promise((resolve) => {
    const child = spawn(node.interpreter, [folder.script, ...argv], { cwd: folder.root, env, stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    let opened: string | undefined;
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
      const url = /authorize in the browser: (\S+)\n/.exec(stderr)?.[1];
      if (url !== undefined && opened === undefined) {
        opened = url;
        browse(url);
      }
    });
    child.on('close', (exit) => resolve({ exit, stdout, stderr, opened }));
  });
}

/** Says yes in the browser. */
const agree = (url: string): void => void fetch(url).catch(() => {});
const nobody = (): void => {};

function storedFiles(): readonly string[] {
  const state = join(folder.root, 'state', 'mochi', 'oauth');
  return existsSync(state) ? readdirSync(state).map((name) => join(state, name)) : [];
}

describe('A server that wants OAuth', () => {
  test('A call waits for the person, goes on with the token, and the next call needs nobody', async () => {
    const oauth = await serve();
    const first = await call(ARGS, agree);
    expect([first.exit, first.stdout], first.stderr).toEqual([0, 'called with {"at":1}\n']);
    expect(oauth.asked).toContain('/token authorization_code');
    const second = await call(ARGS, agree);
    expect([second.exit, second.stdout, second.stderr, second.opened]).toEqual([
      0,
      'called with {"at":1}\n',
      '',
      undefined,
    ]);
  });

  test('Tokens are kept where only their user can read them, and nowhere else', async () => {
    await serve();
    const ran = await call(ARGS, agree);
    expect(ran.exit, ran.stderr).toBe(0);
    const [file] = storedFiles();
    expect(storedFiles()).toHaveLength(1);
    expect(statSync(file ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(join(folder.root, 'state', 'mochi', 'oauth')).mode & 0o777).toBe(0o700);
    const { access_token: token } = JSON.parse(readFileSync(file ?? '', 'utf8')).tokens;
    expect(`${ran.stdout}${ran.stderr}`).not.toContain(token);
    expect(readFileSync(join(folder.skill, 'references', 'mcp.json'), 'utf8')).not.toContain(token);
  });

  test('An expired token is refreshed without the person', async () => {
    const oauth = await serve();
    await call(ARGS, agree);
    oauth.expire();
    const ran = await call(ARGS, agree);
    expect([ran.exit, ran.opened], ran.stderr).toEqual([0, undefined]);
    expect(oauth.asked).toContain('/token refresh_token');
  });

  test('When the refresh is refused too, the person is asked again', async () => {
    const oauth = await serve();
    await call(ARGS, agree);
    oauth.revoke();
    const ran = await call(ARGS, agree);
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([0, 'called with {"at":1}\n']);
    expect(ran.opened).toBeDefined();
  });

  test('A client with a metadata document is not registered', async () => {
    const oauth = await serve({ clientIdDocuments: true });
    const document = 'https://client.example/mochi.json';
    const ran = await call(ARGS, agree, { MOCHI_OAUTH_CLIENT_METADATA_URL: document });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(oauth.clients).toEqual([document]);
    expect(oauth.asked).not.toContain('/register');
  });

  test('A client registered beforehand is used', async () => {
    const oauth = await serve();
    const ran = await call(ARGS, agree, { MOCHI_OAUTH_CLIENT_ID: 'known-client' });
    expect(ran.exit, ran.stderr).toBe(0);
    expect(oauth.clients).toEqual(['known-client']);
  });

  test('An answer with a foreign state is refused, the right one is still waited for', async () => {
    await serve();
    let status: number | undefined;
    const ran = await call(ARGS, (url) => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      back.search = '?code=stolen&state=wrong';
      void fetch(back).then((response) => {
        status = response.status;
        agree(url);
      });
    });
    expect([ran.exit, status], ran.stderr).toEqual([0, 400]);
  });

  test('A refusal ends the call', async () => {
    await serve({ refuses: true });
    const ran = await call(ARGS, agree);
    expect(ran.exit).toBe(3);
    expect(ran.stderr).toMatch(/error: the authorization was refused/);
  });

  test('Without anybody the wait has an end', async () => {
    await serve();
    const ran = await call(ARGS, nobody, { MOCHI_OAUTH_TIMEOUT: '0.5' });
    expect(ran.exit, ran.stderr).toBe(4);
    expect(ran.stderr).toMatch(/error: no authorization within .* s\. Run the command again/);
  });

  for (const address of ['file:///etc/passwd', 'javascript:alert(1)', 'vscode://x/y']) {
    test(`The authorization address ${address} is not opened`, async () => {
      await serve({ authorizationEndpoint: address });
      const ran = await call(ARGS, agree, { MOCHI_OAUTH_TIMEOUT: '2' });
      expect([ran.exit, ran.opened], ran.stderr).toEqual([3, undefined]);
    });
  }

  test('A token from the config is used as it is, and its refusal is told', async () => {
    const oauth = await serve({}, { Authorization: 'Bearer ${SOME_TOKEN}' });
    const ran = await call(ARGS, agree, { SOME_TOKEN: ['not', 'the', 'one'].join('-') });
    expect([ran.exit, ran.opened]).toEqual([3, undefined]);
    expect(ran.stderr).toMatch(/error: the server wants authorization \(HTTP 401\)/);
    expect(ran.stderr).not.toContain('not-the-one');
    expect(oauth.asked).not.toContain('/register');
  });

  test('A session asks the person through its caller', async () => {
    await serve();
    const ran = await call([...ARGS, '--session', 'signed'], agree);
    await call(['--session-stop', 'signed'], nobody);
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([0, 'called with {"at":1}\n']);
  });
});
