/**
 * Recognises commands that fetch a package when they start, and says whether the next start may fetch other code.
 * Looks at the words only; it never asks a registry.
 */

/** `version`: no exact version. `source`: an address of code, not a release, and no commit. */
export interface Unpinned {
  readonly reason: 'version' | 'source';
  /** The package's name; absent for an address, which may hold a token. */
  readonly name?: string;
  /** How an exact version is written for this runner. */
  readonly example: string;
}

interface Runner {
  readonly kind: 'npm' | 'python';
  /** Words after the command that belong to the runner's name. */
  readonly words: readonly string[];
}

const RUNNERS: ReadonlyMap<string, readonly Runner[]> = new Map<string, readonly Runner[]>([
  ['npx', [{ kind: 'npm', words: [] }]],
  ['bunx', [{ kind: 'npm', words: [] }]],
  ['pnpx', [{ kind: 'npm', words: [] }]],
  [
    'npm',
    [
      { kind: 'npm', words: ['exec'] },
      { kind: 'npm', words: ['x'] },
    ],
  ],
  ['pnpm', [{ kind: 'npm', words: ['dlx'] }]],
  ['yarn', [{ kind: 'npm', words: ['dlx'] }]],
  ['bun', [{ kind: 'npm', words: ['x'] }]],
  ['uvx', [{ kind: 'python', words: [] }]],
  ['uv', [{ kind: 'python', words: ['tool', 'run'] }]],
  ['pipx', [{ kind: 'python', words: ['run'] }]],
]);

/** Options that name the package. */
const NAMING: Readonly<Record<Runner['kind'], ReadonlySet<string>>> = {
  npm: new Set(['-p', '--package']),
  python: new Set(['--from', '--spec']),
};

/** Other options that are followed by a value of their own. */
const VALUED = new Set(
  '-c --call -w --workspace --registry --cache --prefix --userconfig --with --with-requirements --python --index --index-url --extra-index-url --default-index --directory --project --env-file'.split(
    ' ',
  ),
);

const COMMIT = /[#@][0-9a-f]{40}$/i;
const EXACT = /^v?\d+\.\d+(?:\.\d+)*(?:[-+.]?[0-9A-Za-z][0-9A-Za-z.+-]*)?$/;

/** Undefined where the command fetches nothing, or always the same. */
export function unpinnedPackage(command: string, args: readonly string[]): Unpinned | undefined {
  const name = baseName(command);
  if (name === 'cmd') {
    const start = args.findIndex((arg) => !/^\/[a-z]$/i.test(arg));
    const inner = args[start];
    return start < 0 || inner === undefined || baseName(inner) === 'cmd'
      ? undefined
      : unpinnedPackage(inner, args.slice(start + 1));
  }
  for (const runner of RUNNERS.get(name) ?? []) {
    if (!runner.words.every((word, index) => args[index] === word)) continue;
    const spec = specOf(args.slice(runner.words.length), runner.kind);
    if (spec !== undefined) return judge(spec, runner.kind);
  }
  return undefined;
}

function baseName(command: string): string {
  const last = command.split(/[\\/]/).at(-1) ?? '';
  return last.toLowerCase().replace(/\.(?:cmd|exe|bat|ps1)$/, '');
}

function specOf(args: readonly string[], kind: Runner['kind']): string | undefined {
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const equals = arg.indexOf('=');
    if (arg === '--') return args[at + 1];
    if (NAMING[kind].has(arg)) return args[at + 1];
    if (arg.startsWith('--') && equals > 0 && NAMING[kind].has(arg.slice(0, equals))) return arg.slice(equals + 1);
    if (VALUED.has(arg) || (kind === 'python' && arg === '-p')) at += 1;
    else if (!arg.startsWith('-')) return arg;
  }
  return undefined;
}

function judge(spec: string, kind: Runner['kind']): Unpinned | undefined {
  const example = kind === 'npm' ? 'name@1.2.3' : 'name==1.2.3';
  if (spec.includes('${') || /^(?:[./\\~]|file:|[A-Za-z]:[\\/])/.test(spec)) return undefined;
  const shorthand = kind === 'npm' && /^[^@/:]+\/[^/]/.test(spec);
  if (shorthand || /^[a-z][a-z+]*:/i.test(spec.replace(/^npm:/, ''))) {
    return COMMIT.test(spec) ? undefined : { reason: 'source', example };
  }
  const plain = spec.replace(/^npm:/, '');
  const split = kind === 'python' && plain.includes('==') ? plain.indexOf('==') : plain.indexOf('@', 1);
  if (split > 0 && EXACT.test(plain.slice(split).replace(/^(?:===?|@)/, '')) && hasThreeParts(plain, split, kind)) {
    return undefined;
  }
  const name = (split > 0 ? plain.slice(0, split) : plain).replace(/[<>=~!;[ ].*$/, '');
  return { reason: 'version', name, example };
}

/** For npm `1` and `1.2` are ranges; for Python `1.2` is a release. */
function hasThreeParts(spec: string, split: number, kind: Runner['kind']): boolean {
  return kind === 'python' || /^@v?\d+\.\d+\.\d+/.test(spec.slice(split));
}
