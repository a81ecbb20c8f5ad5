/** SHA-256 for the locks of `core/skill/lock.ts`, which has no cryptography of its own. */
import { createHash } from 'node:crypto';

/** Lower-case hexadecimal SHA-256 of a text's UTF-8 bytes. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
