/**
 * Says a problem's English sentences in another language. A sentence is found by its template, so that whatever
 * reports a problem writes one plain sentence and knows of no language. What has no template stays as it is.
 */

/** Templates with `{0}`, `{1}`… in English and in the other language; words that stand in places are entries, too. */
export type ProblemTable = Readonly<Record<string, string>>;

interface Template {
  /** What stands before, between and after the places; always one more than there are places. */
  readonly literals: readonly string[];
  readonly text: string;
}

/** Longer sentences are not looked at, and not more than so many are remembered. */
const LONGEST = 4_000;
const MOST_REMEMBERED = 2_000;
const PLACE = /\{\d\}/;

/** A function from English sentences to those of the table's language. */
export function problemTranslator(table: ProblemTable): (english: string) => string {
  const words = new Map(Object.entries(table));
  const templates = [...words]
    .filter(([english]) => PLACE.test(english))
    .map(([english, text]): Template => ({ literals: english.split(PLACE), text }))
    // The template that fixes most of a sentence knows it best.
    .sort((a, b) => fixed(b) - fixed(a));
  const known = new Map<string, string>();
  /** A sentence inside another is said in the language, too. */
  const partFor = (value: string): string =>
    value.endsWith('.') && value.includes(' ') ? find(value) : wordFor(value, words);
  const find = (english: string): string => {
    const whole = words.get(english);
    if (whole !== undefined) return whole;
    for (const { literals, text } of templates) {
      const values = valuesOf(english, literals);
      // In one pass, so that a value can hold no place.
      if (values !== undefined)
        return text.replace(/\{(\d)\}/g, (place, index) => partFor(values[Number(index)] ?? place));
    }
    return english;
  };
  return (english) => {
    if (english.length > LONGEST) return english;
    const before = known.get(english);
    if (before !== undefined) return before;
    const text = find(english);
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(english, text);
    return text;
  };
}

function fixed({ literals }: Template): number {
  return literals.reduce((sum, literal) => sum + literal.length, 0);
}

/**
 * What stands in the places of a sentence; undefined where it is none of this template. Places are as short as can be,
 * and nothing is tried twice: the text is hostile.
 */
function valuesOf(sentence: string, literals: readonly string[]): readonly string[] | undefined {
  const [first = '', ...others] = literals;
  const last = others.pop() ?? '';
  const end = sentence.length - last.length;
  if (!sentence.startsWith(first) || !sentence.endsWith(last) || end < first.length) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const literal of others) {
    const next = sentence.indexOf(literal, at);
    if (next < 0 || next + literal.length > end) return undefined;
    values.push(sentence.slice(at, next));
    at = next + literal.length;
  }
  values.push(sentence.slice(at, end));
  return values.some((value) => value === '') ? undefined : values;
}

/** Words of ours in a place, alone or several with commas; anything else is a name and stays. */
function wordFor(value: string, words: ReadonlyMap<string, string>): string {
  const parts = value.split(', ').map((part) => words.get(part));
  return parts.every((part) => part !== undefined) ? parts.join('、') : value;
}
