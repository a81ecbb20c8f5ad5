/**
 * Takes the secrets out of a server's definition and puts named variables in their place, so that the definition
 * can be written into a skill. It never expands a variable, and no message holds a value.
 */
import type { Endpoint } from '../model.ts';
import type { Problem } from '../problem.ts';
import { type Cut, cutsOf, upperSnake, type ValueContext } from './cuts.ts';
import { isSecretName } from './secret-names.ts';
import { isLocator, isPlaceholder } from './secret-values.ts';
import type { SpansOf } from './secrets.ts';
import { environmentBody, regionsOf } from './variable-regions.ts';

/** A variable that a person must set before the skill can reach the server. */
export interface Placeholder {
  /** The environment variable's name. */
  readonly variable: string;
  /** The part of the definition that it stands in, for example `env.TOKEN` or `args[2]`. */
  readonly where: string;
}

export interface Lifted {
  readonly endpoint: Endpoint;
  readonly placeholders: readonly Placeholder[];
  readonly problems: readonly Problem[];
}

/** A text of a definition that a secret finder must see before {@link liftSecrets} can ask about it. */
export interface EndpointText {
  readonly text: string;
  readonly name?: string;
}

/** The definition without secrets. What was a variable stays one; the same definition gives the same names. */
export function liftSecrets(endpoint: Endpoint, serverName: string, spansOf: SpansOf): Lifted {
  const ledger = createLedger(endpoint, serverName, spansOf);
  const lifted = liftEndpoint(endpoint, (text, where, context) => ledger.lift(text, where, context));
  return { endpoint: lifted, placeholders: ledger.placeholders, problems: ledger.problems };
}

/** Every text that {@link liftSecrets} will ask about, with its name, for a batch search beforehand. */
export function textsOfEndpoint(endpoint: Endpoint): readonly EndpointText[] {
  const texts: EndpointText[] = [];
  liftEndpoint(endpoint, (text, _where, { name }) => {
    texts.push({ text, ...(name === undefined ? {} : { name }) });
    return text;
  });
  return texts;
}

type Lift = (text: string, where: string, context: ValueContext) => string;

/** Environment first: its names are given, and the same secret elsewhere takes over the name. */
function liftEndpoint(endpoint: Endpoint, lift: Lift): Endpoint {
  switch (endpoint.kind) {
    case 'stdio': {
      const env = Object.entries(endpoint.env).map(([key, value]): readonly [string, string | null] => [
        key,
        value === null ? null : lift(value, `env.${key}`, { name: key, base: upperSnake(key) || 'VALUE', own: true }),
      ]);
      return {
        ...endpoint,
        command: lift(endpoint.command, 'command', {}),
        args: endpoint.args.map((arg, index) => lift(arg, `args[${index}]`, flagContext(endpoint.args, index))),
        env: Object.fromEntries(env),
        ...(endpoint.cwd === undefined ? {} : { cwd: lift(endpoint.cwd, 'cwd', {}) }),
        ...(endpoint.envFile === undefined ? {} : { envFile: lift(endpoint.envFile, 'envFile', {}) }),
      };
    }
    case 'http':
    case 'sse': {
      const headers = Object.entries(endpoint.headers).map(([name, value]): readonly [string, string] => [
        name,
        lift(value, `headers.${name}`, { name, base: upperSnake(name) || 'HEADER' }),
      ]);
      return { ...endpoint, url: lift(endpoint.url, 'url', {}), headers: Object.fromEntries(headers) };
    }
    default:
      return endpoint satisfies never;
  }
}

/** An argument right behind a flag such as `--token` is that flag's value, unless it is a flag itself. */
function flagContext(args: readonly string[], index: number): ValueContext {
  const flag = args[index - 1];
  const value = args[index] ?? '';
  if (flag === undefined || !/^--?[A-Za-z][\w.-]*$/.test(flag) || !isSecretName(flag)) return {};
  if (/^--?[A-Za-z][\w-]*(?:=|$)/.test(value) && value.length < 30) return {};
  return { name: flag.replace(/^-+/, ''), base: upperSnake(flag) };
}

