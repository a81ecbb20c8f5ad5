#!/usr/bin/env python3
"""Calls the tools of one MCP server from a shell: at once, as a job, or inside a session that stays alive.

This one file is copied into every generated skill and must run wherever Python 3.9 is, without anything to
install; that is why it is long. It deliberately has no OAuth flow (the Node twin has), no configuration of its
own, and never prints, logs or stores a secret. Imports are local to where they are needed, because start-up time
is what a caller feels: a call over stdio never loads the HTTP or TLS modules, a call in a session loads neither.

Sections: failures and text / options / configuration and secrets / reference files / argument check /
links (stdio, streamable HTTP, legacy SSE) / client (negotiation, calls) / results / downloads / jobs /
sessions / commands.
"""
import json
import os
import sys
import time

VERSION = "0.1.0"
PROTOCOL = "2025-11-25"
MODERN = "2026-07-28"
CLIENT_INFO = {"name": "mochi-skill", "version": VERSION}
META = "io.modelcontextprotocol/"

MAX_MESSAGE = 64 * 1024 * 1024
MAX_TEXT = 10 * 1024 * 1024
MAX_CONFIG = 4 * 1024 * 1024
MAX_REFERENCE = 64 * 1024 * 1024
WINDOW = 45.0
LONG_WAIT = 6000.0

HELP = """\
Calls tools of the MCP server of this skill.

usage: mcp_async_call.py --tool NAME [--args JSON]     (short: NAME [JSON])
       mcp_async_call.py --list | --describe TOOL
       mcp_async_call.py --submit-tool A --status-tool B --result-tool C [--args JSON]
       mcp_async_call.py ... --resume ID

call
  --tool NAME             call a tool and print its result
  --args JSON             arguments as one JSON object; '-' reads standard input
  --args-file FILE        the same from a file; '-' reads standard input
  --list                  names and first sentences of the tools, offline
  --describe TOOL         the whole reference of one tool, offline
  --no-check              send the arguments unchecked
  --timeout S             deadline of one request, of a whole plain call too (60)
  --json                  print one JSON object for programs
jobs
  --submit-tool NAME, --status-tool NAME, --result-tool NAME
                          submit, wait up to 45 s, else print how to resume
  --wait [S]              wait to the end of the job, or S seconds
  --resume ID             go on with a job: poll, fetch the result, download
  --submit-only           only submit and print the id
  --id-param NAME         name of the id argument (found in the schema)
  --poll-interval S (2)   --max-polls N (3000)
files
  -o, --output DIR        where files are saved (./output)
  -O, --output-file PATH  save exactly there (a bare name: inside --output)
  --auto-filename         name files <id>_<date>_<time>.<ext>
  --save-logs             requests and replies of a job into DIR/logs
  --save-logs-inline      the same beside the result
  --max-bytes N           largest download or linked resource (1073741824)
sessions
  --session NAME          keep the server alive between calls
  --session-idle S        end it after so long without a call (600)
  --session-stop NAME     end it now
  --session-list          sessions that are alive
server
  -c, --config FILE       default: references/mcp.json of this skill
  --server NAME           which server of that file
  -e, --endpoint URL      call this address instead
  --header 'K: V'         add an HTTP header (repeatable; ${NAME} is replaced)
  --type http|sse         transport of the address
  --version, --help

exit codes: 0 result, or job still running; 1 the tool or job failed; 2 usage;
3 server or transport; 4 timeout; 5 a secret is not set.
"""

# ---------------------------------------------------------------------------------------------------------
# Failures and text
# ---------------------------------------------------------------------------------------------------------

EXIT_CODES = {
    "tool-error": 1,
    "job-failed": 1,
    "usage": 2,
    "not-found": 3,
    "crashed": 3,
    "unreachable": 3,
    "protocol": 3,
    "auth-needed": 3,
    "io": 3,
    "timeout": 4,
    "unresolved-variable": 5,
}

#: What programs are told (`--json`): one word for each exit code.
PUBLIC_KINDS = {1: "tool", 2: "usage", 3: "server", 4: "timeout", 5: "secret"}

#: Resolved values that must not appear in anything we say. Filled while variables are expanded.
SECRETS = set()
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Failure(Exception):
    """Whatever ends a call. `kind` decides the exit code; `message` is one line, `remedy` says what to do."""

    def __init__(self, kind, message, remedy="", transient=False, retry_after=None):
        Exception.__init__(self, message)
        self.kind = kind
        self.message = message
        self.remedy = remedy
        #: Asking again later may help: HTTP 429 and 503, a lost connection.
        self.transient = transient
        self.retry_after = retry_after

    def to_json(self):
        data = {"kind": self.kind, "message": one_line(mask(self.message)), "remedy": one_line(mask(self.remedy))}
        if self.transient:
            data["transient"] = True
        if self.retry_after is not None:
            data["retryAfter"] = self.retry_after
        return data

    def to_public_json(self):
        """The error object of the envelope that `--json` prints."""
        data = {"kind": PUBLIC_KINDS[EXIT_CODES.get(self.kind, 3)], "message": one_line(mask(self.message))}
        if self.remedy:
            data["remedy"] = one_line(mask(self.remedy))
        return data

    @staticmethod
    def from_json(data):
        return Failure(
            data.get("kind", "protocol"),
            data.get("message", ""),
            data.get("remedy", ""),
            bool(data.get("transient")),
            data.get("retryAfter"),
        )


class SessionLost(Exception):
    """The HTTP server no longer knows our session; nothing was executed."""


class RpcError(Exception):
    """The server answered a request with a JSON-RPC error."""

    def __init__(self, error):
        self.code = error.get("code") if isinstance(error, dict) else None
        self.message = str(error.get("message", "")) if isinstance(error, dict) else str(error)
        self.data = error.get("data") if isinstance(error, dict) else None
        Exception.__init__(self, self.message)


def mask(text):
    """`text` without any resolved secret in it."""
    for value in sorted(SECRETS, key=len, reverse=True):
        if value in text:
            text = text.replace(value, "***")
    return text


def hide(value):
    """Remembers a value that must never be shown, in the forms in which servers echo it."""
    if len(value) >= 4:
        SECRETS.add(value)
        for word in value.split(" "):
            if len(word) >= 8:
                SECRETS.add(word)
        if not value.isalnum():
            SECRETS.add("".join(chr(b) if chr(b) in UNRESERVED else "%%%02X" % b for b in to_bytes(value)))
            SECRETS.add(json.dumps(value)[1:-1])


