/**
 * What has been learned of a workspace, in memory: tokens of all files with their sorted contexts, and the files that
 * changed since, which stand beside them until the next whole learning. Reads no files.
 */
import { relative } from 'node:path/posix';
import { ContextIndex, type Sequence } from '../engine/context-index.ts';
import type { Sources } from '../engine/sources.ts';
import type { FileRecord } from './file-record.ts';
import { findingsOf } from './findings.ts';
import type { Knowledge, LanguageStats } from './knowledge.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A file with the range of its tokens: in the base, or in arrays of its own once it changed. */
export interface KnownFile {
  readonly record: FileRecord;
  readonly from: number;
  readonly to: number;
  readonly own?: { readonly ids: Int32Array; readonly gaps: Uint8Array };
}

const mostNear = 200_000;
const keptFolders = 12;

interface Neighbourhood {
  readonly index: ContextIndex;
  /** The same with classes for tokens, where the neighbourhood is a wide one. */
  readonly syntax?: ContextIndex;
  readonly places: ReadonlyMap<string, readonly [number, number]>;
  /** The names of the files, in the order of their characters. */
  readonly names: readonly string[];
  /** The ways from the folder to the files, where the neighbourhood is a wide one. */
  readonly ways?: readonly string[];
}

export class Memory {
  readonly vocabulary: Vocabulary;
  readonly base: ContextIndex;
  readonly syntax: ContextIndex;
  readonly files: Map<string, KnownFile>;
  #leftOut: ReadonlyMap<string, number>;
  /** Paths of relearned files, in order; whoever keeps something made of a memory brings it up to date by them. */
  readonly changes: string[] = [];
  readonly #neighbourhoods = new Map<string, Neighbourhood | undefined>();
  #knowledge: Knowledge | undefined;

  constructor(
    vocabulary: Vocabulary,
    base: ContextIndex,
    syntax: ContextIndex,
    files: Map<string, KnownFile>,
    leftOut: ReadonlyMap<string, number>,
  ) {
    this.vocabulary = vocabulary;
    this.base = base;
    this.syntax = syntax;
    this.files = files;
    this.#leftOut = leftOut;
  }

  /** Files by the reason they were left out for, when the whole folder was last looked at. */
  get leftOut(): ReadonlyMap<string, number> {
    return this.#leftOut;
  }

  /** Returns whether these are others than before. */
  leaveOut(leftOut: ReadonlyMap<string, number>): boolean {
    const isSame =
      leftOut.size === this.#leftOut.size && [...leftOut].every(([why, n]) => this.#leftOut.get(why) === n);
    if (isSame) return false;
    this.#leftOut = leftOut;
    if (this.#knowledge !== undefined)
      this.#knowledge = { ...this.#knowledge, stats: { ...this.#knowledge.stats, leftOut } };
    return true;
  }

  /** How many tokens stand outside the base. */
  get loose(): number {
    let sum = 0;
    for (const file of this.files.values()) if (file.own !== undefined) sum += file.own.ids.length;
    return sum;
  }

  /** Puts a file in the place of its older self; undefined forgets it. */
  replace(path: string, file: Omit<KnownFile, 'from' | 'to'> | undefined): void {
    const known = this.files.get(path);
    if (known !== undefined && known.own === undefined) {
      this.base.hide(known.from, known.to);
      this.syntax.hide(known.from, known.to);
    }
    if (file === undefined) this.files.delete(path);
    else this.files.set(path, { ...file, from: 0, to: file.own?.ids.length ?? 0 });
    this.changes.push(path);
    this.#neighbourhoods.clear();
    this.#knowledge = undefined;
  }

  /** The tokens of a file; not to be written to. */
  tokensOf(file: KnownFile): { readonly ids: Sequence; readonly gaps: Uint8Array } {
    if (file.own !== undefined) return file.own;
    return { ids: this.base.tokens.subarray(file.from, file.to), gaps: this.base.gaps.subarray(file.from, file.to) };
  }

  /** Where a file being written may copy from; its own learned self is left out. */
  sourcesFor(path: string | undefined): Sources {
    const { base, syntax } = this;
    const known = path === undefined ? undefined : this.files.get(path);
    const [from, to] = known === undefined || known.own !== undefined ? [0, 0] : [known.from, known.to];
    base.mask(from, to);
    syntax.mask(from, to);
    const folder = path?.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
    const near = this.#around(`near ${folder}`, folder, true, path);
    const inFolder = this.#around(`in ${folder}`, folder, false, path);
    const own = path?.slice(folder.length);
    return {
      base,
      syntax,
      syntaxTokens: base.tokens,
      folder: inFolder?.index,
      beside: inFolder?.names.filter((name) => name !== own),
      around: near?.ways,
      near: near?.index,
      nearSyntax: near?.syntax,
    };
  }

  #around(key: string, folder: string, isWide: boolean, path: string | undefined): Neighbourhood | undefined {
    let found = this.#neighbourhoods.get(key);
    if (found === undefined && !this.#neighbourhoods.has(key)) {
      found = isWide ? this.#join(this.#nearFiles(folder), folder) : this.#join(this.#filesIn(folder, false));
      const [oldest] = this.#neighbourhoods.keys();
      if (this.#neighbourhoods.size >= keptFolders && oldest !== undefined) this.#neighbourhoods.delete(oldest);
      this.#neighbourhoods.set(key, found);
    }
    const [from, to] = (path === undefined ? undefined : found?.places.get(path)) ?? [0, 0];
    found?.index.mask(from, to);
    found?.syntax?.mask(from, to);
    return found;
  }

  #filesIn(folder: string, isDeep: boolean): KnownFile[] {
    return [...this.files.values()].filter(
      ({ record: { path } }) => path.startsWith(folder) && (isDeep || !path.includes('/', folder.length)),
    );
  }

