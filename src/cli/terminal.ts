/**
 * The terminal: colours only where there is one, tables that fit 80 columns, one line of progress, and questions
 * that count as no when nobody can answer. Results go to standard output, everything else to standard error.
 */
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import stringWidth from 'string-width';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

const CODES: Record<Style, readonly [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export interface TerminalStreams {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly errors: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What Ctrl-C does while a question is open. */
  readonly interrupt: () => void;
}

export interface Terminal {
  /** A line on standard output. */
  print(line?: string): void;
  /** A line on standard error. */
  note(line: string): void;
  /** Text for standard output, styled where it is a terminal. */
  style(style: Style, text: string): string;
  /** The same for standard error. */
  noteStyle(style: Style, text: string): string;
  /** Replaces the one line of progress; does nothing without a terminal. */
  progress(line: string): void;
  /** Removes the line of progress. */
  done(): void;
  /** True only for a yes typed by a person. */
  confirm(question: string, signal: AbortSignal): Promise<boolean>;
  readonly canAsk: boolean;
  /** Whether a person reads what is noted; else it goes to a file or another program. */
  readonly isNoteSeen: boolean;
  /** Columns a line may take. */
  readonly width: number;
}

/** Server and file names may hold terminal escapes; nothing that reaches a terminal does. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (char) =>
    char === '\n' || char === '\t' ? char : '\ufffd',
  );
}

export function createTerminal({ input, output, errors, env, interrupt }: TerminalStreams): Terminal {
  const colours = (stream: { readonly isTTY?: boolean }): boolean =>
    env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb' && stream.isTTY === true;
  const styled = (on: boolean, style: Style, text: string): string =>
    on ? `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m` : text;
  const width = Math.max(40, Math.min(output.columns ?? 80, 100));
  let progressing = false;
  const clear = (): void => {
    if (progressing) errors.write('\r\u001b[K');
    progressing = false;
  };
  return {
    width,
    canAsk: input.isTTY === true && errors.isTTY === true,
    isNoteSeen: errors.isTTY === true,
    print(line = '') {
      clear();
      output.write(`${line}\n`);
    },
    note(line) {
      clear();
      errors.write(`${line}\n`);
    },
    style: (style, text) => styled(colours(output), style, text),
    noteStyle: (style, text) => styled(colours(errors), style, text),
    progress(line) {
      if (errors.isTTY !== true) return;
      errors.write(`\r\u001b[K${fitted(line, width - 1)}`);
      progressing = true;
    },
    done: clear,
    async confirm(question, signal) {
      if (input.isTTY !== true || errors.isTTY !== true) return false;
      clear();
      signal.throwIfAborted();
      const reader = createInterface({ input, output: errors });
      const typed = await new Promise<string | undefined>((resolve) => {
        // While a question is open, Ctrl-C reaches the reader and not the process; Ctrl-D closes it.
        reader.once('SIGINT', () => interrupt());
        reader.once('close', () => resolve(undefined));
        signal.addEventListener('abort', () => reader.close(), { once: true });
        reader.question(`${question} [y/N] `, resolve);
      });
      reader.close();
      signal.throwIfAborted();
      if (typed === undefined) errors.write('\n');
      return /^\s*(?:y|yes|はい|是)\s*$/i.test(typed ?? '');
    },
  };
}

/** The text cut to `width` columns, wide characters counted as two. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  for (const char of text) {
    if (stringWidth(kept + char) > width - 1) break;
    kept += char;
  }
  return `${kept}…`;
}

function pad(text: string, width: number, right: boolean): string {
  const space = ' '.repeat(Math.max(0, width - stringWidth(text)));
  return right ? space + text : text + space;
}

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Takes what is left of the width and is cut where that is too little; one a table. */
  readonly flexible?: boolean;
}

/** The lines of a table, the first its titles; no line is wider than `width` as long as the fixed columns fit. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): readonly string[] {
  const natural = columns.map((column, index) =>
    Math.max(stringWidth(column.title), ...rows.map((row) => stringWidth(row[index] ?? ''))),
  );
  const spare = width - natural.reduce((a, b) => a + b, 0) - 2 * (columns.length - 1);
  const widths = columns.map((column, index) => {
    const own = natural[index] ?? 0;
    return column.flexible === true && spare < 0 ? Math.max(8, own + spare) : own;
  });
  const line = (cells: readonly string[]): string =>
    columns
      .map((column, index) =>
        pad(fitted(cells[index] ?? '', widths[index] ?? 0), widths[index] ?? 0, column.align === 'right'),
      )
      .join('  ')
      .trimEnd();
  return [line(columns.map((column) => column.title)), ...rows.map(line)];
}

/** Thousands with commas, the same in every language and on every machine. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');
}