def one_line(text, limit=2000):
    """Control characters and line ends become single spaces."""
    line = " ".join("".join(c if c >= " " and c != "\x7f" else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def to_bytes(text):
    """UTF-8; a lone surrogate, which JSON may carry, becomes the replacement character."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def write(stream, text):
    """Writes UTF-8 whatever the locale is; a reader that went away is not our error."""
    try:
        stream.flush()
        stream.buffer.write(to_bytes(text))
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except AttributeError:
        stream.write(text)


def say(text):
    write(sys.stdout, text if text.endswith("\n") else text + "\n")


def note(text):
    write(sys.stderr, one_line(mask(text)) + "\n")


def dump(value, pretty=False):
    return json.dumps(value, ensure_ascii=False, indent=2 if pretty else None)


def quote_for_shell(word, platform=None):
    """One word for a command line that a person or agent pastes into the shell of this system."""
    platform = platform or sys.platform
    safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+,-"
    if platform == "win32":
        safe = safe.replace("%", "") + "\\"
        if word and all(c in safe for c in word):
            return word
        return '"' + word.replace('"', '\\"') + '"'
    if word and all(c in safe for c in word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


#: said where only the deadline is known; the seconds that were allowed are put in its place when it is told
NO_ANSWER = "no answer in time"


def left(deadline):
    """Seconds until `deadline`; raises the timeout when there are none."""
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise Failure("timeout", NO_ANSWER, "Give --timeout more seconds, or use --session for a slow start")
    return seconds


# ---------------------------------------------------------------------------------------------------------
# Options
# ---------------------------------------------------------------------------------------------------------

#: option -> (field, how it is read)
OPTIONS = {
    "--tool": ("tool", "text"),
    "--args": ("args", "text"),
    "-a": ("args", "text"),
    "--args-file": ("args_file", "text"),
    "--list": ("list", "flag"),
    "--describe": ("describe", "text"),
    "--submit-tool": ("submit_tool", "text"),
    "--status-tool": ("status_tool", "text"),
    "--result-tool": ("result_tool", "text"),
    "--wait": ("wait", "seconds?"),
    "--resume": ("resume", "text"),
    "--submit-only": ("submit_only", "flag"),
    "--id-param": ("id_param", "text"),
    "--poll-interval": ("poll_interval", "number"),
    "--max-polls": ("max_polls", "count"),
    "--timeout": ("timeout", "number"),
    "-o": ("output", "text"),
    "--output": ("output", "text"),
    "-O": ("output_file", "text"),
    "--output-file": ("output_file", "text"),
    "--auto-filename": ("auto_filename", "flag"),
    "--save-logs": ("save_logs", "flag"),
    "--save-logs-inline": ("save_logs_inline", "flag"),
    "--max-bytes": ("max_bytes", "count"),
    "--session": ("session", "text"),
    "--session-idle": ("session_idle", "number"),
    "--session-stop": ("session_stop", "text"),
    "--session-list": ("session_list", "flag"),
    "--session-daemon": ("session_daemon", "flag"),
    "-c": ("config", "text"),
    "--config": ("config", "text"),
    "--server": ("server", "text"),
    "-e": ("endpoint", "text"),
    "--endpoint": ("endpoint", "text"),
    "--header": ("header", "list"),
    "--type": ("type", "text"),
    "--no-check": ("no_check", "flag"),
    "--json": ("json", "flag"),
    "--version": ("version", "flag"),
    "-h": ("help", "flag"),
    "--help": ("help", "flag"),
}

JOB_ROLES = ("submit_tool", "status_tool", "result_tool")


class Options:
    """The parsed command line; every field has a value."""

    def __init__(self):
        for field, how in OPTIONS.values():
            setattr(self, field, False if how == "flag" else [] if how == "list" else None)
        self.output = "./output"
        self.poll_interval = 2.0
        self.max_polls = 3000
        self.max_bytes = 1024 ** 3
        self.session_idle = 600.0


def number_of(option, text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e15:
        raise usage("%s wants a number, not %s" % (option, quote_text(text)))
    return value


def usage(message, remedy="See --help"):
    return Failure("usage", message, remedy)


def quote_text(value, limit=80):
    text = dump(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def set_option(options, option, value):
    field, how = OPTIONS[option]
    if how == "list":
        getattr(options, field).append(value)
    elif how == "number":
        setattr(options, field, number_of(option, value))
    elif how == "count":
        setattr(options, field, int(number_of(option, value)))
    elif how == "seconds?":
        setattr(options, field, LONG_WAIT if value is None else number_of(option, value))
    else:
        setattr(options, field, value)
    if field == "tool":
        # A wrapper bakes job roles in; asking for one tool by name means just that tool.
        for role in JOB_ROLES:
            setattr(options, role, None)
    elif field in JOB_ROLES:
        options.tool = None
    elif field == "args":
        options.args_file = None
    elif field == "args_file":
        options.args = None


def looks_like_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def parse_options(argv):
    """Later options win. A positional is the tool's name, or the arguments when it begins with a brace."""
    options = Options()
    words = list(argv)
    index = 0
    only_positionals = False
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--" and not only_positionals:
            only_positionals = True
            continue
        if only_positionals or not word.startswith("-") or word == "-":
            set_option(options, "--args" if word.lstrip()[:1] in ("{", "[") or word == "-" else "--tool", word)
            continue
        name, equals, value = word.partition("=")
        if name not in OPTIONS:
            raise usage("unknown option %s%s" % (name, nearest(name, list(OPTIONS))))
        how = OPTIONS[name][1]
        if how == "flag":
            if equals:
                raise usage("%s takes no value" % name)
            setattr(options, OPTIONS[name][0], True)
        elif equals:
            set_option(options, name, value)
        elif how == "seconds?":
            given = index < len(words) and looks_like_number(words[index])
            set_option(options, name, words[index] if given else None)
            index += 1 if given else 0
        else:
            if index >= len(words):
                raise usage("%s wants a value" % name)
            set_option(options, name, words[index])
            index += 1
    return options


def nearest(name, names):
    """`; did you mean x?` for a slip of the pen, else nothing."""
    import difflib

    found = difflib.get_close_matches(name, names, 3, 0.6)
    return "; did you mean %s?" % " or ".join(found) if found else ""


def read_arguments(options):
    """The arguments object, from the command line, a file or standard input."""
    text, origin = options.args, "--args"
    if options.args_file is not None:
        origin = "--args-file %s" % options.args_file
        if options.args_file == "-":
            text = "-"
        else:
            text = read_text(options.args_file, MAX_MESSAGE, "--args-file")
    if text == "-":
        text = sys.stdin.buffer.read(MAX_MESSAGE).decode("utf-8", "replace")
        origin = "standard input"
    if text is None or not text.strip():
        return {}
    try:
        value = json.loads(text.lstrip("\ufeff"), parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise usage("%s is not valid JSON: %s" % (origin, error), "Give one JSON object, for example --args '{\"name\": \"value\"}', or use --args-file")
    if not isinstance(value, dict):
        raise usage("%s must be a JSON object, got %s" % (origin, describe_value(value)))
    return value


def no_constant(name):
    raise ValueError("%s is no JSON" % name)


def read_text(path, limit, what):
    try:
        with open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise usage("%s: cannot read %s (%s)" % (what, path, error.strerror or error), "Check the path")
    if len(data) > limit:
        raise usage("%s: %s is larger than %d bytes" % (what, path, limit), "Give a smaller file")
    return data.decode("utf-8-sig", "replace")


# ---------------------------------------------------------------------------------------------------------
# Configuration and secrets
# ---------------------------------------------------------------------------------------------------------

BASE_ENVIRONMENT = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "TMPDIR", "LANG")
BASE_ENVIRONMENT_WINDOWS = (
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
)
PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def base_environment(environ, platform=None):
    """The few variables every server gets; secrets of the surrounding shell stay out."""
    platform = platform or sys.platform
    names = set(BASE_ENVIRONMENT_WINDOWS if platform == "win32" else BASE_ENVIRONMENT)
    result = {}
    for name, value in environ.items():
        known = name.upper() if platform == "win32" else name
        if known in names or name.upper() in PROXY_VARIABLES:
            # Exported shell functions are code, not settings.
            if not value.startswith("()"):
                result[name] = value
    return result


def parse_env_file(text):
    """`NAME=value` lines: `export`, quotes, escapes in double quotes, comments."""
    result = {}
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("export "):
            line = line[7:].lstrip()
        name, equals, value = line.partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or name.startswith("#"):
            continue
        if value[:1] in ("'", '"'):
            end = value.find(value[0], 1)
            while value[0] == '"' and end > 0 and value[end - 1] == "\\":
                end = value.find('"', end + 1)
            body = value[1:end] if end > 0 else value[1:]
            if value[0] == '"':
                body = body.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
            value = body
        else:
            value = value.split(" #", 1)[0].rstrip()
        result[name] = value
    return result


def project_root(skill, current):
    """The folder that holds the `.claude`, `.github` or `.agents` folder in which the skill lies."""
    folder = skill
    while True:
        parent = os.path.dirname(folder)
        if parent == folder:
            return current
        if os.path.basename(folder) in (".claude", ".github", ".agents"):
            return parent
        folder = parent


class Variables:
    """Looks placeholders up: environment, `.env` of the project, the file the editor names."""

    def __init__(self, root, environ):
        self.root = root
        self.environ = environ
        self.missing = []
        self.files = None

    def look_up(self, name):
        if name in self.environ:
            return self.environ[name]
        if self.files is None:
            self.files = []
            for path in (os.path.join(self.root, ".env"), self.environ.get("MOCHI_ENV_FILE")):
                if path and os.path.isfile(path):
                    self.files.append(parse_env_file(read_text(path, MAX_CONFIG, "environment file")))
        for values in self.files:
            if name in values:
                return values[name]
        return None

    def fixed(self, name):
        """Values that are known without the environment and are no secret."""
        if name == "workspaceFolder" or name.startswith("workspaceFolder:"):
            return self.root
        if name == "workspaceFolderBasename":
            return os.path.basename(self.root)
        if name == "userHome":
            return os.path.expanduser("~")
        if name in ("pathSeparator", "/"):
            return os.sep
        return None

    def value_of(self, expression):
        name, has_default, default = expression.partition(":-")
        value = self.fixed(name)
        if value is not None:
            return value
        if name.startswith("input:"):
            upper = "".join(c if c.isalnum() and c.isascii() else "_" for c in name[6:]).upper()
            names = ["MOCHI_INPUT_" + upper, upper]
        else:
            names = [name[4:] if name.startswith("env:") else name]
        for candidate in names:
            value = self.look_up(candidate)
            if value is not None and not (has_default and value == ""):
                hide(value)
                return value
        if has_default:
            return self.expand(default)
        if names[-1] not in self.missing:
            self.missing.append(names[-1])
        return ""

    def expand(self, text):
        """`text` with every placeholder replaced; the names of those that have no value gather in `missing`."""
        result = []
        index = 0
        while index < len(text):
            if text.startswith("$${", index):
                result.append("${")
                index += 3
            elif text.startswith("${", index):
                end = closing_brace(text, index + 2)
                if end < 0:
                    result.append(text[index:])
                    break
                result.append(self.value_of(text[index + 2 : end]))
                index = end + 1
            else:
                stop = text.find("$", index + 1)
                stop = len(text) if stop < 0 else stop
                result.append(text[index:stop])
                index = stop
        return "".join(result)

    def require_all(self):
        if self.missing:
            names = ", ".join(self.missing)
            raise Failure(
                "unresolved-variable",
                "not set: %s" % names,
                "Set %s in the environment or in %s" % ("it" if len(self.missing) == 1 else "them", os.path.join(self.root, ".env")),
            )


def closing_brace(text, index):
    depth = 1
    while index < len(text):
        if text.startswith("${", index):
            depth += 1
            index += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
        index += 1
    return -1


class Place:
    """Where this script stands: the skill, its project, its configuration and reference files."""

    def __init__(self, options):
        self.skill = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        self.root = project_root(self.skill, os.getcwd())
        own = os.path.join(self.skill, "references", "mcp.json")
        self.config = os.path.abspath(options.config) if options.config else own
        folder = os.path.dirname(self.config)
        self.references = folder if options.config else os.path.join(self.skill, "references")


def server_definition(options, place):
    """The one server to call, with its placeholders untouched."""
    if options.type not in (None, "http", "sse"):
        raise usage("--type is http or sse, not %s" % quote_text(options.type))
    headers = {}
    for line in options.header:
        name, colon, value = line.partition(":")
        if not colon or not name.strip():
            raise usage("--header wants 'Name: value'")
        headers[name.strip()] = value.strip()
    if options.endpoint:
        return {"name": options.endpoint, "type": options.type or "http", "url": options.endpoint, "headers": headers}
    text = read_text(place.config, MAX_CONFIG, "--config")
    try:
        data = json.loads(text)
        servers = data.get("mcpServers", data.get("servers"))
        names = [name for name in servers if isinstance(servers[name], dict)]
    except (ValueError, RecursionError, AttributeError, TypeError):
        raise usage("%s holds no mcpServers object" % place.config, "Generate the skill again")
    name = options.server
    if name is None and len(names) == 1:
        name = names[0]
    if name is None:
        raise usage("%s names %d servers: %s" % (place.config, len(names), ", ".join(names)), "Choose one with --server")
    if name not in names:
        raise usage("no server %s in %s%s" % (quote_text(name), place.config, nearest(name, names)), "Known: %s" % ", ".join(names))
    definition = dict(servers[name], name=name)
    definition["type"] = definition.get("type") or ("http" if definition.get("url") else "stdio")
    if definition["type"] in ("streamable-http", "streamableHttp", "streamable_http"):
        definition["type"] = "http"
    if definition["type"] != "stdio":
        definition["type"] = options.type or definition["type"]
        definition["headers"] = merge_headers(definition.get("headers") or {}, headers)
    return definition


def merge_headers(configured, given):
    lower = {name.lower() for name in given}
    result = {name: value for name, value in configured.items() if name.lower() not in lower}
    result.update(given)
    return result


def resolve_definition(definition, place, environ=None, platform=None):
    """The definition ready to connect to: placeholders replaced, environment built. Never shown or stored."""
    environ = os.environ if environ is None else environ
    variables = Variables(place.root, environ)
    resolved = {"type": definition["type"], "name": definition["name"]}
    if definition["type"] == "stdio":
        env = base_environment(environ, platform)
        resolved["command"] = variables.expand(str(definition.get("command", "")))
        resolved["args"] = [variables.expand(str(arg)) for arg in definition.get("args") or []]
        resolved["cwd"] = os.path.join(place.root, variables.expand(str(definition.get("cwd") or ".")))
        extra = {}
        if definition.get("envFile"):
            path = os.path.join(place.root, variables.expand(str(definition["envFile"])))
            extra.update(parse_env_file(read_text(path, MAX_CONFIG, "envFile")))
            for value in extra.values():
                hide(value)
        for name, value in (definition.get("env") or {}).items():
            extra[name] = None if value is None else variables.expand(str(value))
        for name, value in extra.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        resolved["env"] = env
        if not resolved["command"] and not variables.missing:
            raise usage("server %s has no command" % quote_text(definition["name"]), "Generate the skill again")
    elif definition["type"] in ("http", "sse"):
        resolved["url"] = variables.expand(str(definition.get("url", "")))
        resolved["headers"] = {name: variables.expand(str(value)) for name, value in definition.get("headers", {}).items()}
        for name, value in resolved["headers"].items():
            if name.lower() in ("authorization", "cookie", "proxy-authorization") or any(
                word in name.lower() for word in ("key", "token", "secret", "auth")
            ):
                hide(value)
            if "\r" in value or "\n" in value:
                raise usage("header %s holds a line end" % name)
        if not variables.missing and not resolved["url"].lower().startswith(("http://", "https://")):
            raise usage("%s is no http(s) address" % quote_text(mask(resolved["url"])))
    else:
        raise usage("server type %s is not supported" % quote_text(definition["type"]), "Use stdio, http or sse")
    variables.require_all()
    return resolved


# ---------------------------------------------------------------------------------------------------------
# Reference files
# ---------------------------------------------------------------------------------------------------------


class ReferenceYaml:
    """Reads the small part of YAML that reference files are written in: what `read_yaml` is given."""

    def __init__(self, text):
        self.lines = [line for line in text.split("\n")]
        self.at = 0

    def peek(self):
        """Indentation of the next line that says something, or -1."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            body = line.lstrip(" ")
            if body and not body.startswith("#"):
                return len(line) - len(body)
            self.at += 1
        return -1

    def block(self, indent):
        if self.lines[self.at].startswith("- ", indent) or self.lines[self.at][indent:] == "-":
            return self.sequence(indent)
        return self.mapping(indent)

    def mapping(self, indent):
        result = {}
        while self.peek() == indent:
            line = self.lines[self.at]
            if line[indent] == '"':
                key, end = DECODER.raw_decode(line, indent)
            else:
                end = line.find(":", indent)
                if end < 0:
                    raise ValueError("line %d has no key" % (self.at + 1))
                key = line[indent:end]
            result[key] = self.value(line[end + 1 :].strip(" "), indent)
        return result

    def value(self, rest, indent):
        self.at += 1
        if rest == "|":
            return self.literal(indent)
        if rest != "":
            return scalar_of(rest)
        inner = self.peek()
        if inner > indent:
            return self.block(inner)
        return None

    def literal(self, indent):
        taken = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip(" ") and len(line) - len(line.lstrip(" ")) <= indent:
                break
            taken.append(line[indent + 2 :])
            self.at += 1
        return "\n".join(taken).rstrip("\n") + "\n"

    def sequence(self, indent):
        result = []
        while self.peek() == indent and self.lines[self.at][indent] == "-":
            rest = self.lines[self.at][indent + 1 :].strip(" ")
            if rest.startswith("- ") or begins_mapping(rest):
                # The first entry stands on the dash's own line; read it as a line of its own.
                self.lines[self.at] = " " * (indent + 2) + rest
                result.append(self.block(indent + 2))
            else:
                result.append(self.value(rest, indent))
        return result


DECODER = json.JSONDecoder()
KEY_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$./-")


def begins_mapping(rest):
    if rest.startswith('"'):
        end = DECODER.raw_decode(rest)[1]
        return rest[end : end + 1] == ":"
    key, colon, after = rest.partition(":")
    return bool(colon) and bool(key) and all(c in KEY_CHARACTERS for c in key) and (after == "" or after[0] == " ")


def scalar_of(text):
    first = text[0]
    if first == '"':
        return DECODER.raw_decode(text)[0]
    if first == "[":
        return flow_list(text)
    if text in ("null", "true", "false", "{}") or first in "-0123456789":
        return json.loads(text)
    return text


def flow_list(text):
    result = []
    index = 1
    while text[index] != "]":
        if text[index] in ", ":
            index += 1
        elif text[index] == '"':
            value, index = DECODER.raw_decode(text, index)
            result.append(value)
        else:
            end = min(found for found in (text.find(",", index), text.find("]", index)) if found >= 0)
            result.append(scalar_of(text[index:end].strip(" ")))
            index = end
    return result


def read_yaml(text):
    """The value of a reference file: block mappings and lists, one-line scalars, flow lists of scalars."""
    reader = ReferenceYaml(text)
    indent = reader.peek()
    return {} if indent < 0 else reader.block(indent)


def tool_of_entry(name, entry):
    """A tool, back from its entry in a reference file."""
    if not isinstance(entry, dict):
        entry = {}
    tool = {"name": name, "description": entry.get("description") or ""}
    if isinstance(entry.get("inputSchema"), dict):
        tool["inputSchema"] = entry["inputSchema"]
        return tool
    schema = {"type": "object"}
    for key, value in entry.items():
        if key != "description":
            schema["properties" if key == "parameters" else key] = value
    tool["inputSchema"] = schema
    return tool


def tools_of_yaml(text):
    """name -> entry of every tool; the key of a tool named `_usage` begins with a backslash."""
    entries = read_yaml(text)
    return {(key[1:] if key.startswith("\\") else key): value for key, value in entries.items() if key != "_usage"}


class References:
    """The tools as the skill's own files describe them. Reads as little as the question needs."""

    def __init__(self, folder):
        self.folder = folder
        self.json_path = os.path.join(folder, "tools.json")
        self.yaml_folder = os.path.join(folder, "tools")
        self.loaded = None

    def exist(self):
        return os.path.isfile(self.json_path) or bool(self.whole_files())

    def whole_files(self):
        try:
            names = sorted(os.listdir(self.yaml_folder))
        except OSError:
            return []
        return [os.path.join(self.yaml_folder, name) for name in names if name.endswith(".yaml")]

    def all(self):
        """name -> tool, in the order of the file."""
        if self.loaded is None:
            self.loaded = {}
            try:
                if os.path.isfile(self.json_path):
                    for tool in json.loads(read_text(self.json_path, MAX_REFERENCE, "reference")):
                        self.loaded[tool["name"]] = tool
                else:
                    for path in self.whole_files():
                        for name, entry in tools_of_yaml(read_text(path, MAX_REFERENCE, "reference")).items():
                            self.loaded[name] = tool_of_entry(name, entry)
            except (ValueError, IndexError, KeyError, TypeError, RecursionError) as error:
                raise usage("the reference files cannot be read (%s)" % error, "Generate the skill again, or use --no-check")
        return self.loaded

    def own_file(self, name):
        """The file of one tool, by its name; undefined when the name is no file name."""
        if not 0 < len(name) <= 100 or name.startswith(".") or not all(c in KEY_CHARACTERS and c not in "$/" for c in name):
            return None
        for whole in self.whole_files():
            path = os.path.join(whole[: -len(".yaml")], name + ".yaml")
            if os.path.isfile(path):
                return path
        return None

    def find(self, name):
        """The tool, or None."""
        if not os.path.isfile(self.json_path):
            path = self.own_file(name)
            if path is not None:
                try:
                    entries = tools_of_yaml(read_text(path, MAX_REFERENCE, "reference"))
                    if name in entries:
                        return tool_of_entry(name, entries[name])
                except (ValueError, IndexError, TypeError, RecursionError):
                    pass
        return self.all().get(name)

    def text_of(self, name):
        """What `--describe` shows: the tool's own file, else its part of the whole file."""
        path = None if os.path.isfile(self.json_path) else self.own_file(name)
        if path is not None and name in tools_of_yaml(read_text(path, MAX_REFERENCE, "reference")):
            return read_text(path, MAX_REFERENCE, "reference")
        tool = self.find(name)
        if tool is None:
            return None
        for whole in [] if os.path.isfile(self.json_path) else self.whole_files():
            lines = read_text(whole, MAX_REFERENCE, "reference").split("\n")
            for index, line in enumerate(lines):
                if line[:1] not in ("", " ", "#") and list(tools_of_yaml(line)) == [name]:
                    end = index + 1
                    while end < len(lines) and lines[end][:1] in ("", " ", "#"):
                        end += 1
                    return "\n".join(lines[index:end]).rstrip("\n") + "\n"
        return dump(tool, pretty=True)

    def require(self, name):
        tool = self.find(name)
        if tool is None:
            raise usage("unknown tool %s%s" % (quote_text(name), nearest(name, list(self.all()))), "See --list")
        return tool


def first_sentence(text, limit=200):
    """Up to the first full stop that ends a sentence: what follows begins like a new one."""
    line = " ".join(text.split())
    for index, char in enumerate(line):
        after = line[index + 1 : index + 3]
        ends = char in ".!?" and (after == "" or after[:1] == " " and begins_sentence(after[1:]))
        if ends or char in "\u3002\uff01\uff1f":
            line = line[: index + 1]
            break
    return line if len(line) <= limit else line[: limit - 1] + "…"


def begins_sentence(char):
    return char in "`\"'([*" or char.isdigit() or char.isalpha() and not char.islower()


# ---------------------------------------------------------------------------------------------------------
# Argument check
# ---------------------------------------------------------------------------------------------------------


def type_name(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def describe_value(value):
    """`number 5`, `string "x"`, `array`: short enough for one line."""
    name = type_name(value)
    return name if name in ("null", "array", "object") else "%s %s" % (name, quote_text(value, 40))


def has_type(value, name):
    actual = type_name(value)
    if name == "integer":
        return actual == "number" and (isinstance(value, int) or value.is_integer())
    return actual == name


def same(one, other):
    """Equality as JSON has it: true is not 1, but 1.0 is 1."""
    return dump_key(one) == dump_key(other)


def dump_key(value):
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ",".join(dump_key(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(dump_key(key) + ":" + dump_key(value[key]) for key in sorted(value)) + "}"
    return json.dumps(value)


class Checker:
    """Holds arguments against a tool's schema. Lenient on purpose: what it does not know, it lets pass."""

    def __init__(self, schema):
        self.root = schema

    def resolve(self, reference):
        if not isinstance(reference, str) or not reference.startswith("#"):
            return None
        node = self.root
        for part in reference[1:].split("/")[1:]:
            part = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, dict) and part in node:
                node = node[part]
            elif isinstance(node, list) and part.isdigit() and int(part) < len(node):
                node = node[int(part)]
            else:
                return None
        return node

    def check(self, value, schema, path="", depth=0):
        """A list of `path: what is wrong`; empty when the value may be sent."""
        if schema is False:
            return [at(path, "nothing is allowed here")]
        if not isinstance(schema, dict) or depth > 60:
            return []
        errors = []
        if "$ref" in schema:
            errors += self.check(value, self.resolve(schema["$ref"]), path, depth + 1)
        wanted = schema.get("type")
        types = [wanted] if isinstance(wanted, str) else wanted if isinstance(wanted, list) else []
        if types and not any(has_type(value, name) for name in types):
            return errors + [at(path, "expected %s, got %s" % (" or ".join(str(name) for name in types), describe_value(value)))]
        errors += self.check_choice(value, schema, path)
        kind = type_name(value)
        if kind == "number":
            errors += check_number(value, schema, path)
        elif kind == "string":
            errors += check_string(value, schema, path)
        elif kind == "array":
            errors += self.check_array(value, schema, path, depth)
        elif kind == "object":
            errors += self.check_object(value, schema, path, depth)
        for branch in schema.get("allOf") or []:
            errors += self.check(value, branch, path, depth + 1)
        for word in ("anyOf", "oneOf"):
            if isinstance(schema.get(word), list) and schema[word]:
                errors += self.check_branches(value, schema[word], path, depth)
        return errors

    def check_choice(self, value, schema, path):
        if "const" in schema and not same(value, schema["const"]):
            return [at(path, "%s is not allowed; use %s" % (quote_text(value), quote_text(schema["const"])))]
        choices = schema.get("enum")
        if isinstance(choices, list) and not any(same(value, choice) for choice in choices):
            listed = ", ".join(quote_text(choice) for choice in choices[:30])
            more = ", …" if len(choices) > 30 else ""
            return [at(path, "%s is not allowed; use one of %s%s" % (quote_text(value), listed, more))]
        return []

    def check_array(self, value, schema, path, depth):
        errors = []
        fewest, most = schema.get("minItems"), schema.get("maxItems")
        if is_number(fewest) and len(value) < fewest:
            errors.append(at(path, "needs at least %s items, got %d" % (fewest, len(value))))
        if is_number(most) and len(value) > most:
            errors.append(at(path, "takes at most %s items, got %d" % (most, len(value))))
        if isinstance(schema.get("items"), (dict, bool)) and "prefixItems" not in schema:
            for index, item in enumerate(value):
                errors += self.check(item, schema["items"], "%s[%d]" % (path, index), depth + 1)
                if len(errors) > 20:
                    break
        return errors

    def check_object(self, value, schema, path, depth):
        errors = []
        properties = schema.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        for name in schema.get("required") or []:
            if isinstance(name, str) and name not in value:
                errors.append(at(join(path, name), "required%s" % self.expected(properties.get(name))))
        rest = schema.get("additionalProperties")
        for name, item in value.items():
            if name in properties:
                errors += self.check(item, properties[name], join(path, name), depth + 1)
            elif "patternProperties" in schema:
                continue
            elif rest is False:
                errors.append(at(join(path, name), "unknown property%s" % nearest(name, list(properties))))
            elif isinstance(rest, dict):
                errors += self.check(item, rest, join(path, name), depth + 1)
        return errors

    def expected(self, schema):
        seen = 0
        while isinstance(schema, dict) and "type" not in schema and "$ref" in schema and seen < 10:
            schema, seen = self.resolve(schema["$ref"]), seen + 1
        wanted = schema.get("type") if isinstance(schema, dict) else None
        if isinstance(wanted, list):
            wanted = " or ".join(str(name) for name in wanted)
        return " (%s)" % wanted if isinstance(wanted, str) else ""

    def check_branches(self, value, branches, path, depth):
        """Passes when one branch does; else the complaint of the branch that came nearest."""
        best = None
        refused = []
        for branch in branches:
            errors = self.check(value, branch, path, depth + 1)
            if not errors:
                return []
            own = [error for error in errors if error.startswith(at(path, "expected "))]
            if own:
                refused.append(own[0][len(at(path, "expected ")) :].split(", got ")[0])
                weight = (2, 0, len(errors))
            else:
                choice = any(" is not allowed; use " in error for error in errors)
                weight = (1 if choice else 0, -max(depth_of(error) for error in errors), len(errors))
            if best is None or weight < best[0]:
                best = (weight, errors)
        if len(refused) == len(branches):
            names = list(dict.fromkeys(name for text in refused for name in text.split(" or ")))
            return [at(path, "expected %s, got %s" % (" or ".join(names), describe_value(value)))]
        return best[1]


def depth_of(error):
    return error.split(": ", 1)[0].count(".") + error.split(": ", 1)[0].count("[")


def at(path, text):
    return "%s: %s" % (path or "arguments", text)


def join(path, name):
    return "%s.%s" % (path, name) if path else name


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_number(value, schema, path):
    errors = []
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    # Draft 4 wrote the exclusive bounds as booleans beside the plain ones.
    if above is True:
        above, low = low, None
    if below is True:
        below, high = high, None
    for wrong, text, bound in (
        (is_number(low) and value < low, "at least", low),
        (is_number(high) and value > high, "at most", high),
        (is_number(above) and value <= above, "more than", above),
        (is_number(below) and value >= below, "less than", below),
    ):
        if wrong:
            errors.append(at(path, "must be %s %s, got %s" % (text, dump(bound), dump(value))))
    return errors


def check_string(value, schema, path):
    errors = []
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if is_number(shortest) and len(value) < shortest:
        errors.append(at(path, "needs at least %s characters, got %d" % (shortest, len(value))))
    if is_number(longest) and len(value) > longest:
        errors.append(at(path, "takes at most %s characters, got %d" % (longest, len(value))))
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and len(pattern) <= 200 and len(value) <= 10000:
        import re

        # A repeated group that repeats inside can take for ever; the server will check it.
        if not re.search(r"[+*}]\)*\)[+*{]", pattern):
            try:
                if not re.search(pattern, value, re.ASCII):
                    errors.append(at(path, "%s does not match the pattern %s" % (quote_text(value, 60), pattern)))
            except (re.error, RecursionError, OverflowError):
                pass
    return errors


def check_arguments(tool, arguments):
    """Refuses arguments that the server would refuse, with the field, what was given and what is allowed."""
    schema = tool.get("inputSchema")
    errors = Checker(schema).check(arguments, schema) if isinstance(schema, dict) else []
    if errors:
        more = " (and %d more)" % (len(errors) - 5) if len(errors) > 5 else ""
        raise usage("; ".join(dict.fromkeys(errors[:5])) + more, "See --describe %s" % tool["name"])


# ---------------------------------------------------------------------------------------------------------
# Links: standard input and output
# ---------------------------------------------------------------------------------------------------------


class TooLarge(Exception):
    """One message was larger than we are willing to hold."""


def split_lines(chunks, limit):
    """Lines of a byte stream, without their ends; a line over `limit` bytes raises TooLarge."""
    parts = []
    size = 0
    for chunk in chunks:
        start = 0
        while True:
            end = chunk.find(b"\n", start)
            if end < 0:
                break
            parts.append(chunk[start:end])
            yield b"".join(parts)
            parts, size, start = [], 0, end + 1
        parts.append(chunk[start:])
        size += len(chunk) - start
        if size > limit:
            raise TooLarge()
    if size:
        yield b"".join(parts)


def too_large():
    return Failure("protocol", "the server sent a message of more than %d MB" % (MAX_MESSAGE >> 20), "Ask the tool for less")


def parse_messages(data):
    """JSON-RPC messages in `data`; anything else that servers print is dropped."""
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return []
    values = value if isinstance(value, list) else [value]
    return [item for item in values if isinstance(item, dict) and item.get("jsonrpc") == "2.0"]


class Mailbox:
    """Messages handed from a reading thread to the caller. Notifications never enter; the oldest fall out."""

    def __init__(self):
        import collections
        import threading

        self.ready = threading.Condition()
        self.items = collections.deque(maxlen=1000)
        self.end = None

    def put(self, message):
        if "id" in message:
            with self.ready:
                self.items.append(message)
                self.ready.notify()

    def finish(self, failure):
        with self.ready:
            self.end = self.end or failure
            self.ready.notify_all()

    def take(self, deadline):
        with self.ready:
            while not self.items:
                if self.end is not None:
                    raise self.end
                self.ready.wait(min(left(deadline), 3600))
            return self.items.popleft()


def windows_command_line(command, args):
    """A command line for `cmd.exe`, which is what starts `.cmd` and `.bat` files; nothing in `args` is run."""
    special = '()[]%!^"`<>&|;, *?'

    def quoted(text):
        result, slashes = '"', 0
        for char in text:
            if char == "\\":
                slashes += 1
                continue
            result += "\\" * (slashes * 2 + 1 if char == '"' else slashes) + char
            slashes = 0
        return result + "\\" * (slashes * 2) + '"'

    def escaped(text):
        return "".join("^" + char if char in special else char for char in text)

    # Batch files expand their arguments a second time, so the carets are doubled there.
    words = [escaped(command)] + [escaped(escaped(quoted(arg))) for arg in args]
    return 'cmd.exe /d /s /c "%s"' % " ".join(words)


def spawn_command(command, args, env, platform=None, which=None):
    """What to give to Popen: on Windows the command is looked up, as `npx` is really `npx.cmd` there."""
    platform = platform or sys.platform
    if platform != "win32":
        return [command] + args
    if which is None:
        import shutil

        which = shutil.which
    path = next((value for name, value in env.items() if name.upper() == "PATH"), None)
    found = which(command, path=path) or command
    if found.lower().endswith((".cmd", ".bat")):
        return windows_command_line(found, args)
    return [found] + args


def spawn_options(platform=None):
    """A process group of its own, so that the whole tree can be ended."""
    if (platform or sys.platform) == "win32":
        return {"creationflags": 0x00000200 | 0x08000000}  # CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW
    return {"start_new_session": True}


def tree_killer(pid, force, platform=None):
    """How to end a process and all it started: a command on Windows, a signal number to the group elsewhere."""
    if (platform or sys.platform) == "win32":
        return ["taskkill", "/T", "/F", "/PID", str(pid)] if force else None
    import signal

    return signal.SIGKILL if force else signal.SIGTERM


def end_tree(process, force):
    how = tree_killer(process.pid, force)
    if how is None:
        return
    if isinstance(how, list):
        import subprocess

        subprocess.call(how, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return
    try:
        os.killpg(process.pid, how)
    except (ProcessLookupError, PermissionError):
        pass


class StdioLink:
    """A server started as a child: one JSON message a line."""

    modern_headers = False

    def __init__(self, spec):
        import collections
        import subprocess
        import threading

        self.spec = spec
        self.errors = collections.deque(maxlen=40)
        self.mail = Mailbox()
        self.closing = False
        if not os.path.isdir(spec["cwd"]):
            raise Failure("not-found", "the server's working folder does not exist: %s" % spec["cwd"], "Correct cwd in references/mcp.json")
        try:
            self.process = subprocess.Popen(
                spawn_command(spec["command"], spec["args"], spec["env"]),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                cwd=spec["cwd"], env=spec["env"], bufsize=0, **spawn_options()
            )
        except FileNotFoundError:
            raise Failure("not-found", "the command %s was not found" % quote_text(spec["command"]), "Install it or put it on PATH")
        except (OSError, ValueError) as error:
            raise Failure("not-found", "cannot start %s: %s" % (quote_text(spec["command"]), error), "Check the command in references/mcp.json")
        self.error_reader = threading.Thread(target=self.read_errors, daemon=True)
        self.error_reader.start()
        threading.Thread(target=self.read_messages, daemon=True).start()

    def chunks(self):
        descriptor = self.process.stdout.fileno()
        while True:
            try:
                chunk = os.read(descriptor, 1 << 18)
            except (OSError, ValueError):
                return
            if not chunk:
                return
            yield chunk

    def read_messages(self):
        try:
            for line in split_lines(self.chunks(), MAX_MESSAGE):
                if line.lstrip()[:1] in (b"{", b"["):
                    for message in parse_messages(line):
                        self.mail.put(message)
        except TooLarge:
            self.mail.finish(too_large())
            end_tree(self.process, True)
            return
        if self.closing:
            return
        # The exit code and the last words come a moment after the end of the output.
        try:
            code = self.process.wait(1)
        except Exception:
            code = None
        self.error_reader.join(0.5)
        self.mail.finish(Failure(
            "crashed",
            "the server %s%s" % ("closed its output" if code is None else "ended with exit code %d" % code, self.last_words()),
            "Run its command by hand to see why",
            transient=True,
        ))

    def read_errors(self):
        descriptor = self.process.stderr.fileno()
        while True:
            try:
                chunk = os.read(descriptor, 1 << 14)
            except (OSError, ValueError):
                return
            if not chunk:
                return
            self.errors.append(chunk)

    def last_words(self):
        text = mask(b"".join(self.errors)[-20000:].decode("utf-8", "replace"))
        lines = [one_line(line, 300) for line in text.splitlines() if line.strip()]
        return ": " + " | ".join(lines[-5:]) if lines else ""

    def alive(self):
        return self.process.poll() is None and self.mail.end is None

    def post(self, message, deadline):
        data = to_bytes(dump(message)) + b"\n"
        if len(data) <= 4096:
            self.write(data)
            return
        # A server that does not read would block us past the deadline.
        import threading

        writer = threading.Thread(target=self.write, args=(data,), daemon=True)
        writer.start()
        writer.join(left(deadline))
        if writer.is_alive():
            left(0)

    def write(self, data):
        try:
            self.process.stdin.write(data) if len(data) <= 4096 else self.write_all(data)
        except (OSError, ValueError):
            # The reader finds out why, and says it better.
            pass

    def write_all(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view) or 0 :]

    def exchange(self, message, deadline):
        """Sends a request and yields whatever comes back until the caller has its answer."""
        self.post(message, deadline)
        while True:
            try:
                yield self.mail.take(deadline)
            except Failure as failure:
                if failure.kind == "timeout":
                    failure.message += self.last_words()
                raise failure

    def cancel(self, identifier):
        try:
            notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identifier}}
            self.post(notice, time.monotonic() + 1)
        except Failure:
            pass

    def close(self, patient=True):
        """End of input, then a request to end, then the end of the whole tree. Nothing is left behind."""
        self.closing = True
        try:
            self.process.stdin.close()
        except OSError:
            pass
        for wait, force in ((0.7 if patient else 0.05, False), (0.8, True)):
            if self.has_ended(wait):
                break
            end_tree(self.process, force)
        self.has_ended(2)
        if sys.platform != "win32":
            end_tree(self.process, True)

    def has_ended(self, seconds):
        # Popen.wait(timeout) sleeps up to 50 ms at a time; a caller feels that.
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() >= end:
                return False
            time.sleep(0.002)
        return True


# ---------------------------------------------------------------------------------------------------------
# Links: HTTP
# ---------------------------------------------------------------------------------------------------------


def split_url(url):
    """scheme, host, port, path with query, and the address without userinfo and fragment."""
    from urllib.parse import quote, urlsplit

    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise usage("%s is no http(s) address (%s)" % (quote_text(mask(url)), error))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise usage("%s is no http(s) address" % quote_text(mask(url)))
    safe = "%/:=&?~#+!$,;'@()*[]"
    target = quote(parts.path or "/", safe=safe) + ("?" + quote(parts.query, safe=safe) if parts.query else "")
    return parts.scheme, parts.hostname, port or (443 if parts.scheme == "https" else 80), target


def userinfo_header(url):
    """Basic authorization for an address that carries a user name."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(url)
    if parts.username is None:
        return {}
    import base64

    pair = "%s:%s" % (unquote(parts.username), unquote(parts.password or ""))
    hide(unquote(parts.password or ""))
    return {"Authorization": "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")}


def proxy_for(scheme, host, port, environ=None):
    """(host, port, headers) of the proxy the environment asks for, or None."""
    environ = os.environ if environ is None else environ
    value = None
    for name in (scheme + "_proxy", "all_proxy"):
        value = value or environ.get(name) or environ.get(name.upper())
    if not value or not value.lower().startswith(("http://", "https://")) and "://" in value:
        return None
    bypass = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    for rule in [part.strip().lower() for part in bypass.split(",") if part.strip()]:
        name = rule.rsplit(":", 1)[0] if rule.count(":") == 1 else rule
        if rule.count(":") == 1 and rule.rsplit(":", 1)[1] != str(port):
            continue
        name = name.lstrip("*").lstrip(".")
        if name == "" or host.lower() == name or host.lower().endswith("." + name):
            return None
    if host in ("localhost", "127.0.0.1", "::1"):
        return None
    address = value if "://" in value else "http://" + value
    _scheme, proxy_host, proxy_port, _target = split_url(address)
    headers = {name.replace("Authorization", "Proxy-Authorization"): text for name, text in userinfo_header(address).items()}
    return proxy_host, proxy_port, headers


class Reply:
    """One HTTP answer. `chunks` reads the body under the deadline of its request."""

    def __init__(self, wires, key, connection, response, sock, guard, deadline):
        self.wires, self.key, self.connection, self.response = wires, key, connection, response
        self.sock, self.guard, self.deadline = sock, guard, deadline
        self.status = response.status
        self.reason = response.reason
        self.open = True

    def header(self, name):
        return self.response.getheader(name) or ""

    def chunks(self, size=1 << 18):
        import http.client

        while self.open:
            try:
                self.sock.settimeout(left(self.deadline))
                chunk = self.response.read1(size)
            except (OSError, ValueError, AttributeError, http.client.HTTPException) as error:
                self.close()
                left(self.deadline)
                raise lost_connection(error)
            if not chunk:
                left(self.deadline)
                self.close(reuse=True)
                return
            yield chunk

    def read(self, limit=MAX_MESSAGE):
        parts, size = [], 0
        for chunk in self.chunks():
            parts.append(chunk)
            size += len(chunk)
            if size > limit:
                self.close()
                raise too_large()
        return b"".join(parts)

    def close(self, reuse=False):
        if not self.open:
            return
        self.open = False
        self.guard.cancel()
        if reuse and not self.response.will_close and self.response.isclosed():
            self.wires.keep(self.key, self.connection)
        else:
            self.response.close()
            self.connection.close()


def lost_connection(error):
    return Failure("unreachable", "the connection was lost (%s)" % (error or type(error).__name__), "Try again", transient=True)


class Wires:
    """HTTP connections, kept open between requests to the same place."""

    def __init__(self):
        self.idle = {}
        self.context = None

    def keep(self, key, connection):
        if key in self.idle or connection.sock is None:
            connection.close()
        else:
            self.idle[key] = connection

    def close(self):
        for connection in self.idle.values():
            connection.close()
        self.idle = {}

    def connect(self, scheme, host, port, deadline):
        """An open connection and whether the whole address has to be sent as target (plain HTTP by a proxy)."""
        import http.client
        import select

        key = (scheme, host, port)
        connection = self.idle.pop(key, None)
        if connection is not None:
            # Readable while nothing was asked means the other side has closed it.
            if connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]:
                return key, connection, None
            connection.close()
        proxy = proxy_for(scheme, host, port)
        seconds = left(deadline)
        if scheme == "https":
            import ssl

            self.context = self.context or ssl.create_default_context()
            connection = http.client.HTTPSConnection(*(proxy[:2] if proxy else (host, port)), timeout=seconds, context=self.context)
            if proxy:
                connection.set_tunnel(host, port, proxy[2])
        else:
            connection = http.client.HTTPConnection(*(proxy[:2] if proxy else (host, port)), timeout=seconds)
        try:
            connection.connect()
        except (OSError, ValueError, http.client.HTTPException) as error:
            connection.close()
            left(deadline)
            reason = getattr(error, "strerror", None) or getattr(error, "verify_message", None) or str(error)
            raise Failure("unreachable", "cannot connect to %s:%d (%s)" % (host, port, reason), "Check that the server runs and the address is right", transient=True)
        return key, connection, proxy if proxy and scheme == "http" else None

    def request(self, method, url, headers, body, deadline):
        import http.client
        import threading

        scheme, host, port, target = split_url(url)
        key, connection, proxy = self.connect(scheme, host, port, deadline)
        if proxy:
            target = "http://%s:%d%s" % (host, port, target)
            headers = dict(headers, **proxy[2])
        sock = connection.sock
        sock.settimeout(left(deadline))
        # One byte at a time resets a socket's own timeout for ever; this does not.
        guard = threading.Timer(left(deadline) + 0.05, cut, (sock,))
        guard.daemon = True
        guard.start()
        try:
            connection.request(method, target, body, dict({"User-Agent": "mochi-skill/" + VERSION}, **headers))
            response = connection.getresponse()
        except (OSError, ValueError, http.client.HTTPException) as error:
            guard.cancel()
            connection.close()
            left(deadline)
            raise lost_connection(error)
        return Reply(self, key, connection, response, sock, guard, deadline)


def cut(sock):
    import socket

    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


def sse_events(chunks):
    """(event, data, id, retry) of a server-sent event stream."""
    event, data, identifier, retry, size = "", [], None, None, 0
    for line in split_lines(chunks, MAX_MESSAGE):
        line = line.rstrip(b"\r")
        if not line:
            if data:
                yield event or "message", b"\n".join(data), identifier, retry
            elif retry is not None or identifier is not None:
                yield "", b"", identifier, retry
            event, data, size = "", [], 0
            continue
        field, _colon, value = line.partition(b":")
        value = value[1:] if value.startswith(b" ") else value
        if field == b"data":
            data.append(value)
            size += len(value)
            if size > MAX_MESSAGE:
                raise TooLarge()
        elif field == b"event":
            event = value.decode("utf-8", "replace")
        elif field == b"id":
            identifier = value.decode("utf-8", "replace")
        elif field == b"retry" and value.isdigit():
            retry = min(int(value) / 1000.0, 10.0)


def retry_after_of(text):
    """Seconds that a Retry-After header asks for, at most 60; dates are understood too."""
    text = text.strip()
    if text.isdigit():
        return min(float(text), 60.0)
    if text:
        from email.utils import parsedate_to_datetime

        try:
            return max(0.0, min(parsedate_to_datetime(text).timestamp() - time.time(), 60.0))
        except (ValueError, TypeError, OverflowError):
            return None
    return None


def header_value(text):
    """A header value as 2026-07-28 wants it: bare when plain ASCII, else base64 between markers."""
    plain = text and text == text.strip() and all(c == "\t" or " " <= c <= "~" for c in text)
    if plain and not (text.startswith("=?base64?") and text.endswith("?=")):
        return text
    import base64

    return "=?base64?%s?=" % base64.b64encode(to_bytes(text)).decode("ascii")


def parameter_headers(schema, arguments):
    """Arguments that the tool's schema wants mirrored in headers (`x-mcp-header`)."""
    result = {}
    properties = schema.get("properties") if isinstance(schema, dict) else None
    for name, inner in (properties.items() if isinstance(properties, dict) else ()):
        if not isinstance(inner, dict) or not isinstance(arguments, dict) or name not in arguments:
            continue
        value, header = arguments[name], inner.get("x-mcp-header")
        if isinstance(header, str) and header and all(c.isalnum() or c in "!#$%&'*+-.^_`|~" for c in header):
            if isinstance(value, bool):
                value = "true" if value else "false"
            elif isinstance(value, int) and abs(value) < 2 ** 53:
                value = str(value)
            if isinstance(value, str):
                result["Mcp-Param-" + header] = header_value(value)
        if isinstance(value, dict):
            result.update(parameter_headers(inner, value))
    return result


class HttpLink:
    """Streamable HTTP: every message is a POST, the answer is JSON or an event stream."""

    modern_headers = True

    def __init__(self, spec):
        self.spec = spec
        self.url = spec["url"]
        self.wires = Wires()
        self.session = None
        self.protocol = None
        self.headers = dict(userinfo_header(self.url), **spec["headers"])

    def alive(self):
        return True

    def post(self, message, deadline):
        """Sends a notification or an answer; what comes back does not matter."""
        reply = self.send(message, deadline)
        if reply.header("Content-Type").startswith("text/event-stream"):
            reply.close()
        else:
            reply.read(1 << 20)

    def send(self, message, deadline, extra=None):
        headers = dict(self.headers, **{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"})
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.protocol:
            headers["MCP-Protocol-Version"] = self.protocol
        headers.update(extra or {})
        body = to_bytes(dump(message))
        for _redirect in range(6):
            reply = self.wires.request("POST", self.url, headers, body, deadline)
            if reply.status not in (301, 302, 307, 308):
                break
            self.url = self.moved_to(reply)
        if reply.status < 300:
            return reply
        raise self.refusal(reply, message)

    def moved_to(self, reply):
        """Follows a redirect on the same host only: our headers are meant for nobody else."""
        from urllib.parse import urljoin

        location = urljoin(self.url, reply.header("Location"))
        reply.close()
        if reply.status in (307, 308) and location.startswith(("http://", "https://")):
            before, after = split_url(self.url), split_url(location)
            if before[1] == after[1] and (before[0], before[2]) == (after[0], after[2]) or (before[0], after[0]) == ("http", "https") and before[1] == after[1]:
                return location
        raise Failure("protocol", "the server redirects to %s" % quote_text(mask(location)), "Use that address in the configuration if you trust it")

    def refusal(self, reply, message):
        """The exception for an HTTP error status."""
        status = reply.status
        wait = retry_after_of(reply.header("Retry-After"))
        challenge = reply.header("WWW-Authenticate")
        try:
            data = reply.read(1 << 20)
        except Failure:
            data = b""
        text = one_line(data.decode("utf-8", "replace"), 300)
        if status in (401, 403) and not (status == 403 and parse_messages(data)):
            oauth = "resource_metadata" in challenge or "bearer" in challenge.lower()
            return Failure(
                "auth-needed",
                "the server wants authorization (HTTP %d)" % status,
                "Put a valid token into the header that references/mcp.json names"
                + ("; for a sign-in in the browser generate the skill with --runtime node" if oauth else ""),
            )
        if self.session and "id" in message and (status == 404 or status == 400 and "session" in text.lower()):
            return SessionLost()
        if status in (429, 503):
            again = " (try again in %d s)" % wait if wait else ""
            return Failure("unreachable", "the server is busy, HTTP %d%s" % (status, again), "Try again later", transient=True, retry_after=wait)
        for answer in parse_messages(data):
            if "error" in answer:
                error = RpcError(answer["error"])
                error.status = status
                return error
        failure = Failure("protocol", "HTTP %d %s%s" % (status, reply.reason, ": " + text if text else ""), "Check the address and the server's log", transient=status in (502, 504))
        failure.status = status
        return failure

    def exchange(self, message, deadline, extra=None):
        reply = self.send(message, deadline, extra)
        self.session = reply.header("Mcp-Session-Id") or self.session if message.get("method") == "initialize" else self.session
        kind = reply.header("Content-Type").split(";")[0].strip().lower()
        try:
            if kind == "text/event-stream":
                for answer in self.events(reply, deadline):
                    yield answer
            else:
                for answer in parse_messages(reply.read()):
                    yield answer
        except TooLarge:
            raise too_large()
        finally:
            reply.close()
        raise Failure("protocol", "the server gave no answer (HTTP %d %s)" % (reply.status, kind or "without content"), "Check that the address is an MCP endpoint", transient=kind == "text/event-stream")

    def events(self, reply, deadline):
        """Messages of a stream. A stream that ends early is asked to go on where it stopped."""
        last, pause = None, 1.0
        while True:
            for event, data, identifier, retry in sse_events(reply.chunks()):
                last, pause = identifier or last, retry if retry is not None else pause
                if event == "message":
                    for answer in parse_messages(data):
                        yield answer
            reply.close()
            if not last or not self.session:
                return
            time.sleep(min(pause, left(deadline)))
            headers = dict(self.headers, **{"Accept": "text/event-stream", "Last-Event-ID": last, "Mcp-Session-Id": self.session})
            if self.protocol:
                headers["MCP-Protocol-Version"] = self.protocol
            reply = self.wires.request("GET", self.url, headers, None, deadline)
            if reply.status != 200:
                reply.close()
                return

    def cancel(self, identifier):
        """Closing the stream is all a stateless server needs; a session's server is told."""
        if self.session:
            try:
                self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identifier}}, time.monotonic() + 1)
            except (Failure, RpcError, SessionLost):
                pass

    def close(self, patient=True):
        if self.session and patient:
            headers = dict(self.headers, **{"Mcp-Session-Id": self.session})
            if self.protocol:
                headers["MCP-Protocol-Version"] = self.protocol
            try:
                self.wires.request("DELETE", self.url, headers, None, time.monotonic() + 2).close()
            except Failure:
                pass
        self.wires.close()


class SseLink:
    """The transport of revision 2024-11-05: one event stream for all answers, a second address for requests."""

    modern_headers = False

    def __init__(self, spec, deadline):
        import threading

        self.http = HttpLink(spec)
        self.mail = Mailbox()
        self.target = None
        self.found = threading.Event()
        headers = dict(self.http.headers, Accept="text/event-stream")
        # The stream lives as long as we do; the deadline of each request bounds the waiting.
        self.stream = self.http.wires.request("GET", spec["url"], headers, None, deadline)
        kind = self.stream.header("Content-Type").split(";")[0].strip().lower()
        if self.stream.status >= 300:
            raise self.http.refusal(self.stream, {})
        if kind != "text/event-stream":
            self.stream.close()
            raise Failure("protocol", "this address speaks neither streamable HTTP nor SSE (%s)" % (kind or "no content type"), "Check that the address is an MCP endpoint")
        self.stream.guard.cancel()
        self.stream.deadline = time.monotonic() + 10 * 365 * 86400
        threading.Thread(target=self.read, daemon=True).start()
        if not self.found.wait(left(deadline)):
            self.close()
            left(0)
        if self.target is None:
            raise self.mail.end

    def read(self):
        failure = Failure("unreachable", "the server closed the event stream", "Try again", transient=True)
        try:
            for event, data, _identifier, _retry in sse_events(self.stream.chunks()):
                if event == "endpoint" and self.target is None:
                    self.target = self.endpoint_of(data.decode("utf-8", "replace"))
                    self.found.set()
                elif event == "message":
                    for message in parse_messages(data):
                        self.mail.put(message)
        except TooLarge:
            failure = too_large()
        except Failure as error:
            failure = error
        self.mail.finish(failure)
        self.found.set()

    def endpoint_of(self, text):
        from urllib.parse import urljoin

        target = urljoin(self.http.url, text.strip())
        if split_url(target)[:3] != split_url(self.http.url)[:3]:
            raise Failure("protocol", "the server names an endpoint on another host", "Do not use this server")
        return target

    def alive(self):
        return self.mail.end is None

    def post(self, message, deadline):
        headers = dict(self.http.headers, **{"Content-Type": "application/json"})
        reply = self.http.wires.request("POST", self.target, headers, to_bytes(dump(message)), deadline)
        if reply.status >= 300:
            raise self.http.refusal(reply, {})
        reply.read(1 << 20)

    def exchange(self, message, deadline):
        self.post(message, deadline)
        while True:
            yield self.mail.take(deadline)

    def cancel(self, identifier):
        try:
            self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": identifier}}, time.monotonic() + 1)
        except (Failure, RpcError):
            pass

    def close(self, patient=True):
        cut(self.stream.sock)
        self.http.wires.close()


# ---------------------------------------------------------------------------------------------------------
# Client: negotiation and calls
# ---------------------------------------------------------------------------------------------------------


class Client:
    """One connection to the server, in whichever revision of the protocol the server speaks."""

    def __init__(self, spec):
        self.spec = spec
        self.link = None
        self.modern = False
        self.capabilities = {}
        self.last_id = 0

    def connect(self, deadline):
        kind = self.spec["type"]
        try:
            if kind == "stdio":
                self.link = StdioLink(self.spec)
                self.connect_stdio(deadline)
            elif kind == "sse":
                self.link = SseLink(self.spec, deadline)
                self.initialize(deadline)
            else:
                self.connect_http(deadline)
        except RpcError as error:
            self.close(patient=False)
            raise Failure("protocol", "the server refused the connection: %s" % (error.message or error.code), "Check the server's log")
        except SessionLost:
            self.close(patient=False)
            raise Failure("unreachable", "the server forgot the session at once", "Try again", transient=True)
        except BaseException:
            self.close(patient=False)
            raise

    def connect_stdio(self, deadline):
        # Some servers end when anything comes before `initialize`, so the older question is asked first; a
        # server of the stateless revision answers it with an error, and both kinds have then cost one start.
        try:
            self.initialize(deadline)
        except RpcError as refused:
            if not self.discover(deadline):
                raise refused

    def connect_http(self, deadline):
        self.link = HttpLink(self.spec)
        probe = min(deadline, time.monotonic() + max(5.0, left(deadline) / 4))
        if self.discover(probe):
            return
        left(deadline)
        try:
            self.initialize(deadline)
        except (RpcError, Failure) as error:
            if getattr(error, "status", None) not in (400, 404, 405):
                raise
            self.link.close()
            try:
                self.link = SseLink(self.spec, deadline)
            except Failure as second:
                # The first answer says more about an address that is simply wrong.
                if second.kind in ("auth-needed", "timeout") or isinstance(error, RpcError):
                    raise second
                raise error
            self.initialize(deadline)

    def discover(self, deadline):
        """Whether the server speaks the stateless revision. Only authorization problems stop the search."""
        self.modern = True
        try:
            result = self.request("server/discover", {}, deadline)
            versions = result.get("supportedVersions") if isinstance(result, dict) else None
            self.modern = isinstance(versions, list) and MODERN in versions
            if self.modern:
                self.capabilities = result.get("capabilities") or {}
        except Failure as failure:
            self.modern = False
            if failure.kind == "auth-needed" or failure.kind == "unreachable" and failure.message.startswith("cannot connect"):
                raise
        except (RpcError, SessionLost):
            self.modern = False
        return self.modern

    def initialize(self, deadline):
        self.modern = False
        params = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": CLIENT_INFO}
        result = self.request("initialize", params, deadline)
        if not isinstance(result, dict):
            raise Failure("protocol", "the server's answer to initialize is no object", "Check that this is an MCP server")
        self.capabilities = result.get("capabilities") if isinstance(result.get("capabilities"), dict) else {}
        if isinstance(self.link, HttpLink):
            self.link.protocol = str(result.get("protocolVersion") or "") or None
        self.link.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, deadline)

    def request(self, method, params, deadline, schema=None):
        """The result of one request; answers what the server asks meanwhile."""
        self.last_id += 1
        identifier = self.last_id
        message = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        extra = None
        if self.modern:
            envelope = {META + "protocolVersion": MODERN, META + "clientInfo": CLIENT_INFO, META + "clientCapabilities": {}}
            message["params"] = dict(params, _meta=envelope)
            extra = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
            if "name" in params or "uri" in params:
                extra["Mcp-Name"] = header_value(params["name"] if "name" in params else params["uri"])
            if schema is not None:
                extra.update(parameter_headers(schema, params.get("arguments")))
        exchange = self.link.exchange(message, deadline, extra) if self.link.modern_headers else self.link.exchange(message, deadline)
        try:
            for answer in exchange:
                if "method" in answer:
                    self.answer(answer, deadline)
                elif answer.get("id") == identifier:
                    if "error" in answer:
                        raise RpcError(answer["error"])
                    return answer.get("result")
        except Failure as failure:
            if failure.kind == "timeout" and method != "server/discover":
                self.link.cancel(identifier)
            raise
        finally:
            exchange.close()

    def answer(self, question, deadline):
        """We declare no capability, so a server may only ask whether we are there."""
        if "id" not in question:
            return
        reply = {"jsonrpc": "2.0", "id": question["id"]}
        if question.get("method") == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        try:
            self.link.post(reply, deadline)
        except (RpcError, SessionLost):
            pass

    def call(self, name, arguments, deadline, schema=None):
        """The result of a tool. Repeated once only when the server had forgotten our session."""
        try:
            try:
                return self.call_once(name, arguments, deadline, schema)
            except SessionLost:
                self.link.session = None
                self.initialize(deadline)
                return self.call_once(name, arguments, deadline, schema)
        except SessionLost:
            raise Failure("unreachable", "the server forgot the session twice", "Try again", transient=True)
        except RpcError as error:
            raise Failure("protocol", "the server refused %s: %s" % (name, error.message or "error %s" % error.code), "See --describe %s" % name)

    def read(self, uri, deadline):
        """The result of `resources/read`. A server that declares no resources is not asked."""
        if "resources" not in self.capabilities:
            raise Failure("protocol", "the server has no resources")
        try:
            result = self.request("resources/read", {"uri": uri}, deadline)
        except SessionLost:
            raise Failure("unreachable", "the server forgot the session", "Try again")
        except RpcError as error:
            raise Failure("protocol", "the server refused %s: %s" % (uri, error.message or "error %s" % error.code))
        if not isinstance(result, dict):
            raise Failure("protocol", "the answer for %s is no object" % uri)
        return result

    def call_once(self, name, arguments, deadline, schema):
        params = {"name": name, "arguments": arguments}
        try:
            result = self.request("tools/call", params, deadline, schema)
        except RpcError as error:
            if error.code == -32020 and self.modern:
                # Some argument has to be mirrored in a header, and our reference does not say which.
                result = self.request("tools/call", params, deadline, self.live_schema(name, deadline))
            elif self.wants_task(error.message):
                return self.call_as_task(params, deadline)
            else:
                raise
        if not isinstance(result, dict):
            raise Failure("protocol", "the answer of %s is no tool result" % name, "Check the server")
        if result.get("isError") and self.wants_task(text_of(result)):
            return self.call_as_task(params, deadline)
        if result.get("resultType") == "input_required":
            raise Failure("protocol", "%s asks a question back, which a script cannot answer" % name, "Give all arguments, or use an interactive client")
        return result

    def live_schema(self, name, deadline):
        cursor, seen = None, set()
        while True:
            page = self.request("tools/list", {"cursor": cursor} if cursor else {}, deadline)
            for tool in page.get("tools") or []:
                if isinstance(tool, dict) and tool.get("name") == name:
                    return tool.get("inputSchema")
            cursor = page.get("nextCursor")
            if not cursor or cursor in seen:
                return None
            seen.add(cursor)

    def wants_task(self, text):
        """Whether a tool was refused because it only runs as a task (revision 2025-11-25)."""
        return bool(self.capabilities.get("tasks")) and "task augmentation" in text.lower()

    def call_as_task(self, params, deadline):
        created = self.request("tools/call", dict(params, task={"ttl": 3600000}), deadline)
        task = created.get("task") if isinstance(created, dict) else None
        if not isinstance(task, dict) or "taskId" not in task:
            return created if isinstance(created, dict) else {"content": []}
        reference = {"taskId": task["taskId"]}
        while task.get("status") not in ("completed", "failed", "cancelled", "input_required"):
            pause = task.get("pollInterval")
            time.sleep(min((pause if is_number(pause) else 1000) / 1000.0, 5.0, left(deadline)))
            task = self.request("tasks/get", reference, deadline)
        return self.request("tasks/result", reference, deadline)

    def alive(self):
        return self.link is not None and self.link.alive()

    def close(self, patient=True):
        if self.link is not None:
            self.link.close(patient)
            self.link = None


