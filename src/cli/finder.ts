/** What keeps the secrets of definitions out of everything that is shown. */
import type { Server } from '#core/model.ts';
import { textsOfEndpoint } from '#core/scan/lift.ts';
import { createSecretFinder, type SecretFinder } from '#node/secret-scan.ts';

/** A secret finder that knows the definitions of the servers: enough to ask for consent and to read what they print. */
export async function finderFor(servers: readonly Server[], signal: AbortSignal): Promise<SecretFinder> {
  const finder = await createSecretFinder();
  const texts = servers.flatMap((server) => textsOfEndpoint(server.endpoint));
  await finder.learnTexts(texts, signal);
  return finder;
}
