/** The `inputs` that VS Code asks the person for, and which of them a server's definition refers to. */
import type { Endpoint, Input } from '../model.ts';
import { type Fault, fieldOf, type Node, scalarOf } from './document.ts';
import { variablesOf } from './variables.ts';

const KINDS: readonly Input['kind'][] = ['promptString', 'pickString', 'command'];

/** Inputs by id; what is malformed is reported and left out. */
export function readInputs(node: Node | undefined, report: (fault: Fault) => void): ReadonlyMap<string, Input> {
  const inputs = new Map<string, Input>();
  if (node === undefined) return inputs;
  for (const item of node.kind === 'array' ? node.items : [node]) {
    const text = (key: string): string | undefined => {
      const value = scalarOf(fieldOf(item, key)?.value);
      return value === undefined || value === null ? undefined : String(value);
    };
    const id = text('id');
    const kind = KINDS.find((one) => one === text('type'));
    if (id === undefined || id === '' || kind === undefined) {
      report({
        kind: 'entry-invalid',
        severity: 'warning',
        message: 'An input has no `id`, or a `type` that is unknown.',
        remedy: 'Give it an `id`, and the type `promptString`, `pickString` or `command`.',
        offset: item.at,
      });
      continue;
    }
    const preset = text('default');
    const options = fieldOf(item, 'options')?.value;
    inputs.set(id, {
      id,
      kind,
      description: text('description') ?? '',
      password: scalarOf(fieldOf(item, 'password')?.value) === true,
      ...(preset === undefined ? {} : { default: preset }),
      ...(options?.kind === 'array' ? { options: options.items.flatMap(optionOf) } : {}),
    });
  }
  return inputs;
}

/** An option is a string, or an object with a label and a value. */
function optionOf(node: Node): readonly string[] {
  const value = scalarOf(node) ?? scalarOf(fieldOf(node, 'value')?.value);
  return value === undefined || value === null ? [] : [String(value)];
}

/** The ids of the inputs that an endpoint refers to, in order, each once. */
export function inputIdsOf(endpoint: Endpoint): readonly string[] {
  const ids = new Set<string>();
  for (const text of textsOf(endpoint)) {
    for (const variable of variablesOf(text)) if (variable.kind === 'input') ids.add(variable.id);
  }
  return [...ids];
}

/** Every string of an endpoint that may hold variables. */
export function textsOf(endpoint: Endpoint): readonly string[] {
  switch (endpoint.kind) {
    case 'stdio': {
      const values = Object.values(endpoint.env).filter((value) => value !== null);
      return [endpoint.command, ...endpoint.args, ...values, endpoint.cwd ?? '', endpoint.envFile ?? ''];
    }
    case 'http':
    case 'sse':
      return [endpoint.url, ...Object.values(endpoint.headers)];
    default:
      return endpoint satisfies never;
  }
}