def text_of(result):
    blocks = result.get("content")
    return "\n".join(
        block["text"]
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    )


# ---------------------------------------------------------------------------------------------------------
# Results
# ---------------------------------------------------------------------------------------------------------

#: media type -> extension, for what tools really return
EXTENSIONS = {
    "image/png": ".png", "image/jpeg": ".jpg", "image/jpg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
    "image/svg+xml": ".svg", "image/bmp": ".bmp", "image/tiff": ".tiff", "image/avif": ".avif",
    "image/x-icon": ".ico", "image/heic": ".heic",
    "audio/mpeg": ".mp3", "audio/mp3": ".mp3", "audio/wav": ".wav", "audio/x-wav": ".wav", "audio/wave": ".wav",
    "audio/ogg": ".ogg", "audio/flac": ".flac", "audio/aac": ".aac", "audio/mp4": ".m4a", "audio/webm": ".weba",
    "video/mp4": ".mp4", "video/webm": ".webm", "video/quicktime": ".mov", "video/x-matroska": ".mkv",
    "video/mpeg": ".mpeg", "video/x-msvideo": ".avi",
    "model/gltf-binary": ".glb", "model/gltf+json": ".gltf", "model/obj": ".obj", "model/stl": ".stl",
    "application/pdf": ".pdf", "application/zip": ".zip", "application/gzip": ".gz", "application/x-gzip": ".gz",
    "application/x-tar": ".tar", "application/json": ".json", "application/xml": ".xml", "application/yaml": ".yaml",
    "text/plain": ".txt", "text/html": ".html", "text/css": ".css", "text/csv": ".csv", "text/markdown": ".md",
    "text/xml": ".xml", "text/javascript": ".js",
}
DEVICE_NAMES = {"con", "prn", "aux", "nul"} | {"%s%d" % (name, n) for name in ("com", "lpt") for n in range(10)}


