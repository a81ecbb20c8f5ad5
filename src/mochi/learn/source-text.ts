/**
 * The text of a source file, as editors read it: what begins with a byte order mark is read in the encoding that the mark
 * names, anything else as UTF-8. Guesses no encoding; what is no text shows in what it becomes.
 */

const MARKS: readonly (readonly [encoding: string, ...mark: readonly number[]])[] = [
  ['utf-16le', 0xff, 0xfe],
  ['utf-16be', 0xfe, 0xff],
];

/** Without its byte order mark, which is no part of the text. */
export function sourceText(bytes: Uint8Array): string {
  const [encoding = 'utf-8'] = MARKS.find(([, ...mark]) => mark.every((byte, at) => bytes[at] === byte)) ?? [];
  return new TextDecoder(encoding).decode(bytes);
}
