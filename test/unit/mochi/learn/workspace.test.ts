import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crawl } from '../../../../src/mochi/learn/crawl.ts';
import { LearnedWorkspace } from '../../../../src/mochi/learn/workspace.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mochi-workspace-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
const never = new AbortController().signal;
const code = (name: string): string => `export function ${name}(value: string): string {\n  return value.trim();\n}\n`;
const lone = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ');

describe('the crawl', () => {
  it('obeys the ignore files, the innermost first', async () => {
    write({
      '.gitignore': 'dist/\n*.gen.ts\n!keep.gen.ts\n',
      'a.ts': '1',
      'b.gen.ts': '1',
      'keep.gen.ts': '1',
      'dist/c.ts': '1',
      'sub/.gitignore': 'local.ts\n!c.gen.ts\n',
      'sub/local.ts': '1',
      'sub/c.gen.ts': '1',
      'node_modules/x/a.js': '1',
    });
    const { files } = await crawl(root, {}, never);
    expect(files.map(({ path }) => path)).toEqual([
      '.gitignore',
      'a.ts',
      'keep.gen.ts',
      'sub/.gitignore',
      'sub/c.gen.ts',
    ]);
  });

  it.each([
    ['.env', 'secret'],
    ['.env.production', 'secret'],
    ['server.pem', 'secret'],
    ['id_rsa', 'secret'],
    ['credentials.json', 'secret'],
    ['.git-credentials', 'secret'],
    ['.aws/config', 'secret'],
    ['logo.png', 'binary'],
    ['app.min.js', 'generated'],
    ['package-lock.json', 'generated'],
  ])('leaves %s out as %s', async (name, reason) => {
    write({ [name]: 'text', 'a.ts': '1' });
    const { files, leftOut } = await crawl(root, {}, never);
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    expect([...leftOut]).toEqual([[reason, 1]]);
  });

  it('leaves large files and links out', async () => {
    write({ 'large.ts': 'x'.repeat(2000), 'a.ts': '1' });
    symlinkSync(join(root, 'a.ts'), join(root, 'link.ts'));
    const { files, leftOut } = await crawl(root, { largest: 1000 }, never);
    expect(files.map(({ path }) => path)).toEqual(['a.ts']);
    expect(leftOut.get('too large')).toBe(1);
  });
});