def extension_of_type(mime):
    return EXTENSIONS.get(mime.split(";")[0].strip().lower(), "")


def safe_name(name):
    """A file name that stays in its folder on every system: '' when nothing usable is left."""
    name = name.replace("\\", "/").split("/")[-1]
    name = "".join("_" if c in '<>:"|?*' else c for c in name if c >= " " and not "\x7f" <= c <= "\x9f" and not "\ud800" <= c <= "\udfff")
    name = "".join(c for c in name if c not in "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    name = name.strip().lstrip(".").rstrip(". ")
    if name.split(".")[0].strip().lower() in DEVICE_NAMES:
        name = "_" + name
    if len(name) > 120 or len(to_bytes(name)) > 240:
        stem, extension = os.path.splitext(name)
        extension = extension if len(extension) <= 10 else ""
        stem = to_bytes(stem[: 120 - len(extension)])[: 240 - len(extension)].decode("utf-8", "ignore")
        name = stem + extension
    return name


def has_extension(name):
    extension = os.path.splitext(name)[1]
    return 1 < len(extension) <= 6 and extension[1:].isalnum()


class Saver:
    """Chooses names and writes files, never over another one, except where -O says exactly which."""

    def __init__(self, options, label, total):
        self.options = options
        self.label = safe_name(label) or "output"
        self.total = total
        self.count = 0
        self.saved = []

    def target(self, name, extension, identifier=None):
        """(path, whether it is exact) for the next file."""
        self.count += 1
        number = "_%d" % self.count if self.total > 1 else ""
        chosen = self.options.output_file
        if chosen:
            stem, own = os.path.splitext(chosen)
            if not own:
                stem, own = chosen, extension
            path = stem + number + own
            inside = os.path.dirname(chosen) == ""
            return (os.path.join(self.options.output, path) if inside else path), True
        if self.options.auto_filename and identifier:
            name = "%s_%s%s" % (safe_name(identifier[:8]) or "output", time.strftime("%Y%m%d_%H%M%S"), number)
            return os.path.join(self.options.output, name + extension), False
        if name is None:
            while True:
                path = os.path.join(self.options.output, "%s_%d%s" % (self.label, self.count, extension))
                if not os.path.lexists(path):
                    return path, False
                self.count += 1
        if not has_extension(name):
            name += extension
        return os.path.join(self.options.output, name), False

    def write(self, target, chunks, mime, url=None):
        """Writes the chunks; a failure half way leaves nothing behind."""
        path, exact = os.path.normpath(target[0]), target[1]
        size = 0
        stream, path, place = self.create(path, exact)
        try:
            with stream:
                for chunk in chunks:
                    size += len(chunk)
                    stream.write(chunk)
            if place != path:
                os.replace(place, path)
        except BaseException as error:
            try:
                os.unlink(place)
            except OSError:
                pass
            if isinstance(error, OSError):
                raise Failure("io", "cannot write %s (%s)" % (path, error.strerror or error), "Choose another folder with --output")
            raise
        entry = {"type": "file", "path": path, "mimeType": mime or "application/octet-stream", "bytes": size}
        if url:
            entry["url"] = url
        self.saved.append(entry)
        return entry

    def create(self, path, exact):
        """(open file, final path, path being written)."""
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            if exact:
                return open(path + ".part", "wb"), path, path + ".part"
            stem, extension = os.path.splitext(path)
            for number in range(10000):
                candidate = path if number == 0 else "%s_%d%s" % (stem, number, extension)
                try:
                    return open(candidate, "xb"), candidate, candidate
                except FileExistsError:
                    continue
            raise Failure("io", "too many files are named like %s" % path, "Choose another folder with --output")
        except OSError as error:
            raise Failure("io", "cannot write %s (%s)" % (path, error.strerror or error), "Choose another folder with --output")


def saved_line(entry):
    return "saved: %s (%s, %d bytes)" % (one_line(entry["path"]), one_line(entry["mimeType"], 100), entry["bytes"])


def blocks_of(result):
    blocks = result.get("content")
    return [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []


def blob_of(block):
    """(base64 text, media type) of a block that has to become a file, or None."""
    if block.get("type") in ("image", "audio") and isinstance(block.get("data"), str):
        return block["data"], str(block.get("mimeType") or "")
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("blob"), str):
        return resource["blob"], str(resource.get("mimeType") or "")
    return None


def text_in(block):
    """Text of a text block or of an embedded text resource, or None."""
    if block.get("type") == "text" and isinstance(block.get("text"), str):
        return block["text"]
    resource = block.get("resource")
    if isinstance(resource, dict) and isinstance(resource.get("text"), str):
        return resource["text"]
    return None


def needs_file(block):
    text = text_in(block)
    return blob_of(block) is not None or text is not None and len(text) > MAX_TEXT // 4 and len(to_bytes(text)) > MAX_TEXT


def is_link(block):
    return block.get("type") == "resource_link"


def uri_name(uri):
    """The last part of any URI, decoded: of its path, else of what follows its scheme."""
    from urllib.parse import unquote

    last = uri.replace("?", "#").partition("#")[0].rstrip("/").rpartition("/")[2]
    scheme, colon, rest = last.partition(":")
    is_scheme = colon and scheme[:1].isalpha() and all(c.isalnum() or c in "+.-" for c in scheme)
    return unquote(rest if is_scheme else last)


class LinkReader:
    """Saves what the resource links of a result lead to, as read from the server that gave them.

    Nothing is fetched from the network, and no link can fail a call: one that cannot be read stays a link.
    """

    #: so many links of one result are read, and so many parts of one resource
    LIMIT = 20
    #: after these there is no use in asking for the next one
    FINAL = ("timeout", "crashed", "unreachable", "auth-needed")

    def __init__(self, caller, end, max_bytes):
        self.caller, self.end, self.max_bytes = caller, end, max_bytes
        self.left = self.LIMIT

    def count(self, result):
        """How many files the links of a result may become."""
        return min(self.LIMIT, sum(1 for block in blocks_of(result) if is_link(block)))

    def save(self, block, saver):
        """The files of a link; none where it could not be read or saved."""
        uri, time_left = block.get("uri"), self.end - time.monotonic()
        if not isinstance(uri, str) or not uri or self.left <= 0 or time_left <= 0:
            return []
        self.left -= 1
        files = []
        try:
            last = safe_name(uri_name(uri))
            name = block.get("name")
            name = (safe_name(name) if isinstance(name, str) else "") or last or None
            for index, (mime, data, usual, fallback) in enumerate(self.parts(self.caller.read(uri, time_left), block)):
                saver.total += 1 if index and saver.total else 0
                extension = extension_of_type(mime) or (os.path.splitext(last)[1] if has_extension(last) else fallback)
                files.append(dict(saver.write(saver.target(name, extension), [data], mime or usual), uri=uri))
        except Exception as error:
            # Whatever it was, the tool's own answer is there and has to be shown.
            if not isinstance(error, Failure) or error.kind in self.FINAL:
                self.left = 0
        return files

    def parts(self, result, block):
        """What a read gave, decoded. Nothing where a part is of no known kind, or all together are too large."""
        import base64

        contents = result.get("contents")
        if not isinstance(contents, list) or len(contents) > self.LIMIT:
            return []
        parts = []
        for item in contents:
            if not isinstance(item, dict):
                return []
            mime = next((found for found in (item.get("mimeType"), block.get("mimeType")) if isinstance(found, str) and found), "")
            if isinstance(item.get("blob"), str):
                try:
                    data = base64.b64decode(item["blob"].replace("-", "+").replace("_", "/") + "==")
                except ValueError:
                    return []
                parts.append((mime, data, "", ".bin"))
            elif isinstance(item.get("text"), str):
                parts.append((mime, to_bytes(item["text"]), "text/plain", ".txt"))
            else:
                return []
        return parts if sum(len(part[1]) for part in parts) <= self.max_bytes else []


def render(result, saver, identifier=None, links=None):
    """What is printed for a result, and its blocks for programs, after the files were saved.

    Without `links`, a LinkReader, resource links are only shown.
    """
    import base64

    lines, blocks, texts = [], [], []
    for block in blocks_of(result):
        text, blob = text_in(block), blob_of(block)
        resource = block.get("resource") if isinstance(block.get("resource"), dict) else {}
        if blob is not None or needs_file(block):
            if blob is not None:
                mime = blob[1]
                try:
                    data = base64.b64decode(blob[0].replace("-", "+").replace("_", "/") + "==")
                except ValueError:
                    lines.append("unreadable: %s block (not base64)" % one_line(str(block.get("type")), 40))
                    continue
            else:
                mime, data = "text/plain", to_bytes(text)
            entry = saver.write(saver.target(None, extension_of_type(mime) or ".bin", identifier), [data], mime)
            if resource:
                entry["uri"] = str(resource.get("uri", ""))
            lines.append(saved_line(entry))
            blocks.append(entry)
        elif text is not None:
            if resource:
                lines.append("resource: %s" % one_line(str(resource.get("uri", ""))))
            else:
                texts.append(text)
            lines.append(text)
            blocks.append(block)
        elif is_link(block):
            files = links.save(block, saver) if links else []
            if files:
                lines += ["%s from %s" % (saved_line(entry), one_line(str(block["uri"]))) for entry in files]
                blocks += files
                continue
            about = ", ".join(one_line(str(block[name]), 200) for name in ("name", "mimeType") if block.get(name))
            lines.append("link: %s%s" % (one_line(str(block.get("uri", ""))), " (%s)" % about if about else ""))
            blocks.append(block)
        else:
            rest = {key: value for key, value in block.items() if key not in ("data", "blob")}
            lines.append(dump(rest))
            blocks.append(rest)
    if "structuredContent" in result and not any(says(text, result["structuredContent"]) for text in texts):
        shown = dump(result["structuredContent"], pretty=True)
        if len(shown) > MAX_TEXT:
            saver.total += 0 if saver.total == 0 else 1
            lines.append(saved_line(saver.write(saver.target(None, ".json", identifier), [to_bytes(shown)], "application/json")))
        else:
            lines.append(shown)
    return lines, blocks


def says(text, value):
    """Whether `text` already tells all of `value`: it is its JSON, or the value merely wraps it under one name."""
    candidates = [value]
    if isinstance(value, dict) and len(value) == 1:
        candidates += value.values()
    if text in candidates:
        return True
    if text.lstrip()[:1] not in ("{", "[", '"') and not any(isinstance(one, (int, float, type(None))) for one in candidates):
        return False
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return any(same(told, one) for one in candidates)


def count_files(result):
    return sum(1 for block in blocks_of(result) if needs_file(block))


def content_json(result, blocks):
    data = {"content": blocks}
    if "structuredContent" in result:
        data["structuredContent"] = result["structuredContent"]
    return data


# ---------------------------------------------------------------------------------------------------------
# Downloads
# ---------------------------------------------------------------------------------------------------------


def harvest_urls(value):
    """http(s) addresses among the strings of `value`, also inside strings that are JSON; in order, once each."""
    found = {}
    stack = [(value, 0)]
    while stack:
        item, depth = stack.pop()
        if isinstance(item, dict):
            stack.extend((inner, depth) for inner in reversed(list(item.values())))
        elif isinstance(item, list):
            stack.extend((inner, depth) for inner in reversed(item))
        elif isinstance(item, str):
            text = item.strip()
            if text[:8].lower().startswith(("http://", "https://")):
                if len(text) <= 8192 and not any(c.isspace() or c < " " for c in text):
                    found.setdefault(text)
            elif text[:1] in ("{", "[") and depth < 4:
                try:
                    stack.append((json.loads(text), depth + 1))
                except (ValueError, RecursionError):
                    pass
    return list(found)


def disposition_name(header):
    """The file name of a Content-Disposition header, still to be made safe."""
    from urllib.parse import unquote

    plain = ""
    index = 0
    while index < len(header):
        end = index
        quoted = False
        while end < len(header) and (quoted or header[end] != ";"):
            if header[end] == '"':
                quoted = not quoted
            end += 2 if header[end] == "\\" and quoted else 1
        name, _equals, value = header[index:end].strip().partition("=")
        name, value = name.strip().lower(), value.strip()
        if name == "filename*":
            charset, _quote, rest = value.partition("'")
            try:
                return unquote(rest.partition("'")[2], charset or "utf-8", "replace")
            except LookupError:
                return unquote(rest.partition("'")[2])
        if name == "filename":
            plain = value[1:-1].replace('\\"', '"') if value.startswith('"') and value.endswith('"') else value
            try:
                plain = plain.encode("latin-1").decode("utf-8")
            except (UnicodeDecodeError, UnicodeEncodeError):
                pass
        index = end + 1
    return plain


def url_name(url):
    from urllib.parse import unquote, urlsplit

    return unquote(urlsplit(url).path.rsplit("/", 1)[-1])


def download(url, saver, options, identifier):
    """Saves what `url` holds; redirects lead to http(s) only, the size is capped."""
    from urllib.parse import urljoin

    wires = Wires()
    deadline = time.monotonic() + max(300.0, options.timeout)
    here = url
    for _redirect in range(6):
        reply = wires.request("GET", here, dict(userinfo_header(here), Accept="*/*"), None, deadline)
        if reply.status not in (301, 302, 303, 307, 308):
            break
        location = urljoin(here, reply.header("Location"))
        reply.close()
        if not location.lower().startswith(("http://", "https://")):
            raise Failure("protocol", "%s redirects to %s, which is no http(s) address" % (url, one_line(location, 200)), "Nothing was read")
        here = location
    else:
        raise Failure("protocol", "%s redirects too often" % url, "Open it by hand")
    if reply.status != 200:
        reply.close()
        raise Failure("protocol", "%s answers HTTP %d" % (url, reply.status), "The job's result may have expired", transient=reply.status in (429, 503))
    length = reply.header("Content-Length")
    if length.isdigit() and int(length) > options.max_bytes:
        reply.close()
        raise too_big(url, options.max_bytes)
    mime = reply.header("Content-Type").split(";")[0].strip().lower()
    name = safe_name(disposition_name(reply.header("Content-Disposition"))) or safe_name(url_name(here)) or safe_name(identifier) or "output"
    own = os.path.splitext(safe_name(url_name(here)))[1]
    extension = extension_of_type(mime) or (own if has_extension("x" + own) else "") or ".bin"

    def capped():
        size = 0
        for chunk in reply.chunks():
            size += len(chunk)
            if size > options.max_bytes:
                raise too_big(url, options.max_bytes)
            yield chunk

    try:
        return saver.write(saver.target(name, extension, identifier), capped(), mime, url)
    finally:
        reply.close()
        wires.close()


def too_big(url, limit):
    return Failure("protocol", "%s is larger than %d bytes" % (url, limit), "Raise --max-bytes if you want it")


# ---------------------------------------------------------------------------------------------------------
# Jobs
# ---------------------------------------------------------------------------------------------------------

ID_NAMES = ("request_id", "requestId", "job_id", "jobId", "task_id", "taskId", "session_id", "sessionId", "id")
DONE = {"completed", "complete", "done", "success", "succeeded", "finished", "ready"}
FAILED = {"failed", "failure", "error", "cancelled", "canceled", "timeout", "expired", "rejected"}


def data_of(result):
    """Objects that a result carries: its structured content, then JSON in its texts, then one level deeper."""
    found = []
    values = [result.get("structuredContent")]
    for block in blocks_of(result):
        text = text_in(block)
        if text is not None and text.lstrip()[:1] in ("{", "[") and len(text) < MAX_TEXT:
            try:
                values.append(json.loads(text))
            except (ValueError, RecursionError):
                continue
    for value in values:
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, dict):
            found.append(value)
    for value in list(found):
        for name in ("data", "result", "job"):
            inner = value.get(name)
            if isinstance(inner, list):
                inner = inner[0] if inner else None
            if isinstance(inner, dict):
                found.append(inner)
    return found


