/**
 * What the server's own program writes to its log, for a person at a terminal: read line by line and said in the
 * person's language. Its programs for clients write the same log as JSON; nothing is decided here.
 */
import { type ProblemTable, problemTranslator } from '#core/problem-text.ts';
import { learningIn } from '#protocol/learning-words.ts';
import ja from '../../l10n/server.ja.json' with { type: 'json' };
import zhCn from '../../l10n/server.zh-cn.json' with { type: 'json' };
import type { Context } from './context.ts';
import type { Language } from './messages.ts';
import { plain, type Style } from './terminal.ts';

const TABLES: Record<Language, ProblemTable> = { en: {}, ja, 'zh-cn': zhCn };
/** Where one sentence may end and its remedy begin. */
const BOUNDARY = /\.\s(?=[A-Z"-])/g;

interface Said {
  readonly level: string;
  readonly message: string;
}

/** A line of the log; what is none comes from the runtime and is shown as it is. */
export function readLine(line: string): Said {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null && 'level' in parsed && 'message' in parsed)
      return { level: String(parsed.level), message: String(parsed.message) };
  } catch {
    // Not of the log.
  }
  return { level: 'error', message: line };
}

/** A function from what the log says, with its remedy or without, to the same in this language. */
export function serverTranslator(language: Language, t: (text: string) => string): (message: string) => string {
  const table = TABLES[language];
  const own = problemTranslator(table);
  /** What is told of a failure, before the failure's own sentence. */
  const openings = Object.entries(table).filter(([english]) => /^[a-z ]+: \{0\}$/.test(english));
  const say = (sentence: string): string => {
    const said = own(sentence);
    return said === sentence ? t(sentence) : said;
  };
  const sayBoth = (message: string): string => {
    for (const { index } of message.matchAll(BOUNDARY)) {
      const [first, rest] = [message.slice(0, index + 1), message.slice(index + 2)];
      const [saidFirst, saidRest] = [say(first), say(rest)];
      if (saidFirst !== first && saidRest !== rest) return `${saidFirst} ${saidRest}`;
    }
    return say(message);
  };
  return (message) => {
    for (const [english, text] of openings) {
      const opening = english.slice(0, -'{0}'.length);
      if (message.startsWith(opening)) return text.replace('{0}', () => sayBoth(message.slice(opening.length)));
    }
    return sayBoth(message);
  };
}

const STYLES: ReadonlyMap<string, Style> = new Map([
  ['error', 'red'],
  ['warn', 'yellow'],
]);

/** Shows the log of a server on a terminal: what goes on in one line that is replaced, the rest in lines of its own. */
export function createLogView({ terminal, t, language }: Context): (line: string) => void {
  const say = serverTranslator(language, t);
  return (line) => {
    const { level, message } = readLine(line);
    if (message.trim() === '') return;
    const text = plain(say(message));
    const style = STYLES.get(level);
    if (style !== undefined) terminal.note(terminal.noteStyle(style, `mochi: ${text}`));
    else if (isPassing(message)) terminal.progress(text);
    else terminal.note(`mochi: ${text}`);
  };
}

function isPassing(message: string): boolean {
  return (
    learningIn(message)?.learning !== undefined || /^(?:learning|loading|taking|learned (?!everything))/.test(message)
  );
}
