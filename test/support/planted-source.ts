/** A code base with secrets in it, put together at run time so that no scanner takes the tests for a leak. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Each as it stands in a file. None was ever issued by anyone. */
export const PLANTED: readonly string[] = [
  ['zz', 'Hunter2', 'Hunter2', 'Hunter'].join(''),
  ['AK', 'IA', 'IOSFODNN7', 'ZZZZZZZ'].join(''),
  ['gh', 'p_', 'aB3dE5fG7hJ9kL1mN3pQ', '5rS7tU9vW1xY3zA5'].join(''),
  ['zz', 'S3cret', 'Pass99'].join(''),
  ['s', 'k-', 'proj-', 'Zb4Qw9Lm2Xc7Vn5Ty8Kd3Rf6'].join(''),
  ['zz', 'Inline', 'Secret', '123'].join(''),
  ['zz', 'Bare', 'Word', '77xy'].join(''),
  ['zz', 'Remark', '4Nine', '2x'].join(''),
];

/** Writes the code base into an existing folder. */
export function plant(root: string): void {
  const [password, aws, github, inUrl, model, inline, bare, remark] = PLANTED;
  mkdirSync(join(root, 'shop'));
  writeFileSync(
    join(root, 'shop', 'config.py'),
    [
      `password = "${password}"`,
      `key = "${aws}"`,
      `GITHUB = "${github}"`,
      '',
      '',
      'def connect_zebra():',
      `    """Connects to the zebra database, for now with password=${remark}."""`,
      `    url = "postgres://admin:${inUrl}@zebra/shop"`,
      `    password = "${password}"`,
      `    key = "${aws}"`,
      `    token = "${github}"`,
      `    model = "${model}"`,
      '    return open_zebra(url, password, key, token, model)',
      '',
      '',
      `def login_zebra(user: str, password: str = "${inline}") -> bool:`,
      '    """Logs in to the zebra database."""',
      '    try:',
      `        return check_zebra(user, password or "${inline}")`,
      '    except ZebraError as error:',
      `        logger.error(error, "password", "${inline}")`,
      '        return False',
      '',
    ].join('\n'),
  );
  // Enough of the same for its way to be a pattern, whose examples are quoted.
  for (let file = 0; file < 6; file += 1)
    writeFileSync(
      join(root, 'shop', `client${file}.ts`),
      [
        `/** Opens zebra ${file}; token: ${remark}. */`,
        `export async function openZebra${file}(): Promise<void> {`,
        '  try {',
        `    await store.open({ user: 'zebra', password: '${password}', apiKey: "${aws}" });`,
        `  } catch (error) { logger.warn(error, { secret: '${inline}' }); }`,
        `  if (mode === 'password' && typeof token === 'string') throw new ZebraError('token');`,
        '}',
        '',
      ].join('\n'),
    );
  writeFileSync(
    join(root, 'deploy.yml'),
    `name: zebra\npassword: ${bare}\nurl: postgres://admin:${inUrl}@zebra/shop\ntoken: ${github}\n`,
  );
  writeFileSync(join(root, 'deploy.sh'), `export DB_PASSWORD=${bare}\nrun --token "${github}" zebra\n`);
}
