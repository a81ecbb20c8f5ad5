/**
 * Invented members: what is suggested behind a dot is put into its file and TypeScript's own language service says
 * whether the names exist, with and without the check against what the service offers at the cursor. The service is that of
 * `typescript` 5.9 (`npm pack`ed into `.bench/typescript` by hand): the compiler this project builds with has none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { THRESHOLD } from '../../src/core/completion/amount.ts';
import { textAround } from '../../src/core/completion/around.ts';
import { judged, type Known, type Offer } from '../../src/core/completion/confirmed.ts';
import { type Suggestion, shortened, suggestionsOf, type Wishes } from '../../src/core/completion/suggestions.ts';
import { type AskEngine, stands } from './completions-typing.ts';
import { projectOf, type Row, textOf } from './completions-workspace.ts';
import { root } from './mochi-corpus.ts';

const automatic: Wishes = {
  trigger: 'automatic',
  minimumLength: 1,
  threshold: THRESHOLD,
  mayBeSeveralLines: true,
  indent: { insertSpaces: true, tabSize: 2 },
};
/** Who asks is shown what there is, however unsure. */
const onRequest: Wishes = { ...automatic, threshold: 0.05 };
/** Projects that need no other packages, so that their types are whole. */
const whole = /^(zod|reduxjs-toolkit|tanstack-query-core|noble-curves|immer|mobx|rxjs|ethers)$/;
/** A name, a property or an export that does not exist, also where a similar one is offered. */
const unknownName = new Set([2304, 2339, 2551, 2552, 2305, 2694, 2724]);

interface Cursor {
  readonly file: string;
  readonly text: string;
  readonly at: number;
}

/** What of the compiler's interface is used. */
interface LanguageService {
  getCompletionsAtPosition(
    file: string,
    at: number,
    options: object,
  ): { readonly entries: readonly { readonly name: string; readonly kind: string }[] } | undefined;
  getSemanticDiagnostics(file: string): readonly { readonly code: number; readonly start?: number }[];
}

interface Services {
  of(file: string): LanguageService;
  write(file: string, text: string | undefined): void;
}

interface Tally {
  shown: number;
  invented: number;
  right: number;
}

export async function measureMembers(rows: readonly Row[], ask: AskEngine, most: number): Promise<void> {
  const library = `${root}.bench/typescript/lib/typescript.js`;
  if (!existsSync(library)) {
    console.log('missing: .bench/typescript (npm pack typescript@5.9.3, its package folder)');
    return;
  }
  const services = createServices(createRequire(import.meta.url)(library));
  const cursors = cursorsIn(
    rows.filter(({ a, file }) => a === 'test' && whole.test(projectOf(file))),
    most,
  );
  const manners = [automatic, onRequest].map((wishes) => ({
    wishes,
    ways: { unchecked: tallyOf(), checked: tallyOf(), 'checked, asked again with facts': tallyOf() },
  }));
  const times: number[] = [];
  for (const cursor of cursors) {
    const { file, text, at } = cursor;
    const lineEnd = text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at);
    const [before, below] = [text.slice(0, at), text.slice(lineEnd)];
    const around = aroundOf(before + below, at);
    const base = { document: file, language: 'typescript', around, trigger: 'automatic' } as const;
    const answer = await ask(base, file);
    services.write(file, before + below);
    const started = performance.now();
    const here = offerAt(services.of(file), file, at);
    times.push(performance.now() - started);
    if (here === undefined) continue;
    const known = knownAt(services.of(file), file, around.before, before, here);
    for (const { wishes, ways } of manners) {
      const suggestion = answer && suggestionsOf(answer, around, wishes)[0];
      count(ways.unchecked, suggestion, cursor, below, services);
      const kept = suggestion && checked(suggestion, around.before, known, wishes);
      count(ways.checked, kept, cursor, below, services);
      const again = kept ?? (await secondTry(ask, { ...base, facts: here.facts }, known, file, wishes));
      count(ways['checked, asked again with facts'], again, cursor, below, services);
    }
    services.write(file, undefined);
  }
  for (const [manner, name, { shown, invented, right }] of manners.flatMap(({ wishes, ways }) =>
    Object.entries(ways).map(([way, tally]) => [wishes === automatic ? 'unasked' : 'on request', way, tally] as const),
  ))
    console.log(
      `behind a dot, ${manner}, ${name}: ${shown} shown at ${times.length} cursors, ${invented} with a name that does not exist (${((100 * invented) / Math.max(1, shown)).toFixed(1)} %), right ${right}`,
    );
  times.sort((one, two) => one - two);
  const time = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(0);
  console.log(`  TypeScript's list at a cursor p50/p95 ${time(0.5)}/${time(0.95)} ms`);
}

const tallyOf = (): Tally => ({ shown: 0, invented: 0, right: 0 });

