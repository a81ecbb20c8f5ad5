/** Groups tools by the thing their names speak of, for quick references of servers with hundreds of tools. */
import type { Tool } from '../model.ts';
import { nounOf } from './words.ts';

export interface ToolGroup {
  /** The common noun; `other` for tools that share theirs with none. */
  readonly stem: string;
  readonly tools: readonly Tool[];
}

/** Groups in order of first appearance, `other` last, tools in the server's order. */
export function groupsOf(tools: readonly Tool[]): readonly ToolGroup[] {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const stem = nounOf(tool.name).split(' ')[0] ?? '';
    groups.set(stem, [...(groups.get(stem) ?? []), tool]);
  }
  const shared = [...groups].filter(([stem, members]) => stem !== '' && members.length > 1);
  const lone = tools.filter((tool) => !shared.some(([, members]) => members.includes(tool)));
  return [
    ...shared.map(([stem, members]) => ({ stem, tools: members })),
    ...(lone.length > 0 ? [{ stem: 'other', tools: lone }] : []),
  ];
}
