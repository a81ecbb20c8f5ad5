/** Words of questions, comments and code as search terms: whole identifiers and their parts, in lower case, stemmed lightly. */

const common = new Set(
  'a an the of to in on at by for from with and or if is are be been was were it its this that these those as not no can may will would should which what where when how who why do does did you we i they there then than so such into over under out up has have had use used using get gets given returns return whether all any each other one only also'.split(
    ' ',
  ),
);

/** Takes plural and verb endings off, so that `parses`, `parsing` and `parsed` meet. */
export function stem(word: string): string {
  if (word.length <= 3) return word;
  let cut = word;
  if (cut.endsWith('ies')) cut = `${cut.slice(0, -3)}y`;
  else if (/(ss|us|is)$/.test(cut)) return cut;
  else if (/(x|ch|sh|ss)es$/.test(cut)) cut = cut.slice(0, -2);
  else if (cut.endsWith('s')) cut = cut.slice(0, -1);
  const bare = cut.replace(/(ation|ating|ated|ator)$/, 'ate').replace(/(ing|ed|er|or|ly|ment)$/, '');
  if (bare.length < 3) return cut;
  return bare.replace(/([^ls])\1$/, '$1').replace(/e$/, '');
}

/** The parts of an identifier in lower case: `parseHTTPUrl2` gives parse, http, url, 2. */
export function partsOf(identifier: string): readonly string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1)
    .map((part) => part.toLowerCase());
}

/** Terms of one identifier: its parts, and the whole where that is more than its one part. */
export function termsOfIdentifier(identifier: string): readonly string[] {
  if (HAS_CJK.test(identifier)) return termsOfText(identifier);
  const parts = partsOf(identifier);
  const stems = parts.filter((part) => !common.has(part)).map(stem);
  return parts.length > 1 ? [...stems, identifier.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')] : stems;
}

/** Japanese and Chinese are written without spaces. Hiragana says mostly how words go together. */
const HAS_CJK = /[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
const RUN = /[\u3400-\u9fff\uf900-\ufaff々]+|[\u30a1-\u30fa\u30fc]+|[\p{L}_$][\p{L}\p{N}_$]*/gu;
const CJK_RUN = /[\u3400-\u9fff\uf900-\ufaff々]+|[\u30a1-\u30fa\u30fc]+/g;
const ASIDE = /[\u3040-\u309f\u30fb]+/g;

export const isCjk = (text: string): boolean => HAS_CJK.test(text);

/** Terms of prose that may name identifiers. Of a run of Han or of Katakana each two that stand side by side. */
export function termsOfText(text: string): readonly string[] {
  if (!HAS_CJK.test(text)) return (text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []).flatMap(termsOfIdentifier);
  const spaced = text.replace(ASIDE, ' ').replace(CJK_RUN, ' $& ');
  return (spaced.match(RUN) ?? []).flatMap((run) => (HAS_CJK.test(run) ? pairsOf(run) : termsOfIdentifier(run)));
}

function pairsOf(run: string): readonly string[] {
  const signs = [...run];
  return signs.length === 1 ? signs : signs.slice(1).map((sign, at) => `${signs[at] ?? ''}${sign}`);
}
