/** Brings the lines of a suggestion to the indentation of the document: its tabs or spaces, its width. */

export interface IndentStyle {
  readonly insertSpaces: boolean;
  /** Columns of one step. */
  readonly tabSize: number;
}

/** Lines after the first are indented as the document is; the first continues the cursor's line and stays as it is. */
export function indentedAs(text: string, style: IndentStyle): string {
  const lines = text.split('\n');
  if (lines.length === 1) return text;
  return lines.map((line, at) => (at === 0 ? line : asStyled(line, style))).join('\n');
}

function asStyled(line: string, { insertSpaces, tabSize }: IndentStyle): string {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  if (indent === '' || indent === line) return indent === line ? '' : line;
  const isFitting = insertSpaces ? !indent.includes('\t') : !indent.includes(' '.repeat(tabSize));
  if (isFitting) return line;
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? tabSize - (columns % tabSize) : 1;
  const written = insertSpaces
    ? ' '.repeat(columns)
    : '\t'.repeat(Math.floor(columns / tabSize)) + ' '.repeat(columns % tabSize);
  return written + line.slice(indent.length);
}
