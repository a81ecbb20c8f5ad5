/**
 * Invented names: what is suggested in held-out files is put into its file, and TypeScript's own language service says
 * which names of it do not exist, with and without the check against what the service offers. A name counts as invented
 * where the service says that it is no name or no member, and does not say so of the same name in the file as its author
 * wrote it (a package may be missing here). What is checked and invented all the same is printed to be looked at.
 */
import { THRESHOLD } from '../../src/core/completion/amount.ts';
import { textAround } from '../../src/core/completion/around.ts';
import { judged, type Known, type Offer } from '../../src/core/completion/confirmed.ts';
import { type Sight, sightOf } from '../../src/core/completion/sight.ts';
import { type Suggestion, shortened, suggestionsOf, type Wishes } from '../../src/core/completion/suggestions.ts';
import { offerAt, openServices, type Services, unknownNames } from './completions-services.ts';
import { type AskEngine, stands } from './completions-typing.ts';
import { projectOf, type Row, textOf } from './completions-workspace.ts';

const automatic: Wishes = {
  trigger: 'automatic',
  minimumLength: 1,
  threshold: THRESHOLD,
  mayBeSeveralLines: true,
  indent: { insertSpaces: true, tabSize: 2 },
};
/** Who asks is shown what there is, however unsure. */
const onRequest: Wishes = { ...automatic, threshold: 0.05 };
const manners = { unasked: automatic, 'on request': onRequest };
type Manner = keyof typeof manners;

/** Projects that need no other packages, so that their types are whole. */
export const isWhole = (file: string): boolean =>
  /^(zod|reduxjs-toolkit|tanstack-query-core|noble-curves|immer|mobx|rxjs|ethers)$/.test(projectOf(file));

interface Cursor {
  readonly file: string;
  readonly text: string;
  readonly at: number;
  readonly kind: 'behind a dot' | 'where a line begins' | 'where a name begins';
}

interface Tally {
  shown: number;
  invented: number;
  right: number;
}
const ways = ['unchecked', 'checked', 'checked, asked again with facts'] as const;

export interface Sample {
  readonly name: string;
  readonly rows: readonly Row[];
  readonly ask: AskEngine;
  /** How many cursors at most. */
  readonly most: number;
}

export async function measureMembers(samples: readonly Sample[]): Promise<void> {
  const services = openServices();
  if (services === undefined) return;
  for (const { name, rows, ask, most } of samples) {
    const tallies = new Map<string, Tally>();
    const cursors = cursorsIn(
      rows.filter(({ file }) => isWhole(file)).map(({ file }) => file),
      most,
    );
    for (const cursor of cursors) {
      await look(cursor, ask, services, (manner, way, suggestion, invented, isRight) => {
        for (const key of [`${cursor.kind}, ${manner}, ${way}`, `all together, ${manner}, ${way}`]) {
          const tally = tallies.get(key) ?? { shown: 0, invented: 0, right: 0 };
          tallies.set(key, tally);
          tally.shown += 1;
          if (invented.size > 0) tally.invented += 1;
          if (isRight) tally.right += 1;
        }
        if (invented.size > 0 && way === 'checked, asked again with facts') tell(cursor, manner, suggestion, invented);
      });
      services.write(cursor.file, undefined);
    }
    const files = new Set(cursors.map(({ file }) => file)).size;
    console.log(`${name}: ${cursors.length} cursors in ${files} files`);
    for (const [key, { shown, invented, right }] of [...tallies].sort(([one], [two]) => (one < two ? -1 : 1)))
      console.log(
        `  ${key}: ${shown} shown, with a name that does not exist ${invented} (${percent(invented, shown)}), right as they stand ${right} (${percent(right, shown)})`,
      );
  }
}

