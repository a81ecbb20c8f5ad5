/**
 * A server's definition as a person is shown it before saying yes: every variable has its value, because that is what
 * would run, and secrets stand there by name. It starts nothing.
 */
import { variablesOf } from '#core/config/variables.ts';
import { mapEndpoint } from '#core/endpoint.ts';
import type { Endpoint, Server } from '#core/model.ts';
import { liftSecrets, textsOfEndpoint } from '#core/scan/lift.ts';
import { isSecretName } from '#core/scan/secret-names.ts';
import { inputVariable, type ResolveOptions, resolveEndpoint } from './resolve-endpoint.ts';
import type { SecretFinder } from './secret-scan.ts';

/** Throws OperationError `unresolved-variable` where nobody can say what would run. */
export async function endpointToShow(server: Server, options: ResolveOptions, finder: SecretFinder): Promise<Endpoint> {
  const { env } = options;
  const shown = await resolveEndpoint(server, { ...options, env: { ...env, ...hiddenValues(server, env) } });
  await finder.learnTexts(textsOfEndpoint(shown));
  return liftSecrets(shown, server.name, finder.spansOf).endpoint;
}

/**
 * The person's own secrets are shown by name. Those that a file of the workspace sets are not hidden by their name
 * alone: a program could hide behind it.
 */
function hiddenValues(server: Server, env: ResolveOptions['env']): Readonly<Record<string, string>> {
  const hidden = new Map<string, string>();
  mapEndpoint(server.endpoint, (text) => {
    for (const variable of variablesOf(text))
      if (variable.kind === 'env' && isSecretName(variable.name) && env[variable.name] !== undefined)
        hidden.set(variable.name, `\${${variable.name}}`);
    return text;
  });
  for (const input of server.inputs)
    if (input.password && env[inputVariable(input.id)] !== undefined)
      hidden.set(inputVariable(input.id), `\${input:${input.id}}`);
  return Object.fromEntries(hidden);
}
