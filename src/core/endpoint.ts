/** One way over all strings of an endpoint that may hold variables. */
import type { Endpoint } from './model.ts';

/** The endpoint with `change` applied to every value; names of variables and headers stay. */
export function mapEndpoint(endpoint: Endpoint, change: (value: string) => string): Endpoint {
  const values = <T extends string | null>(record: Readonly<Record<string, T>>): Record<string, T | string> =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, value === null ? value : change(value)]));
  switch (endpoint.kind) {
    case 'stdio':
      return {
        ...endpoint,
        command: change(endpoint.command),
        args: endpoint.args.map(change),
        env: values(endpoint.env),
        ...(endpoint.cwd === undefined ? {} : { cwd: change(endpoint.cwd) }),
        ...(endpoint.envFile === undefined ? {} : { envFile: change(endpoint.envFile) }),
      };
    case 'http':
    case 'sse':
      return { ...endpoint, url: change(endpoint.url), headers: values(endpoint.headers) };
    default:
      return endpoint satisfies never;
  }
}
