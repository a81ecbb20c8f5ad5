/**
 * *Fetch a Model*: says what would be fetched, from where, how large it is and under which licence, and after a yes
 * fetches it and names it in the settings. How it is fetched and checked lies elsewhere.
 */
import * as vscode from 'vscode';
import { OperationError } from '#core/problem.ts';
import type { Surroundings } from '#node/person-folders.ts';
import { settingIds } from './contributions.ts';
import { modelMessages as words } from './model-messages.ts';

export async function fetchModel(around: Surroundings): Promise<void> {
  const fetching = await import('#node/fetch-model.ts');
  const offer = await fetching.offerModel(around).catch(told);
  if (offer === undefined) return;
  if (offer.libraryThere && offer.modelThere) {
    await use(await fetching.fetchModel(around, new AbortController().signal, () => {}));
    void vscode.window.showInformationMessage(words.there());
    return;
  }
  const detail = [
    ...(offer.libraryThere ? [] : [words.library(offer.library)]),
    ...(offer.modelThere ? [] : [words.model(offer.model, offer.size, offer.host, offer.licence)]),
    words.into(offer.folder),
  ].join('\n\n');
  const yes = words.fetch();
  if ((await vscode.window.showInformationMessage(words.title(), { modal: true, detail }, yes)) !== yes) return;
  const options = { location: vscode.ProgressLocation.Notification, title: words.progress(), cancellable: true };
  const file = await vscode.window.withProgress(options, async (progress, token) => {
    const stop = new AbortController();
    token.onCancellationRequested(() => stop.abort(new vscode.CancellationError()));
    let shown = 0;
    try {
      return await fetching.fetchModel(around, stop.signal, ({ what, share }) => {
        const percent = Math.floor((share ?? 0) * 100);
        const message = what === 'library' ? words.progressLibrary() : words.progressModel(percent);
        progress.report({ message, ...(what === 'model' ? { increment: percent - shown } : {}) });
        if (what === 'model') shown = percent;
      });
    } catch (error) {
      return stop.signal.aborted ? undefined : told(error);
    }
  });
  if (file === undefined) return;
  await use(file);
  void vscode.window.showInformationMessage(words.done());
}

/** Says what went wrong, in the editor's language. Throws what nobody foresaw. */
async function told(error: unknown): Promise<undefined> {
  if (!OperationError.is(error)) throw error;
  const { fetchTranslator } = await import('./fetch-words.ts');
  const say = fetchTranslator(vscode.env.language);
  void vscode.window.showErrorMessage(words.failed(say(error.message), say(error.remedy ?? '')));
  return undefined;
}

/** For this machine; no workspace can name a model. */
async function use(file: string): Promise<void> {
  await vscode.workspace.getConfiguration().update(settingIds.model, file, vscode.ConfigurationTarget.Global);
}
