/**
 * Strings and names that stand nowhere yet but are called for: the files beside this one, as an import or export names
 * them next, and words just written, as a string. The style (quotes, extensions) is that of the file's last strings.
 */
import { kinds, type Vocabulary } from '../learn/vocabulary.ts';
import type { ContextIndex } from './context-index.ts';
import type { OpenFile } from './open-file.ts';
import type { Sources } from './sources.ts';

/** How far back a string is looked for whose style is taken, and a word that may be said again as a string. */
const styleReach = 400;
const wordReach = 12;
const mostWords = 3;
const mostNext = 2;
const mostAlike = 2;
const mostPaths = 3;
/** How many tokens of the code near by are looked at for a path. */
const mostLooked = 4_000;
/** Longer strings are emptied where they are read. */
const longest = 32;
/** What a path may follow, and what a name of a module may. */
const beforePaths = new Set(['from', 'import']);
const beforeNames = new Set(['as']);

/** The parts of a string that names a file: its quote, the name of one beside, and the extension as it is written. */
interface PathStyle {
  readonly quote: string;
  readonly stem: string | undefined;
  readonly extension: string;
}

/** A string as names are compared: without quotes, `./`, extension and what joins words, in lower case. */
export function plainName(text: string): string {
  return text
    .replace(/^['"`]|['"`]$/g, '')
    .replace(/^\.\//, '')
    .replace(/\.[a-z]+$/i, '')
    .replace(/[-_.]/g, '')
    .toLowerCase();
}

/** Other names would need escaping as a string, or mean something in it. */
const isWritable = (name: string): boolean => /^[\p{L}\p{N}_$@+.-]+$/u.test(name);
const isPath = (path: string): boolean => path.split('/').every((part) => part === '..' || isWritable(part));
const stemOf = (name: string): string => name.replace(/(?:\.d)?\.[a-z]+$/i, '');

export class NamedStrings {
  #given: readonly string[] = [];
  #names: readonly string[] = [];
  #plain: readonly string[] = [];
  #around: readonly string[] = [];
  #near: ContextIndex | undefined;
  #nearPath = '';
  readonly #paths = new Map<string, string[]>();

  /**
   * Calls `offer` with each token that is called for after the last token of `file`; `beside` are names of files, in
   * order, `around` the ways from their folder to files of other folders, and `near` the code of all of them.
   */
  find(
    file: OpenFile,
    { beside = [], around = [], near }: Pick<Sources, 'beside' | 'around' | 'near'>,
    isString: boolean,
    offer: (token: number) => void,
  ): void {
    const { vocabulary, length, ids } = file;
    const before = vocabulary.textOf(ids[length - 1] ?? 0);
    const isPlace = beside.length + around.length > 0 && (beforePaths.has(before) || beforeNames.has(before));
    if (!isPlace && !isString) return;
    const last = lastString(file);
    if (isPlace) {
      const style = pathStyle(last?.path ?? this.#usual(near, vocabulary));
      if (style !== undefined) this.#beside(file, beside, around, style, before, offer);
    }
    if (!isString || last === undefined) return;
    let found = 0;
    for (let at = length - 1; at > 0 && at > length - wordReach && found < mostWords; at -= 1) {
      if (file.kinds[at] !== kinds.word) continue;
      const word = vocabulary.textOf(ids[at] ?? 0);
      if (word.length < 3) continue;
      found += 1;
      offer(stringToken(file, `${last.quote}${word}${last.quote}`));
    }
  }

  /** A string that names a file in the code near by, for a file that has none yet. */
  #usual(near: ContextIndex | undefined, vocabulary: Vocabulary): string {
    if (this.#near === near) return this.#nearPath;
    this.#near = near;
    this.#nearPath = '';
    const length = Math.min(mostLooked, near?.tokens.length ?? 0);
    for (let at = 0; at < length && this.#nearPath === ''; at += 1) {
      const token = near?.tokens[at] ?? 0;
      if (vocabulary.kind(token) !== kinds.string) continue;
      const text = vocabulary.textOf(token);
      // Of another folder, for the file that it names is none beside this one.
      if (/^['"]\.\.?\//.test(text)) this.#nearPath = text.replace(/^(['"])\.\//, '$1../');
    }
    return this.#nearPath;
  }

  #beside(
    file: OpenFile,
    beside: readonly string[],
    around: readonly string[],
    { quote, stem, extension }: PathStyle,
    before: string,
    offer: (token: number) => void,
  ): void {
    if (this.#given !== beside) {
      this.#given = beside;
      this.#names = beside.filter(isWritable);
      this.#plain = this.#names.map((name) => plainName(name));
    }
    const names = this.#names;
    const chosen: string[] = [];
    let next = stem === undefined ? -1 : names.findIndex((name) => stemOf(name) > stem);
    for (let count = 0; next >= 0 && count < mostNext && next < names.length; count += 1, next += 1)
      chosen.push(stemOf(names[next] ?? ''));
    if (beforeNames.has(before)) {
      for (const name of chosen) {
        const word = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name) ? name : undefined;
        if (word !== undefined) offer(file.vocabulary.intern(word, 0, word.length, kinds.word));
      }
      return;
    }
    const start = file.lineStarts[file.length - 1] ?? 0;
    let alike = 0;
    const write = (path: string): void => {
      const text = `${quote}${path}${extension}${quote}`;
      if (text.length <= longest) offer(stringToken(file, text));
    };
    for (let at = file.length - 2; at > start - 40 && at > 0 && alike < mostAlike; at -= 1) {
      // Where the statement begins: imports may take many lines.
      if (file.lineStarts[at] === at && file.kinds[at] === kinds.keyword) break;
      if (file.kinds[at] !== kinds.word) continue;
      const plain = plainName(file.vocabulary.textOf(file.ids[at] ?? 0));
      const place = this.#plain.indexOf(plain);
      const paths = this.#pathsTo(plain, around);
      if (place < 0 && paths.length === 0) continue;
      alike += 1;
      if (place >= 0) chosen.push(stemOf(names[place] ?? ''));
      for (const path of paths) write(path);
    }
    for (const name of chosen) write(`./${name}`);
  }

  /** The shortest ways to files in other folders that are named so. */
  #pathsTo(plain: string, around: readonly string[]): readonly string[] {
    if (this.#around !== around) {
      this.#around = around;
      this.#paths.clear();
      for (const path of [...around].sort((one, two) => one.length - two.length)) {
        if (!path.includes('/') || !isPath(path)) continue;
        const key = plainName(path.slice(path.lastIndexOf('/') + 1));
        const way = path.startsWith('..') ? stemOf(path) : `./${stemOf(path)}`;
        const known = this.#paths.get(key);
        if (known === undefined) this.#paths.set(key, [way]);
        else if (known.length < mostPaths) known.push(way);
      }
    }
    return this.#paths.get(plain) ?? [];
  }
}

/** The quote of the last string, and the last string that names a file beside, or else in another folder. */
function lastString(file: OpenFile): { readonly quote: string; readonly path: string | undefined } | undefined {
  let quote: string | undefined;
  let outer: string | undefined;
  for (let at = file.length - 1; at > 0 && at > file.length - styleReach; at -= 1) {
    if (file.kinds[at] !== kinds.string) continue;
    const text = file.vocabulary.textOf(file.ids[at] ?? 0);
    const first = text.charAt(0);
    if (first !== "'" && first !== '"') continue;
    quote ??= first;
    if (text.startsWith('./', 1)) return { quote, path: text };
    if (text.startsWith('../', 1)) outer ??= text;
  }
  return quote === undefined ? undefined : { quote, path: outer };
}

function pathStyle(text: string): PathStyle | undefined {
  const [, quote, way, stem, extension = ''] = /^(['"])(\.[./].*?)([^/]*?)(\.[a-z]+)?\1$/i.exec(text) ?? [];
  return quote === undefined ? undefined : { quote, stem: way === './' ? stem : undefined, extension };
}

function stringToken(file: OpenFile, text: string): number {
  return file.vocabulary.intern(text, 0, text.length, kinds.string);
}
