/** One entry per program. `node esbuild.mjs [--watch]`. A finished build replaces the last one; a failed one does not. */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import esbuild from 'esbuild';

const watch = process.argv.includes('--watch');

/** CommonJS dependencies inside an ES module bundle still call `require`. */
const requireBanner = {
  js: "import { createRequire as mochiCreateRequire } from 'node:module'; const require = mochiCreateRequire(import.meta.url);",
};
const node = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  // The CommonJS builds of some packages load their own files in a way that no bundler can follow.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
  minify: !watch,
  sourcemap: watch && 'linked',
};
/**
 * The extension in parts, so that VS Code loads little when it activates it and little at a time later: what it imports
 * while it runs is a bundle of its own, required when it is first needed.
 */
const lazyParts = {
  composition: 'src/extension/composition.ts',
  'config-editing': 'src/extension/config-editing.ts',
  'skills-parts': 'src/extension/skills-parts.ts',
  'preview-panel': 'src/extension/preview-panel.ts',
  'mochi-parts': 'src/extension/mochi-parts.ts',
  'gateway-parts': 'src/extension/gateway-parts.ts',
  'inline-completions': 'src/extension/inline-completions.ts',
  'command-actions': 'src/extension/command-actions.ts',
  companion: 'src/extension/companion.ts',
  // The program of the thread that runs Mochi.
  'mochi-thread': 'src/node/mochi-thread-main.ts',
  workshop: 'src/extension/workshop.ts',
  'fetch-model': 'src/node/fetch-model.ts',
  'model-fetch': 'src/extension/model-fetch.ts',
  'add-server': 'src/core/config/add-server.ts',
};
/**
 * What several parts need and is in the package once: the errors that cross between parts, which must be of one class,
 * and the messages, of which one is taught. The rest is large enough to be loaded in a turn of its own.
 */
const sharedParts = {
  problem: 'src/core/problem.ts',
  messages: 'src/extension/messages.ts',
  'mochi-messages': 'src/extension/mochi-messages.ts',
  contributions: 'src/extension/contributions.ts',
  suggestions: 'src/core/completion/suggestions.ts',
  sight: 'src/core/completion/sight.ts',
  'mochi-ask': 'src/extension/mochi-ask.ts',
};
const parts = {
  name: 'parts',
  setup(build) {
    const named = (file) => new RegExp(`/${basename(file).replace('.', '\\.')}$`);
    for (const [name, file] of Object.entries(lazyParts))
      build.onResolve({ filter: named(file) }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: `./${name}.cjs`, external: true } : undefined,
      );
    for (const [name, file] of Object.entries(sharedParts))
      build.onResolve({ filter: named(file) }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${name}.cjs`, external: true },
      );
    // What is there from the start is taken as it is: as a module, a copy of its many names would be made for each file.
    build.onLoad({ filter: /\/src\/extension\/[^/]+\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /^import \* as vscode from 'vscode';$/m,
        "const vscode = require('vscode');",
      ),
      loader: 'ts',
    }));
  },
};
const extension = {
  ...node,
  format: 'cjs',
  external: ['vscode'],
  plugins: [parts],
  supported: { 'dynamic-import': false },
};
const page = { ...node, platform: 'browser', target: 'chrome134' };
const program = { ...node, format: 'esm', banner: requireBanner };

const programs = [
  { ...program, entryPoints: ['src/cli/main.ts'], outfile: 'dist/cli.mjs' },
  {
    ...program,
    entryPoints: {
      mochi: 'src/mochi/main.ts',
      // The threads of Mochi that learn.
      'mochi-learn': 'src/mochi/learn/thread-main.ts',
      'mochi-llama': 'src/mochi/engine/llama/child.ts',
      'mochi-gateway': 'src/cli/gateway-main.ts',
    },
    // What several of them need is in the package once.
    splitting: true,
    outdir: 'dist',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
  },
  {
    ...program,
    entryPoints: ['src/scripts/mcp_async_call.ts'],
    outfile: 'dist/scripts/mcp_async_call.mjs',
    alias: { '@modelcontextprotocol/client/_shims': './src/scripts/node/sdk-shims.ts' },
  },
  { ...extension, entryPoints: ['src/extension/extension.ts'], outfile: 'dist/extension.cjs' },
  ...Object.entries({ ...lazyParts, ...sharedParts }).map(([name, file]) => ({
    ...extension,
    entryPoints: [file],
    outfile: `dist/${name}.cjs`,
  })),
  // Older than the Chromium of any VS Code that is promised.
  { ...page, entryPoints: ['webview/main.ts'], outfile: 'dist/webview.js', format: 'iife' },
  { ...page, entryPoints: ['webview/preview.css'], outfile: 'dist/webview.css' },
];
const copies = [{ from: 'src/scripts/mcp_async_call.py', to: 'dist/scripts/mcp_async_call.py' }];

const built = copies.map(({ to }) => join(to));
if (watch) for (const options of programs) await (await esbuild.context(options)).watch();
else {
  const results = await Promise.all(programs.map((options) => esbuild.build({ ...options, write: false })));
  const files = results.flatMap((result) => result.outputFiles);
  const isShared = ({ path }) => basename(path).startsWith('chunk-');
  // A program comes after what it shares, so that it never looks for a part that is not there yet.
  for (const { path, contents } of [...files.filter(isShared), ...files.filter((file) => !isShared(file))]) {
    put(path, contents);
    built.push(relative('.', path));
  }
}
for (const { from, to } of copies) put(to, readFileSync(from), statSync(from).mode);

/** A program that is running may be read at any moment: a file is whole from the moment it has its name. */
function put(path, contents, mode = path.endsWith('cli.mjs') ? 0o755 : 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) return;
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, contents, { mode });
  renameSync(aside, path);
}
if (!watch) {
  const files = globSync('dist/**', { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) {
    const file = join(entry.parentPath, entry.name);
    // Another build may be writing its own file aside at this moment.
    if (!built.includes(file) && !/\.\d+$/.test(file)) rmSync(file, { force: true });
  }
}
