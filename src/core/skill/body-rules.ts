/**
 * What the body of a SKILL.md must not hold or lack: text that a client would run, attach or replace instead of
 * showing it, and references to files that are not there. Looks at lines, not at Markdown's whole grammar.
 */

export interface BodyFinding {
  readonly message: string;
  readonly remedy: string;
  /** From 0 at the body's first line. */
  readonly line: number;
}

/** The grammars that Claude Code acts on in a skill's body, widely read: better a warning too many. */
const TRIGGERS: readonly { readonly pattern: RegExp; readonly does: string }[] = [
  { pattern: /!`/, does: 'runs the command behind "!" and a backtick' },
  { pattern: /^\s*(?:[-*+>]\s*|\d+[.)]\s*)*(?:`{3,}|~{3,})\s*!/, does: 'runs a code block marked "!"' },
  { pattern: /(?:^|[\s(["'|=,])@(?:~|[\w./"])/u, does: 'attaches what "@" names' },
  { pattern: /(?<!\\)(?:\\\\)*\$(?:ARGUMENTS\b|\d)/, does: 'replaces "$ARGUMENTS" and "$" with a digit' },
  { pattern: /\$\{CLAUDE_/, does: 'replaces "${CLAUDE_…}"' },
];

/** Lines with text that a client acts on. */
export function triggersIn(body: string): readonly BodyFinding[] {
  return body.split('\n').flatMap((text, line) =>
    TRIGGERS.filter(({ pattern }) => pattern.test(text)).map(({ does }) => ({
      message: `Claude Code ${does} in this line.`,
      remedy: 'Write one of its characters as an entity, for example "&#64;" for "@".',
      line,
    })),
  );
}

const LINK = /\]\(\s{0,4}<?([^\s()<>]{1,500})>?(?:\s[^)]{0,200})?\)/g;
const MENTION = /(?<![\w/.@:-])((?:scripts|references|assets)\/[\w./-]{1,500})(?![\w<{*$/-])/g;

/** Relative links, and paths into the three usual folders, that lead to no file of the skill. */
export function missingReferences(body: string, paths: Iterable<string>): readonly BodyFinding[] {
  const files = new Set(paths);
  const folded = new Map([...files].map((path) => [path.toLowerCase(), path]));
  const told = new Set<string>();
  return body.split('\n').flatMap((text, line) =>
    referencesIn(text).flatMap((path): readonly BodyFinding[] => {
      const isThere = files.has(path) || [...files].some((file) => file.startsWith(`${path.replace(/\/$/, '')}/`));
      if (isThere || told.has(path)) return [];
      told.add(path);
      const twin = folded.get(path.toLowerCase());
      if (twin !== undefined)
        return [{ message: `"${path}" is spelt "${twin}" on disk.`, remedy: 'Spell it the same way.', line }];
      if (path.startsWith('/') || path.split('/').includes('..'))
        return [{ message: `"${path}" leads out of the skill.`, remedy: 'Put the file into the folder.', line }];
      return [{ message: `The file "${path}" does not exist.`, remedy: 'Add the file or remove the reference.', line }];
    }),
  );
}

function referencesIn(line: string): readonly string[] {
  const links = [...line.matchAll(LINK)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^(?:[a-z][a-z\d+.-]*:|#|\/\/)/i.test(target));
  // A path without an extension may be a folder or the start of a longer text; only whole file names count.
  const mentions = [...line.matchAll(MENTION)].map((match) => (match[1] ?? '').replace(/[.]+$/, ''));
  const named = mentions.filter((path) => /\.\w{1,8}$/.test(path));
  return [...links.map(pathOf), ...named].filter((path) => path !== '');
}

/** A link's target without its fragment, dots at the start and escapes. */
function pathOf(target: string): string {
  const path = (target.split(/[#?]/)[0] ?? '').replace(/^(?:\.\/)+/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
