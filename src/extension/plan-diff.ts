/** Shows what plans would do in VS Code's own diff editor, from documents that cannot be edited. */
import * as vscode from 'vscode';
import type { PlanStep } from '#core/model.ts';
import { messages } from './messages.ts';
import type { VirtualDocuments } from './virtual-documents.ts';
import type { PlannedSkill } from './workspace-model.ts';

export function needsChange({ plan }: PlannedSkill): boolean {
  return plan.steps.some((step) => step.kind !== 'keep');
}

/** One file in a diff editor, several in one editor with all of them. */
export async function showPlans(planned: readonly PlannedSkill[], documents: VirtualDocuments): Promise<void> {
  const changes = planned.flatMap((one) =>
    one.plan.steps.flatMap((step) => {
      const sides = sidesOf(step);
      if (sides === undefined) return [];
      const path = `${one.target}/${one.skill.name}/${step.path}`;
      const put = (text: string | undefined) => (text === undefined ? undefined : documents.put(path, text));
      return [{ path, left: put(sides.before), right: put(sides.after) }];
    }),
  );
  // SKILL.md is what a person wants to see first.
  changes.sort((a, b) => Number(b.path.endsWith('/SKILL.md')) - Number(a.path.endsWith('/SKILL.md')));
  const [first] = changes;
  if (first === undefined) return;
  if (changes.length === 1) {
    const [left, right] = [first.left ?? documents.put(first.path, ''), first.right ?? documents.put(first.path, '')];
    await vscode.commands.executeCommand('vscode.diff', left, right, `${first.path} (Mochi)`);
    return;
  }
  const resources = changes.map(({ left, right }) => [right ?? left, left, right]);
  await vscode.commands.executeCommand('vscode.changes', messages.planTitle(), resources);
}

interface Sides {
  /** Undefined where there is no such file before. */
  readonly before?: string;
  readonly after?: string;
}

function sidesOf(step: PlanStep): Sides | undefined {
  switch (step.kind) {
    case 'keep':
      return undefined;
    case 'create':
      return { after: step.text };
    case 'delete':
      return { before: step.before };
    case 'update':
    case 'conflict':
      return { before: step.before, after: step.text };
    default:
      return step satisfies never;
  }
}
