/**
 * Authorization for HTTP servers that want OAuth: the SDK runs the protocol (discovery, registration, PKCE, token
 * exchange, refresh), this file gives it the loopback redirect, the person's browser and the token store.
 */
import { randomBytes } from 'node:crypto';
import {
  auth,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { openBrowser } from './browser.ts';
import type { ConnectOptions } from './connection.ts';
import { Fault, oneLine } from './fault.ts';
import type { Challenge, Fetch } from './http-fetch.ts';
import { openLoopback } from './loopback.ts';
import { GrantStore } from './oauth-store.ts';

export interface Authorization {
  readonly provider: OAuthClientProvider;
}

const WAIT_SECONDS = 180;

/** How long a person has for the browser; `MOCHI_OAUTH_TIMEOUT` (seconds) overrides it. */
function waitMs(): number {
  const given = Number(process.env['MOCHI_OAUTH_TIMEOUT']);
  return (Number.isFinite(given) && given > 0 ? given : WAIT_SECONDS) * 1000;
}

/** A client that the person registered beforehand, from the environment. */
function registeredClient(): StoredOAuthClientInformation | undefined {
  const id = process.env['MOCHI_OAUTH_CLIENT_ID'];
  const secret = process.env['MOCHI_OAUTH_CLIENT_SECRET'];
  if (!id) return undefined;
  return { client_id: id, ...(secret ? { client_secret: secret } : {}) };
}

class Provider implements OAuthClientProvider {
  readonly clientMetadataUrl?: string;
  readonly #store: GrantStore;
  readonly #redirect: string;
  readonly #state = randomBytes(24).toString('base64url');
  readonly #show: (url: URL) => void;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(store: GrantStore, redirect: string, show: (url: URL) => void) {
    this.#store = store;
    this.#redirect = redirect;
    this.#show = show;
    const document = process.env['MOCHI_OAUTH_CLIENT_METADATA_URL'];
    if (document) this.clientMetadataUrl = document;
  }

  get redirectUrl(): string {
    return this.#redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Mochi skill',
      redirect_uris: [this.#redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state(): string {
    return this.#state;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return registeredClient() ?? this.#store.read().client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    if (registeredClient() === undefined) this.#store.update({ client, redirect: this.#redirect });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#store.read().tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#store.update({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.#show(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'tokens') this.#store.update({ tokens: undefined });
    if (scope === 'all' || scope === 'client') this.#store.update({ client: undefined });
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
  }
}

/** A provider over tokens from an earlier authorization, which it refreshes silently; undefined where there are none. */
export function storedAuthorization(server: URL): Authorization | undefined {
  const store = new GrantStore(server);
  const { tokens, redirect } = store.read();
  if (tokens === undefined) return undefined;
  // Asked to redirect, it only declines: the caller then starts the flow with a person in it.
  return { provider: new Provider(store, redirect ?? 'http://127.0.0.1/callback', () => {}) };
}

function show(url: URL, options: ConnectOptions): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new Fault(
      'auth-needed',
      `the server names an authorization address that is no http(s) address (${url.protocol})`,
    );
  }
  options.tell(`authorize in the browser: ${url.href}`);
  openBrowser(url);
}

function failure(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Fault('auth-needed', `authorization failed: ${oneLine(message, 300)}`, {
    remedy: 'Try again, or give a token in the headers of references/mcp.json',
    cause: error,
  });
}

/**
 * Runs the flow with the person: discovery, registration, browser, callback, exchange. Resolves when the tokens are
 * stored. Throws Fault `timeout` where nobody answers.
 */
export async function authorize(
  server: URL,
  fetch: Fetch,
  challenge: Challenge,
  options: ConnectOptions,
): Promise<Authorization> {
  const store = new GrantStore(server);
  const known = store.read();
  const loopback = await openLoopback(known.redirect);
  try {
    // A registration is bound to its redirect address: with another port it is of no use.
    if (known.redirect !== undefined && known.redirect !== loopback.redirect) {
      store.update({ client: undefined, redirect: undefined });
    }
    const provider = new Provider(store, loopback.redirect, (url) => show(url, options));
    const request = { serverUrl: server, fetchFn: fetch, ...challenge };
    const callback = loopback.wait(provider.state(), waitMs());
    callback.catch(() => {});
    if ((await auth(provider, request)) === 'AUTHORIZED') return { provider };
    const query = await callback;
    const code = query.get('code');
    if (code === null)
      throw new Fault('auth-needed', 'the authorization was refused', { remedy: 'Run the command again' });
    const iss = query.get('iss');
    await auth(provider, { ...request, authorizationCode: code, ...(iss === null ? {} : { iss }) });
    return { provider };
  } catch (error) {
    throw failure(error);
  } finally {
    loopback.close();
  }
}
