/** Folders in memory behind the `Files` port, with links that lead out of their place. */

import { OperationError } from '../../src/core/problem.ts';
import type { ConfinedFiles } from '../../src/core/skill/library-places.ts';

/** The text of a SKILL.md. */
export function skillText(name: string, description = `Does ${name}.`, more = '', body = `Body of ${name}.`): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n${more}---\n\n${body}\n`;
}

/** Files by absolute path; paths below one of `links` lead out of wherever they are looked at from. */
export function memoryFiles(
  texts: Readonly<Record<string, string>>,
  links: readonly string[] = [],
): ConfinedFiles & { readonly asked: string[] } {
  const asked: string[] = [];
  const files = new Map(Object.entries(texts));
  const clean = (path: string): string => path.replace(/\/+$/, '');
  const guard = (path: string, within: string): void => {
    asked.push(path);
    const isLink = links.some((link) => path === link || path.startsWith(`${link}/`));
    const isInside = path === within || path.startsWith(`${within}/`);
    if (isInside && isLink) throw new OperationError('outside-root', 'The path leads out of its folder');
  };
  const childrenOf = (path: string): string[] => {
    const names = [...files.keys(), ...links].flatMap((file) =>
      file.startsWith(`${path}/`) ? [file.slice(path.length + 1).split('/')[0] ?? ''] : [],
    );
    return [...new Set(names)].sort();
  };
  const confined: ConfinedFiles = (within) => ({
    async stat(given) {
      const path = clean(given);
      guard(path, within);
      const text = files.get(path);
      if (text !== undefined) return { kind: 'file', size: text.length };
      return childrenOf(path).length > 0 ? { kind: 'folder', size: 0 } : undefined;
    },
    async list(given) {
      const path = clean(given);
      guard(path, within);
      return childrenOf(path);
    },
    async read(given, limit) {
      const path = clean(given);
      guard(path, within);
      const text = files.get(path);
      if (text === undefined) return undefined;
      if (text.length > limit) throw new OperationError('io', `Larger than ${limit} bytes`);
      return new TextEncoder().encode(text);
    },
  });
  return Object.assign(confined, { asked });
}
