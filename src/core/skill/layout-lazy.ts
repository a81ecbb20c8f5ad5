/**
 * The lazy form: SKILL.md holds names and first sentences only; one file a tool and one for all hold everything
 * (spec: lazy-mode.md). SKILL.md sends the reader to the tool's own file first: reading all tools to call one costs
 * more than never having made a skill.
 */
import type { SkillFile, Tool } from '../model.ts';
import { exampleArguments } from './example.ts';
import { groupsOf } from './groups.ts';
import type { Layout, LayoutRequest } from './layout.ts';
import { toolEntry, toolKey, yamlMapping } from './reference-yaml.ts';
import { firstSentence, inline, shellQuoted, shellWord } from './skill-md.ts';

/** Longest summary of a tool in the quick reference, in characters; shorter ones follow where there are many tools. */
const SUMMARY_LIMITS = [34, 26] as const;
/** SKILL.md stays below the recommended 5,000 tokens; {@link roughTokens} never counts too few. */
const BODY_TOKENS = 4_400;

/** An upper bound of tokens for budget decisions inside core, where no tokenizer may run. Never shown to anyone. */
export function roughTokens(text: string): number {
  let ascii = 0;
  let other = 0;
  for (const char of text) {
    if (char < '\u0080') ascii++;
    else other++;
  }
  return Math.ceil(ascii / 3.4 + other);
}

/** The tool's name, with its file where that is not called the same. */
function entryName(tool: Tool, file: string): string {
  return file === tool.name ? inline(tool.name) : `${inline(tool.name)} (${file}.yaml)`;
}

function quickReference(tools: readonly Tool[]): string {
  const files = toolFileNames(tools);
  const entries = new Map(tools.map((tool, index) => [tool, entryName(tool, files[index] ?? '')]));
  const nameOf = (tool: Tool): string => entries.get(tool) ?? inline(tool.name);
  for (const limit of SUMMARY_LIMITS) {
    const lines = tools.map((tool) => {
      const summary = inline(firstSentence(tool.description, limit));
      return summary === '' ? `- ${nameOf(tool)}` : `- ${nameOf(tool)}: ${summary}`;
    });
    const text = lines.join('\n');
    if (roughTokens(text) <= BODY_TOKENS) return text;
  }
  return groupsOf(tools)
    .map((group) => `- ${inline(group.stem)}: ${group.tools.map(nameOf).join(', ')}`)
    .join('\n');
}

/** Device names of Windows, which no file may bear. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** A file name for each tool, unique also where case is ignored. */
export function toolFileNames(tools: readonly Tool[]): readonly string[] {
  const used = new Set<string>();
  return tools.map((tool) => {
    const direct = /^[\w.-]{1,100}$/.test(tool.name) && !DEVICE.test(tool.name) && !/^\.|\.$/.test(tool.name);
    const slug = tool.name
      .replace(/[^\w-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 100);
    const wanted = direct ? tool.name : `tool-${slug}`.replace(/-$/, '');
    let name = wanted;
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${wanted}-${count}`;
    used.add(name.toLowerCase());
    return name;
  });
}

/** A literal block, as lazy-mode.md has it; a quoted string where a tool's name holds what would end the block. */
function bashLines(lines: readonly string[]): readonly string[] {
  const isPlain = lines.every((line) => /^[^\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufeff]*$/u.test(line));
  return isPlain
    ? ['  bash: |', ...lines.map((line) => `    ${line}`)]
    : [`  bash: ${JSON.stringify(lines.join('\n'))}`];
}

/** A name that looks like an option is given as the value of one. */
function toolWord(name: string): string {
  return name.startsWith('-') ? `--tool=${shellWord(name)}` : shellWord(name);
}

/** The command that calls one tool with example arguments. */
function callCommand(request: LayoutRequest, script: string, tool: Tool): string {
  const args = exampleArguments(tool);
  const option = tool.name.startsWith('-') ? '--args ' : '';
  return `${request.interpreter} ${script} ${toolWord(tool.name)}${args === '{}' ? '' : ` ${option}${shellQuoted(args)}`}`;
}

/** The command that runs a whole job: the wrapper knows its three tools. */
function jobCommand(request: LayoutRequest, submit: Tool): string {
  return `${request.interpreter} ${request.wrapperScript} --args ${shellQuoted(exampleArguments(submit))}`;
}

/** The `_usage` section of the file that holds all tools (lazy-mode.md), with the job's three tools where there is one. */
function usage(request: LayoutRequest): string {
  const { job, tools } = request;
  const first = tools[0];
  if (first === undefined) return '';
  const submit = tools.find((tool) => tool.name === job?.submit) ?? first;
  const bash =
    job === undefined
      ? [callCommand(request, request.callScript, first)]
      : [
          `${request.interpreter} ${request.callScript} \\`,
          `  --submit-tool ${shellWord(job.submit)} \\`,
          `  --status-tool ${shellWord(job.status)} \\`,
          `  --result-tool ${shellWord(job.result)} \\`,
          `  --args ${shellQuoted(exampleArguments(submit))} \\`,
          '  --output ./output',
        ];
  const wrapper = job === undefined ? callCommand(request, request.wrapperScript, first) : jobCommand(request, submit);
  return [
    '_usage:',
    "  description: How to execute this MCP server's tools",
    ...bashLines(bash),
    `  ${yamlMapping([['wrapper', wrapper]])}`,
  ].join('\n');
}

function references(request: LayoutRequest): readonly SkillFile[] {
  const { name, tools } = request;
  const names = toolFileNames(tools);
  const all: SkillFile = {
    path: `references/tools/${name}.yaml`,
    text: usage(request) + tools.map((tool) => `\n${yamlMapping([[toolKey(tool.name), toolEntry(tool)]])}`).join(''),
    executable: false,
  };
  const each = tools.map(
    (tool, index): SkillFile => ({
      path: `references/tools/${name}/${names[index] ?? ''}.yaml`,
      text: yamlMapping([
        [
          '_usage',
          tool.name === request.job?.submit
            ? jobCommand(request, tool)
            : callCommand(request, request.wrapperScript, tool),
        ],
        [toolKey(tool.name), toolEntry(withoutDialect(tool))],
      ]),
      executable: false,
    }),
  );
  return [all, ...each];
}

/**
 * The dialect's address says nothing about a call and would cost 15 tokens in every file that is read before one; it
 * stands in the file that holds all tools.
 */
function withoutDialect(tool: Tool): Tool {
  const entries = Object.entries(tool.inputSchema).filter(([keyword]) => keyword !== '$schema');
  return { ...tool, inputSchema: Object.fromEntries(entries) };
}

export const layoutLazy: Layout = (request) => {
  const file = `references/tools/${request.name}/<tool>.yaml`;
  const body = [
    `> **Note:** Parameters are NOT listed. Before any call you MUST read \`${file}\`.`,
    '',
    quickReference(request.tools),
    '',
    '1. Read that file.',
    '2. Check `required`.',
    '3. Run `_usage` in this folder.',
  ];
  return { body: body.join('\n'), files: references(request) };
};
