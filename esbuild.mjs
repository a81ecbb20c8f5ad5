/** One entry per program. `node esbuild.mjs [--watch]`. */
import { existsSync, rmSync } from 'node:fs';
import esbuild from 'esbuild';

const watch = process.argv.includes('--watch');

/** CommonJS dependencies inside an ES module bundle still call `require`. */
const requireBanner = {
  js: "import { createRequire as mochiCreateRequire } from 'node:module'; const require = mochiCreateRequire(import.meta.url);",
};
const node = { bundle: true, platform: 'node', target: 'node20', legalComments: 'none', logLevel: 'warning' };

const programs = [
  { ...node, entryPoints: ['src/cli/main.ts'], outfile: 'dist/cli.mjs', format: 'esm', banner: requireBanner },
  { ...node, entryPoints: ['src/extension/extension.ts'], outfile: 'dist/extension.cjs', format: 'cjs', external: ['vscode'] },
].filter((program) => existsSync(program.entryPoints[0]));

rmSync('dist', { recursive: true, force: true });
if (watch) {
  for (const program of programs) await (await esbuild.context(program)).watch();
} else {
  await Promise.all(programs.map((program) => esbuild.build({ ...program, minify: true })));
}
