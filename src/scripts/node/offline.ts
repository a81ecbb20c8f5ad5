/** What is done with the skill's own reference files: list the tools, describe one, check a call. Reaches no server. */
import { Fault, oneLine } from './fault.ts';
import { type JsonObject, writeJson } from './json.ts';
import type { Options } from './options.ts';
import { configPath } from './server-config.ts';
import { inSkill, type SkillFolder } from './skill-folder.ts';
import { say } from './streams.ts';

/** What a command needs besides its options. */
export interface Setting {
  readonly options: Options;
  readonly skill: SkillFolder;
  /** Absolute path of this script. */
  readonly script: string;
}

/** The folder of the reference files: beside a config file that was named, else the skill's own. */
function referenceFolder({ options, skill }: Setting): string {
  return options.config === undefined
    ? inSkill(skill, 'references')
    : configPath(options, skill).replace(/[^\\/]*$/, '');
}

type ReferenceModule = typeof import('./reference.ts');

/** The reference files behind the functions that read them; loaded only where they are needed. */
async function loadReference(setting: Setting) {
  const module: ReferenceModule = await import('./reference.ts');
  return { module, reference: module.openReference(referenceFolder(setting)) };
}

export async function list(setting: Setting): Promise<number> {
  const { module, reference } = await loadReference(setting);
  if (reference === undefined) throw noReference(setting);
  const tools = module
    .listTools(reference)
    .map((tool) => ({ name: tool.name, description: module.firstSentence(tool.description) }));
  if (setting.options.json) say(writeJson({ ok: true, tools }));
  else {
    for (const { name, description } of tools) {
      say(description === '' ? oneLine(name) : `${oneLine(name)}: ${description}`);
    }
  }
  return 0;
}

function noReference(setting: Setting): Fault {
  return new Fault('usage', `there are no reference files in ${referenceFolder(setting)}`, {
    remedy: 'Generate the skill again',
  });
}

export async function describe(setting: Setting, name: string): Promise<number> {
  const { module, reference } = await loadReference(setting);
  if (reference === undefined) throw noReference(setting);
  const tool = module.requireTool(reference, name);
  const { description, schema: inputSchema } = tool;
  if (setting.options.json) say(writeJson({ ok: true, tool: { name: tool.name, description, inputSchema } }));
  else say(tool.text);
  return 0;
}

export type Schemas = (tool: string) => JsonObject | undefined;

/** Checks that tools are known and arguments fit; the schemas for what follows. Throws `usage`. */
export async function checkCall(
  setting: Setting,
  tools: readonly string[],
  args: JsonObject | undefined,
): Promise<Schemas> {
  const { options } = setting;
  const { module, reference } = await loadReference(setting).catch((error: unknown) => {
    if (options.noCheck) return { module: undefined, reference: undefined };
    throw error;
  });
  if (reference === undefined || module === undefined) return () => undefined;
  const find = (name: string): JsonObject | undefined => {
    try {
      return module.requireTool(reference, name).schema;
    } catch {
      return undefined;
    }
  };
  // The reference tells about the skill's own server; another address may have other tools.
  const strict = !options.noCheck && options.endpoint === undefined;
  const schemas = new Map<string, JsonObject | undefined>();
  for (const name of tools) schemas.set(name, strict ? module.requireTool(reference, name).schema : find(name));
  const [first] = tools;
  const schema = first === undefined ? undefined : schemas.get(first);
  if (!options.noCheck && args !== undefined && schema !== undefined && first !== undefined) {
    const { checkArguments } = await import('./schema-check.ts');
    const mistakes = checkArguments(args, schema);
    if (mistakes.length > 0) {
      const more = mistakes.length > 5 ? ` (and ${mistakes.length - 5} more)` : '';
      throw new Fault('usage', `${mistakes.slice(0, 5).join('; ')}${more}`, { remedy: `See --describe ${first}` });
    }
  }
  return (name) => schemas.get(name);
}
