/** Bytes of a config file to a tree of nodes, whatever its encoding and syntax, with all that is wrong on the way. */
import type { Problem } from '../problem.ts';
import { decode } from './decode.ts';
import {
  type Fault,
  type FileSyntax,
  type Locate,
  locator,
  MAX_FILE_BYTES,
  type Node,
  type ReadResult,
} from './document.ts';
import { readJson } from './read-json.ts';
import { readToml } from './read-toml.ts';
import { readYaml } from './read-yaml.ts';

/** A file that has been decoded and parsed, not yet searched for servers. */
export interface ConfigDocument {
  /** Absent if the file cannot be read; `problems` say why. */
  readonly root?: Node;
  readonly locate: Locate;
  readonly problems: readonly Problem[];
}

/** Decodes and parses; `file` is the path for people. */
export function readDocument(bytes: Uint8Array, syntax: FileSyntax, file: string): ConfigDocument {
  if (bytes.length > MAX_FILE_BYTES) {
    return { locate: locator(''), problems: [tooLarge(file)] };
  }
  const decoded = decode(bytes);
  const text = decoded.text ?? '';
  const locate = locator(text);
  const problems: Problem[] = [];
  if (decoded.fault !== undefined) problems.push({ ...decoded.fault, at: { file, ...decoded.place } });
  if (decoded.text === undefined) return { locate, problems };
  const { root, faults } = readText(text, syntax);
  problems.push(...faults.map((fault) => problemOf(fault, file, locate)));
  return { ...(root === undefined ? {} : { root }), locate, problems };
}

/** The problem of a file beyond {@link MAX_FILE_BYTES}. */
export function tooLarge(file: string): Problem {
  return {
    kind: 'config-too-large',
    severity: 'error',
    message: `The file is larger than ${MAX_FILE_BYTES / 1_000_000} MB, so it is not read.`,
    remedy: 'Move the servers into a file of their own.',
    at: { file },
  };
}

function readText(text: string, syntax: FileSyntax): ReadResult {
  switch (syntax) {
    case 'json':
      return readJson(text, true);
    case 'jsonc':
      return readJson(text, false);
    case 'toml':
      return readToml(text);
    case 'yaml':
      return readYaml(text);
    default:
      return syntax satisfies never;
  }
}

/** Binds a fault to its file, and to the server it concerns. */
export function problemOf({ offset, ...rest }: Fault, file: string, locate: Locate, server?: string): Problem {
  return { ...rest, at: { file, ...locate(offset) }, ...(server === undefined ? {} : { server }) };
}
