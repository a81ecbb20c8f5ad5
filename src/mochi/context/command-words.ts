/** The words of a command that somebody wrote as one text. There is no shell: quotes group, nothing is expanded. */

/** Undefined where a quote stays open or nothing is said. A backslash means itself, except before a double quote. */
export function commandWords(text: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\' && quote !== "'" && text.charAt(at + 1) === '"') {
      word = `${word ?? ''}"`;
      at += 1;
    } else if (quote !== '' ? char === quote : char === '"' || char === "'") {
      quote = quote === '' ? char : '';
      word ??= '';
    } else if (quote === '' && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return quote !== '' || (words[0] ?? '') === '' ? undefined : words;
}
