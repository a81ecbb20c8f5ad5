/**
 * The languages the lexer reads, as a table: which files are theirs, how comments and strings look, which words are
 * keywords. A file of no known language is read as `text`.
 */

export interface Language {
  readonly id: string;
  readonly extensions: readonly string[];
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [string, string])[];
  /** Characters that open and close a string on one line. */
  readonly quotes: string;
  readonly tripleQuotes?: boolean;
  /** Backquoted strings: `template` with `${}` inside, `raw` without, over several lines. */
  readonly backquote?: 'template' | 'raw';
  /** Whether a slash where a value may begin opens a regular expression. */
  readonly regex?: boolean;
  /** Whether `'a` without a closing quote is a lifetime. */
  readonly lifetimes?: boolean;
  /** Whether `#` may begin a word (`#field`). */
  readonly hashWords?: boolean;
  readonly keywords: ReadonlySet<string>;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const slashes: Pick<Language, 'lineComments' | 'blockComments'> = {
  lineComments: ['//'],
  blockComments: [['/*', '*/']],
};

const script =
  'abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of override private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown var void while with yield';

const typescript: Language = {
  id: 'typescript',
  extensions: ['ts', 'tsx', 'mts', 'cts'],
  ...slashes,
  quotes: '\'"',
  backquote: 'template',
  regex: true,
  hashWords: true,
  keywords: words(script),
};

const text: Language = {
  id: 'text',
  extensions: [],
  lineComments: [],
  blockComments: [],
  quotes: '',
  keywords: new Set(),
};

export const languages: readonly Language[] = [
  typescript,
  { ...typescript, id: 'javascript', extensions: ['js', 'jsx', 'mjs', 'cjs'] },
  {
    id: 'python',
    extensions: ['py', 'pyi'],
    lineComments: ['#'],
    blockComments: [],
    quotes: '\'"',
    tripleQuotes: true,
    keywords: words(
      'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
    ),
  },
  {
    id: 'go',
    extensions: ['go'],
    ...slashes,
    quotes: '\'"',
    backquote: 'raw',
    keywords: words(
      'break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var',
    ),
  },
  {
    id: 'rust',
    extensions: ['rs'],
    ...slashes,
    quotes: '\'"',
    lifetimes: true,
    keywords: words(
      'Self as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self static struct super trait true type unsafe use where while',
    ),
  },
  {
    id: 'java',
    extensions: ['java', 'kt', 'scala'],
    ...slashes,
    quotes: '\'"',
    tripleQuotes: true,
    keywords: words(
      'abstract assert boolean break byte case catch char class const continue default do double else enum extends false final finally float for if implements import instanceof int interface long native new null package private protected public record return short static super switch synchronized this throw throws transient true try var void volatile while',
    ),
  },
  {
    id: 'c',
    extensions: ['c', 'h'],
    ...slashes,
    quotes: '\'"',
    keywords: words(
      'auto break case char const continue default define do double else endif enum extern float for goto if ifdef ifndef include inline int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while',
    ),
  },
  {
    id: 'cpp',
    extensions: ['cpp', 'cc', 'cxx', 'hpp', 'hh', 'hxx'],
    ...slashes,
    quotes: '\'"',
    keywords: words(
      'auto bool break case catch char class const constexpr continue default define delete do double else endif enum explicit extern false final float for friend if ifdef ifndef include inline int long mutable namespace new noexcept nullptr operator override private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while',
    ),
  },
  {
    id: 'csharp',
    extensions: ['cs'],
    ...slashes,
    quotes: '\'"',
    keywords: words(
      'abstract as async await base bool break byte case catch char class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get goto if implicit in init int interface internal is lock long namespace new null object operator out override params private protected public readonly record ref return sbyte sealed set short sizeof static string struct switch this throw true try typeof uint ulong using var virtual void while yield',
    ),
  },
  {
    id: 'ruby',
    extensions: ['rb', 'rake'],
    lineComments: ['#'],
    blockComments: [['\n=begin', '\n=end']],
    quotes: '\'"',
    keywords: words(
      'alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield',
    ),
  },
  {
    id: 'php',
    extensions: ['php'],
    lineComments: ['//', '#'],
    blockComments: [['/*', '*/']],
    quotes: '\'"',
    keywords: words(
      'abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset list match namespace new null or print private protected public readonly require return static switch this throw trait true try unset use var while yield',
    ),
  },
  { ...text, id: 'shell', extensions: ['sh', 'bash'], lineComments: ['#'], quotes: '\'"' },
  {
    ...text,
    id: 'css',
    extensions: ['css', 'scss', 'less'],
    blockComments: [['/*', '*/']],
    quotes: '\'"',
  },
  { ...text, id: 'json', extensions: ['json', 'jsonc'], lineComments: ['//'], quotes: '"' },
  { ...text, id: 'yaml', extensions: ['yml', 'yaml', 'toml'], lineComments: ['#'], quotes: '\'"' },
  text,
];

const byExtension = new Map(languages.flatMap((language) => language.extensions.map((it) => [it, language] as const)));
const byId = new Map(languages.map((language) => [language.id, language]));
const aliases = new Map([
  ['typescriptreact', 'typescript'],
  ['javascriptreact', 'javascript'],
  ['ts', 'typescript'],
  ['js', 'javascript'],
  ['py', 'python'],
  ['c++', 'cpp'],
  ['c#', 'csharp'],
  ['rb', 'ruby'],
]);

/** The language of a file by its name; `text` where the extension is unknown. */
export function languageOfPath(path: string): Language {
  const extension = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return byExtension.get(extension) ?? text;
}

/** The language of an editor's language id, in any case; undefined where it is unknown. */
export function languageOfId(id: string): Language | undefined {
  const lower = id.toLowerCase();
  return byId.get(aliases.get(lower) ?? lower);
}
