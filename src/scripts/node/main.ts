/** Runs one command line of the call script: decides which command it is, wires its parts, prints how it failed. */
import { fileURLToPath } from 'node:url';
import { readArguments } from './arguments.ts';
import type { Caller } from './caller.ts';
import { EXIT_CODES, Fault, faultLine, oneLine, publicFault, toFault } from './fault.ts';
import { HELP } from './help.ts';
import { type JsonObject, own, writeJson } from './json.ts';
import type { LinkReader } from './link-reader.ts';

import { checkCall, describe, list, type Setting } from './offline.ts';
import { type Options, parseOptions } from './options.ts';
import { type NamedServer, readServer } from './server-config.ts';
import { findSkill } from './skill-folder.ts';
import { note, say } from './streams.ts';
import { VERSION } from './version.ts';

const DEFAULT_TIMEOUT_MS = 60_000;

function tell(line: string): void {
  note(oneLine(line, 4000));
}

async function makeCaller(setting: Setting, server: NamedServer): Promise<Caller> {
  const { options, skill, script } = setting;
  if (options.session === undefined) {
    const { DirectCaller } = await import('./caller.ts');
    return new DirectCaller(server.definition, skill.project, tell);
  }
  const { SessionCaller } = await import('./session-caller.ts');
  return new SessionCaller({
    name: options.session,
    server,
    chosen: options.server,
    project: skill.project,
    idleSeconds: options.sessionIdle,
    script,
    tell,
  });
}

/** Being told to end still ends the server that we started. */
function watchSignals(caller: Caller): void {
  const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, () => {
      caller.kill();
      process.exit(code);
    });
  }
}

async function callPlain(setting: Setting, tool: string): Promise<number> {
  const { options, skill } = setting;
  const args = readArguments(options);
  const schemas = await checkCall(setting, [tool], args);
  const server = readServer(options, skill);
  const caller = await makeCaller(setting, server);
  watchSignals(caller);
  try {
    const timeoutMs = timeoutOf(options, server);
    const end = Date.now() + timeoutMs;
    const result = await caller.call(tool, args, { timeoutMs, schema: schemas(tool) });
    if (own(result, 'isError') === true) {
      const { ToolFailure } = await import('./job.ts');
      return await reportToolFailure(options, new ToolFailure(tool, result));
    }
    const { LinkReader } = await import('./link-reader.ts');
    const links = new LinkReader((uri, ms) => caller.read(uri, { timeoutMs: ms }), end, options.maxBytes);
    const { contentJson, rendered } = await renderResult(options, tool, result, links);
    if (options.json) say(writeJson({ ok: true, tool, ...contentJson(result, rendered) }));
    else if (rendered.lines.length > 0) say(rendered.lines.join('\n'));
    return 0;
  } finally {
    await caller.close().catch(() => {});
  }
}

async function renderResult(options: Options, label: string, result: JsonObject, links?: LinkReader) {
  const { contentJson, countFiles, render } = await import('./render.ts');
  const { Saver } = await import('./saver.ts');
  const saver = new Saver(options, label, countFiles(result) + (links?.count(result) ?? 0));
  return { contentJson, rendered: await render(result, saver, undefined, links) };
}

function timeoutOf(options: Options, server: NamedServer): number {
  if (options.timeout !== undefined) return options.timeout * 1000;
  return server.definition.timeoutMs ?? DEFAULT_TIMEOUT_MS;
}

