/** Questions to Mochi from the palette: asked in one line, answered in a document that leads to the code. */
import * as vscode from 'vscode';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { MochiAnswer, MochiClient } from '#node/mochi-client.ts';
import { withProgress } from './generate-command.ts';
import { failureSentence, messages as shared } from './messages.ts';
import { type AnswerContext, answerText, patternsText } from './mochi-answers.ts';
import type { FullHost } from './mochi-host.ts';
import { faultText, mochiMessages as messages, statusText } from './mochi-messages.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

export interface AskParts {
  readonly host: FullHost;
  readonly documents: VirtualDocuments;
  readonly logger: Logger;
  showLog(): void;
}

/** Milliseconds that a question waits for the first learning. */
const LEARNING_MS = 180_000;
/** UTF-16 units; the server has the same bounds. */
const LONGEST_QUESTION = 20_000;
const LONGEST_CONTEXT = 500_000;

/** `given` is a question from elsewhere; without it the person is asked. */
export async function askDomain(parts: AskParts, given?: unknown): Promise<void> {
  const asked = await question(given, {
    title: messages.askTitle(),
    prompt: selectedText() === undefined ? messages.askPrompt() : messages.askWithSelection(),
    placeHolder: messages.askExample(),
  });
  if (asked === undefined) return;
  const { text, folder, selection } = asked;
  const request = { instruction: text, ...(selection === undefined ? {} : { input: selection }) };
  const answer = await answered(parts, folder, (client, signal) => client.ask(request, signal));
  if (answer === undefined) return;
  await show(answerText(text, answer, contextOf(folder)), messages.answerTitle(), folder, parts);
}

export async function suggestPattern(parts: AskParts, given?: unknown): Promise<void> {
  const asked = await question(given, {
    title: messages.suggestTitle(),
    prompt: messages.suggestPrompt(),
    placeHolder: messages.suggestExample(),
  });
  if (asked === undefined) return;
  const { text, folder, selection } = asked;
  const request = { goal: text, ...(selection === undefined ? {} : { context: selection }) };
  const answer = await answered(parts, folder, (client, signal) => client.suggest(request, signal));
  if (answer === undefined) return;
  await show(patternsText(text, answer, contextOf(folder)), messages.patternsTitle(), folder, parts);
}

/** Learns the folder that is meant, and shows how far it is. */
export async function learnWorkspace({ host, logger, showLog }: AskParts): Promise<void> {
  const folder = await folderToAsk();
  if (folder === undefined) return;
  const { fsPath } = folder.uri;
  await withProgress(messages.learning(), async (progress, signal) => {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(3_600_000)]);
    await host.learn(fsPath);
    for (;;) {
      const status = host.folders.find((one) => one.folder === fsPath)?.status;
      if (status === undefined || ['ready', 'failed', 'idle', 'waiting'].includes(status.kind)) return;
      progress.report({ message: statusText(status) });
      await nextStatus(host, deadline);
    }
  }).catch(async (error: unknown) => {
    // Whoever cancels wants it to end; it starts again when it is needed.
    await host.rest();
    logger.debug(`learning was given up: ${String(error)}`);
  });
  const status = host.folders.find((one) => one.folder === fsPath)?.status;
  if (status?.kind === 'failed') await warn(statusText(status), showLog);
}

interface Asked {
  readonly text: string;
  readonly folder: vscode.WorkspaceFolder;
  readonly selection: string | undefined;
}

async function question(given: unknown, box: vscode.InputBoxOptions): Promise<Asked | undefined> {
  const folder = await folderToAsk();
  if (folder === undefined) return undefined;
  const selection = selectedText();
  const text =
    typeof given === 'string'
      ? given
      : await vscode.window.showInputBox({
          ...box,
          ignoreFocusOut: true,
          validateInput: (value) => (value.length > LONGEST_QUESTION ? messages.tooLong() : undefined),
        });
  if (text === undefined || text.trim() === '') return undefined;
  return { text: text.trim().slice(0, LONGEST_QUESTION), folder, selection };
}

/** The folder of the open file, the only one, or the one that the person chooses. */
export async function folderToAsk(): Promise<vscode.WorkspaceFolder | undefined> {
  const open = vscode.window.activeTextEditor?.document.uri;
  const own = open === undefined ? undefined : vscode.workspace.getWorkspaceFolder(open);
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  if (own?.uri.scheme === 'file') return own;
  if (folders.length > 1) return vscode.window.showWorkspaceFolderPick();
  if (folders[0] === undefined) void vscode.window.showInformationMessage(messages.noFolder());
  return folders[0];
}