const percent = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(1)} %`;

type Count = (
  manner: Manner,
  way: (typeof ways)[number],
  suggestion: Suggestion,
  invented: ReadonlyMap<string, string>,
  isRight: boolean,
) => void;

/** What is suggested at one cursor, in each manner and way, and what of it does not exist. */
async function look({ file, text, at }: Cursor, ask: AskEngine, services: Services, count: Count): Promise<void> {
  const lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
  const [before, below] = [text.slice(0, at), text.slice(lineEnd)];
  const around = aroundOf(before + below, at);
  const base = { document: file, language: 'typescript', around, trigger: 'automatic' } as const;
  const answer = await ask(base, file);
  services.write(file, before + below);
  const sight = sightOf(around, 'typescript');
  const known = knownAt(services, file, sight, before, before.length - around.before.length);
  const again = known.here === undefined ? undefined : await ask({ ...base, facts: known.here.facts }, file);
  const seen = new Map<string, ReadonlyMap<string, string>>();
  const inventedIn = (suggestion: string): ReadonlyMap<string, string> => {
    const found = seen.get(suggestion) ?? inventedBy(suggestion, { file, text, at }, below, services);
    seen.set(suggestion, found);
    return found;
  };
  const shown: [Manner, (typeof ways)[number], Suggestion][] = [];
  for (const manner of ['unasked', 'on request'] as const) {
    const wishes = manners[manner];
    const check = (suggestion: Suggestion | undefined): Suggestion | undefined =>
      suggestion && shortened(suggestion, judged(suggestion.text, sight, known).end, wishes);
    const first = answer && suggestionsOf(answer, around, wishes)[0];
    const kept = check(first);
    const second = kept ?? check(again && suggestionsOf(again, around, wishes)[0]);
    if (first !== undefined) shown.push([manner, 'unchecked', first]);
    if (kept !== undefined) shown.push([manner, 'checked', kept]);
    if (second !== undefined) shown.push([manner, 'checked, asked again with facts', second]);
  }
  for (const [manner, way, suggestion] of shown) {
    const isRight = stands(suggestion.text, text.slice(at));
    // What its author wrote exists, though cut as it is it may not compile.
    count(manner, way, suggestion, isRight ? new Map() : inventedIn(suggestion.text), isRight);
  }
}

function inventedBy(
  suggestion: string,
  { file, text, at }: Pick<Cursor, 'file' | 'text' | 'at'>,
  below: string,
  services: Services,
): ReadonlyMap<string, string> {
  const whole = text.slice(0, at) + suggestion + closersOf(lineBefore(text, at) + suggestion) + below;
  services.write(file, whole);
  const found = unknownNames(services.of(file), file, whole, at - wordBefore(text, at), at + suggestion.length);
  if (found.size === 0) return found;
  services.write(file, undefined);
  const written = unknownNames(services.of(file), file, text, 0, text.length);
  return new Map([...found].filter(([name]) => !written.has(name)));
}

/** What ends the arguments of a type that a suggestion ends in: without it the compiler reads a comparison. */
function closersOf(line: string): string {
  const open: string[] = [];
  for (const { 0: mark } of line.matchAll(/=>|(?<=\w)<(?=[\w({[]|$)|[>()[\]{}]/g)) {
    const close = { '<': '>', '(': ')', '[': ']', '{': '}' }[mark];
    if (close !== undefined) open.push(close);
    else if (open.at(-1) === mark) open.pop();
  }
  // And names of what is handed over, where they become parameters.
  if (/[(,]\s*\([\w$\s,]*$/.test(line)) return `) => {}${open.slice(0, -1).reverse().join('')}`;
  const from = open.indexOf('>');
  return from < 0
    ? ''
    : `${/(?:[<,(]|\btypeof|\bkeyof)\s*$/.test(line) ? ' any' : ''}${open.slice(from).reverse().join('')}`;
}

const lineBefore = (text: string, at: number): string => text.slice(text.lastIndexOf('\n', at - 1) + 1, at);

const wordBefore = (text: string, at: number): number => /[\w$]*$/.exec(text.slice(0, at))?.[0].length ?? 0;

function tell(
  { file, text, at }: Cursor,
  manner: Manner,
  { text: shown }: Suggestion,
  invented: Map<string, string> | ReadonlyMap<string, string>,
): void {
  const line = text.slice(0, at).split('\n').length;
  const before = text.slice(text.lastIndexOf('\n', at - 1) + 1, at).trimStart();
  const sentences = [...invented.values()].join(' ').slice(0, 200);
  console.log(`    ${manner}, ${file}:${line} ${JSON.stringify(`${before.slice(-60)}«${shown}»`)} ${sentences}`);
}

function aroundOf(text: string, at: number) {
  const lines = text.split('\n');
  const before = text.slice(0, at).split('\n');
  return textAround(
    { count: lines.length, line: (line) => lines[line] ?? '' },
    before.length - 1,
    before.at(-1)?.length ?? 0,
  );
}

/** What the extension knows: the lists at the cursor, behind other occurrences of a receiver and where names stand alone. */
function knownAt(services: Services, file: string, sight: Sight, whole: string, skipped: number): Known {
  const asked = new Map<number | undefined, Offer | undefined>();
  const offerOf = (place: number | undefined): Offer | undefined => {
    if (place !== undefined && !asked.has(place))
      asked.set(place, offerAt(services.of(file), file, skipped + place) ?? NOTHING);
    return asked.get(place);
  };
  const start = whole.length - wordBefore(whole, whole.length);
  return {
    here: offerAt(services.of(file), file, start),
    isStrict: true,
    isSymbol: () => false,
    members: (receiver, space) => offerOf(sight.placeBehind(receiver, space)),
    scope: (space) => offerOf(sight.placeOf(space)),
  };
}

const NOTHING: Offer = { names: new Set(), onlyTypes: new Set(), noTypes: new Set(), isPartial: true, facts: [] };

/** Places of each kind, spread over the files, file by file. */
function cursorsIn(files: readonly string[], most: number): readonly Cursor[] {
  const all = files.flatMap((file) => {
    const text = textOf(file);
    const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|(['"`])(?:\\.|(?!\1)[^\\\n])*\1/g, (part) =>
      part.replace(/[^\n]/g, ' '),
    );
    const places = [
      ['behind a dot', /(?<=[\w)\]$])\.(?=[A-Za-z_$])/g, 1],
      ['where a line begins', /(?<=\n)[ \t]+(?=[A-Za-z_$])/g, undefined],
      ['where a name begins', /(?<=[=(,] |\(|return |await |new )(?=[A-Za-z_$][\w$]*[.(])/g, 0],
    ] as const;
    return places.flatMap(([kind, pattern, step]) =>
      [...bare.matchAll(pattern)].map(({ index, 0: found }) => ({
        file,
        text,
        kind,
        at: index + (step ?? found.length),
      })),
    );
  });
  return (['behind a dot', 'where a line begins', 'where a name begins'] as const)
    .flatMap((kind) => {
      const some = all.filter((cursor) => cursor.kind === kind);
      const wanted = kind === 'behind a dot' ? most / 2 : most / 4;
      const step = Math.max(1, some.length / wanted);
      return some.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
    })
    .sort((one, two) => (one.file < two.file ? -1 : one.file > two.file ? 1 : one.at - two.at));
}
