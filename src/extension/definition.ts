/**
 * What a server's definition comes to on this machine: the endpoint it would be started with, what of it a person is
 * shown, and the hash that an approval is bound to. Reads what the definition names, starts nothing.
 */
import { commandText, dangersOf } from '#core/command-text.ts';
import type { Endpoint, Input, Server } from '#core/model.ts';
import { definitionHash } from '#node/catalog-cache.ts';
import { sha256 } from '#node/digest.ts';
import { createFiles } from '#node/files.ts';
import { type ResolveOptions, resolveEndpoint } from '#node/resolve-endpoint.ts';
import type { SecretFinder } from '#node/secret-scan.ts';
import { endpointToShow } from '#node/shown-endpoint.ts';
import type { Definition } from './approval.ts';

export interface DefinitionContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly folders: readonly string[];
  readonly finder: SecretFinder;
  answer(input: Input, server: Server): Promise<string | undefined>;
}

const MAX_ENV_FILE = 1_000_000;

/** Throws OperationError `unresolved-variable`, or `consent-needed` where an input was not answered. */
export async function describeDefinition(server: Server, context: DefinitionContext): Promise<Definition> {
  const { env, home, folders, finder } = context;
  const options = { env, home, folders };
  // First without a question, so that nobody is asked for the sake of a server that cannot start.
  await resolveEndpoint(server, { ...options, answer: async (input) => spelledInput(input) });
  const answers = new Map<string, string | undefined>();
  for (const input of server.inputs)
    answers.set(input.id, input.password ? spelledInput(input) : await context.answer(input, server));
  const answer: ResolveOptions['answer'] = async (input) => answers.get(input.id);
  const resolved = await resolveEndpoint(server, { ...options, answer });
  const lifted = await endpointToShow(server, { ...options, answer }, finder);
  const variables = await envFileText(resolved, server.source.folder ?? folders[0]);
  const { name, source, inputs } = server;
  return {
    resolvedHash: sha256(JSON.stringify([resolved, inputs, name, source.folder ?? '', sha256(variables)], sorted)),
    spelledHash: definitionHash(server),
    kind: resolved.kind === 'stdio' ? 'process' : 'address',
    text: commandText(lifted),
    dangers: dangersOf(lifted),
  };
}

/** The endpoint to connect to, with every value in it. Throws like {@link describeDefinition}. */
export function resolveForUse(server: Server, context: DefinitionContext): Promise<Endpoint> {
  const { env, home, folders, answer } = context;
  return resolveEndpoint(server, { env, home, folders, answer: (input) => answer(input, server) });
}

function spelledInput(input: Input): string | undefined {
  return input.kind === 'command' ? undefined : `\${input:${input.id}}`;
}

async function envFileText(endpoint: Endpoint, folder: string | undefined): Promise<string> {
  if (endpoint.kind !== 'stdio' || endpoint.envFile === undefined) return '';
  const { envFile } = endpoint;
  const path = /^(?:[\\/]|[A-Za-z]:)/.test(envFile) || folder === undefined ? envFile : `${folder}/${envFile}`;
  const bytes = await createFiles().read(path, MAX_ENV_FILE);
  return bytes === undefined ? '' : new TextDecoder().decode(bytes);
}

/** One spelling for objects that say the same. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