function selectedText(): string | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.selection.isEmpty) return undefined;
  return editor.document.getText(editor.selection).slice(0, LONGEST_CONTEXT);
}

/** Waits for a first learning; undefined where there is no answer, and then the person knows why. */
async function answered<T>(
  { host, logger, showLog }: AskParts,
  folder: vscode.WorkspaceFolder,
  ask: (client: MochiClient, signal: AbortSignal) => Promise<MochiAnswer<T>>,
): Promise<T | undefined> {
  let isCancelled = false;
  try {
    const answer = await withProgress(messages.asking(), async (progress, signal) => {
      signal.addEventListener('abort', () => {
        isCancelled = true;
      });
      return whenLearned(host, folder.uri.fsPath, signal, (message) => progress.report({ message }), ask);
    });
    if (answer.kind === 'answered') return answer.value;
    const { kind, message, remedy } = answer.fault;
    await warn(faultText(kind, message, remedy), showLog);
  } catch (error) {
    if (isCancelled) return undefined;
    const known = OperationError.is(error) ? error : new OperationError('timeout', 'Mochi did not answer.');
    logger.error(
      `a question was not answered: ${String(error)}${known.output === undefined ? '' : `\n${known.output}`}`,
    );
    await warn(failureSentence(known), showLog);
  }
  return undefined;
}

/** Asks again while Mochi learns. Rejects when `signal` aborts or the learning takes too long. */
export async function whenLearned<T>(
  host: FullHost,
  folder: string,
  signal: AbortSignal,
  say: (message: string) => void,
  ask: (client: MochiClient, signal: AbortSignal) => Promise<MochiAnswer<T>>,
): Promise<MochiAnswer<T>> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(LEARNING_MS)]);
  // It may have been learned while the refusal was on its way.
  for (let chances = 3; ; ) {
    const answer = await ask(await host.client(folder, deadline), deadline);
    if (answer.kind === 'answered' || answer.fault.kind !== 'not-ready') return answer;
    const status = host.folders.find((one) => one.folder === folder)?.status;
    if (status?.kind === 'ready') chances -= 1;
    if (status === undefined || chances === 0 || !['learning', 'ready'].includes(status.kind)) return answer;
    say(statusText(status));
    await nextStatus(host, deadline);
  }
}

/** Resolves at the next change, or after a second. */
function nextStatus(host: FullHost, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      clearTimeout(timer);
      following.dispose();
      signal.removeEventListener('abort', abort);
    };
    const go = (): void => {
      leave();
      resolve();
    };
    const abort = (): void => {
      leave();
      reject(signal.reason);
    };
    const timer = setTimeout(go, 1_000);
    const following = host.onDidChangeStatus(go);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

async function warn(text: string, showLog: () => void): Promise<void> {
  if ((await vscode.window.showWarningMessage(text, shared.showLog())) !== undefined) showLog();
}

function contextOf(folder: vscode.WorkspaceFolder): AnswerContext {
  return {
    words: {
      confidence: messages.confidence,
      engine: messages.answeredBy,
      nothing: messages.nothing,
      partial: messages.partial,
      quoted: messages.quoted,
      relevance: messages.relevance,
      where: messages.where,
    },
    linkTo: (file, line) => linkInside(folder, file, line),
  };
}

/** Only what lies in the folder by its spelling; an index may be older than the files, or not ours. */
function linkInside(folder: vscode.WorkspaceFolder, file: string, line: number): string | undefined {
  if (/^[/\\]|^[a-z]:|[\\\p{Cc}]/iu.test(file) || file.split('/').some((part) => part === '..' || part === '.'))
    return undefined;
  // The preview follows no address of a file, but paths from the first folder.
  if (isFirst(folder)) return `/${file.split('/').map(encodeURIComponent).join('/')}#L${line}`;
  return vscode.Uri.joinPath(folder.uri, file)
    .with({ fragment: `L${line}` })
    .toString();
}

const isFirst = ({ index }: vscode.WorkspaceFolder): boolean => index === 0;

/** Rendered where VS Code's preview is there and its links lead to the folder, else as the text it is. */
async function show(
  text: string,
  title: string,
  folder: vscode.WorkspaceFolder,
  { documents }: AskParts,
): Promise<void> {
  const uri = documents.put(`Mochi/${title}.md`, text);
  const asText = (): PromiseLike<unknown> => vscode.window.showTextDocument(uri, { preview: true });
  if (!isFirst(folder)) await asText();
  else await vscode.commands.executeCommand('markdown.showPreview', uri).then(undefined, asText);
}
