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
      return [{ path, left: documents.put(path, sides.before), right: documents.put(path, sides.after) }];
    }),
  );
  // SKILL.md is what a person wants to see first.
  changes.sort((a, b) => Number(b.path.endsWith('/SKILL.md')) - Number(a.path.endsWith('/SKILL.md')));
  const [first] = changes;
  if (first === undefined) return;
  if (changes.length === 1) {
    await vscode.commands.executeCommand('vscode.diff', first.left, first.right, `${first.path} (Mochi)`);
    return;
  }
  const resources = changes.map(({ left, right }) => [right, left, right]);
  await vscode.commands.executeCommand('vscode.changes', messages.planTitle(), resources);
}

function sidesOf(step: PlanStep): { readonly before: string; readonly after: string } | undefined {
  switch (step.kind) {
    case 'keep':
      return undefined;
    case 'create':
      return { before: '', after: step.text };
    case 'delete':
      return { before: step.before, after: '' };
    case 'update':
    case 'conflict':
      return { before: step.before, after: step.text };
    default:
      return step satisfies never;
  }
}
