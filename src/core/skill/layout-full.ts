/**
 * The full form, of the normal and the compact mode: SKILL.md holds every tool with its parameters, and
 * `references/tools.json` the list itself (spec: lazy-mode.md, schema-passthrough.md).
 */
import { type ParameterRow, parameterRows } from '../catalog/schema.ts';
import type { Tool } from '../model.ts';
import type { Layout } from './layout.ts';
import { code, inline, paragraph } from './skill-md.ts';

function line(row: ParameterRow): string {
  const name = row.named ? code(row.name) : inline(row.name);
  const text = inline(row.description);
  const extras = row.extras.length === 0 ? '' : ` [${inline(row.extras.join(', '))}]`;
  const tail = `${text}${extras}`.trim();
  return `${'  '.repeat(row.depth + 1)}- ${name}${row.required ? '*' : ''} (${inline(row.type)})${tail === '' ? '' : `: ${tail}`}`;
}

function section(tool: Tool): string {
  const rows = parameterRows(tool.inputSchema);
  const description = paragraph(tool.description);
  return [
    `### ${inline(tool.name)}`,
    ...(description === '' ? [] : [description]),
    ...(rows.length === 0 ? [] : ['', '**Parameters:**', ...rows.map(line)]),
  ].join('\n');
}

/** The list as JSON, a tool a line: no longer than minified in tokens, and easy to search by line. */
function toolsJson(tools: readonly Tool[]): string {
  return tools.length === 0 ? '[]\n' : `[\n${tools.map((tool) => JSON.stringify(tool)).join(',\n')}\n]\n`;
}

export const layoutFull: Layout = ({ tools }) => ({
  body: [
    '`*` marks a required parameter.',
    '',
    '## Available Tools',
    ...tools.map((tool) => `\n${section(tool)}`),
  ].join('\n'),
  files: [{ path: 'references/tools.json', text: toolsJson(tools), executable: false }],
});
