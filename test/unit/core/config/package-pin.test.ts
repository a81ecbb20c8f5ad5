/** Commands that fetch a package: which of them may run other code tomorrow. */
import { expect, it } from 'vitest';
import { unpinnedPackage } from '#core/config/package-pin.ts';

const HASH = '0123456789abcdef0123456789abcdef01234567';

const cases: readonly [string, string | undefined][] = [
  ['npx -y pkg', 'version pkg'],
  ['npx -y @a/pkg', 'version @a/pkg'],
  ['npx -y @a/pkg@latest', 'version @a/pkg'],
  ['npx -y pkg@next', 'version pkg'],
  ['npx -y pkg@^1.2.3', 'version pkg'],
  ['npx -y pkg@1', 'version pkg'],
  ['npx -y pkg@1.2', 'version pkg'],
  ['npx -y pkg@1.2.3', undefined],
  ['npx -y @a/pkg@1.2.3-beta.1 --flag value', undefined],
  ['npx --package pkg@1.2.3 run', undefined],
  ['npx --package=pkg run', 'version pkg'],
  ['npx -p pkg run', 'version pkg'],
  ['npx --registry https://r.example pkg', 'version pkg'],
  ['npx -- pkg', 'version pkg'],
  ['npx ./local', undefined],
  ['npx ${PKG}', undefined],
  ['npx', undefined],
  ['/usr/bin/npx pkg', 'version pkg'],
  ['C:\\node\\npx.cmd pkg', 'version pkg'],
  ['cmd /c npx -y pkg', 'version pkg'],
  ['cmd /c cmd /c npx pkg', undefined],
  ['npm exec pkg', 'version pkg'],
  ['npm run pkg', undefined],
  ['pnpm dlx pkg', 'version pkg'],
  ['yarn dlx pkg@1.0.0', undefined],
  ['bunx pkg', 'version pkg'],
  ['bun x pkg', 'version pkg'],
  ['npx github:a/b', 'source'],
  ['npx a/b', 'source'],
  [`npx github:a/b#${HASH}`, undefined],
  ['npx https://a.example/b.tgz', 'source'],
  ['npx git+ssh://git@a.example/b.git', 'source'],
  ['uvx pkg', 'version pkg'],
  ['uvx pkg[cli]', 'version pkg'],
  ['uvx pkg>=1.0', 'version pkg'],
  ['uvx pkg==1.2', undefined],
  ['uvx pkg@1.2.3', undefined],
  ['uvx pkg@latest', 'version pkg'],
  ['uvx --python 3.12 pkg', 'version pkg'],
  ['uvx --from git+https://a.example/b run', 'source'],
  [`uvx --from git+https://a.example/b@${HASH} run`, undefined],
  ['uv tool run pkg', 'version pkg'],
  ['uv run server.py', undefined],
  ['pipx run pkg', 'version pkg'],
  ['node server.js', undefined],
];
it.each(cases)('judges `%s` as %s', (line, expected) => {
  const [command = '', ...args] = line.split(' ');
  const found = unpinnedPackage(command, args);
  expect(found && [found.reason, found.name].filter((part) => part !== undefined).join(' ')).toBe(expected);
});
