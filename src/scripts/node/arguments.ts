/** Reads the arguments of a call: one JSON object, integers kept exact. */
import { readFileSync } from 'node:fs';
import { Fault, oneLine } from './fault.ts';
import { isJsonObject, type JsonObject, parseJson } from './json.ts';
import type { Options } from './options.ts';
import { codeOf } from './server-config.ts';

function readInput(path: string | 0): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (path === 0) return '';
    throw new Fault('usage', `--args-file: cannot read ${path} (${codeOf(error)})`, { remedy: 'Check the path' });
  }
}

/** The arguments object, from the command line, a file or standard input. Throws `usage`. */
export function readArguments(options: Options): JsonObject {
  const fromInput = options.args === '-' || options.argsFile === '-';
  const origin = fromInput
    ? 'standard input'
    : options.argsFile === undefined
      ? '--args'
      : `--args-file ${options.argsFile}`;
  const text = fromInput ? readInput(0) : options.argsFile === undefined ? options.args : readInput(options.argsFile);
  if (text === undefined || text.trim() === '') return {};
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    const detail = oneLine(error instanceof Error ? error.message : '', 160);
    throw new Fault('usage', `${origin} is not valid JSON: ${detail}`, {
      remedy: `Give one JSON object, for example --args '{"name": "value"}', or use --args-file`,
      cause: error,
    });
  }
  if (!isJsonObject(value)) {
    const kind = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    throw new Fault('usage', `${origin} must be a JSON object, got ${kind}`);
  }
  return value;
}
