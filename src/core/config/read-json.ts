/**
 * JSON and JSON with comments to nodes. A file with a syntax error gives no tree at all, as in every client; comments
 * and trailing commas are accepted and, where the client's parser is strict, reported.
 */
import {
  createScanner,
  type Node as JsonNode,
  type ParseError,
  parseTree,
  printParseErrorCode,
  visit,
} from 'jsonc-parser';
import { type Fault, MAX_DEPTH, type Node, type ReadResult, tooDeep } from './document.ts';

const EXPLANATIONS: ReadonlyMap<string, string> = new Map([
  ['InvalidSymbol', 'a word that JSON does not know'],
  ['InvalidNumberFormat', 'a number that is not valid'],
  ['PropertyNameExpected', 'a key in double quotes is expected'],
  ['ValueExpected', 'a value is expected'],
  ['ColonExpected', 'a colon is expected'],
  ['CommaExpected', 'a comma is expected'],
  ['CloseBraceExpected', 'a closing brace is expected'],
  ['CloseBracketExpected', 'a closing bracket is expected'],
  ['EndOfFileExpected', 'the file should end here'],
  ['InvalidCommentToken', 'a comment is not allowed'],
  ['UnexpectedEndOfComment', 'a comment is not closed'],
  ['UnexpectedEndOfString', 'a string is not closed'],
  ['UnexpectedEndOfNumber', 'a number breaks off'],
  ['InvalidUnicode', 'a \\u escape is not valid'],
  ['InvalidEscapeCharacter', 'a backslash escape is not valid; write \\\\ for a backslash'],
  ['InvalidCharacter', 'a control character inside a string'],
]);

/** `strict` says that the client itself accepts neither comments nor trailing commas. */
export function readJson(text: string, strict: boolean): ReadResult {
  const deep = firstTooDeep(text);
  if (deep !== undefined) return { faults: [tooDeep(deep)] };
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (tree === undefined || first !== undefined) return { faults: [syntaxFault(text, first)] };
  return { root: convert(tree), faults: strict ? extras(text) : [] };
}

function syntaxFault(text: string, error: ParseError | undefined): Fault {
  const empty = text.trim() === '';
  const code = error === undefined ? '' : printParseErrorCode(error.error);
  return {
    kind: 'config-syntax',
    severity: 'error',
    message: empty ? 'The file is empty.' : `The JSON is not valid: ${EXPLANATIONS.get(code) ?? 'it cannot be read'}.`,
    remedy: empty ? 'Write {} or remove the file.' : 'Correct the file here; until then none of its servers is read.',
    offset: Math.min(error?.offset ?? 0, text.length),
  };
}

/** The parser recurses, so depth is counted first by a scanner that does not. */
function firstTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    const length = scanner.getTokenLength();
    // At the end the scanner repeats itself; after a comment that breaks off, its last token even has a length.
    if (offset >= text.length) return undefined;
    const character = length === 1 ? text[offset] : undefined;
    if (character === '{' || character === '[') {
      depth += 1;
      if (depth > MAX_DEPTH) return offset;
    } else if (character === '}' || character === ']') {
      depth -= 1;
    }
  }
}

function extras(text: string): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (message: string, remedy: string, offset: number): void => {
    if (faults.some((fault) => fault.message === message)) return;
    faults.push({ kind: 'config-comment', severity: 'warning', message, remedy, offset });
  };
  visit(
    text,
    {
      onComment: (offset) =>
        add(
          'The file has a comment, which its client does not accept: it may ignore the whole file.',
          'Remove the comments.',
          offset,
        ),
      onError: (_error, offset) =>
        add(
          'The file has a trailing comma, which its client does not accept: it may ignore the whole file.',
          'Remove the comma before the closing bracket.',
          offset,
        ),
    },
    { allowTrailingComma: false, disallowComments: false },
  );
  return faults;
}

function convert(node: JsonNode): Node {
  const children = node.children ?? [];
  switch (node.type) {
    case 'object':
      return {
        kind: 'object',
        at: node.offset,
        fields: children.flatMap((property) => {
          const [key, value] = property.children ?? [];
          if (key === undefined || value === undefined) return [];
          return [{ key: String(key.value), at: key.offset, value: convert(value) }];
        }),
      };
    case 'array':
      return { kind: 'array', at: node.offset, items: children.map(convert) };
    default: {
      const value: unknown = node.value;
      const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
      return { kind: 'value', at: node.offset, value: plain ? value : null };
    }
  }
}