describe('a learned workspace', () => {
  const opened = (): LearnedWorkspace => new LearnedWorkspace({ root, store: join(root, '.git', 'mochi.bin') });

  it('learns everything at first, then only what changed', async () => {
    write({ 'a.ts': code('first'), 'b.ts': code('second') });
    const workspace = opened();
    const heard: number[] = [];
    workspace.onDidLearn(() => heard.push(workspace.knowledge?.stats.symbols ?? 0));
    expect(await workspace.learn(never)).toEqual({ how: 'everything', files: 2 });
    expect(await workspace.learn(never)).toEqual({ how: 'nothing new', files: 0 });
    write({ 'b.ts': `${code('second')}${code('third')}`, 'c.ts': code('fourth') });
    rmSync(join(root, 'a.ts'));
    expect(await workspace.learn(never)).toEqual({ how: 'changes', files: 3 });
    expect(heard).toEqual([2, 3]);
    const names = [...(workspace.memory?.files.values() ?? [])].flatMap((file) =>
      file.record.symbols.map(({ name }) => name),
    );
    expect(names.sort()).toEqual(['fourth', 'second', 'third']);
  });

  it('knows the same after it was kept and loaded', async () => {
    write({ 'a.ts': code('first'), 'src/b.py': 'def second(x):\n    """Says it."""\n    return x\n' });
    const workspace = opened();
    await workspace.learn(never);
    const again = opened();
    expect(await again.load()).toBe(true);
    expect(again.knowledge).toEqual(workspace.knowledge);
    const request = { prefix: 'export function other(value', path: 'c.ts', maxAlternatives: 2 };
    expect(await again.engine.complete(request, never)).toEqual(await workspace.engine.complete(request, never));
  });

  it('learns anew from every kind of broken index', async () => {
    write({ 'a.ts': code('first') });
    await opened().learn(never);
    const store = join(root, '.git', 'mochi.bin');
    const whole = readFileSync(store);
    const flipped = Buffer.from(whole);
    flipped[whole.length - 20] = (flipped[whole.length - 20] ?? 0) ^ 1;
    const otherVersion = Buffer.from(whole);
    otherVersion.write('9', 12);
    for (const broken of [
      Buffer.alloc(0),
      whole.subarray(0, 100),
      whole.subarray(0, -8),
      flipped,
      otherVersion,
      Buffer.alloc(5000, 123),
    ]) {
      writeFileSync(store, broken);
      const workspace = opened();
      expect(await workspace.load()).toBe(false);
      expect(await workspace.learn(never)).toEqual({ how: 'everything', files: 1 });
    }
    expect(readdirSync(dirname(store))).toEqual(['mochi.bin']);
  });

  it('leaves out files whose content is a key, binary, generated or minified, and says how many', async () => {
    write({
      'a.ts': code('first'),
      'key.txt': lone,
      'blob.ts': 'a\0b',
      'made.ts': '// @generated\nx',
      'packed.js': `x=${'1+'.repeat(2000)}1`,
    });
    const workspace = opened();
    await workspace.learn(never);
    expect(workspace.knowledge?.stats.files).toBe(1);
    expect(Object.fromEntries(workspace.knowledge?.stats.leftOut ?? [])).toEqual({
      secret: 1,
      binary: 1,
      generated: 2,
    });
  });

  it.each<[string, (text: string) => Buffer]>([
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, low bytes first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, high bytes first', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('reads %s as the text that it is, at first and when it changed', async (_, encoded) => {
    write({ 'a.ts': '' });
    const put = (name: string): void => writeFileSync(join(root, 'a.ts'), encoded(`${code(name)}名前();\n`));
    put('first');
    const workspace = opened();
    await workspace.learn(never);
    const begins = (): string | undefined => {
      const file = workspace.memory?.files.get('a.ts');
      const ids = file === undefined ? [] : workspace.memory?.tokensOf(file).ids;
      return [...(ids ?? [])].map((id) => workspace.memory?.vocabulary.textOf(id)).join(' ');
    };
    expect(begins()).toMatch(/^export function first .* 名前 \( \) ;$/);
    expect([...(workspace.knowledge?.stats.leftOut ?? [])]).toEqual([]);
    const { passages } = await workspace.engine.answer({ instruction: 'first', maxTokens: 100 }, never);
    expect(passages[0]?.text).toMatch(/^export function first/);
    put('second');
    await workspace.learn(never);
    expect(begins()).toMatch(/^export function second .* 名前 \( \) ;$/);
  });

  it('stops when told to, and keeps nothing half', async () => {
    write(Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`f${at}.ts`, code(`f${at}`)])));
    const workspace = opened();
    const stop = new AbortController();
    const learning = workspace.learn(stop.signal, ({ stage }) => {
      if (stage === 'reading') stop.abort(new Error('enough'));
    });
    expect(workspace.engine.state).toBe('learning');
    await expect(learning).rejects.toThrow('enough');
    expect(workspace.engine.state).toBe('empty');
    expect(existsSync(join(root, '.git', 'mochi.bin'))).toBe(false);
  });

  it('still answers where the index cannot be kept, and says why', async () => {
    write({ 'a.ts': code('first'), blocked: 'a file' });
    const workspace = new LearnedWorkspace({ root, store: join(root, 'blocked', 'mochi.bin') });
    const outcome = await workspace.learn(never);
    expect(outcome).toMatchObject({ how: 'everything', notKept: expect.stringContaining('EEXIST') });
    expect(workspace.engine.state).toBe('ready');
  });
});