def job_id_of(result, own_name=None):
    for data in data_of(result):
        for name in ((own_name,) if own_name else ()) + ID_NAMES:
            value = data.get(name)
            if isinstance(value, str) and value.strip() or isinstance(value, int) and not isinstance(value, bool):
                return str(value).strip()
    return None


def status_of(result):
    """The status word, folded, or '' when the result names none."""
    for data in data_of(result):
        for name in ("status", "state"):
            if isinstance(data.get(name), str):
                return data[name].strip().lower()
    text = text_of(result).strip().lower().rstrip(".!")
    return text if text in DONE or text in FAILED else ""


class Job:
    """One run of submit, status and result tools."""

    def __init__(self, options, references, caller):
        self.options = options
        self.references = references
        self.caller = caller
        self.id = options.resume
        self.logs = {}
        budget = WINDOW if options.wait is None else options.wait
        self.budget = budget

    def schema(self, tool):
        try:
            found = self.references.find(tool)
        except Failure:
            found = None
        return found.get("inputSchema") if found else None

    def id_arguments(self, tool):
        """The arguments of a status or result tool: the id under the name, and in the type, that it wants."""
        schema = self.schema(tool)
        properties = schema.get("properties") if isinstance(schema, dict) else None
        properties = properties if isinstance(properties, dict) else {}
        name = self.options.id_param or next((known for known in ID_NAMES if known in properties), "request_id")
        wanted = properties.get(name)
        wanted = wanted.get("type") if isinstance(wanted, dict) else None
        if wanted in ("integer", "number") and self.id.lstrip("-").isdigit():
            return {name: int(self.id)}
        return {name: self.id}

    def call(self, tool, arguments):
        return self.caller.call(tool, arguments, self.options.timeout, self.schema(tool))

    def ask(self, tool):
        """Calls a status or result tool; busy servers and lost connections are asked again."""
        pause = max(self.options.poll_interval, 0.05)
        failures = 0
        while True:
            try:
                result = self.call(tool, self.id_arguments(tool))
                if not (result.get("isError") and is_busy(text_of(result))):
                    return result
                wait, failure = None, Failure("job-failed", "%s says: %s" % (tool, one_line(text_of(result), 300)), "Try again later")
            except Failure as error:
                if not error.transient:
                    raise
                wait, failure = error.retry_after, error
            failures += 1
            wait = min(wait if wait is not None else pause, 60.0)
            if failures > 8 or time.monotonic() + wait > self.end + 15:
                raise with_resume(failure, self)
            time.sleep(wait)
            pause = min(pause * 2, 15.0)

    def submit(self, arguments):
        tool = self.options.submit_tool
        self.logs["submit_request"] = {"tool": tool, "arguments": arguments}
        result = self.call(tool, arguments)
        self.logs["submit_response"] = result
        if result.get("isError"):
            raise ToolFailed(tool, result)
        self.id = job_id_of(result, self.options.id_param)
        return result

    def run(self, arguments):
        """('running' or 'completed', the result or None)."""
        options = self.options
        self.end = time.monotonic() + self.budget
        result = None
        if self.id is None:
            result = self.submit(arguments)
            self.end = time.monotonic() + self.budget
            if not options.status_tool and not options.result_tool and not options.submit_only:
                return "completed", result
            if self.id is None:
                raise Failure("protocol", "no job id in the answer of %s: %s" % (options.submit_tool, one_line(text_of(result), 300)), "Name its field with --id-param")
            if options.submit_only:
                return "running", None
        if options.status_tool:
            result = self.poll()
            if result is None:
                return "running", None
            self.logs["status_final"] = result
        if options.result_tool:
            result = self.ask(options.result_tool)
            self.logs["result_response"] = result
            if result.get("isError"):
                raise ToolFailed(options.result_tool, result)
        return "completed", result

    def poll(self):
        """The last status result of a finished job, or None when the time is up."""
        interval = self.options.poll_interval
        for _poll in range(max(self.options.max_polls, 1)):
            result = self.ask(self.options.status_tool)
            if result.get("isError"):
                raise ToolFailed(self.options.status_tool, result)
            status = status_of(result)
            if status in DONE:
                return result
            if status in FAILED:
                self.logs["status_final"] = result
                raise ToolFailed(self.options.status_tool, result, "job %s: %s" % (self.id, status))
            if time.monotonic() + interval > self.end:
                return None
            time.sleep(interval)
            interval = min(max(interval * 1.25, 0.05), max(15.0, self.options.poll_interval))
        raise with_resume(Failure("timeout", "job %s is not finished after %d polls" % (self.id, self.options.max_polls)), self)

    def resume_command(self):
        options = self.options
        words = [interpreter(), sys.argv[0]]
        for option, value in (
            ("--config", options.config), ("--server", options.server), ("--endpoint", options.endpoint),
            ("--type", options.type), ("--submit-tool", options.submit_tool), ("--status-tool", options.status_tool),
            ("--result-tool", options.result_tool), ("--id-param", options.id_param), ("--session", options.session),
            ("--output", options.output if options.output != "./output" else None), ("--output-file", options.output_file),
        ):
            if value:
                words += [option, value]
        for line in options.header:
            name, _colon, value = line.partition(":")
            words += ["--header", line if "${" in value else name + ": ***"]
        for option, flag in (
            ("--auto-filename", options.auto_filename), ("--save-logs", options.save_logs),
            ("--save-logs-inline", options.save_logs_inline), ("--json", options.json),
        ):
            if flag:
                words.append(option)
        if options.poll_interval != 2.0:
            words += ["--poll-interval", "%g" % options.poll_interval]
        if options.max_bytes != 1024 ** 3:
            words += ["--max-bytes", str(options.max_bytes)]
        words += ["--resume=" + self.id] if self.id.startswith("-") else ["--resume", self.id]
        return " ".join(quote_for_shell(word) for word in words)


