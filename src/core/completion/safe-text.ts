/**
 * What must never be suggested, whoever wrote it: characters that nobody sees and anything that looks like a secret.
 */
import { hiddenRuns } from '../scan/hidden.ts';
import { secretFreeEnd } from '../scan/source-secrets.ts';

/** How much of the text may be shown: up to the line with the first secret, nothing where characters hide. */
export function safeEnd(text: string, before: string): number {
  if (/[\r\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) || hiddenRuns(text).length > 0) return 0;
  return secretFreeEnd(text, before);
}