function count(
  tally: Tally,
  suggestion: Suggestion | undefined,
  { file, text, at }: Cursor,
  below: string,
  services: Services,
): void {
  if (suggestion === undefined) return;
  tally.shown += 1;
  const end = at + suggestion.text.length;
  services.write(file, text.slice(0, at) + suggestion.text + below);
  const found = services.of(file).getSemanticDiagnostics(file);
  // What the file itself says is right, though cut as it is it may not compile.
  const isRight = stands(suggestion.text, text.slice(at));
  if (isRight) tally.right += 1;
  else if (found.some(({ code, start = -1 }) => unknownName.has(code) && start >= at && start < end))
    tally.invented += 1;
}

function checked(suggestion: Suggestion, before: string, known: Known, wishes: Wishes): Suggestion | undefined {
  return shortened(suggestion, judged(suggestion.text, before, 'typescript', known).end, wishes);
}

async function secondTry(
  ask: AskEngine,
  question: Parameters<AskEngine>[0],
  known: Known,
  file: string,
  wishes: Wishes,
): Promise<Suggestion | undefined> {
  const answer = await ask(question, file);
  const suggestion = answer && suggestionsOf(answer, question.around, wishes)[0];
  return suggestion && checked(suggestion, question.around.before, known, wishes);
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

/** What the extension knows: the list at the cursor, and those behind other occurrences of a receiver. */
function knownAt(service: LanguageService, file: string, before: string, whole: string, here: Offer): Known {
  return {
    here,
    isStrict: true,
    isWritten: (name) => new RegExp(`(?<![\\w$.])${name.replace(/[.?$]/g, '\\$&')}(?![\\w$])`).test(before),
    members(receiver) {
      const at = whole.lastIndexOf(`${receiver}.`, whole.length - receiver.length - 2);
      const isOne = at >= 0 && !/[\w$.]/.test(whole.charAt(at - 1));
      if (!isOne) return undefined;
      return offerAt(service, file, at + receiver.length + 1) ?? { names: new Set(), isPartial: true, facts: [] };
    },
  };
}

function offerAt(service: LanguageService, file: string, at: number): Offer | undefined {
  const entries =
    service.getCompletionsAtPosition(file, at, { includeCompletionsForModuleExports: false })?.entries ?? [];
  // Words of a plain text file: the type is unknown.
  const names = entries.filter(({ kind }) => kind !== 'warning').map(({ name }) => name);
  return names.length === 0 ? undefined : { names: new Set(names), isPartial: false, facts: names.slice(0, 300) };
}

/** Places behind a dot that a name follows, spread over the files. */
function cursorsIn(rows: readonly Row[], most: number): readonly Cursor[] {
  const all = rows.flatMap(({ file }) => {
    const text = textOf(file);
    const bare = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, (comment) => ' '.repeat(comment.length));
    return [...bare.matchAll(/(?<=[\w)\]$])\.(?=[A-Za-z_$])/g)].map(({ index }) => ({ file, text, at: index + 1 }));
  });
  const step = Math.max(1, Math.floor(all.length / most));
  return all.filter((_, at) => at % step === 0).slice(0, most);
}

/** One service a project, over the corpus as it lies, with a file replaced at a time. */
// biome-ignore lint/suspicious/noExplicitAny: the library is loaded by path and has no types here.
function createServices(ts: any): Services {
  const written = new Map<string, { text: string; version: number }>();
  let versions = 0;
  const services = new Map<string, LanguageService>();
  const open: string[] = [];
  const textAt = (path: string): string | undefined => {
    const name = path.startsWith(`${root}.bench/`) ? path.slice(`${root}.bench/`.length) : path;
    const text = written.get(name)?.text;
    if (text !== undefined) return text;
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const serviceFor = (project: string): LanguageService => {
    const files = new Set<string>();
    return ts.createLanguageService({
      getScriptFileNames: () => {
        for (const file of open) if (projectOf(file) === project) files.add(`${root}.bench/${file}`);
        return [...files];
      },
      getScriptVersion: (path: string) => String(written.get(path.slice(`${root}.bench/`.length))?.version ?? 0),
      getScriptSnapshot: (path: string) => {
        const text = textAt(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => `${root}.bench`,
      getCompilationSettings: () => ({
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'],
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        skipLibCheck: true,
        types: [],
      }),
      getDefaultLibFileName: (options: unknown) => join(dirname(ts.getDefaultLibFilePath(options)), 'lib.esnext.d.ts'),
      fileExists: (path: string) => textAt(path) !== undefined,
      readFile: textAt,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    });
  };
  return {
    of(file) {
      const project = projectOf(file);
      const service = services.get(project) ?? serviceFor(project);
      services.set(project, service);
      return service;
    },
    write(file, text) {
      versions += 1;
      if (!open.includes(file)) open.push(file);
      written.set(file, { text: text ?? textOf(file), version: versions });
    },
  };
}
