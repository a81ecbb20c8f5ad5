/** Parts of the Python script that depend on the system or on odd input, as expressions and what they must give. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/core/model.ts';
import { findPython } from '../../support/call-servers/find-python.ts';

const SCRIPTS = fileURLToPath(new URL('../../../src/scripts', import.meta.url));
const PROGRAM = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from mcp_async_call import *
import mcp_async_call as script
class NoSockets: pass
class Sockets: AF_UNIX = 1
def failure(call, *args):
    try:
        call(*args)
    except Failure as error:
        return [error.kind, error.message]
def expanded(text, environ):
    variables = Variables("/p/base", environ)
    return [variables.expand(text), variables.missing]
def masked(secret, text):
    SECRETS.clear()
    hide(secret)
    return mask(text)
def complaints(schema, value):
    return Checker(schema).check(value, schema)
def job(status):
    return status_of({"content": [{"type": "text", "text": status}]})
def names(limit, chunks):
    try:
        return [line.decode() for line in split_lines(chunks, limit)]
    except TooLarge:
        return "too large"
for line in sys.stdin:
    try:
        print(json.dumps(eval(json.loads(line))))
    except Exception as error:
        print(json.dumps({"raised": repr(error)}))
`;

/** A sentence, a Python expression, its value as JSON. */
type Row = readonly [string, string, Json];

const SYSTEMS: readonly Row[] = [
  ['Elsewhere a command is started as it is', `spawn_command("npx", ["-y"], {}, "linux")`, ['npx', '-y']],
  [
    'On Windows an .exe is looked up in the PATH that the server will have',
    `spawn_command("srv", ["a b"], {"Path": "C:/bin"}, "win32", lambda name, path: path + "/" + name + ".exe")`,
    ['C:/bin/srv.exe', 'a b'],
  ],
  [
    'On Windows a .cmd is started by cmd.exe, and its arguments cannot become commands',
    `spawn_command("npx", ["a b", "x&calc", "%PATH%", 'say "hi"'], {}, "win32", lambda name, path: "C:/n/npx.CMD")`,
    'cmd.exe /d /s /c "C:/n/npx.CMD ^^^"a^^^ b^^^" ^^^"x^^^&calc^^^" ^^^"^^^%PATH^^^%^^^" ^^^"say^^^ \\^^^"hi\\^^^"^^^""',
  ],
  [
    'On Windows backslashes before a quote are doubled',
    String.raw`windows_command_line("a.cmd", ["C:\\x\\"])`,
    String.raw`cmd.exe /d /s /c "a.cmd ^^^"C:\x\\^^^""`,
  ],
  [
    'A command that is not found is started under its own name',
    `spawn_command("gone", [], {}, "win32", lambda name, path: None)`,
    ['gone'],
  ],
  ['A Windows child has a group of its own and no window', `spawn_options("win32")`, { creationflags: 0x08000200 }],
  ['Elsewhere a child has a session of its own', `spawn_options("darwin")`, { start_new_session: true }],
  ['On Windows a tree is ended by taskkill', `tree_killer(42, True, "win32")`, ['taskkill', '/T', '/F', '/PID', '42']],
  ['On Windows there is no polite way to end a tree', `tree_killer(42, False, "win32")`, null],
  ['Elsewhere a tree is first asked', `int(tree_killer(42, False, "linux"))`, 15],
  ['Elsewhere a tree is then ended', `int(tree_killer(42, True, "darwin"))`, 9],
  ['Windows has no local sockets in Python', `uses_tcp("win32", Sockets)`, true],
  ['macOS has local sockets', `uses_tcp("darwin", Sockets)`, false],
  ['A Python without local sockets uses loopback', `uses_tcp("linux", NoSockets)`, true],
  [
    'Sockets lie in the runtime folder',
    `session_folder({"XDG_RUNTIME_DIR": "/run/user/7"}, "linux", 7)`,
    '/run/user/7/mochi-sessions',
  ],
  [
    'Without one, in a folder of the user in the temporary one',
    `session_folder({"TMPDIR": "/var/tmp/"}, "darwin", 501)`,
    '/var/tmp/mochi-sessions-501',
  ],
  [
    'A long temporary folder is not used, for a socket has a short path',
    `session_folder({"TMPDIR": "/" + "x" * 80}, "darwin", 501)`,
    '/tmp/mochi-sessions-501',
  ],
  [
    'On Windows the token lies in the local profile',
    `session_folder({"LOCALAPPDATA": "L"}, "win32").replace("\\\\", "/")`,
    'L/mochi-sessions',
  ],
  [
    'A server gets few variables',
    `base_environment({"HOME": "h", "SECRET": "s", "https_proxy": "p", "LANG": "() { x; }"}, "linux")`,
    { HOME: 'h', https_proxy: 'p' },
  ],
  [
    'On Windows their names have no case',
    `base_environment({"Path": "p", "SystemRoot": "r", "HOME": "h"}, "win32")`,
    { Path: 'p', SystemRoot: 'r' },
  ],
  [
    'Words are quoted for a POSIX shell',
    `[quote_for_shell(word, "linux") for word in ["a-b", "a b", "it's", "", "$x"]]`,
    ['a-b', "'a b'", `'it'"'"'s'`, "''", "'$x'"],
  ],
  [
    'Words are quoted for a Windows shell',
    String.raw`[quote_for_shell(word, "win32") for word in ["C:\\a", "a b", 'say "x"', "%P%"]]`,
    ['C:\\a', '"a b"', '"say \\"x\\""', '"%P%"'],
  ],
];