/** A fallback nested deeper than this goes, whatever it holds. */
const MAX_NESTING = 16;

interface Ledger {
  readonly placeholders: readonly Placeholder[];
  readonly problems: readonly Problem[];
  readonly lift: Lift;
}

function createLedger(endpoint: Endpoint, server: string, spansOf: SpansOf): Ledger {
  const placeholders: Placeholder[] = [];
  const problems: Problem[] = [];
  const taken = namesIn(endpoint);
  const known = new Map<string, string>();
  const prefix = prefixOf(server);

  const record = (variable: string, where: string): void => {
    if (placeholders.some((other) => other.variable === variable && other.where === where)) return;
    placeholders.push({ variable, where });
    problems.push({
      kind: 'secret',
      severity: 'warning',
      message: `The definition holds a secret at ${where}; the skill names \${${variable}} instead.`,
      remedy: `Set ${variable} in the environment before you use the skill, and write \${${variable}} in the config too.`,
      server,
    });
  };

  const nameFor = (cut: Cut, secret: string): string => {
    const same = known.get(secret);
    if (same !== undefined && !cut.own) return same;
    const variable = uniqueName(cut.own ? cut.name : `${prefix}_${cut.name}`, taken);
    taken.add(variable);
    if (same === undefined) known.set(secret, variable);
    return variable;
  };

  const liftFallbacks = (text: string, where: string, secretContext: boolean, depth = 0): string =>
    regionsOf(text)
      .map(({ start, end, kind, body }) => {
        const spelt = text.slice(start, end);
        if (kind === 'literal' || body === undefined) return spelt;
        if (body.startsWith('input:')) problems.push(inputProblem(body, where, server));
        const variable = environmentBody(body);
        if (variable?.fallback === undefined) return spelt;
        const { name, fallback } = variable;
        const telling = secretContext || isSecretName(name);
        const weak = isPlaceholder(fallback) || isLocator(fallback) || fallback.includes('${');
        if (depth >= MAX_NESTING || (telling && !weak) || cutsOf(fallback, {}, spansOf).length > 0) {
          record(name, where);
          return `\${${name}}`;
        }
        return `\${${name}:-${liftFallbacks(fallback, where, telling, depth + 1)}}`;
      })
      .join('');

  const lift: Lift = (text, where, context) => {
    let result = '';
    let done = 0;
    for (const cut of cutsOf(text, context, spansOf)) {
      const variable = nameFor(cut, text.slice(cut.start, cut.end));
      record(variable, where);
      result += `${text.slice(done, cut.start)}\${${variable}}`;
      done = cut.end;
    }
    return liftFallbacks(result + text.slice(done), where, context.name !== undefined && isSecretName(context.name));
  };
  return { placeholders, problems, lift };
}

/** Variables that the definition refers to already; a new name must not mean one of them. */
function namesIn(endpoint: Endpoint): Set<string> {
  const names = new Set<string>();
  const collect = (text: string, depth: number): void => {
    for (const { body } of regionsOf(text)) {
      const variable = body === undefined ? undefined : environmentBody(body);
      if (variable === undefined) continue;
      names.add(variable.name);
      if (variable.fallback !== undefined && depth < MAX_NESTING) collect(variable.fallback, depth + 1);
    }
  };
  for (const { text } of textsOfEndpoint(endpoint)) collect(text, 0);
  return names;
}

function prefixOf(server: string): string {
  const name = upperSnake(server).slice(0, 40).replace(/_+$/, '');
  if (name === '') return 'SERVER';
  return /^\d/.test(name) ? `MCP_${name}` : name;
}

function uniqueName(wanted: string, taken: ReadonlySet<string>): string {
  const name = /^\d/.test(wanted) ? `MCP_${wanted}` : wanted;
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${name}_${number}`)) return `${name}_${number}`;
  }
}

function inputProblem(body: string, where: string, server: string): Problem {
  return {
    kind: 'variable-unknown',
    severity: 'warning',
    message: `The definition refers to \${${body}} at ${where}, which only VS Code can ask for; a skill cannot.`,
    remedy: 'Use an environment variable there if the skill is to run outside VS Code.',
    server,
  };
}
