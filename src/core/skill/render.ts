/**
 * A catalog becomes a skill: `mode → (catalog transform, layout)`, as rows of a table. Pure: the same request gives
 * the same bytes. Writing is somebody else's work (`plan.ts`).
 */
import { compactTool } from '../catalog/compact.ts';
import type { Catalog, CompactRules, JsonObject, Mode, Runtime, Skill, SkillFile, Tool } from '../model.ts';
import type { Problem } from '../problem.ts';
import { exampleArguments, exampleFitness } from './example.ts';
import { findJob, type JobRoles } from './jobs.ts';
import type { Layout } from './layout.ts';
import { layoutFull } from './layout-full.ts';
import { layoutLazy } from './layout-lazy.ts';
import { catalogHash, createLock, type Digest, type LockOrigin, lockFile } from './lock.ts';
import { skillDescription } from './name.ts';
import { frontmatterText, shellQuoted } from './skill-md.ts';

export interface RenderRequest {
  /** Cleaned, pruned, and without the tools a person left out. */
  readonly catalog: Catalog;
  readonly mode: Mode;
  readonly compactRules: CompactRules;
  /** The skill's name; valid, see `name.ts`. */
  readonly name: string;
  readonly runtime: Runtime;
  /** The text of the call script for that runtime. */
  readonly callScript: string;
  /** `references/mcp.json` as an object: the lifted definition, no secret in it. */
  readonly config: JsonObject;
  /** Grants the agent our own script, and nothing else, in `allowed-tools`. */
  readonly allowScript: boolean;
  /** Who renders, with its version: `mochi-skills 0.1.0`. */
  readonly generator: string;
  /** Tools of the server that a person left out, by name. */
  readonly excluded: readonly string[];
  /** Hash of the server's whole definition, for the lock. */
  readonly definition: string;
  readonly digest: Digest;
}

interface ModeRow {
  readonly transform: (tool: Tool, rules: CompactRules) => Tool;
  readonly layout: Layout;
}

/** A fourth mode is one row here and one golden folder. */
const MODE_ROWS: Record<Mode, ModeRow> = {
  normal: { transform: (tool) => tool, layout: layoutFull },
  lazy: { transform: (tool) => tool, layout: layoutLazy },
  compact: { transform: compactTool, layout: layoutFull },
};

interface RuntimeRow {
  readonly interpreter: string;
  readonly callScript: string;
  readonly extension: string;
  /** The thin wrapper's text; `defaults` are passed before its own arguments. */
  readonly wrapper: (defaults: readonly string[]) => string;
}

/** String literals that Python and JavaScript read alike. */
const literals = (texts: readonly string[]): string => texts.map((text) => JSON.stringify(text)).join(', ');

const RUNTIME_ROWS: Record<Runtime, RuntimeRow> = {
  python: {
    interpreter: 'python3',
    callScript: 'scripts/mcp_async_call.py',
    extension: 'py',
    wrapper: (defaults) =>
      [
        '#!/usr/bin/env python3',
        '"""Calls the tools of this skill\'s MCP server; takes the options of mcp_async_call.py."""',
        'import os',
        'import sys',
        '',
        // Compiled files would lie in the skill's folder, and in everybody's repository.
        'sys.dont_write_bytecode = True',
        'sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))',
        'from mcp_async_call import main',
        '',
        `sys.exit(main(${defaults.length === 0 ? '' : `[${literals(defaults)}] + `}sys.argv[1:]))`,
        '',
      ].join('\n'),
  },
  node: {
    interpreter: 'node',
    callScript: 'scripts/mcp_async_call.mjs',
    extension: 'mjs',
    wrapper: (defaults) =>
      [
        '#!/usr/bin/env node',
        "// Calls the tools of this skill's MCP server; takes the options of mcp_async_call.mjs.",
        "import { main } from './mcp_async_call.mjs';",
        '',
        `await main(${defaults.length === 0 ? 'process.argv.slice(2)' : `[${literals(defaults)}, ...process.argv.slice(2)]`});`,
        '',
      ].join('\n'),
  },
};

/** The job's three tools as options that the wrapper passes before its own arguments. */
function jobDefaults(job: JobRoles | undefined): readonly string[] {
  return job === undefined
    ? []
    : ['--submit-tool', job.submit, '--status-tool', job.status, '--result-tool', job.result];
}

