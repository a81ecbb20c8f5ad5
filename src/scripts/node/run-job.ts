/** The job command: runs it, prints the result or how to go on, downloads its files, writes its logs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { download, harvestUrls } from './download.ts';
import { Fault, oneLine, publicFault, toFault } from './fault.ts';
import { safeName, splitName } from './file-names.ts';
import { Job, type JobContext, type JobEnd } from './job.ts';
import { type JsonObject, own, writeJson } from './json.ts';
import { type Options, shellQuote } from './options.ts';
import { contentJson, countFiles, render } from './render.ts';
import { Saver, savedLine } from './saver.ts';
import { codeOf } from './server-config.ts';
import { say } from './streams.ts';

const DEFAULT_MAX_BYTES = 1024 ** 3;

/** The command that goes on with a job, for the shell of this system. Secrets given as headers are not in it. */
export function resumeCommand(options: Options, id: string, started: readonly string[], platform: string): string {
  const words = [...started];
  const text = (name: string, value: string | undefined): void => {
    if (value !== undefined) words.push(name, value);
  };
  const flag = (name: string, value: boolean): void => {
    if (value) words.push(name);
  };
  text('--config', options.config);
  text('--server', options.server);
  text('--endpoint', options.endpoint);
  text('--type', options.type);
  text('--submit-tool', options.submitTool);
  text('--status-tool', options.statusTool);
  text('--result-tool', options.resultTool);
  text('--id-param', options.idParam);
  text('--session', options.session);
  text('--output', options.output === './output' ? undefined : options.output);
  text('--output-file', options.outputFile);
  for (const header of options.headers) {
    text('--header', header.includes('${') ? header : `${header.split(':')[0]}: ***`);
  }
  flag('--auto-filename', options.autoFilename);
  flag('--save-logs', options.saveLogs);
  flag('--save-logs-inline', options.saveLogsInline);
  flag('--json', options.json);
  flag('--no-check', options.noCheck);
  text('--poll-interval', options.pollInterval === 2 ? undefined : String(options.pollInterval));
  text('--max-bytes', options.maxBytes === DEFAULT_MAX_BYTES ? undefined : String(options.maxBytes));
  text('--timeout', options.timeout === undefined ? undefined : String(options.timeout));
  if (id.startsWith('-')) words.push(`--resume=${id}`);
  else text('--resume', id);
  return words.map((word) => shellQuote(word, platform)).join(' ');
}

/** Writes the requests and answers of a job beside its results or in a folder of their own. */
function saveLogs(options: Options, job: Job, saver: Saver | undefined): void {
  if (!options.saveLogs && !options.saveLogsInline) return;
  const first = saver?.saved[0]?.path;
  const stem = first === undefined ? join(options.output, safeName(job.id ?? '') || 'output') : splitName(first)[0];
  const prefix = options.saveLogsInline ? `${stem}_` : join(options.output, 'logs', '/');
  try {
    mkdirSync(options.saveLogsInline ? dirname(prefix) : prefix, { recursive: true });
    for (const [name, value] of job.logs) writeFileSync(`${prefix}${name}.json`, `${writeJson(value, 2)}\n`);
  } catch (error) {
    throw new Fault('io', `cannot write the logs to ${prefix} (${codeOf(error)})`, {
      remedy: 'Choose another folder with --output',
      cause: error,
    });
  }
}

function reportRunning(context: JobContext, job: Job, status: 'running' | 'submitted'): void {
  const { options } = context;
  const id = job.id ?? '';
  const canResume = options.statusTool !== undefined || options.resultTool !== undefined;
  const resume = canResume ? context.resume(id) : null;
  if (options.json) say(writeJson({ ok: true, job: { id, status, resume }, files: [], result: null }));
  else if (status === 'submitted') say(id);
  else say(`status: running\njob: ${oneLine(id, 1000)}\nresume: ${resume}`);
}

async function reportDone(context: JobContext, job: Job, result: JsonObject, keep: (saver: Saver) => void) {
  const { options } = context;
  const id = job.id ?? '';
  const parts = { structuredContent: own(result, 'structuredContent'), content: own(result, 'content') };
  const urls = harvestUrls(parts);
  const label = options.resultTool ?? options.statusTool ?? options.submitTool ?? 'output';
  const saver = new Saver(options, label, countFiles(result) + urls.length);
  keep(saver);
  const rendered = await render(result, saver, id);
  const lines = [...rendered.lines];
  const faults: Fault[] = [];
  for (const url of urls) {
    try {
      lines.push(savedLine(await download(url, saver, options, id)));
    } catch (error) {
      faults.push(toFault(error));
    }
  }
  const [fault] = faults;
  if (options.json) {
    const job = { id, status: 'completed', resume: null };
    const error = fault === undefined ? {} : { error: publicFault(fault) };
    const content = contentJson(result, rendered);
    say(writeJson({ ok: fault === undefined, job, files: saver.saved, result: content, ...error }));
  } else if (lines.length > 0) say(lines.join('\n'));
  return fault;
}

/** Runs the job to its end or to the end of the wait. Throws what failed; with `--json` a download's fault is told. */
export async function runJob(context: JobContext, args: JsonObject): Promise<Fault | undefined> {
  const job = new Job(context);
  let saver: Saver | undefined;
  try {
    const end: JobEnd = await job.run(args);
    switch (end.kind) {
      case 'running':
      case 'submitted':
        reportRunning(context, job, end.kind);
        return undefined;
      case 'completed':
        return await reportDone(context, job, end.result, (made) => {
          saver = made;
        });
      default:
        return end satisfies never;
    }
  } finally {
    saveLogs(context.options, job, saver);
  }
}
