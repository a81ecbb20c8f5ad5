/**
 * How far declarations read from tokens agree with syntax trees: `node test/bench/mochi-trees.ts GRAMMARS FOLDER…`, where
 * GRAMMARS is the `wasm` folder of `@vscode/tree-sitter-wasm` (installed anywhere, never by this repository). By language:
 * recall and precision by name and line, and on what both found, the kind and the last line; what either costs in time.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { refusalOf } from '../../src/mochi/learn/crawl.ts';
import { learnText } from '../../src/mochi/learn/file-record.ts';
import type { CodeSymbol, SymbolKind } from '../../src/mochi/learn/symbols.ts';
import { Vocabulary } from '../../src/mochi/learn/vocabulary.ts';

interface Node {
  readonly type: string;
  readonly text: string;
  readonly startPosition: { readonly row: number };
  readonly endPosition: { readonly row: number };
  readonly parent: Node | null;
  readonly namedChildren: readonly Node[];
  readonly hasError: boolean;
  childForFieldName(name: string): Node | null;
}
interface Tree {
  readonly rootNode: Node;
  delete(): void;
}
interface Runtime {
  readonly Parser: {
    new (): { setLanguage(language: unknown): void; parse(text: string): Tree | null };
    init(options: { readonly locateFile: (name: string) => string }): Promise<void>;
  };
  readonly Language: { load(path: string): Promise<unknown> };
}

const grammars = new Map([
  ['ts', 'typescript'],
  ['mts', 'typescript'],
  ['cts', 'typescript'],
  ['tsx', 'tsx'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['py', 'python'],
  ['go', 'go'],
  ['rs', 'rust'],
  ['java', 'java'],
  ['c', 'cpp'],
  ['h', 'cpp'],
  ['cc', 'cpp'],
  ['cpp', 'cpp'],
  ['cs', 'c-sharp'],
  ['rb', 'ruby'],
  ['php', 'php'],
]);

/** What a node declares; a dash takes the kind from its value. */
const declares = new Map<string, SymbolKind | '-'>([
  ['function_declaration', 'function'],
  ['generator_function_declaration', 'function'],
  ['function_signature', 'function'],
  ['function_definition', 'function'],
  ['function_item', 'function'],
  ['function_signature_item', 'function'],
  ['local_function_statement', 'function'],
  ['method', 'function'],
  ['singleton_method', 'function'],
  ['method_definition', 'method'],
  ['method_declaration', 'method'],
  ['constructor_declaration', 'method'],
  ['abstract_method_signature', 'method'],
  ['class_declaration', 'class'],
  ['abstract_class_declaration', 'class'],
  ['class_definition', 'class'],
  ['class_specifier', 'class'],
  ['class', 'class'],
  ['module', 'class'],
  ['internal_module', 'class'],
  ['namespace_definition', 'class'],
  ['namespace_declaration', 'class'],
  ['struct_specifier', 'class'],
  ['struct_declaration', 'class'],
  ['struct_item', 'class'],
  ['record_declaration', 'class'],
  ['mod_item', 'class'],
  ['interface_declaration', 'type'],
  ['trait_declaration', 'type'],
  ['trait_item', 'type'],
  ['enum_declaration', 'type'],
  ['enum_specifier', 'type'],
  ['enum_item', 'type'],
  ['type_alias_declaration', 'type'],
  ['type_item', 'type'],
  ['type_spec', 'type'],
  ['annotation_type_declaration', 'type'],
  ['method_signature', 'method'],
  ['type_alias', 'type'],
  ['const_item', 'constant'],
  ['variable_declarator', '-'],
]);
const withBody = new Set(['class_specifier', 'struct_specifier', 'enum_specifier', 'mod_item']);
const aMethodIn =
  /^(class_body|declaration_list|field_declaration_list|impl_item|trait_item|class_definition|class|module)$/;

interface Found {
  readonly name: string;
  readonly kind: SymbolKind;
  readonly line: number;
  readonly endLine: number;
  readonly isMethod: boolean;
}

function nameOf(node: Node): Node | null {
  let named = node.childForFieldName('name');
  if (named !== null) return named;
  // C wraps the name in as many declarators as its type has parts.
  named = node.childForFieldName('declarator');
  while (named !== null && named.childForFieldName('declarator') !== null)
    named = named.childForFieldName('declarator');
  return named;
}

function kindOfVariable(node: Node): SymbolKind | undefined {
  const value = node.childForFieldName('value');
  if (value !== null && /^(arrow_function|function_expression|generator_function)$/.test(value.type)) return 'function';
  const statement = node.parent;
  const isTop = statement?.parent?.type === 'program' || statement?.parent?.type === 'export_statement';
  return statement?.type === 'lexical_declaration' && isTop && statement.childForFieldName('kind')?.text === 'const'
    ? 'constant'
    : undefined;
}

