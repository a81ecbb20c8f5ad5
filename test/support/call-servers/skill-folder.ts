/**
 * Makes a small project with one skill in it for the call scripts to run in: configuration, reference files in
 * any of the forms, and the script itself. Not the real generator; that is tested with the scripts elsewhere.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Tool } from '#core/model.ts';
import { toolEntry, toolKey, yamlMapping } from '../../../src/core/skill/reference-yaml.ts';

/** `bare` has no reference files at all. */
export type ReferenceForm = 'lazy' | 'json' | 'bare';

export interface SkillFolder {
  /** The project; calls are made from here. */
  readonly root: string;
  readonly skill: string;
  /** The copy of the call script inside the skill. */
  readonly script: string;
  dispose(): void;
}

export interface SkillFolderOptions {
  /** The script to copy in. */
  readonly script: string;
  readonly config: object;
  readonly tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[];
  readonly form: ReferenceForm;
}

function writeLazy(references: string, tools: SkillFolderOptions['tools']): void {
  const folder = join(references, 'tools', 'scripted');
  mkdirSync(folder, { recursive: true });
  const usage: readonly [string, { readonly description: string; readonly bash: string }] = [
    '_usage',
    { description: 'How to call', bash: 'python scripts/mcp_async_call.py --tool NAME' },
  ];
  const entries = tools.map((tool) => [toolKey(tool.name), toolEntry(tool)] as const);
  writeFileSync(join(references, 'tools', 'scripted.yaml'), yamlMapping([usage, ...entries]));
  for (const [index, entry] of entries.entries()) {
    const name = tools[index]?.name ?? '';
    const file = /^[A-Za-z0-9_.-]{1,100}$/.test(name) ? name : `tool-${index}`;
    writeFileSync(join(folder, `${file}.yaml`), yamlMapping([['_usage', 'Call it with --tool'], entry]));
  }
}

/** Writes the project into a temporary folder of its own. */
export function makeSkillFolder(options: SkillFolderOptions): SkillFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-call-')));
  const skill = join(root, '.claude', 'skills', 'scripted');
  const references = join(skill, 'references');
  const script = join(skill, 'scripts', options.script.split(/[\\/]/).at(-1) ?? 'script');
  mkdirSync(references, { recursive: true });
  mkdirSync(dirname(script), { recursive: true });
  cpSync(options.script, script);
  writeFileSync(join(references, 'mcp.json'), JSON.stringify(options.config, null, 2));
  if (options.form === 'lazy') writeLazy(references, options.tools);
  if (options.form === 'json') writeFileSync(join(references, 'tools.json'), JSON.stringify(options.tools));
  return { root, skill, script, dispose: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
}
