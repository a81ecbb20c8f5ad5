/** What is said about entries that are repeated, misnamed, misplaced or that ask for an input that is not there. */
import { type Fault, type Field, quoted } from './document.ts';
import type { Root } from './roots.ts';
import type { FileDialect } from './sources.ts';

const MAX_NAME = 200;

export function duplicateFault(entry: Field, line: number): Fault {
  return {
    kind: 'entry-duplicate',
    severity: 'warning',
    message: `The name ${quoted(entry.key)} appears again in line ${line}, and only the last entry counts.`,
    remedy: 'Rename or remove one of them.',
    offset: entry.at,
  };
}

export function missingInputFault(id: string, offset: number): Fault {
  return {
    kind: 'variable-unknown',
    severity: 'warning',
    message: `No input has the id ${quoted(id)}.`,
    remedy: 'Add it to `inputs`.',
    offset,
  };
}

/** What is wrong with a server's name, if anything. The name is kept as spelt in any case. */
export function nameFault(entry: Field, form: FileDialect): Fault | undefined {
  const name = entry.key;
  const reason =
    name.trim() === ''
      ? 'is empty'
      : /[\u0000-\u001f\u007f-\u009f]/.test(name)
        ? 'holds a control character'
        : name.length > MAX_NAME
          ? `is longer than ${MAX_NAME} characters`
          : form.dialect.reserved?.includes(name) === true
            ? `is reserved by ${form.dialect.label}`
            : undefined;
  if (reason === undefined) return undefined;
  return {
    kind: 'entry-name',
    severity: 'warning',
    message: `The server's name ${reason}.`,
    remedy: 'Give the server a short name of plain characters.',
    offset: entry.at,
  };
}

/** The servers stand under a key that the client does not read. `hasOwn`: others stand under the right one. */
export function wrongRootFault(wrong: Root, form: FileDialect, hasOwn: boolean): Fault {
  const wanted = form.root.join('.');
  const written = wrong.keys.join('.');
  const { label } = form.dialect;
  return {
    kind: 'config-wrong-root',
    severity: hasOwn ? 'warning' : 'error',
    message:
      written === ''
        ? `The servers stand at the top of the file, but ${label} reads them under \`${wanted}\`, so they are switched off.`
        : `The file names servers under \`${written}\`, but ${label} reads \`${wanted}\`, so they are switched off.`,
    remedy:
      written === ''
        ? `Wrap them in \`${wanted}\`.`
        : `Rename \`${written}\` to \`${wanted}\`${hasOwn ? ', or remove it' : ''}.`,
    offset: wrong.at,
  };
}
