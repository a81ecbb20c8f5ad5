/**
 * What must never be suggested, whoever wrote it: characters that nobody sees and anything that looks like a secret.
 */
import { hiddenRuns } from '../scan/hidden.ts';
import { findSecrets } from '../scan/secrets.ts';

/** What stands before a suggestion may name a secret (`apiKey = `). */
const CONTEXT = 200;

/** How much of the text may be shown: up to the line with the first secret, nothing where characters hide. */
export function safeEnd(text: string, before: string): number {
  if (/[\r\u0000-\u0008\u000b\u000c\u000e-\u001f]/.test(text) || hiddenRuns(text).length > 0) return 0;
  const line = before.slice(before.lastIndexOf('\n') + 1).slice(-CONTEXT);
  const end = line.length + text.length;
  const spans = findSecrets(line + text).filter((span) => span.end > line.length && span.start < end);
  const [first] = spans;
  if (first === undefined) return text.length;
  const start = Math.max(0, first.start - line.length);
  // A line that is cut within a string is of no use.
  return Math.max(0, text.lastIndexOf('\n', start));
}
