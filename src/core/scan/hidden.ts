/**
 * Characters that a person does not see: controls, escapes of terminals, reordering, zero width, tags and
 * variation selectors that carry a message, halves of surrogate pairs. One scanner tells the legitimate uses
 * (emoji sequences, joiners of Arabic and Indic scripts, variants of Han) apart; finding and cleaning share it.
 */

export type HiddenKind =
  | 'control'
  | 'ansi'
  | 'bidi'
  | 'zero-width'
  | 'tag'
  | 'variation-selector'
  | 'format'
  | 'surrogate'
  | 'line-separator';

/** A run of hidden characters of one kind. */
export interface HiddenRun {
  readonly kind: HiddenKind;
  readonly start: number;
  /** Exclusive, in UTF-16 units. */
  readonly end: number;
  /** What the run spells where it carries a message in tags or variation selectors. Hostile text. */
  readonly message?: string;
}

/** Scripts that need joiners to spell words. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]';
const PICTURE = '(?:\\p{Extended_Pictographic}[\\u{1F3FB}-\\u{1F3FF}]?[\\uFE0E\\uFE0F]?)';

/** In this order: what comes first wins. Named groups are kinds; the group `fine` is legitimate. */
const SCANNER = new RegExp(
  [
    `(?<fine>${PICTURE}(?:\\u200D(?:${PICTURE}|[\\u2640\\u2642]\\uFE0F?))+`,
    '\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{3,6}\\u{E007F}',
    `\\p{Emoji}[\\uFE0E\\uFE0F]\\u20E3?|${PICTURE}`,
    '[\\p{Script=Han}\\u{2200}-\\u{22FF}][\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]',
    '\\p{Script=Mongolian}[\\u180B-\\u180D\\u180F]',
    `(?<=${JOINING})[\\u200C\\u200D](?=${JOINING})|(?<=\\u0DCA|\\u094D)\\u200D)`,
    '(?<ansi>\\x1B\\[[0-?]{0,64}[ -\\/]{0,16}[@-~]|\\x9B[0-?]{0,64}[ -\\/]{0,16}[@-~]',
    '\\x1B\\][^\\x07\\x1B\\n]{0,2048}(?:\\x07|\\x1B\\\\)|\\x1B[@-Z\\\\-_])',
    '(?<bidi>[\\u202A-\\u202E\\u2066-\\u206F\\u061C\\u200E\\u200F]+)',
    '(?<zero>[\\u200B-\\u200D\\u2060-\\u2065\\uFEFF\\u034F\\u3164\\uFFA0\\u115F\\u1160]+)',
    '(?<tag>[\\u{E0000}-\\u{E007F}]+)',
    '(?<variation>[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]+)',
    '(?<line>[\\u2028\\u2029\\x85]+)',
    '(?<control>[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1A\\x1C-\\x1F\\x7F-\\x84\\x86-\\x9A\\x9C-\\x9F]+|[\\x1B\\x9B])',
    '(?<surrogate>[\\uD800-\\uDFFF\\uFFFE\\uFFFF]+)',
    '(?<format>(?:(?![\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2\\u{110BD}\\u{110CD}])\\p{Cf})+)',
  ].join('|'),
  'gu',
);

const KIND_OF_GROUP: ReadonlyMap<string, HiddenKind> = new Map<string, HiddenKind>([
  ['ansi', 'ansi'],
  ['bidi', 'bidi'],
  ['zero', 'zero-width'],
  ['tag', 'tag'],
  ['variation', 'variation-selector'],
  ['line', 'line-separator'],
  ['control', 'control'],
  ['surrogate', 'surrogate'],
  ['format', 'format'],
]);

/** Marks of direction are everyday in a text that holds letters written from right to left. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const DIRECTION_MARKS = /^[\u061C\u200E\u200F]+$/;

/** A byte order mark, most of Latin and CJK text holds none of these: lets plain text pass without the scanner. */
const ANY = /[^\t\n\r\x20-\x7E\xA0-\xAC\xAE-\u02FF\u3001-\u3163\u3165-\uD7FF\uFF01-\uFF9F]/;

/** The hidden characters of a text, in order. */
export function hiddenRuns(text: string): readonly HiddenRun[] {
  if (!ANY.test(text)) return [];
  const rightToLeft = RIGHT_TO_LEFT.test(text);
  const runs: HiddenRun[] = [];
  for (const match of text.matchAll(SCANNER)) {
    const kind = kindOf(match.groups ?? {});
    if (kind === undefined || (kind === 'bidi' && rightToLeft && DIRECTION_MARKS.test(match[0]))) continue;
    const message = decode(match[0], kind);
    const end = match.index + match[0].length;
    runs.push({ kind, start: match.index, end, ...(message === undefined ? {} : { message }) });
  }
  return runs;
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): HiddenKind | undefined {
  for (const [group, kind] of KIND_OF_GROUP) if (groups[group] !== undefined) return kind;
  return undefined;
}

const MIN_MESSAGE = 3;

function decode(run: string, kind: HiddenKind): string | undefined {
  if (kind !== 'tag' && kind !== 'variation-selector') return undefined;
  let message = '';
  for (const character of run) {
    const code = byteOf(character.codePointAt(0) ?? 0, kind);
    if (code >= 0x20 && code < 0x7f) message += String.fromCharCode(code);
  }
  return message.length < MIN_MESSAGE ? undefined : message;
}

/** Tags mirror ASCII; the 256 variation selectors can carry a byte each. */
function byteOf(code: number, kind: 'tag' | 'variation-selector'): number {
  if (kind === 'tag') return code - 0xe0000;
  return code >= 0xe0100 ? code - 0xe0100 + 16 : code - 0xfe00;
}