def interpreter():
    """`python3` where that is this Python, else its whole path."""
    name = "python" if sys.platform == "win32" else "python3"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name + (".exe" if sys.platform == "win32" else ""))
        if os.path.isfile(path):
            return name if os.path.realpath(path) == os.path.realpath(sys.executable) else sys.executable
    return sys.executable or name


def is_busy(text):
    text = text.lower()
    return len(text) < 2000 and any(word in text for word in ("429", "too many requests", "rate limit", "503", "service unavailable"))


def with_resume(failure, job):
    failure.remedy = "Go on with: %s" % job.resume_command()
    return failure


class ToolFailed(Exception):
    """A tool, or the job it reports on, failed; its own words are the message."""

    def __init__(self, tool, result, message=None):
        Exception.__init__(self, tool)
        self.tool = tool
        self.result = result
        self.kind = "job-failed" if message else "tool-error"
        self.message = message or "%s reported an error; its text is on standard output" % tool


def save_logs(job, saver):
    """The requests and replies of a job, beside its results or in a folder of their own."""
    options = job.options
    if not (options.save_logs or options.save_logs_inline):
        return
    if options.save_logs_inline:
        stem = os.path.splitext(saver.saved[0]["path"])[0] if saver and saver.saved else os.path.join(options.output, safe_name(job.id or "") or "output")
        prefix = stem + "_"
    else:
        prefix = os.path.join(options.output, "logs", "")
    try:
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        for name, value in job.logs.items():
            with open(prefix + name + ".json", "wb") as stream:
                stream.write(to_bytes(dump(value, pretty=True)) + b"\n")
    except OSError as error:
        raise Failure("io", "cannot write the logs to %s (%s)" % (prefix, error.strerror or error), "Choose another folder with --output")


