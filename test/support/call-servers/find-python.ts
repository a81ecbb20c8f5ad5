/** Finds the Python that the process tests run the script with: the oldest that is offered, else `python3`. */
import { execFileSync } from 'node:child_process';

/** Absolute path of the interpreter; `MOCHI_TEST_PYTHON` names another one. */
export function findPython(): string {
  const command = process.env['MOCHI_TEST_PYTHON'] ?? 'python3';
  return execFileSync(command, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}