  /** The widest folder around that is still small, with whatever changed of late. */
  #nearFiles(folder: string): KnownFile[] {
    let chosen: KnownFile[] = [];
    for (let at = folder; ; at = at.replace(/[^/]+\/$/, '')) {
      const wider = this.#filesIn(at, true);
      if (wider.reduce((sum, file) => sum + file.to - file.from, 0) > mostNear) break;
      chosen = wider;
      if (at === '') break;
    }
    const changed = [...this.files.values()].filter((file) => file.own !== undefined && !chosen.includes(file));
    let room = mostNear * 2;
    return [...changed, ...chosen].filter((file) => {
      room -= file.to - file.from;
      return room > 0;
    });
  }

  #join(files: readonly KnownFile[], around?: string): Neighbourhood | undefined {
    if (files.length === 0) return undefined;
    const length = files.reduce((sum, file) => sum + file.to - file.from + 1, 0);
    const ids = new Int32Array(length);
    const gaps = new Uint8Array(length);
    const places = new Map<string, readonly [number, number]>();
    let at = 0;
    for (const file of files) {
      const tokens = this.tokensOf(file);
      gaps[at] = 2;
      ids.set(tokens.ids, at + 1);
      gaps.set(tokens.gaps, at + 1);
      places.set(file.record.path, [at, at + 1 + tokens.ids.length]);
      at += 1 + tokens.ids.length;
    }
    const index = ContextIndex.build(ids, gaps, this.vocabulary.size);
    const names = [...places.keys()].map((path) => path.slice(path.lastIndexOf('/') + 1)).sort();
    if (around === undefined) return { index, places, names };
    return {
      index,
      places,
      names,
      ways: [...places.keys()].map((path) => relative(around, path)),
      syntax: ContextIndex.build(this.vocabulary.classesOf(ids), gaps, this.vocabulary.classes),
    };
  }

  /** The same object until something is relearned. */
  get knowledge(): Knowledge {
    this.#knowledge ??= this.#summarise();
    return this.#knowledge;
  }

  #summarise(): Knowledge {
    const records = [...this.files.values()]
      .map(({ record }) => record)
      .sort((one, two) => (one.path < two.path ? -1 : 1));
    const languages = new Map<string, LanguageStats>();
    for (const { language, lines } of records) {
      const known = languages.get(language) ?? { language, files: 0, lines: 0 };
      languages.set(language, { language, files: known.files + 1, lines: known.lines + lines });
    }
    const tokens = [...this.files.values()].reduce((sum, file) => sum + file.to - file.from, 0);
    return {
      ...findingsOf(records),
      stats: {
        files: records.length,
        tokens,
        vocabulary: this.vocabulary.size,
        symbols: records.reduce((sum, record) => sum + record.symbols.length, 0),
        languages: [...languages.values()].sort(
          (one, two) => two.files - one.files || (one.language < two.language ? -1 : 1),
        ),
        leftOut: this.#leftOut,
      },
    };
  }
}