def command_job(options, references, caller):
    tools = [options.submit_tool, options.status_tool, options.result_tool]
    if options.resume is not None and not (options.status_tool or options.result_tool):
        raise usage("--resume needs --status-tool or --result-tool")
    if options.resume is None and not options.submit_tool:
        raise usage("a job needs --submit-tool", "Give --submit-tool, or --resume with the job's id")
    arguments = {} if options.resume is not None else read_arguments(options)
    if not options.no_check and references.exist() and not options.endpoint:
        for tool in tools:
            if tool:
                references.require(tool)
        if options.resume is None:
            check_arguments(references.require(options.submit_tool), arguments)
    job = Job(options, references, caller)
    saver = None
    try:
        status, result = job.run(arguments)
        if status == "running":
            return report_running(job)
        urls = harvest_urls({"structuredContent": result.get("structuredContent"), "content": result.get("content")})
        saver = Saver(options, options.result_tool or options.status_tool or options.submit_tool, count_files(result) + len(urls))
        lines, blocks = render(result, saver, job.id or "")
        failures = []
        for url in urls:
            try:
                lines.append(saved_line(download(url, saver, options, job.id or "")))
            except Failure as failure:
                failures.append(failure)
        return report_done(job, saver, lines, content_json(result, blocks), failures)
    finally:
        save_logs(job, saver)


def report_running(job):
    options = job.options
    status = "submitted" if options.submit_only else "running"
    command = job.resume_command() if options.status_tool or options.result_tool else None
    if options.json:
        say(dump({"ok": True, "job": {"id": job.id, "status": status, "resume": command}, "files": [], "result": None}))
    elif options.submit_only:
        say(job.id)
    else:
        say("status: running\njob: %s\nresume: %s" % (one_line(job.id), command))
    return 0


def report_done(job, saver, lines, content, failures):
    if job.options.json:
        data = {"ok": not failures, "job": {"id": job.id, "status": "completed", "resume": None}, "files": saver.saved, "result": content}
        if failures:
            data["error"] = failures[0].to_public_json()
        say(dump(data))
    else:
        say("\n".join(lines))
    if failures:
        failures[0].told = job.options.json
        raise failures[0]
    return 0


# ---------------------------------------------------------------------------------------------------------
# Sessions
# ---------------------------------------------------------------------------------------------------------


def session_folder(environ=None, platform=None, uid=None):
    """The folder of sockets: in the user's runtime folder, else a folder of the user's own in the temporary one."""
    environ = os.environ if environ is None else environ
    platform = platform or sys.platform
    if platform == "win32":
        base = environ.get("LOCALAPPDATA") or environ.get("TEMP") or "."
        return os.path.join(base, "mochi-sessions")
    if environ.get("XDG_RUNTIME_DIR", "").startswith("/"):
        return os.path.join(environ["XDG_RUNTIME_DIR"], "mochi-sessions")
    uid = os.getuid() if uid is None else uid
    base = environ.get("TMPDIR") or "/tmp"
    # The path of a socket has to fit into 104 bytes.
    return os.path.join(base if len(base) <= 50 else "/tmp", "mochi-sessions-%d" % uid)


def open_session_folder():
    """Makes the folder and refuses one that somebody else could have put there."""
    folder = session_folder()
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        about = os.lstat(folder)
        if sys.platform != "win32":
            import stat

            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                raise Failure("io", "%s does not belong to you" % folder, "Remove it")
            if about.st_mode & 0o077:
                os.chmod(folder, 0o700)
    except OSError as error:
        raise Failure("io", "cannot use %s (%s)" % (folder, error.strerror or error), "Set XDG_RUNTIME_DIR to a folder of yours")
    return folder


class SessionFiles:
    """The files of one session: socket, facts for --session-list, lock of the living daemon."""

    def __init__(self, folder, key):
        self.key = key
        self.socket = os.path.join(folder, key + ".sock")
        self.facts = os.path.join(folder, key + ".json")
        self.lock = os.path.join(folder, key + ".lock")

    def read_facts(self):
        try:
            with open(self.facts, "rb") as stream:
                facts = json.loads(stream.read(1 << 16).decode("utf-8"))
            return facts if isinstance(facts, dict) else {}
        except (OSError, ValueError):
            return {}


def session_files(options, place, name):
    import hashlib

    where = options.endpoint or os.path.realpath(place.config)
    key = hashlib.sha256(to_bytes(dump([where, options.server, name]))).hexdigest()[:16]
    return SessionFiles(open_session_folder(), "py-" + key)


def uses_tcp(platform=None, module=None):
    """Whether sessions listen on loopback with a token, because this system's Python has no local sockets."""
    if module is None:
        import socket as module
    return (platform or sys.platform) == "win32" or not hasattr(module, "AF_UNIX")


def reach(files, seconds):
    """A connection to the daemon, or None when there is none."""
    import socket

    try:
        if uses_tcp():
            facts = files.read_facts()
            if not isinstance(facts.get("port"), int):
                return None
            connection = socket.create_connection(("127.0.0.1", facts["port"]), 5)
            connection.sendall(to_bytes(str(facts.get("token"))) + b"\n")
        else:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.settimeout(5)
            connection.connect(files.socket)
    except OSError:
        return None
    connection.settimeout(seconds)
    return connection


def converse(connection, request):
    """Sends one line of JSON and reads one back; None when the daemon went away first."""
    try:
        connection.sendall(to_bytes(dump(request)) + b"\n")
        parts = []
        while True:
            chunk = connection.recv(1 << 18)
            if not chunk:
                return None
            parts.append(chunk)
            if chunk.endswith(b"\n"):
                return json.loads(b"".join(parts).decode("utf-8"))
    except OSError as error:
        import socket

        if isinstance(error, socket.timeout):
            raise Failure("timeout", "the session gave no answer in time", "Give --timeout more seconds, or end it with --session-stop")
        return None
    finally:
        connection.close()


