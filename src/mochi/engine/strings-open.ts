/**
 * Whether the end of a text stands in code or in a string, by its tokens: of a string that ends with its line the rest may
 * be known, while of templates and of texts over several lines nothing is.
 */
import type { Language } from '../learn/languages.ts';
import type { TokenBuffer } from '../learn/lexer.ts';
import { kinds, type Vocabulary } from '../learn/vocabulary.ts';

/** `in-text`: in a string of which nothing can be said; otherwise the token of the quote, and what is typed from it on. */
export type StringStanding = 'in-code' | 'in-text' | { readonly at: number; readonly typed: string };

/** Where the end of `text` stands; `tokens` are those of `text`. */
export function standingAt(
  text: string,
  tokens: TokenBuffer,
  vocabulary: Vocabulary,
  language: Language,
): StringStanding {
  const last = tokens.length - 1;
  if (last >= 0 && tokens.ends[last] === text.length && vocabulary.kind(tokens.ids[last] ?? 0) === kinds.string) {
    const token = text.slice(tokens.starts[last] ?? 0);
    if (isUnfinished(token, language)) return 'in-text';
  }
  const line = text.lastIndexOf('\n') + 1;
  let at = last;
  while (at > 0 && (tokens.starts[at - 1] ?? 0) >= line) at -= 1;
  for (; at <= last; at += 1) {
    const start = tokens.starts[at] ?? 0;
    if (start < line || tokens.ends[at] !== start + 1 || !language.quotes.includes(text.charAt(start))) continue;
    // An apostrophe may stand alone there.
    if (language.lifetimes === true && text.charAt(start) === "'") continue;
    // What `r"` or `f"` goes on with is no string that stands elsewhere without its letter.
    const isPrefixed = language.tripleQuotes === true && /(?:^|[^\w.])[rbfut]{1,2}$/i.test(text.slice(line, start));
    return isPrefixed ? 'in-text' : { at, typed: text.slice(start) };
  }
  return 'in-code';
}

/** Whether a string goes on as typed; emptied ones, which stand for any long string, and longer quotes do not. */
export function goesOn(typed: string, text: string): boolean {
  if (!text.startsWith(typed)) return false;
  const quote = typed.charAt(0);
  return text !== quote + quote && !text.startsWith(quote.repeat(3));
}

/** Whether a template or a text in triple quotes lacks its end. */
function isUnfinished(token: string, { tripleQuotes }: Language): boolean {
  const quote = token.charAt(0);
  const triple = quote.repeat(3);
  if (tripleQuotes === true && token.startsWith(triple) && quote !== '`')
    return token.length < 6 || !token.endsWith(triple);
  if (quote !== '`' && quote !== '}') return false;
  for (let at = 1; at < token.length; at += 1) {
    if (token.charAt(at) === '\\') at += 1;
    else if (token.charAt(at) === '`' || token.startsWith('${', at)) return false;
  }
  return true;
}
