/** Questions that more than one command asks. */
import * as vscode from 'vscode';
import { messages } from './messages.ts';

/** One of several values, the one from the settings first. */
export async function settingChoice<T extends string>(
  title: string,
  values: readonly T[],
  preferred: T,
  textOf: (value: T) => { readonly label: string; readonly description: string },
): Promise<T | undefined> {
  const items = [preferred, ...values.filter((value) => value !== preferred)].map((value) => {
    const { label, description } = textOf(value);
    return {
      value,
      label,
      description: value === preferred ? `${description} · ${messages.isDefault()}` : description,
    };
  });
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: title, ignoreFocusOut: true });
  return chosen?.value;
}

/** A modal question whose answer is no unless the one button is pressed; no also where nobody can be asked. */
export async function dangerousChoice(question: string, detail: string, yes: string): Promise<boolean> {
  const choice = await Promise.resolve(vscode.window.showWarningMessage(question, { modal: true, detail }, yes)).catch(
    () => undefined,
  );
  return choice === yes;
}
