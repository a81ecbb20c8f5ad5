/** Bytes of a config file to text: UTF-8 with or without byte order mark, UTF-16 in both orders. Parses nothing. */
import type { Fault } from './document.ts';

/** The text without byte order mark, or why there is none. `place` is known only for a bad byte. */
export interface Decoded {
  readonly text?: string;
  readonly fault?: Omit<Fault, 'offset'>;
  readonly place?: { readonly line: number; readonly column: number };
}

type Utf16 = { readonly order: 'little' | 'big'; readonly skip: number };

/** Decodes strictly: a byte sequence that is no valid text is a problem, never a silent replacement character. */
export function decode(bytes: Uint8Array): Decoded {
  const wide = utf16Of(bytes);
  if (wide === undefined) {
    const text = strict('utf-8', bytes);
    return text === undefined ? invalid('UTF-8', badPlace(bytes)) : { text };
  }
  const body = bytes.subarray(wide.skip);
  const text = strict('utf-16le', wide.order === 'big' ? swapped(body) : body);
  if (text === undefined) return invalid('UTF-16', undefined);
  return {
    text,
    fault: {
      kind: 'config-encoding',
      severity: 'warning',
      message: 'The file is UTF-16; most clients read only UTF-8.',
      remedy: 'Save the file as UTF-8.',
    },
    place: { line: 1, column: 1 },
  };
}

function strict(label: 'utf-8' | 'utf-16le', bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Without a mark, a zero byte beside the first character gives UTF-16 away: configs begin with an ASCII character. */
function utf16Of(bytes: Uint8Array): Utf16 | undefined {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return { order: 'little', skip: 2 };
  if (first === 0xfe && second === 0xff) return { order: 'big', skip: 2 };
  if (first !== undefined && first !== 0 && second === 0) return { order: 'little', skip: 0 };
  if (first === 0 && second !== undefined && second !== 0) return { order: 'big', skip: 0 };
  return undefined;
}

function swapped(bytes: Uint8Array): Uint8Array {
  const result = new Uint8Array(bytes.length);
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    result[at] = bytes[at + 1] ?? 0;
    result[at + 1] = bytes[at] ?? 0;
  }
  // An odd byte at the end stays odd, so that strict decoding refuses it.
  if (bytes.length % 2 === 1) result[bytes.length - 1] = 0xd8;
  return result;
}

function invalid(encoding: string, place: Decoded['place']): Decoded {
  return {
    fault: {
      kind: 'config-encoding',
      severity: 'error',
      message: `The file is not valid ${encoding}, so it is not read.`,
      remedy: 'Save the file as UTF-8.',
    },
    ...(place === undefined ? {} : { place }),
  };
}

/** In UTF-8 a line feed byte is always a line feed, so each line can be tried by itself. */
function badPlace(bytes: Uint8Array): { line: number; column: number } | undefined {
  let line = 1;
  for (let start = 0; start <= bytes.length; line += 1) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    const part = bytes.subarray(start, end);
    if (strict('utf-8', part) === undefined) {
      const column = new TextDecoder('utf-8').decode(part).indexOf('\ufffd') + 1;
      return { line, column: Math.max(1, column) };
    }
    start = end + 1;
  }
  return undefined;
}
