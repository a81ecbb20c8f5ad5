/** Foreign text made fit to stand in labels, notifications and pickers: one line, nothing invisible, no link, no icon. */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** At most `most` characters; what cannot be seen is spelt out, and nothing is left that VS Code gives a meaning to. */
export function shownText(text: string, most = 200): string {
  const letters = [...text.slice(0, 4 * most)];
  const cut = letters.length > most ? `${letters.slice(0, most).join('')}…` : letters.join('');
  return cut
    .replace(/\s+/g, ' ')
    .replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replaceAll('](', '] (')
    .replaceAll('$(', '$ (');
}
