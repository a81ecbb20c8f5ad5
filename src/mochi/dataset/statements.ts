/**
 * Where a person begins and ends when writing code: lines that begin a statement or an entry of a list, and lines after
 * which one is complete. Read from tokens and brackets, so it knows every language a little and no grammar.
 */
import type { TokenBuffer } from '../learn/lexer.ts';
import type { CodeSymbol, LineTable } from '../learn/symbols.ts';

export interface Statements {
  /** Whether a statement or an entry begins with this line, counted from 1. */
  begins(line: number): boolean;
  /** Whether what stands up to the end of this line is complete, or opens a block. */
  ends(line: number): boolean;
  /** Whether as many brackets are open after the last line as before the first one. */
  isWhole(first: number, last: number): boolean;
  /** The first and last line inside of a function; undefined where that cannot be told. */
  bodyOf(symbol: CodeSymbol): { readonly first: number; readonly last: number } | undefined;
}

interface Source {
  readonly text: string;
  readonly tokens: TokenBuffer;
  readonly lines: LineTable;
}

/** The first token of a line. */
interface Opening {
  readonly line: number;
  readonly token: string;
  /** The token before it, and the line in which that ends. */
  readonly previous: string;
  readonly previousLine: number;
  /** The innermost bracket that is open here, and how many are. */
  readonly inner: string;
  readonly depth: number;
}

/** Goes on with what stands above. */
const GOES_ON = /^(?:[.?:=|,)\]}<>+/%^]|&&|(?:else|elif|except|catch|finally|satisfies|instanceof)$)/;
/** Ends a block or a list, or follows one. */
const FOLLOWS_WHOLE = /^(?:[}\]]|(?:else|elif|except|catch|finally|end)$)/;
/** Wants more after it. */
const WANTS_MORE = /(?:[=+\-*/%&|^<?.\\(]|=>)$/;
const TEMPLATE = '`';

export function statementsOf({ text, tokens, lines }: Source): Statements {
  const openings = new Map<number, Opening>();
  const partners = new Map<number, number>();
  const order: number[] = [];
  const open: { readonly sign: string; readonly at: number }[] = [];
  const textAt = (at: number): string => text.slice(tokens.starts[at] ?? 0, tokens.ends[at] ?? 0);
  const lineAt = (at: number): number => lines.lineOf(tokens.starts[at] ?? 0);
  for (let at = 0; at < tokens.length; at += 1) {
    const token = textAt(at);
    const line = lineAt(at);
    const previousLine = at === 0 ? 0 : lines.lineOf(Math.max(0, (tokens.ends[at - 1] ?? 1) - 1));
    if (line > previousLine) {
      const [inner, previous] = [open.at(-1)?.sign ?? '', at === 0 ? '' : textAt(at - 1)];
      openings.set(line, { line, token, previous, previousLine, inner, depth: open.length });
      order.push(line);
    }
    if (token === '(' || token === '[' || token === '{') open.push({ sign: token, at });
    else if (token === ')' || token === ']' || token === '}') {
      const partner = open.pop();
      if (partner !== undefined) partners.set(at, partner.at);
    } else if (/^[`}].*\$\{$/s.test(token)) {
      if (token.startsWith('}')) open.pop();
      open.push({ sign: TEMPLATE, at });
    } else if (/^\}.*`$/s.test(token)) open.pop();
  }
  const nextOf = new Map(order.map((line, at) => [line, openings.get(order[at + 1] ?? 0)]));

  const begins = (line: number): boolean => {
    const own = openings.get(line);
    if (own === undefined || GOES_ON.test(own.token) || own.inner === '(' || own.inner === TEMPLATE) return false;
    return own.previous === ',' ? own.inner !== '' : !WANTS_MORE.test(own.previous);
  };
  const ends = (line: number): boolean => {
    if (!openings.has(line)) return false;
    const next = nextOf.get(line);
    if (next === undefined) return true;
    return next.previousLine === line && (begins(next.line) || FOLLOWS_WHOLE.test(next.token));
  };
  return {
    begins,
    ends,
    isWhole: (first, last) => openings.get(first)?.depth === (nextOf.get(last)?.depth ?? 0),
    bodyOf({ line, endLine, to }) {
      const closer = to - 1;
      const opener = textAt(closer) === '}' ? partners.get(closer) : undefined;
      const word = openings.get(endLine)?.token;
      const isIndented = partners.size > 0 && opener === undefined && openings.get(line + 1)?.previous === ':';
      if (opener === undefined && word !== 'end' && !isIndented) return undefined;
      const from = opener === undefined ? line + 1 : lineAt(opener) + 1;
      const until = isIndented ? endLine : endLine - 1;
      const inside = order.filter((one) => one >= from && one <= until);
      const first = inside.find(begins);
      const last = inside.findLast(ends);
      return first === undefined || last === undefined || last < first ? undefined : { first, last };
    },
  };
}