function walk(node: Node, found: Found[]): void {
  for (const child of node.namedChildren) walk(child, found);
  const declared = declares.get(node.type);
  const kind = declared === '-' ? kindOfVariable(node) : declared;
  if (kind === undefined || (withBody.has(node.type) && node.childForFieldName('body') === null)) return;
  const name = nameOf(node);
  if (name === null || !/^[\w$#~:]+[?!=]?$/.test(name.text)) return;
  const isMethod = kind === 'method' || (kind === 'function' && ownerIsType(node));
  const { row } = name.startPosition;
  const whole = declared === '-' ? (node.parent ?? node) : node;
  found.push({
    name: name.text.split('::').at(-1) ?? '',
    kind,
    line: row + 1,
    endLine: whole.endPosition.row + 1,
    isMethod,
  });
}

function ownerIsType(node: Node): boolean {
  for (let at = node.parent, steps = 0; at !== null && steps < 3; at = at.parent, steps += 1)
    if (aMethodIn.test(at.type)) return true;
  return false;
}

class Score {
  files = 0;
  bytes = 0;
  broken = 0;
  trees = 0;
  tokens = 0;
  both = 0;
  kinds = 0;
  ends = 0;
  treeMs = 0;
  tokenMs = 0;
  readonly missed = new Map<string, number>();
  readonly invented = new Map<string, number>();

  compare(trees: readonly Found[], tokens: readonly CodeSymbol[], path: string): void {
    const left = new Set(tokens);
    this.trees += trees.length;
    this.tokens += tokens.length;
    for (const one of trees) {
      // A declaration may begin some lines before its name: a return type, a decorator.
      const match = [...left]
        .filter((it) => it.name === one.name && it.line <= one.line && one.line - it.line <= 3)
        .sort((a, b) => b.line - a.line)[0];
      if (match === undefined) {
        count(this.missed, one.isMethod ? 'method' : one.kind);
        if (shown > 0) console.log(`  missed ${one.kind} ${one.name} ${path}:${one.line}`);
        continue;
      }
      left.delete(match);
      this.both += 1;
      const isFunction = (kind: SymbolKind): boolean => kind === 'function' || kind === 'method';
      if (match.kind === one.kind || (isFunction(match.kind) && isFunction(one.kind))) this.kinds += 1;
      if (Math.abs(match.endLine - one.endLine) <= 1) this.ends += 1;
      else if (shown > 1) console.log(`  end of ${one.name} ${path}:${one.line} ${match.endLine} for ${one.endLine}`);
    }
    for (const it of left) {
      count(this.invented, it.kind);
      if (shown > 0) console.log(`  invented ${it.kind} ${it.name} ${path}:${it.line}`);
    }
  }
}
const count = (into: Map<string, number>, key: string): void => {
  into.set(key, (into.get(key) ?? 0) + 1);
};
const shown = Number(process.env['SHOW'] ?? 0);

function* filesUnder(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !/^(\.git|node_modules)$/.test(entry.name)) yield* filesUnder(path);
    else if (entry.isFile() && !/\.d\.[cm]?ts$/.test(entry.name)) yield path;
  }
}

async function measure(wasm: string, folders: readonly string[]): Promise<void> {
  // The package is CommonJS without types; what is used of it stands in `Runtime`.
  const { Parser, Language }: Runtime = createRequire(import.meta.url)(join(wasm, 'tree-sitter.js'));
  await Parser.init({ locateFile: (name) => join(wasm, name) });
  const parsers = new Map<string, { parse(text: string): Tree | null }>();
  const scores = new Map<string, Score>();
  const vocabulary = new Vocabulary();
  for (const folder of folders) {
    for (const path of filesUnder(folder)) {
      const grammar = grammars.get(/\.(\w+)$/.exec(path)?.[1] ?? '');
      const only = process.env['ONLY'];
      if (grammar === undefined || (only !== undefined && only !== grammar)) continue;
      const text = readFileSync(path, 'utf8');
      if (text.length > 300_000 || refusalOf(text) !== undefined) continue;
      let parser = parsers.get(grammar);
      if (parser === undefined) {
        const made = new Parser();
        made.setLanguage(await Language.load(join(wasm, `tree-sitter-${grammar}.wasm`)));
        parsers.set(grammar, made);
        parser = made;
      }
      const score = scores.get(grammar) ?? new Score();
      scores.set(grammar, score);
      const start = performance.now();
      const tree = parser.parse(text);
      const parsed = performance.now();
      if (tree === null) continue;
      const { record } = learnText(path, text, { size: text.length, changed: 0 }, vocabulary);
      score.tokenMs += performance.now() - parsed;
      score.treeMs += parsed - start;
      score.bytes += text.length;
      score.files += 1;
      // Where the grammar stumbled the tree is no judge.
      if (tree.rootNode.hasError) score.broken += 1;
      else {
        const found: Found[] = [];
        walk(tree.rootNode, found);
        score.compare(found, record.symbols, relative(folder, path));
      }
      tree.delete();
    }
  }
  for (const [grammar, score] of [...scores].sort()) report(grammar, score);
}

function report(grammar: string, it: Score): void {
  const share = (part: number, of: number): string => (of === 0 ? '-' : (part / of).toFixed(3));
  const speed = (ms: number): string => (it.bytes / 1000 / ms).toFixed(1);
  const list = (of: ReadonlyMap<string, number>): string =>
    [...of]
      .sort(([, one], [, two]) => two - one)
      .map(([kind, times]) => `${kind} ${times}`)
      .join(', ') || 'nothing';
  console.log(
    `${grammar}: ${it.files} files (${it.broken} not parsed whole), ${it.trees} declarations: recall ${share(it.both, it.trees)}, ` +
      `precision ${share(it.both, it.tokens)}, kind ${share(it.kinds, it.both)}, last line ${share(it.ends, it.both)}; ` +
      `MB/s trees ${speed(it.treeMs)} (parsing only), tokens and records ${speed(it.tokenMs)}`,
  );
  console.log(`  missed ${list(it.missed)}; not in the tree ${list(it.invented)}`);
}

const [wasm = '', ...folders] = process.argv.slice(2);
if (!existsSync(join(wasm, 'tree-sitter.js')) || folders.length === 0)
  console.log('trees: name the wasm folder of @vscode/tree-sitter-wasm and folders of source files');
else await measure(wasm, folders);
