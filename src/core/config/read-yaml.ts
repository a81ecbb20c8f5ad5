/**
 * YAML to nodes. Aliases share one node and merge keys are followed within a bound, so that a small file cannot grow
 * without end.
 */
import { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument, type YAMLError, type YAMLMap } from 'yaml';
import { type Fault, type Field, MAX_DEPTH, type Node, type ReadResult, tooDeep } from './document.ts';

/** The parser needs about a second for a megabyte, so YAML has a lower limit than the other syntaxes. In UTF-16 units. */
const MAX_LENGTH = 1_000_000;
/** Fields that merge keys may copy in one file. */
const MAX_MERGED = 50_000;

/** Thrown within this file only, to leave the recursion. */
class Refusal {
  readonly fault: Fault;
  constructor(fault: Fault) {
    this.fault = fault;
  }
}

/** What has been seen on the way: `undefined` for an anchor whose node is still open. */
interface Progress {
  readonly anchors: Map<string, Node | undefined>;
  merged: number;
}

export function readYaml(text: string): ReadResult {
  if (text.length > MAX_LENGTH) return { faults: [tooLong()] };
  try {
    const deep = firstTooDeep(text);
    if (deep !== undefined) return { faults: [tooDeep(deep)] };
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error !== undefined) return { faults: [faultOf(error)] };
    if (document.contents === null) return { faults: [syntaxFault('The file is empty.', 0)] };
    return { root: convert(document.contents, 0, { anchors: new Map(), merged: 0 }), faults: [] };
  } catch (error) {
    if (error instanceof Refusal) return { faults: [error.fault] };
    if (error instanceof RangeError) return { faults: [tooDeep(0)] };
    return { faults: [syntaxFault('The YAML cannot be read.', 0)] };
  }
}

/** The parser recurses and slows down with depth, so depth is counted first, on the tokens. */
function firstTooDeep(text: string): number | undefined {
  let offset = 0;
  let brackets = 0;
  let marks = 0;
  let isScalarText = false;
  for (const token of new Lexer().lex(text)) {
    if (!isScalarText) {
      if (token === '[' || token === '{') brackets += 1;
      else if (token === ']' || token === '}') brackets -= 1;
      else if (token === '-' || token === '?') marks += 1;
      else if (token.endsWith('\n')) marks = 0;
      if (brackets + marks > MAX_DEPTH) return offset;
    }
    // Tokens of one control character mark what follows and have no length in the file.
    const control = /^[\u0002\u0018\u001f]$/.test(token);
    isScalarText = token === '\u001f';
    if (!control) offset += token.length;
  }
  return undefined;
}

function convert(node: unknown, depth: number, progress: Progress): Node {
  const at = offsetOf(node);
  if (depth > MAX_DEPTH) throw new Refusal(tooDeep(at));
  if (isAlias(node)) {
    if (!progress.anchors.has(node.source)) {
      throw new Refusal(syntaxFault('The YAML refers to an anchor that is not there.', at));
    }
    const target = progress.anchors.get(node.source);
    if (target === undefined) throw new Refusal(tooDeep(at));
    return target;
  }
  const anchor = isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
  if (anchor !== undefined) progress.anchors.set(anchor, undefined);
  const converted = convertOwn(node, at, depth, progress);
  if (anchor !== undefined) progress.anchors.set(anchor, converted);
  return converted;
}

function convertOwn(node: unknown, at: number, depth: number, progress: Progress): Node {
  if (isMap(node)) return convertMap(node, at, depth, progress);
  if (isSeq(node)) return { kind: 'array', at, items: node.items.map((item) => convert(item, depth + 1, progress)) };
  const value: unknown = isScalar(node) ? node.value : null;
  if (typeof value === 'bigint') return { kind: 'value', at, value: String(value) };
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return { kind: 'value', at, value: plain ? value : null };
}

/** Own keys go before merged ones, and earlier merges before later ones. */
function convertMap(node: YAMLMap, at: number, depth: number, progress: Progress): Node {
  const own: Field[] = [];
  const merged = new Map<string, Field>();
  for (const pair of node.items) {
    const key = isScalar(pair.key) ? String(pair.key.value) : '';
    const value = convert(pair.value, depth + 1, progress);
    if (key !== '<<') {
      own.push({ key, at: offsetOf(pair.key, at), value });
      continue;
    }
    for (const one of value.kind === 'array' ? value.items : [value]) {
      for (const field of one.kind === 'object' ? one.fields : []) {
        progress.merged += 1;
        if (progress.merged > MAX_MERGED) throw new Refusal(tooLong());
        if (!merged.has(field.key)) merged.set(field.key, field);
      }
    }
  }
  const keys = new Set(own.map(({ key }) => key));
  return { kind: 'object', at, fields: [...[...merged.values()].filter(({ key }) => !keys.has(key)), ...own] };
}

function offsetOf(node: unknown, otherwise = 0): number {
  const known = isAlias(node) || isMap(node) || isSeq(node) || isScalar(node);
  return (known ? node.range?.[0] : undefined) ?? otherwise;
}

function faultOf(error: YAMLError): Fault {
  return error.code === 'RESOURCE_EXHAUSTION'
    ? tooDeep(error.pos[0])
    : syntaxFault(`The YAML is not valid (${error.code.toLowerCase().replaceAll('_', ' ')}).`, error.pos[0]);
}

function syntaxFault(message: string, offset: number): Fault {
  const remedy = 'Correct the file here; until then none of its servers is read.';
  return { kind: 'config-syntax', severity: 'error', message, remedy, offset };
}

function tooLong(): Fault {
  return {
    kind: 'config-too-large',
    severity: 'error',
    message: `The file is longer than ${MAX_LENGTH / 1_000_000} million characters of YAML, or grows so by its merge keys, so it is not read.`,
    remedy: 'Move the servers into a file of their own.',
    offset: 0,
  };
}