/** An example that SKILL.md may show: plain characters only, so that no server text reaches the body unescaped. */
const PLAIN_EXAMPLE = /^[\w{}[\]":,./-]{2,80}$/;

/** The command near the top: a real tool where its name and example are plain, else one to fill in. */
function head(
  request: RenderRequest,
  tools: readonly Tool[],
  row: RuntimeRow,
  wrapper: string,
  job: JobRoles | undefined,
): string {
  const plain = tools.filter((tool) => /^[\w.-]+$/.test(tool.name) && PLAIN_EXAMPLE.test(exampleArguments(tool)));
  // The command is run as printed by many a reader, so that it had better only look.
  const fit = plain.map((tool) => ({ tool, fitness: exampleFitness(tool) }));
  const best = Math.max(0, ...fit.map(({ fitness }) => fitness));
  const shown = fit.find(({ fitness }) => fitness === best)?.tool;
  const isSafe = shown !== undefined;
  const args = isSafe ? exampleArguments(shown) : '{}';
  const call = `${row.interpreter} ${wrapper} ${isSafe ? shown.name : 'TOOL'} ${shellQuoted(args)}`;
  const submit = plain.find((tool) => tool.name === job?.submit);
  const run = `${row.interpreter} ${wrapper} --args ${shellQuoted(submit === undefined ? '{}' : exampleArguments(submit))}`;
  const commands = submit === undefined ? [call] : [`${run} # submits, waits, fetches the result`, call];
  return [`# ${request.name}`, '', '```sh', ...commands, '```'].join('\n');
}

function byPath(a: SkillFile, b: SkillFile): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/**
 * Version and catalog hash for the frontmatter. Nine decimal digits cost three tokens, sixteen hexadecimal ones up to
 * fourteen; the lock holds the hash in full.
 */
function stamp({ generator, catalog, digest }: RenderRequest): string {
  const short = Number.parseInt(catalogHash(catalog.tools, digest).slice(0, 12), 16) % 1_000_000_000;
  return `${generator.split(' ').at(-1) ?? ''} ${String(short).padStart(9, '0')}`;
}

/** Renders one skill. Its problems name what a reader of the skill should know. */
export function renderSkill(request: RenderRequest): Skill {
  const mode = MODE_ROWS[request.mode];
  const row = RUNTIME_ROWS[request.runtime];
  const tools = request.catalog.tools.map((tool) => mode.transform(tool, request.compactRules));
  const job = findJob(request.catalog.tools);
  const wrapperScript = `scripts/${request.name.replaceAll('-', '_')}.${row.extension}`;
  const layout = mode.layout({
    name: request.name,
    tools,
    ...(job === undefined ? {} : { job }),
    interpreter: row.interpreter,
    callScript: row.callScript,
    wrapperScript,
  });
  const description = skillDescription(request.catalog);
  const frontmatter = frontmatterText({
    name: request.name,
    description,
    ...(request.allowScript ? { allowedTools: `Bash(${row.interpreter} ${wrapperScript} *)` } : {}),
    metadata: { mochi: stamp(request) },
  });
  const skillMd = `${frontmatter}\n${head(request, tools, row, wrapperScript, job)}\n\n${layout.body}\n`;
  const files: SkillFile[] = [
    { path: 'SKILL.md', text: skillMd, executable: false },
    { path: 'references/mcp.json', text: `${JSON.stringify(request.config, null, 2)}\n`, executable: false },
    { path: row.callScript, text: request.callScript, executable: true },
    { path: wrapperScript, text: row.wrapper(jobDefaults(job)), executable: true },
    ...layout.files,
  ];
  files.push(lockFile(createLock(originOf(request), request.catalog, files, request.digest)));
  return {
    name: request.name,
    mode: request.mode,
    description,
    server: request.catalog.server,
    files: files.sort(byPath),
    problems: sizeProblems(skillMd, request),
  };
}

function originOf(request: RenderRequest): LockOrigin {
  const { generator, mode, compactRules, runtime, definition, excluded } = request;
  return { generator, mode, ...(mode === 'compact' ? { compactRules } : {}), runtime, definition, excluded };
}

/** The specification's advice on bodies; clients put back only the first 5,000 tokens after a compaction. */
const MAX_LINES = 500;

function sizeProblems(skillMd: string, request: RenderRequest): readonly Problem[] {
  const lines = skillMd.split('\n').length;
  if (lines <= MAX_LINES) return [];
  return [
    {
      kind: 'skill-large',
      severity: 'warning',
      message: `SKILL.md of ${request.name} has ${lines} lines; Agent Skills recommend fewer than ${MAX_LINES}.`,
      remedy: 'Use the lazy mode, or leave tools out.',
      server: request.catalog.server,
    },
  ];
}
