/**
 * The tool that loads a skill, for agents in VS Code: the same element as Mochi's own tool gives, from the skills of
 * this window. It reads files and changes nothing; in Restricted Mode it reads nothing.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { messages } from './messages.ts';
import { skillsMessages } from './skills-messages.ts';
import type { SkillsShelf } from './skills-shelf.ts';

/** As the manifest names it. */
const SKILL_LM_TOOL = 'mochi_skill';

export function registerSkillTool(shelf: () => Promise<Pick<SkillsShelf, 'loadSkill'>>): Disposable {
  return vscode.lm.registerTool<{ readonly skill?: unknown }>(SKILL_LM_TOOL, {
    async invoke({ input }, token) {
      if (!vscode.workspace.isTrusted) throw new Error(messages.notTrusted());
      const asked = nameIn(input);
      const found = await (await shelf()).loadSkill(asked);
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      // Errors of tools are read by models, in English as all of a tool is.
      if ('listing' in found) throw new Error(unknownSkill(asked, found.listing));
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(found.text)]);
    },
    prepareInvocation: ({ input }) => ({ invocationMessage: skillsMessages.loading(nameIn(input)) }),
  });
}

function nameIn(input: { readonly skill?: unknown } | undefined): string {
  const { skill } = input ?? {};
  return typeof skill === 'string' ? skill.slice(0, 200) : '';
}

function unknownSkill(asked: string, listing: string): string {
  if (listing === '') return 'There are no skills here.';
  const shown = JSON.stringify(asked.slice(0, 64)).replace(/[<>\p{Cf}]/gu, '');
  return `There is no skill ${shown}. The skills are:\n${listing}`;
}
