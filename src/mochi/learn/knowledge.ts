/**
 * What a workspace has taught, in the form people and resources read. Everything here was counted, nothing guessed;
 * how it is found lies elsewhere.
 */

/** A real piece of the learned code. */
export interface CodePlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly code: string;
}

/** A habit or rule, with the counts it rests on. */
export interface Finding {
  /** Stable, in kebab-case, unique among its kind: the last part of its resource address. */
  readonly name: string;
  readonly title: string;
  /** States the habit with its share and support, and names what is done otherwise. */
  readonly description: string;
  /** Part of the cases, 0 to 1, that follow it. */
  readonly share: number;
  /** Cases that follow it. */
  readonly support: number;
  /** Cases that could have followed it and do not. */
  readonly counterExamples: number;
  /** Up to two, from different files where possible. */
  readonly examples: readonly CodePlace[];
}

/** An example with a stable id, for `mochi://examples/{id}`. */
export interface Example extends CodePlace {
  readonly id: string;
  readonly title: string;
}

export interface LanguageStats {
  readonly language: string;
  readonly files: number;
  readonly lines: number;
}

export interface KnowledgeStats {
  readonly files: number;
  readonly tokens: number;
  readonly vocabulary: number;
  readonly symbols: number;
  /** Most files first. */
  readonly languages: readonly LanguageStats[];
  /** Files the crawl saw and left out, by reason, for example `ignored`, `secret`, `binary`, `generated`, `too large`. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** The same until the next learning. */
export interface Knowledge {
  readonly patterns: readonly Finding[];
  readonly conventions: readonly Finding[];
  readonly examples: readonly Example[];
  readonly stats: KnowledgeStats;
}