const SECRETS: readonly Row[] = [
  ['A default may hold another placeholder', `expanded("\${A:-\${B:-c}d}", {})`, ['cd', []]],
  ['An empty value takes the default', `expanded("\${A:-x}", {"A": ""})`, ['x', []]],
  ['Missing names are gathered once each', `expanded("\${A} \${B} \${A}", {})`, ['  ', ['A', 'B']]],
  ['A doubled dollar is a literal', `expanded("$\${A} $ $B \${", {"A": "1"})`, ['${A} $ $B ${', []]],
  [
    'Folders are known without the environment',
    `expanded("\${workspaceFolder}/x \${workspaceFolderBasename}", {})`,
    ['/p/base/x base', []],
  ],
  [
    'An input is looked up with its prefix first',
    `expanded("\${input:my-key}", {"MY_KEY": "b", "MOCHI_INPUT_MY_KEY": "a"})`,
    ['a', []],
  ],
  [
    'A secret is masked bare, in JSON and in addresses',
    `masked("p/s w\\"d", 'p/s w"d p%2Fs%20w%22d {"k":"p/s w\\\\"d"}')`,
    '*** *** {"k":"***"}',
  ],
  ['The token of a bearer header is masked alone too', `masked("Bearer abcdefgh", "got abcdefgh")`, 'got ***'],
  ['A value of three letters is no secret', `masked("dev", "device")`, 'device'],
  ['The project is found through .claude', `project_root("/h/.claude/p/.agents/skills/x", "/cwd")`, '/h/.claude/p'],
  ['A skill outside such a folder belongs to the current folder', `project_root("/h/skills/x", "/cwd")`, '/cwd'],
  [
    'Lines of an environment file',
    `parse_env_file("A=1 # c\\nexport B='x # y'\\nC=\\"a\\\\nb\\"\\n#D=1\\n\\nE\\nF=\\n")`,
    { A: '1', B: 'x # y', C: 'a\nb', F: '' },
  ],
];

const NAMES: readonly Row[] = [
  [
    'Names stay in their folder',
    String.raw`[safe_name(n) for n in ["../../a", "..\\b", "/etc/c", "a\x00b\x1b", "...", "~/d"]]`,
    ['a', 'b', 'c', 'ab', '', 'd'],
  ],
  [
    'Names come from any URI',
    `[uri_name(u) for u in ["file:///a/b%20c.png?d#e", "demo://docs/", "demo://note", "urn:isbn:0", "a b:c", "x:%2e%2e%2fup", ""]]`,
    ['b c.png', 'docs', 'note', 'isbn:0', 'a b:c', '../up', ''],
  ],
  [
    'Device names are changed',
    `[safe_name(n) for n in ["NUL", "con.txt", "com1.tar.gz", "console"]]`,
    ['_NUL', '_con.txt', '_com1.tar.gz', 'console'],
  ],
  ['Characters that change the reading direction are dropped', `safe_name("a\\u202egnp.exe")`, 'agnp.exe'],
  [
    'A long name keeps its extension',
    `[len(safe_name("x" * 500 + ".png")), safe_name("é" * 500 + ".png")[-4:]]`,
    [120, '.png'],
  ],
  ['A name in a header', `disposition_name('attachment; x="a;b"; filename="a;\\\\"b.txt"')`, 'a;"b.txt'],
  [
    'An encoded name in a header wins',
    `disposition_name("inline; filename=a.txt; filename*=utf-8''%e2%82%ac.txt")`,
    '€.txt',
  ],
  [
    'Addresses are found in order, once each, in JSON too',
    `harvest_urls({"a": "https://x/1", "b": ["{\\"u\\": \\"http://y\\"}", "https://x/1", "see https://no", "file:///z"]})`,
    ['https://x/1', 'http://y'],
  ],
  [
    'Status words are folded',
    `[job(w) for w in ['{"status": " DONE "}', '{"data": {"state": "Failed"}}', "completed", "about to be completed"]]`,
    ['done', 'failed', 'completed', ''],
  ],
  ['An id may be a number', `job_id_of({"structuredContent": {"ok": True, "job": {"id": 17}}})`, '17'],
];

