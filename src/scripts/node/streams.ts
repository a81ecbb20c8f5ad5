/** The two output streams. A reader that went away is not our error; nothing is lost when the process ends. */
import { writeSync } from 'node:fs';
import { codeOf } from './server-config.ts';

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return;
      // The reader of a full pipe needs a moment.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Prints to standard output, with a line end. */
export function say(text: string): void {
  writeAll(1, text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints one line to standard error. */
export function note(line: string): void {
  writeAll(2, `${line}\n`);
}
