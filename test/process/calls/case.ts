/**
 * The form of the rows that both call scripts are held against. Data only: a row says how its server is started,
 * what is called, and what has to come of it; `test/support/call-servers/run-case.ts` does it.
 *
 * `{{http}}` (base address of the scripted HTTP server), `{{port}}`, `{{node}}`, `{{root}}` (the project),
 * `{{skill}}`, `{{runtime}}` and every name captured by an earlier step are replaced in all texts.
 */
import type { ReferenceForm } from '../../support/call-servers/skill-folder.ts';

export type CaseServer =
  /** The scripted server over standard input and output, with its own options; `more` joins the configuration. */
  | { readonly kind: 'stdio'; readonly args?: readonly string[]; readonly more?: object }
  /** Any other stdio definition. */
  | { readonly kind: 'command'; readonly definition: object }
  /** A path of the scripted HTTP server. */
  | { readonly kind: 'http' | 'sse'; readonly path: string; readonly more?: object };

export interface Expectation {
  readonly exit: number;
  /** The whole of standard output, without the last line end. */
  readonly is?: string;
  /** Parts of standard output. */
  readonly stdout?: readonly (string | RegExp)[];
  readonly stderr?: readonly (string | RegExp)[];
  /** What neither stream may show. */
  readonly absent?: readonly string[];
  /** Standard output is one JSON value with at least this in it. */
  readonly json?: object;
  /** Files below the project: a length in bytes, or a part of the text. */
  readonly files?: Readonly<Record<string, number | string | RegExp>>;
  /** All files in `output`, sorted; nothing else may lie there. */
  readonly output?: readonly (string | RegExp)[];
  /** Named groups become words for the following steps. */
  readonly capture?: RegExp;
}

/** Either a call of the script, or a line for the shell. */
export interface Step {
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly stdin?: string;
  readonly expect: Expectation;
}

export interface CallCase {
  /** A sentence of behaviour. */
  readonly name: string;
  readonly server: CaseServer;
  /** Form of the reference files; `lazy` unless said otherwise. */
  readonly form?: ReferenceForm;
  readonly env?: Readonly<Record<string, string>>;
  /** Files of the project, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Sessions to end afterwards. */
  readonly sessions?: readonly string[];
  readonly steps: readonly Step[];
}

/** A row of one call. */
export function once(
  name: string,
  server: CaseServer,
  argv: readonly string[],
  expect: Expectation,
  more: Partial<CallCase & Pick<Step, 'stdin'>> = {},
): CallCase {
  const { stdin, ...rest } = more;
  return { name, server, ...rest, steps: [{ argv, ...(stdin === undefined ? {} : { stdin }), expect }] };
}
