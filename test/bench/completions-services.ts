/**
 * TypeScript's own language service over the corpus, for finding out which names exist. It is that of `typescript` 5.9
 * (`npm pack`ed into `.bench/typescript` by hand): the compiler this project builds with has none.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Offer } from '../../src/core/completion/confirmed.ts';
import { projectOf, textOf } from './completions-workspace.ts';
import { root } from './mochi-corpus.ts';

/** What of the compiler's interface is used. */
interface Diagnostic {
  readonly code: number;
  readonly start?: number;
  readonly length?: number;
  readonly messageText: string | { readonly messageText: string };
}

export interface LanguageService {
  getCompletionsAtPosition(
    file: string,
    at: number,
    options: object,
  ):
    | {
        readonly entries: readonly { readonly name: string; readonly kind: string }[];
        readonly isIncomplete?: boolean;
      }
    | undefined;
  getSemanticDiagnostics(file: string): readonly Diagnostic[];
  /** Of the statements around ranges only; undefined where it has no less to do. */
  getRegionSemanticDiagnostics(
    file: string,
    ranges: readonly { readonly pos: number; readonly end: number }[],
  ): { readonly diagnostics: readonly Diagnostic[] } | undefined;
}

export interface Services {
  of(file: string): LanguageService;
  /** What a file holds from now on; as it lies on the disk where that is undefined. */
  write(file: string, text: string | undefined): void;
}

/** Undefined, with a word about it, where the compiler is missing. */
export function openServices(): Services | undefined {
  const library = `${root}.bench/typescript/lib/typescript.js`;
  if (existsSync(library)) return createServices(createRequire(import.meta.url)(library));
  console.log('missing: .bench/typescript (npm pack typescript@5.9.3, its package folder)');
  return undefined;
}

/**
 * A name, a property, a key or an export that does not exist, also where a similar one is offered, and a type where a value
 * is meant or the other way round.
 */
const unknownName = new Set([
  2304, 2339, 2551, 2552, 2305, 2694, 2724, 2503, 2662, 2663, 18004, 2693, 2749, 2353, 2561, 2833,
]);

/** Where a suggestion is only such a word, a declaration begins that is not there yet. */
const KEYWORD = /^(let|const|async|await|type|interface|declare|abstract|namespace|of|as|yield|static|get|set)$/;

/** What the service says of names that do not exist between two places, as name and sentence. */
export function unknownNames(
  service: LanguageService,
  file: string,
  text: string,
  from: number,
  to: number,
): ReadonlyMap<string, string> {
  const found =
    service.getRegionSemanticDiagnostics(file, [{ pos: from, end: to }])?.diagnostics ??
    service.getSemanticDiagnostics(file);
  return new Map(
    found.flatMap(({ code, start = -1, length = 0, messageText }) => {
      const sentence = typeof messageText === 'string' ? messageText : messageText.messageText;
      // Of what cannot be reached every member is missing.
      const isThere = unknownName.has(code) && start >= from && start < to && !/on type 'never'/.test(sentence);
      // A key whose colon is still to come is read as one that is short.
      if (code === 18_004 && start + length === to) return [];
      return isThere && !KEYWORD.test(text.slice(start, start + length))
        ? [[text.slice(start, start + length), `TS${code}: ${sentence}`] as const]
        : [];
    }),
  );
}

/** What is offered at a place; undefined where nobody knows. */
export function offerAt(service: LanguageService, file: string, at: number): Offer | undefined {
  const entries =
    service.getCompletionsAtPosition(file, at, { includeCompletionsForModuleExports: false })?.entries ?? [];
  // Words of a plain text file: the type is unknown.
  const real = entries.filter(({ kind }) => kind !== 'warning' && kind !== 'keyword');
  if (real.length === 0) return undefined;
  const named = (kinds: RegExp): ReadonlySet<string> =>
    new Set(real.filter(({ kind }) => kinds.test(kind)).map(({ name }) => name));
  return {
    names: named(/./),
    // As much of it as an editor's list tells: to it an alias of a type is a class.
    onlyTypes: named(/^interface$/),
    noTypes: named(/function|^(?:method|property|getter|setter|accessor)$/),
    isPartial: false,
    facts: entries
      .filter(({ kind }) => kind !== 'warning')
      .map(({ name }) => name)
      .slice(0, 300),
  };
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
