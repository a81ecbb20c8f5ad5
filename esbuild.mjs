/** One entry per program. `node esbuild.mjs [--watch]`. A finished build replaces the last one; a failed one does not. */
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
 * The extension in two parts, so that VS Code loads little when it activates it: the heavy one is required by the other
 * when it is first needed. The errors that cross from one to the other must be of one class, so their file is shared.
 */
const parts = {
  name: 'parts',
  setup(build) {
    const apart = (filter, path) =>
      build.onResolve({ filter }, ({ kind }) => (kind === 'entry-point' ? undefined : { path, external: true }));
    apart(/\/workshop\.ts$/, './workshop.cjs');
    apart(/\/problem\.ts$/, './problem.cjs');
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
  { ...program, entryPoints: ['src/mochi/main.ts'], outfile: 'dist/mochi.mjs' },
  {
    ...program,
    entryPoints: ['src/scripts/mcp_async_call.ts'],
    outfile: 'dist/scripts/mcp_async_call.mjs',
    alias: { '@modelcontextprotocol/client/_shims': './src/scripts/node/sdk-shims.ts' },
  },
  { ...extension, entryPoints: ['src/extension/extension.ts'], outfile: 'dist/extension.cjs' },
  { ...extension, entryPoints: ['src/extension/workshop.ts'], outfile: 'dist/workshop.cjs' },
  { ...extension, entryPoints: ['src/core/problem.ts'], outfile: 'dist/problem.cjs' },
  // VS Code 1.101 brings Chromium 134.
  { ...page, entryPoints: ['webview/main.ts'], outfile: 'dist/webview.js', format: 'iife' },
  { ...page, entryPoints: ['webview/preview.css'], outfile: 'dist/webview.css' },
].filter(({ entryPoints }) => existsSync(entryPoints[0]));
const copies = [{ from: 'src/scripts/mcp_async_call.py', to: 'dist/scripts/mcp_async_call.py' }].filter(({ from }) =>
  existsSync(from),
);

if (watch) for (const options of programs) await (await esbuild.context(options)).watch();
else await Promise.all(programs.map((options) => esbuild.build(options)));

for (const { from, to } of copies) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
if (!watch) {
  const built = new Set([...programs.map(({ outfile }) => join(outfile)), ...copies.map(({ to }) => join(to))]);
  const files = globSync('dist/**', { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) {
    const file = join(entry.parentPath, entry.name);
    if (!built.has(file)) rmSync(file, { force: true });
  }
}
