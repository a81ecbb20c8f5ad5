/** Which strings of source code are secrets by what they are given to, and which stay code. */
import { describe, expect, it } from 'vitest';
import { strengthOfName } from '#core/scan/secret-names.ts';
import { blankSecrets, findSourceSecrets, redactSource, secretFreeEnd } from '#core/scan/source-secrets.ts';
import { awsId, github, openai } from './planted.ts';

const word = ['zz', 'Hunter2', 'Hunter2', 'Hunter'].join('');
const inline = ['zz', 'Inline', 'Secret', '123'].join('');
const plain = ['let', 'me', 'in'].join('');
const found = (text: string): string[] => findSourceSecrets(text).map(({ start, end }) => text.slice(start, end));

describe('a string in source code is a secret', () => {
  it.each([
    `password = "${word}"`,
    `const password = '${word}';`,
    `password = "${plain}"`,
    `self.password = '${word}'`,
    `this.#secret = \`${word}\`;`,
    `password =\n  "${word}"`,
    `connect({ user: 'a', password: '${word}' })`,
    `{"db_password": "${word}"}`,
    `config["password"] = "${word}"`,
    `def login(user, password: str = "${inline}"):`,
    `def login(user, password: Optional[str] = "${inline}"):`,
    `function login(password: string | null = '${inline}') {}`,
    `class A { private apiKey?: string = '${inline}'; }`,
    `const TOKEN: &'static str = "${inline}";`,
    `var dbPassword string = "${inline}"`,
    `String password = "${word}";`,
    `char password[] = "${word}";`,
    `std::string api_key{}; api_key = "${word}";`,
    `$password = '${word}';`,
    `'password' => '${word}',`,
    `:secret => "${word}"`,
    `#define DB_PASSWORD "${word}"`,
    `define('DB_PASSWORD', '${word}');`,
    `log(error, "password", "${inline}")`,
    `os.environ.get("DB_PASSWORD", "${word}")`,
    `os.environ["TOKEN"] or "${inline}"`,
    `process.env.SECRET || '${word}'`,
    `process.env["SECRET"] ?? '${word}'`,
    `.setPassword("${inline}")`,
    `password = new Secret("${inline}")`,
    `password: String::from("${inline}")`,
    `if (password === "${inline}") return true;`,
    `run("psql", "--password", "x"); exec('mysql --password "${inline}"')`,
    `ALTER USER a IDENTIFIED BY '${word}'`,
    `<Login password={"${word}"} />`,
    `password = """${word}"""`,
    `password = f"${word}"`,
    `password = "${word}`,
    `key = "${awsId}"`,
    `x = "${github}"`,
    `# the key is ${openai}`,
    `url = "postgres://admin:${inline}@db.internal/x"`,
  ])('%s', (text) => {
    expect(found(text).join(' ')).toMatch(new RegExp([word, inline, plain, github, awsId, openai].join('|')));
    for (const secret of [word, inline, plain, github, awsId, openai]) expect(redactSource(text)).not.toContain(secret);
  });
});

describe('a string in source code stays', () => {
  it.each([
    `if (typeof token === 'string') return;`,
    `<input type="password" name="password">`,
    `const field = { type: 'password', label: 'Password' };`,
    `enum Grant { Password = 'password', ClientSecret = 'client_secret' }`,
    `password: 'auth.password.label',`,
    `passwordRequired: 'Please enter a password of 8 letters',`,
    `password = "changeme"`,
    `password: "********"`,
    `token = "id"`,
    `token: 'identifier'`,
    `const tokens = { plus: 'PLUS_SIGN' };`,
    `apiKey: process.env.API_KEY2 ?? ''`,
    `const token = this.options.token2Value;`,
    `key = sha256OfText(value)`,
    `z.object({ password: z.string().min(8) })`,
    `password = os.environ["DB_PASSWORD"]`,
    `password: Optional[str] = None`,
    `sortKey: 'createdAt'`,
    `private_key: "_RSAPrivateKey"`,
    `getKey: '0xbc298553'`,
    `const SECRET_NAME = 'db-main-1';`,
    `throw new Error("The token is not valid");`,
    `__all__ = ["Token", "TokenKeychainItem", "HTTPTokenStore2"]`,
    `const url = "https://example.com/a?b=c";`,
    `getBlock("getL2BlockNumberAtTimestamp")`,
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
    expect(redactSource(text)).toBe(text);
  });
});

describe('a name', () => {
  it.each([
    ['password', 'strong'],
    ['DB_PASSWORD2', 'strong'],
    ['client_secret', 'strong'],
    ['accessToken', 'medium'],
    ['API_KEY', 'medium'],
    ['aws_secret_access_key', 'medium'],
    ['key', 'weak'],
    ['passwordLabel', 'weak'],
    ['tokenType', 'none'],
    ['constructor', 'none'],
  ])('%s says: %s', (name, strength) => {
    expect(strengthOfName(name)).toBe(strength);
  });
});

describe('a configuration', () => {
  it.each([
    `password: ${word}`,
    `export DB_PASSWORD=${plain}  # for tests`,
    `url: postgres://admin:${inline}@db/x`,
    `- token: ${github}`,
    `"secret": "${word}"`,
    `api_key = ${inline}`,
  ])('keeps no secret of %s, and its length', (line) => {
    const blanked = blankSecrets(`a: 1\n${line}\nb: 2\n`);
    for (const secret of [word, inline, plain, github]) expect(blanked).not.toContain(secret);
    expect(blanked).toHaveLength(`a: 1\n${line}\nb: 2\n`.length);
    expect(blanked.split('\n')).toHaveLength(4);
  });

  it.each(['type: password', 'password: changeme', 'token: ${{ secrets.TOKEN }}', 'key: value', 'password: $PASSWORD'])(
    'keeps %s',
    (line) => {
      expect(blankSecrets(line)).toBe(line);
    },
  );
});

describe('a completion', () => {
  it('ends before the line with a secret, whose name may stand in what was typed', () => {
    expect(secretFreeEnd(`"${word}"`, 'x = 1\npassword = ')).toBe(0);
    expect(secretFreeEnd(`one()\npassword = "${word}"\n`, '')).toBe(5);
    expect(secretFreeEnd('get()', 'password = ')).toBe(5);
    expect(secretFreeEnd('";', `password = "${word}`)).toBe(2);
  });
});