async function callJob(setting: Setting): Promise<number> {
  const { options, skill, script } = setting;
  const { submitTool, statusTool, resultTool, resume } = options;
  if (resume !== undefined && statusTool === undefined && resultTool === undefined) {
    throw new Fault('usage', '--resume needs --status-tool or --result-tool', { remedy: 'See --help' });
  }
  if (resume === undefined && submitTool === undefined) {
    throw new Fault('usage', 'a job needs --submit-tool', {
      remedy: "Give --submit-tool, or --resume with the job's id",
    });
  }
  const args = resume === undefined ? readArguments(options) : {};
  const tools = [submitTool, statusTool, resultTool].filter((name) => name !== undefined);
  const schema = await checkCall(setting, tools, resume === undefined ? args : undefined);
  const server = readServer(options, skill);
  const { runJob, resumeCommand } = await import('./run-job.ts');
  const { ToolFailure } = await import('./job.ts');
  const caller = await makeCaller(setting, server);
  watchSignals(caller);
  const started = [interpreter(), process.argv[1] ?? script];
  const command = (id: string): string => resumeCommand(options, id, started, process.platform);
  try {
    const timeoutMs = timeoutOf(options, server);
    const fault = await runJob({ options, caller, timeoutMs, schema, resume: command }, args);
    if (fault === undefined) return 0;
    if (options.json) return EXIT_CODES[fault.kind];
    throw fault;
  } catch (error) {
    if (error instanceof ToolFailure) return await reportToolFailure(options, error);
    throw error;
  } finally {
    await caller.close().catch(() => {});
  }
}

/** `node` where that is this program, else its whole path. */
function interpreter(): string {
  return /(?:^|[\\/])node(?:\.exe)?$/i.test(process.execPath) ? 'node' : process.execPath;
}

async function reportToolFailure(
  options: Options,
  failure: { readonly tool: string; readonly result: JsonObject; readonly fault: Fault },
): Promise<number> {
  const { contentJson, rendered } = await renderResult(options, failure.tool, failure.result);
  const { textOf } = await import('./result.ts');
  if (options.json) {
    const error = publicFault(failure.fault);
    const message = oneLine(textOf(failure.result), 2000) || error.message;
    say(
      writeJson({
        ok: false,
        tool: failure.tool,
        error: { ...error, message },
        ...contentJson(failure.result, rendered),
      }),
    );
  } else {
    if (rendered.lines.length > 0) say(rendered.lines.join('\n'));
    note(faultLine(failure.fault));
  }
  return EXIT_CODES[failure.fault.kind];
}

async function dispatch(setting: Setting): Promise<number> {
  const { options } = setting;
  if (options.sessionDaemon) {
    const { runDaemon } = await import('./session-daemon.ts');
    const { openSessionFolder } = await import('./session-place.ts');
    return runDaemon(openSessionFolder());
  }
  if (options.sessionList) return (await import('./session-commands.ts')).listSessions(options);
  if (options.sessionStop !== undefined) {
    return (await import('./session-commands.ts')).stopSession(options, setting.skill, options.sessionStop);
  }
  if (options.list) return list(setting);
  if (options.describe !== undefined) return describe(setting, options.describe);
  const isJob = [options.submitTool, options.statusTool, options.resultTool].some((name) => name !== undefined);
  if (isJob || options.resume !== undefined) return callJob(setting);
  if (options.tool === undefined) {
    throw new Fault('usage', 'no tool is named', { remedy: 'Give --tool NAME, or --list to see them' });
  }
  return callPlain(setting, options.tool);
}

function report(error: unknown, asJson: boolean): number {
  const fault = toFault(error);
  if (asJson) say(writeJson({ ok: false, error: publicFault(fault) }));
  else note(faultLine(fault));
  return EXIT_CODES[fault.kind];
}

/** Libraries report to the console; our standard error has one line and standard output the result. */
function silenceConsole(): void {
  const nothing = (): void => {};
  Object.assign(console, { debug: nothing, info: nothing, log: nothing, warn: nothing, error: nothing });
}

/** Runs a command line and returns its exit code. `module` is the address of the script itself. */
export async function run(argv: readonly string[], module: string): Promise<number> {
  silenceConsole();
  let options: Options;
  try {
    options = parseOptions(argv);
  } catch (error) {
    return report(error, argv.includes('--json'));
  }
  if (options.help) {
    say(HELP);
    return 0;
  }
  if (options.version) {
    say(`mcp_async_call ${VERSION} (node)`);
    return 0;
  }
  try {
    const script = fileURLToPath(module);
    return await dispatch({ options, script, skill: findSkill(script, process.argv[1], process.cwd()) });
  } catch (error) {
    return report(error, options.json);
  }
}