const CHECKS: readonly Row[] = [
  ['true is not 1', `complaints({"enum": [1]}, True)`, ['arguments: true is not allowed; use one of 1']],
  ['1.0 is 1', `complaints({"const": 1}, 1.0)`, []],
  [
    'A type list names all',
    `complaints({"properties": {"a": {"type": ["string", "null"]}}}, {"a": 1})`,
    ['a: expected string or null, got number 1'],
  ],
  [
    'Branches of mere types are joined',
    `complaints({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, {"a": 1})`,
    ['a: expected string or null, got number 1'],
  ],
  [
    'A branch is chosen by its constant',
    `complaints({"oneOf": [{"properties": {"t": {"const": "a"}, "n": {"type": "number"}}}, {"properties": {"t": {"const": "b"}}, "required": ["m"]}]}, {"t": "b"})`,
    ['m: required'],
  ],
  [
    'A reference into properties is followed',
    `complaints({"properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}, {"b": 1})`,
    ['b: expected string, got number 1'],
  ],
  ['A reference in a circle ends', `complaints({"$ref": "#"}, {"a": 1})`, []],
  ['A reference to elsewhere is not followed', `complaints({"$ref": "https://x/y"}, 1)`, []],
  ['A pattern that does not compile is passed over', `complaints({"pattern": "("}, "x")`, []],
  ['A pattern that could take for ever is passed over', `complaints({"pattern": "(a+)+$"}, "a" * 5000 + "b")`, []],
  [
    'A required name that the schema does not describe is asked for',
    `complaints({"required": ["x"]}, {})`,
    ['x: required'],
  ],
  ['Lengths count characters', `complaints({"maxLength": 1}, "😀")`, []],
  [
    'Exclusive bounds of both drafts',
    `[len(complaints({"exclusiveMinimum": 1}, 1)), len(complaints({"minimum": 1, "exclusiveMinimum": True}, 1)), len(complaints({"minimum": 1}, 1))]`,
    [1, 1, 0],
  ],
  [
    'Odd schemas are let pass',
    `complaints({"type": 5, "enum": 5, "properties": [], "items": 5, "anyOf": {}, "required": [1]}, {"a": 1})`,
    [],
  ],
];

const WIRES: readonly Row[] = [
  ['Lines are put together over chunks', `names(100, [b"ab", b"c\\nd", b"\\n\\ne"])`, ['abc', 'd', '', 'e']],
  ['A line over the limit is refused', `names(5, [b"abcdef", b"g"])`, 'too large'],
  [
    'A plain header value goes bare',
    `[header_value(v) for v in ["a b", "é", " x", "=?base64?x?="]]`,
    ['a b', '=?base64?w6k=?=', '=?base64?IHg=?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ],
  [
    'Nested arguments are mirrored, numbers and booleans too',
    `parameter_headers({"properties": {"a": {"properties": {"b": {"x-mcp-header": "B"}}}, "c": {"x-mcp-header": "C"}, "d": {"x-mcp-header": "bad name"}}}, {"a": {"b": True}, "c": 5, "d": "x"})`,
    { 'Mcp-Param-B': 'true', 'Mcp-Param-C': '5' },
  ],
  [
    'Events may span lines and end in CRLF',
    `[[e, d.decode()] for e, d, i, r in sse_events([b": c\\r\\nevent: x\\r\\ndata: a\\r\\ndata:b\\r\\n\\r\\n"])]`,
    [['x', 'a\nb']],
  ],
  [
    'Retry-After is capped',
    `[retry_after_of(t) for t in ["5", "9999", "soon", "", "Wed, 21 Oct 2015 07:28:00 GMT"]]`,
    [5, 60, null, null, 0],
  ],
  [
    'A proxy is taken from the environment',
    `proxy_for("https", "api.example", 443, {"HTTPS_PROXY": "http://proxy:8080"})`,
    ['proxy', 8080, {}],
  ],
  [
    'A host may be excepted from it',
    `proxy_for("https", "api.example", 443, {"https_proxy": "proxy:1", "no_proxy": "x, .example"})`,
    null,
  ],
  ['Loopback never goes through it', `proxy_for("http", "127.0.0.1", 80, {"http_proxy": "proxy:1"})`, null],
  ['Only http and https are spoken', `failure(split_url, "ftp://x/")`, ['usage', '"ftp://x/" is no http(s) address']],
  ['A lone surrogate is written as the replacement character', String.raw`to_bytes("a\ud83d!").decode()`, 'a\ufffd!'],
  [
    'Sentences end where the next begins',
    `[first_sentence(t) for t in ["One. Two.", "e.g. this one. Then", "no end", "一。二。"]]`,
    ['One.', 'e.g. this one.', 'no end', '一。'],
  ],
];

const TABLE: readonly Row[] = [...SYSTEMS, ...SECRETS, ...NAMES, ...CHECKS, ...WIRES];

const input = TABLE.map(([, expression]) => `${JSON.stringify(expression)}\n`).join('');
const lines = execFileSync(findPython(), ['-c', PROGRAM, SCRIPTS], { input }).toString('utf8').trimEnd().split('\n');

for (const [index, [name, , value]] of TABLE.entries())
  test(name, () => expect(JSON.parse(lines[index] ?? 'null')).toEqual(value));
