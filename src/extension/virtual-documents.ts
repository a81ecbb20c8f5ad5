/** Read-only documents that exist only in the editor: what would be written, and the full command of a server. */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';

const SCHEME = 'mochi-preview';
/** The oldest are let go first; an editor that is still open on one shows nothing then. */
const MOST = 4_000;

export class VirtualDocuments implements Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #next = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? '',
    });
  }

  /** An address for a text; the path says what it is and lets VS Code choose the language. */
  put(path: string, text: string): vscode.Uri {
    this.#next += 1;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}`, query: String(this.#next) });
    this.#texts.set(uri.toString(), text);
    for (const oldest of this.#texts.keys()) {
      if (this.#texts.size <= MOST) break;
      this.#texts.delete(oldest);
    }
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#texts.clear();
  }
}