class SessionCaller:
    """Calls tools through the daemon of a session, which is started when there is none."""

    def __init__(self, options, place, definition):
        import hashlib

        self.options, self.place, self.definition = options, place, definition
        self.files = session_files(options, place, options.session)
        self.hash = hashlib.sha256(to_bytes(dump(definition))).hexdigest()

    def call(self, tool, arguments, timeout, schema):
        request = {"op": "call", "tool": tool, "arguments": arguments, "timeout": timeout, "schema": schema, "definition": self.hash}
        end = time.monotonic() + timeout
        for _attempt in range(100):
            connection = reach(self.files, timeout + 15)
            if connection is None:
                left(end)
                self.start()
                continue
            answer = converse(connection, request)
            if answer is None or answer.get("stale"):
                if answer is None:
                    raise Failure("crashed", "the session ended during the call", "Call again: it will be started anew", transient=True)
                # It is ending and has not begun on our question.
                if answer["stale"] == "definition":
                    note("session %s: the configuration changed, the server is started again" % self.options.session)
                left(end)
                time.sleep(0.05)
                continue
            for text in answer.get("notes") or []:
                note("session %s: %s" % (self.options.session, text))
            if answer.get("ok"):
                return answer["result"]
            raise Failure.from_json(answer.get("error") or {})
        raise Failure("crashed", "the session cannot be started", "Run without --session to see why")

    def read(self, uri, timeout):
        # What a new session's server would answer is not what the link of the old one meant.
        connection = reach(self.files, timeout + 15)
        answer = converse(connection, {"op": "read", "uri": uri, "timeout": timeout, "definition": self.hash}) if connection is not None else None
        if answer is None or answer.get("stale"):
            raise Failure("crashed", "the session ended")
        if not answer.get("ok"):
            raise Failure.from_json(answer.get("error") or {})
        return answer["result"]

    def start(self):
        """Starts the daemon, detached, and waits until it listens."""
        import subprocess

        order = {
            "name": self.options.session, "definition": self.definition, "root": self.place.root,
            "config": self.options.endpoint or self.place.config, "key": self.files.key,
            "idle": self.options.session_idle, "hash": self.hash,
        }
        if sys.platform == "win32":
            detached = {"creationflags": 0x00000200 | 0x00000008}  # CREATE_NEW_PROCESS_GROUP | DETACHED_PROCESS
        else:
            detached = {"start_new_session": True}
        daemon = subprocess.Popen(
            [sys.executable, "-E", "-S", os.path.abspath(__file__), "--session-daemon"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **detached
        )
        try:
            daemon.stdin.write(to_bytes(dump(order)))
            daemon.stdin.close()
            word = daemon.stdout.readline()
        except OSError:
            word = b""
        if word == b"held\n":
            time.sleep(0.05)
        elif word != b"ready\n":
            raise Failure("crashed", "the session cannot be started%s" % (": " + one_line(word.decode("utf-8", "replace")) if word else ""), "Run without --session to see why")
        daemon.stdout.close()
        # It outlives us; nothing is to be waited for.
        daemon.returncode = 0

    def close(self, patient=True):
        pass


class Daemon:
    """Holds one connection to a server and calls its tools for whoever of this user asks, one after another."""

    def __init__(self, order):
        import threading

        self.order = order
        self.files = SessionFiles(open_session_folder(), order["key"])
        self.turn = threading.Lock()
        self.client = None
        self.ever = False
        self.busy = 0
        self.last = time.monotonic()
        self.stopping = threading.Event()
        #: Set when the daemon will end as soon as the answer at hand is sent.
        self.ending = False
        self.token = None
        self.place = Place(Options())
        self.place.root = order["root"]

    def take_lock(self):
        """True when no other daemon lives for this session. The lock goes with the process."""
        self.lock = open(self.files.lock, "a+b")
        try:
            if sys.platform == "win32":
                import msvcrt

                self.lock.seek(0)
                msvcrt.locking(self.lock.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            return False

    def listen(self):
        import socket

        facts = {"name": self.order["name"], "config": self.order["config"], "server": self.order["definition"]["name"], "pid": os.getpid()}
        if uses_tcp():
            import base64

            self.token = base64.urlsafe_b64encode(os.urandom(32)).decode("ascii")
            self.listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            self.listener.bind(("127.0.0.1", 0))
            facts.update(port=self.listener.getsockname()[1], token=self.token)
        else:
            try:
                os.unlink(self.files.socket)
            except OSError:
                pass
            self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            before = os.umask(0o177)
            try:
                self.listener.bind(self.files.socket)
            finally:
                os.umask(before)
        self.listener.listen(64)
        descriptor = os.open(self.files.facts, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(to_bytes(dump(facts)))

    def serve(self):
        import socket
        import threading

        idle = self.order["idle"]
        self.listener.settimeout(min(1.0, max(idle / 4, 0.05)))
        while not self.stopping.is_set():
            try:
                connection, _address = self.listener.accept()
            except socket.timeout:
                if not self.busy and time.monotonic() - self.last > idle:
                    return
                continue
            except OSError:
                return
            connection.setblocking(True)
            threading.Thread(target=self.attend, args=(connection,), daemon=True).start()

    def attend(self, connection):
        with self.turn_count():
            try:
                connection.settimeout(30)
                stream = connection.makefile("rb")
                if self.token is not None:
                    import hmac

                    if not hmac.compare_digest(stream.readline(200).strip(), self.token.encode("ascii")):
                        return
                line = stream.readline(MAX_MESSAGE)
                request = json.loads(line.decode("utf-8")) if line.endswith(b"\n") else {}
                answer = self.perform(request, connection)
                connection.settimeout(30)
                connection.sendall(to_bytes(dump(answer)) + b"\n")
            except (OSError, ValueError, RecursionError):
                pass
            finally:
                connection.close()
                if self.ending:
                    self.stop()

    def stop(self):
        """Ends the serving; the connection wakes it from its waiting for one."""
        self.stopping.set()
        knock = reach(self.files, 1)
        if knock is not None:
            knock.close()

    def turn_count(self):
        daemon = self

        class Counted:
            def __enter__(self):
                daemon.busy += 1

            def __exit__(self, *_error):
                daemon.busy -= 1
                daemon.last = time.monotonic()

        return Counted()

    def perform(self, request, connection):
        operation = request.get("op")
        if operation == "stop":
            self.ending = True
            return {"ok": True}
        if operation == "ping":
            return {"ok": True, "pid": os.getpid(), "idle": time.monotonic() - self.last, "busy": self.busy - 1}
        if operation not in ("call", "read"):
            return {"ok": False, "error": Failure("usage", "unknown operation").to_json()}
        if self.ending:
            return {"ok": False, "stale": "ending"}
        if request.get("definition") != self.order["hash"]:
            self.ending = True
            return {"ok": False, "stale": "definition"}
        deadline = time.monotonic() + request["timeout"]
        notes = []
        try:
            if not self.turn.acquire(timeout=max(request["timeout"], 0.01)):
                raise Failure("timeout", "other calls of this session took too long", "Give --timeout more seconds")
            try:
                if has_hung_up(connection):
                    return {"ok": False}
                result = self.read(request, deadline) if operation == "read" else self.call(request, deadline, notes)
            finally:
                self.turn.release()
            return {"ok": True, "result": result, "notes": notes}
        except Failure as failure:
            if not self.ever:
                # Started with the wrong environment or a broken server: the next call begins afresh.
                self.ending = True
            return {"ok": False, "error": failure.to_json(), "notes": notes}
        except Exception as error:
            return {"ok": False, "error": Failure("crashed", "the session failed: %s" % error, "End it with --session-stop").to_json()}

    def read(self, request, deadline):
        if self.client is None or not self.client.alive():
            raise Failure("unreachable", "the connection to the server was lost")
        return self.client.read(request["uri"], deadline)

    def call(self, request, deadline, notes):
        if self.client is not None and not self.client.alive():
            self.client.close(patient=False)
            self.client = None
            notes.append("the server had ended and was started again; what it held in memory is gone")
        if self.client is None:
            client = Client(resolve_definition(self.order["definition"], self.place))
            client.connect(deadline)
            self.client, self.ever = client, True
        before = getattr(self.client.link, "session", None)
        result = self.client.call(request["tool"], request["arguments"], deadline, request.get("schema"))
        if before and getattr(self.client.link, "session", None) != before:
            notes.append("the server had forgotten the session and a new one was opened")
        return result

    def turn_away(self):
        """Callers who stand in the queue when we end are told to try again, for nothing of theirs was begun."""
        self.listener.settimeout(0)
        while True:
            try:
                connection, _address = self.listener.accept()
                connection.sendall(b'{"ok": false, "stale": "ending"}\n')
                connection.close()
            except OSError:
                return

    def close(self):
        for path in (self.files.socket, self.files.facts):
            try:
                os.unlink(path)
            except OSError:
                pass
        self.turn_away()
        self.listener.close()
        if self.client is not None:
            self.client.close()


def has_hung_up(connection):
    """Whether the caller went away while it waited for its turn."""
    try:
        connection.setblocking(False)
        import socket

        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.setblocking(True)


def run_daemon():
    """The hidden program behind --session: the order comes on standard input, `ready` goes to standard output."""
    daemon = Daemon(json.loads(sys.stdin.buffer.read().decode("utf-8")))
    if not daemon.take_lock():
        os.write(1, b"held\n")
        return 0
    watch_signals()
    try:
        daemon.listen()
    except OSError as error:
        os.write(1, to_bytes("cannot listen: %s\n" % error))
        return 3
    try:
        os.write(1, b"ready\n")
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        daemon.serve()
    finally:
        daemon.close()
    return 0


def living_sessions():
    """(files, facts) of every session that answers; what is left of dead ones is removed."""
    folder = open_session_folder()
    for entry in sorted(os.listdir(folder)):
        if entry.startswith("py-") and entry.endswith(".json"):
            files = SessionFiles(folder, entry[: -len(".json")])
            connection = reach(files, 5)
            answer = converse(connection, {"op": "ping"}) if connection is not None else None
            if answer:
                yield files, dict(files.read_facts(), **answer)
            else:
                for path in (files.facts, files.socket):
                    try:
                        os.unlink(path)
                    except OSError:
                        pass


def command_session_list(options):
    rows = [facts for _files, facts in living_sessions()]
    if options.json:
        fields = ("name", "server", "config", "pid", "idle")
        say(dump({"ok": True, "sessions": [{field: row.get(field) for field in fields} for row in rows]}))
    else:
        for row in rows:
            say("%s: %s, process %s, idle %d s, %s" % (row.get("name"), row.get("server"), row.get("pid"), row.get("idle") or 0, row.get("config")))
        if not rows:
            say("no sessions")
    return 0


def command_session_stop(options, place):
    """Ends the daemon and its server, and returns when both are gone."""
    files = session_files(options, place, options.session_stop)
    connection = reach(files, 10)
    answer = converse(connection, {"op": "stop"}) if connection is not None else None
    end = time.monotonic() + 10
    while answer and not is_free(files) and time.monotonic() < end:
        time.sleep(0.01)
    if options.json:
        say(dump({"ok": True, "stopped": bool(answer)}))
    else:
        say("session %s: %s" % (options.session_stop, "stopped" if answer else "was not running"))
    return 0


def is_free(files):
    """Whether the daemon's lock is free, that is, whether its process has ended."""
    if sys.platform == "win32":
        return reach(files, 1) is None
    import fcntl

    try:
        with open(files.lock, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except FileNotFoundError:
        return True
    except OSError:
        return False


# ---------------------------------------------------------------------------------------------------------
# Commands
# ---------------------------------------------------------------------------------------------------------


class DirectCaller:
    """Calls tools over a connection of our own, made at the first call and again after it was lost."""

    def __init__(self, spec):
        self.spec = spec
        self.client = None

    def call(self, tool, arguments, timeout, schema):
        deadline = time.monotonic() + timeout
        if self.client is not None and not self.client.alive():
            self.close(patient=False)
        if self.client is None:
            client = Client(self.spec)
            client.connect(deadline)
            self.client = client
        return self.client.call(tool, arguments, deadline, schema)

    def read(self, uri, timeout):
        """Reads a resource on the connection that the last call used; never makes a new one."""
        if self.client is None or not self.client.alive():
            raise Failure("unreachable", "the connection to the server was lost")
        return self.client.read(uri, time.monotonic() + timeout)

    def close(self, patient=True):
        if self.client is not None:
            self.client.close(patient)
            self.client = None


def command_list(options, references):
    require_references(references)
    tools = references.all().values()
    if options.json:
        listed = [{"name": tool["name"], "description": first_sentence(tool.get("description") or "")} for tool in tools]
        say(dump({"ok": True, "tools": listed}))
    else:
        for tool in tools:
            sentence = first_sentence(tool.get("description") or "")
            say("%s: %s" % (one_line(tool["name"]), sentence) if sentence else one_line(tool["name"]))
    return 0


def command_describe(options, references):
    require_references(references)
    tool = references.require(options.describe)
    say(dump({"ok": True, "tool": tool}) if options.json else references.text_of(options.describe))
    return 0


def require_references(references):
    if not references.exist():
        raise usage("there are no reference files in %s" % references.folder, "Generate the skill again")


def command_call(options, references, caller):
    arguments = read_arguments(options)
    schema = None
    if references.exist() and not options.no_check:
        tool = references.find(options.tool) if options.endpoint else references.require(options.tool)
        if tool is not None:
            check_arguments(tool, arguments)
            schema = tool.get("inputSchema")
    links = LinkReader(caller, time.monotonic() + options.timeout, options.max_bytes)
    result = caller.call(options.tool, arguments, options.timeout, schema)
    if result.get("isError"):
        raise ToolFailed(options.tool, result)
    saver = Saver(options, options.tool, count_files(result) + links.count(result))
    lines, blocks = render(result, saver, links=links)
    if options.json:
        say(dump(dict({"ok": True, "tool": options.tool}, **content_json(result, blocks))))
    elif lines:
        say("\n".join(lines))
    return 0


def run(options):
    place = Place(options)
    if options.session_list:
        return command_session_list(options)
    if options.session_stop is not None:
        return command_session_stop(options, place)
    references = References(place.references)
    if options.list:
        return command_list(options, references)
    if options.describe is not None:
        return command_describe(options, references)
    is_job = any(getattr(options, role) for role in JOB_ROLES)
    if not is_job and options.tool is None:
        raise usage("no tool is named", "Give --tool NAME, or --list to see them")
    definition = server_definition(options, place)
    if options.timeout is None:
        configured = definition.get("timeout")
        options.timeout = configured / 1000.0 if is_number(configured) and configured > 0 else 60.0
    if options.session is not None:
        caller = SessionCaller(options, place, definition)
    else:
        caller = DirectCaller(resolve_definition(definition, place))
    patient = False
    try:
        code = command_job(options, references, caller) if is_job else command_call(options, references, caller)
        patient = True
        return code
    except ToolFailed:
        patient = True
        raise
    except Failure as failure:
        if failure.message.startswith(NO_ANSWER):
            failure.message = "no answer within %g s%s" % (options.timeout, failure.message[len(NO_ANSWER) :])
        raise
    finally:
        sys.stdout.flush()
        caller.close(patient)


def report_tool_failure(options, failed):
    result = failed.result
    lines, blocks = render(result, Saver(options, failed.tool, count_files(result)))
    if options.json:
        error = {"kind": "tool", "message": one_line(mask(text_of(result))) or failed.message, "remedy": "See --describe %s" % failed.tool}
        say(dump(dict({"ok": False, "tool": failed.tool, "error": error}, **content_json(result, blocks))))
    else:
        if lines:
            say("\n".join(lines))
        note("error: %s. See --describe %s" % (failed.message, failed.tool))
    return EXIT_CODES[failed.kind]


def report_failure(failure, as_json):
    if getattr(failure, "told", False):
        pass
    elif as_json:
        say(dump({"ok": False, "error": failure.to_public_json()}))
    else:
        message = failure.message.rstrip(". ")
        stop = "" if message.endswith("?") else "."
        note("error: %s%s%s" % (message, stop, " " + failure.remedy if failure.remedy else ""))
    return EXIT_CODES.get(failure.kind, 3)


def watch_signals():
    """Being told to end still ends the server that we started."""
    import signal

    def leave(number, _frame):
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            try:
                signal.signal(getattr(signal, name), leave)
            except ValueError:
                return


def main(argv=None):
    """Runs one command line and returns its exit code. A wrapper puts its own options before the user's."""
    argv = sys.argv[1:] if argv is None else list(argv)
    options = Options()
    # Known before the rest is, so that even a mistake in the options is told in the form asked for.
    options.json = "--json" in argv
    try:
        options = parse_options(argv)
        if options.help:
            say(HELP)
            return 0
        if options.version:
            say("mcp_async_call %s (python)" % VERSION)
            return 0
        if options.session_daemon:
            return run_daemon()
        watch_signals()
        return run(options)
    except ToolFailed as failed:
        try:
            return report_tool_failure(options, failed)
        except Failure as failure:
            return report_failure(failure, options.json)
    except Failure as failure:
        return report_failure(failure, options.json)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # Skips the interpreter's own farewell, which a caller would wait for.
    os._exit(code)
