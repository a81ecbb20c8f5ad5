/** The law of the rooms: which file may import what. An allow-list, so whatever is not named here is refused. */
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Import {
  /** Relative imports as `#path/from/the/repository`, others as written. */
  readonly target: string;
  readonly isType: boolean;
}

type Allowed = (found: Import, file: string) => boolean;

const only =
  (...patterns: readonly RegExp[]): Allowed =>
  ({ target }) =>
    patterns.some((pattern) => pattern.test(target));
const sdk = /^@modelcontextprotocol\/(client|sdk)(\/|$)/;
const sdkServer = /^@modelcontextprotocol\/(server|sdk\/server|sdk\/types)(\/|\.|$)/;
const nodeModules = /^node:/;
const core = /^#src\/core\//;
const adapters = /^#src\/node\//;
/** What only the server checks needs all of zod. */
const protocol = /^#src\/protocol\/(?!mochi-inputs\.ts$)/;
const inputs = /^#src\/protocol\/mochi-inputs\.ts$/;

/** Room to what it may import besides its own files. */
const law: ReadonlyMap<string, Allowed> = new Map([
  ['src/core', only(/^(yaml|jsonc-parser|smol-toml)$/)],
  [
    'src/protocol',
    ({ target, isType }, file) =>
      (isType && target === '#src/core/model.ts') ||
      // Clients load the answers, and all of zod is too much for them.
      (target === 'zod/mini' && file === 'src/protocol/mochi.ts') ||
      (target === 'zod' && file === 'src/protocol/mochi-inputs.ts'),
  ],
  [
    'src/node',
    (found, file) =>
      only(core, protocol, nodeModules, /^gpt-tokenizer(\/|$)/, /^@secretlint\//)(found, file) ||
      (sdk.test(found.target) && /^src\/node\/(connect-[a-z]+|mcp-client)\.ts$/.test(file)) ||
      (found.target === 'zod/mini' && file === 'src/node/mochi-client.ts'),
  ],
  [
    'src/mochi',
    (found, file) =>
      only(
        core,
        protocol,
        inputs,
        /^#src\/node\/(files|learned-place|model-place|person-folders|acceptance-counts|serve-reach|stdin-messages)\.ts$/,
        nodeModules,
        sdkServer,
        /^(zod|ignore|eventsource-parser)$/,
        /^#package\.json$/,
      )(found, file) ||
      // The engine for models is no part of the package and is found by its place, in one file.
      (found.target === '' && file === 'src/mochi/engine/llama/backend.ts') ||
      // The way out to another server stands in one file.
      (found.target === '#src/node/mcp-client.ts' && file === 'src/mochi/context/kiri.ts'),
  ],
  ['src/gateway', only(core, adapters, protocol, sdkServer)],
  ['src/extension', only(core, adapters, protocol, /^vscode$/, /^#l10n\/(?:problems|fetch)\.[a-z-]+\.json$/)],
  [
    'src/cli',
    only(
      core,
      adapters,
      protocol,
      /^#src\/gateway\//,
      nodeModules,
      /^#package\.json$/,
      /^#l10n\/(?:cli|fetch|problems|server|usage)\.[a-z-]+\.json$/,
      /^string-width$/,
    ),
  ],
  ['src/scripts', only(nodeModules, sdk, /^yaml$/)],
  [
    'webview',
    ({ target, isType }, file) =>
      (isType && target === '#src/protocol/preview.ts') ||
      (target === '@vscode/webview-ui-toolkit' && file === 'webview/components.ts'),
  ],
]);

/** Static and dynamic imports and re-exports; `target` is empty where it is computed. */
function importsOf(file: string, text: string): Import[] {
  const code = text.replace(/^\s*(\/\/|\*|\/\*\*?).*$/gm, '');
  const fixed = /^[ \t]*(import|export)\s+(type\b)?(?:[^'"`;()]*?\bfrom\s*)?(['"])([^'"]+)\3/gm;
  const computed = /(?<![\w.#])(?:import|require)\s*\(\s*(?:(['"])([^'"]+)\1)?/g;
  return [
    ...[...code.matchAll(fixed)].map((match) => ({ target: match[4] ?? '', isType: match[2] !== undefined })),
    ...[...code.matchAll(computed)].map((match) => ({ target: match[2] ?? '', isType: false })),
  ].map(({ target, isType }) => ({ target: resolve(file, target), isType }));
}

function resolve(file: string, target: string): string {
  if (target.startsWith('.')) return `#${posix.join(posix.dirname(file), target)}`;
  return target.replace(/^#(?=[a-z])/, '#src/');
}

const roomOf = (path: string): string | undefined => [...law.keys()].find((room) => path.startsWith(`${room}/`));

function violations(file: string, text: string): string[] {
  const room = roomOf(file);
  if (room === undefined) return [`${file} is in no room`];
  const isLawful = (found: Import) => roomOf(found.target.slice(1)) === room || law.get(room)?.(found, file) === true;
  return importsOf(file, text)
    .filter((found) => !isLawful(found))
    .map((found) => `${file} imports ${found.target || 'something computed'}`);
}

const files = globSync('{src,webview}/**/*.{ts,tsx,mts,cts,js,mjs,cjs}').map((file) => file.replaceAll('\\', '/'));

describe('the rooms', () => {
  it('are all seen: every script file of the product, and more than one import of each kind', () => {
    const everything = ['src', 'webview'].flatMap((folder) => globSync(`${folder}/**`, { withFileTypes: true }));
    const scripts = everything.filter((entry) => entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name));
    expect(files.length).toBe(scripts.length);
    expect(files.length).toBeGreaterThan(10);
    const all = files.flatMap((file) => importsOf(file, readFileSync(file, 'utf8')));
    expect(all.length).toBeGreaterThan(files.length);
    expect(all.some(({ isType }) => isType)).toBe(true);
  });

  it('import only what they may', () => {
    expect(files.flatMap((file) => violations(file, readFileSync(file, 'utf8')))).toEqual([]);
  });

  it.each([
    ['src/core/a.ts', "import { readFile } from 'node:fs';"],
    ['src/core/a.ts', "import type { Uri } from 'vscode';"],
    ['src/core/a.ts', "export { x } from '../node/files.ts';"],
    ['src/core/a.ts', "export * from '#node/files.ts';"],
    ['src/core/a.ts', "import {\n  a,\n  b,\n} from '@modelcontextprotocol/client';"],
    ['src/core/a.ts', "const os = await import('node:os');"],
    ['src/core/a.ts', 'const it = await import(name);'],
    ['src/protocol/preview.ts', "import { modes } from '#core/model.ts';"],
    ['src/protocol/preview.ts', "import { z } from 'zod';"],
    ['src/protocol/mochi.ts', "import * as z from 'zod';"],
    ['src/node/mochi-client.ts', "import * as z from 'zod';"],
    ['src/node/mochi-client.ts', "import '#protocol/mochi-inputs.ts';"],
    ['src/extension/companion.ts', "import { skillInput } from '#protocol/mochi-inputs.ts';"],
    ['src/node/files.ts', "import * as vscode from 'vscode';"],
    ['src/node/files.ts', "import { Client } from '@modelcontextprotocol/client';"],
    ['src/node/files.ts', "import '../mochi/main.ts';"],
    ['src/mochi/main.ts', "import { listTools } from '#node/mcp-client.ts';"],
    ['src/mochi/main.ts', 'const it = await import(name);'],
    ['src/cli/main.ts', "import { serve } from '../mochi/server.ts';"],
    ['src/extension/extension.ts', "import { run } from '../cli/main.ts';"],
    ['src/scripts/mcp_async_call.ts', "import { parse } from '#core/config/document.ts';"],
    ['webview/view.ts', "import { isMessage } from '#protocol/preview.ts';"],
    ['webview/view.ts', "import { provide } from '@vscode/webview-ui-toolkit';"],
    ['src/other/a.ts', ''],
  ])('refuse, in %s, %j', (file, text) => {
    expect(violations(file, text)).toHaveLength(1);
  });

  it.each([
    ['src/core/a.ts', "import { parse } from 'yaml';\nimport type { Tool } from './model.ts';"],
    ['src/core/a.ts', "// import { a } from 'vscode'\n/** It may import('node:fs') never. */"],
    ['src/protocol/mochi.ts', "import * as z from 'zod/mini';\nimport type { Tool } from '#core/model.ts';"],
    ['src/protocol/mochi-inputs.ts', "import * as z from 'zod';\nimport { LIMITS } from './mochi.ts';"],
    ['src/mochi/tools/skill.ts', "import { skillInput } from '#protocol/mochi-inputs.ts';"],
    ['src/mochi/context/kiri.ts', "import { createMcpClient } from '#node/mcp-client.ts';"],
    ['src/node/mcp-client.ts', "import { Client } from '@modelcontextprotocol/client';"],
    ['src/extension/composition.ts', "import * as vscode from 'vscode';\nimport { a } from '#core/model.ts';"],
    ['webview/view.ts', "import type { ToWebview } from '#protocol/preview.ts';"],
  ])('accept, in %s, %j', (file, text) => {
    expect(violations(file, text)).toEqual([]);
  });
});
