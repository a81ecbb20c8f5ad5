/**
 * Expands a definition's variables at connect time, and only then. Values come from the environment, then from the
 * `.env` file beside the project, then from whoever answers the inputs; they go to the connection and nowhere else.
 */
import { readFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { parseEnv } from 'node:util';
import { clientFolder } from '#core/config/client-folders.ts';
import { spell } from '#core/config/variable-scan.ts';
import { expand, type Variable } from '#core/config/variables.ts';
import { mapEndpoint } from '#core/endpoint.ts';
import type { Endpoint, Input, Server } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';

export interface ResolveOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The workspace folders, absolute; the first is the one of servers from the home folder. */
  readonly folders: readonly string[];
  /** Answers an input of the config; `undefined` where nobody can. Inputs of kind `command` are never asked for. */
  readonly answer?: (input: Input, server: Server) => Promise<string | undefined>;
}

/** `API key` → `API_KEY`: how an input's value is named in the environment, after `MOCHI_INPUT_`. */
export function inputVariable(id: string): string {
  return `MOCHI_INPUT_${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

async function envFile(folder: string | undefined): Promise<Readonly<Record<string, string | undefined>>> {
  if (folder === undefined) return {};
  try {
    return parseEnv(await readFile(join(folder, '.env'), 'utf8'));
  } catch {
    // No such file, or none that can be read: then its variables are missing, and that is what is reported.
    return {};
  }
}

/** The endpoint ready to connect. Throws OperationError `unresolved-variable` that names every missing variable. */
export async function resolveEndpoint(server: Server, options: ResolveOptions): Promise<Endpoint> {
  const folder = server.source.folder ?? options.folders[0];
  const dotEnv = await envFile(folder);
  const answers = new Map<string, string>();
  for (const input of server.inputs) {
    const given = options.env[inputVariable(input.id)] ?? dotEnv[inputVariable(input.id)];
    const value =
      given ?? (input.kind === 'command' ? undefined : await options.answer?.(input, server)) ?? input.default;
    if (value !== undefined) answers.set(input.id, value);
  }
  const lookUp = (variable: Variable): string | undefined => {
    switch (variable.kind) {
      case 'env':
        return options.env[variable.name] ?? dotEnv[variable.name] ?? clientFolder(variable.name, server.source);
      case 'input':
        return answers.get(variable.id) ?? options.env[inputVariable(variable.id)];
      case 'workspaceFolder':
        return variable.name === undefined ? folder : options.folders.find((one) => basename(one) === variable.name);
      case 'workspaceFolderBasename':
        return folder === undefined ? undefined : basename(folder);
      case 'userHome':
        return options.home;
      case 'pathSeparator':
        return sep;
      default:
        return variable satisfies never;
    }
  };
  const missing = new Set<string>();
  const text = (value: string): string => {
    const expanded = expand(value, lookUp);
    for (const variable of expanded.missing) missing.add(spell(variable));
    return expanded.text;
  };
  const endpoint = mapEndpoint(server.endpoint, text);
  if (missing.size > 0)
    throw new OperationError('unresolved-variable', `Server "${server.name}" needs ${[...missing].join(', ')}.`, {
      remedy: 'Set each in the environment, or in a .env file beside the project.',
    });
  return endpoint;
}
