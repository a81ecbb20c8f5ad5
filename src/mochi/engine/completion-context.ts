/**
 * The passages of the workspace that go in front of the code to complete. They stay the same while somebody writes a few
 * lines: other passages with each key would make the model read its whole prompt again.
 */
import type { Engine, Passage } from './engine.ts';

/** Lines after which other passages may be nearer. */
const LINES = 16;
const LINES_READ = 24;
const MOST = 3;

interface Place {
  readonly prefix: string;
  readonly path?: string;
}

export class CompletionContext {
  #known: { readonly key: string; readonly passages: Promise<readonly Passage[]> } | undefined;

  /** Never rejects; without anything learned there are none. */
  find(engine: Pick<Engine, 'answer'>, place: Place, signal: AbortSignal): Promise<readonly Passage[]> {
    const lines = place.prefix.split('\n');
    const block = Math.floor((lines.length - 1) / LINES) * LINES;
    const read = lines.slice(Math.max(0, block - LINES_READ), Math.max(block, Math.min(lines.length - 1, 4)));
    const key = `${place.path ?? ''}\0${block}\0${block === 0 ? '' : read.join('\n')}`;
    if (this.#known?.key === key) return this.#known.passages;
    const instruction = wordsOf(read.join('\n'));
    const passages =
      instruction === ''
        ? Promise.resolve([])
        : engine.answer({ instruction, maxTokens: 1 }, signal).then(
            (answer) => answer.passages.filter(({ file }) => file !== place.path).slice(0, MOST),
            () => [],
          );
    this.#known = { key, passages };
    // What failed, or was not waited for, is looked for again.
    void passages.then((found) => {
      if (found.length === 0 && this.#known?.passages === passages) this.#known = undefined;
    });
    return passages;
  }
}

/** Names that code uses, each once, the latest first. */
function wordsOf(code: string): string {
  const words = [...code.matchAll(/[A-Za-z_$][\w$]{3,}/g)].map(([word]) => word);
  return [...new Set(words.reverse())].slice(0, 24).join(' ');
}
