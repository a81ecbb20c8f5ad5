/**
 * What a tool of Mochi is, whatever protocol it is offered over: a description, what it takes, what it gives, and
 * what it does with an engine. Arguments are checked here, so that no tool sees what its schema does not allow.
 */
import { z } from 'zod';
import { isJsonObject } from '#core/json.ts';
import type { Json, JsonObject } from '#core/model.ts';
import type { Engine } from '../engine/engine.ts';
import { MochiFault } from '../limits.ts';

export interface ToolAnswer {
  readonly structured: JsonObject;
  /** The same for clients that show text only. */
  readonly text: string;
}

/** A tool with its types closed over. */
export interface MochiTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Checks `args`. The answer's `run` asks the engine. Throws a MochiFault that names the field. */
  prepare(args: unknown): (engine: Engine, signal: AbortSignal) => Promise<ToolAnswer>;
}

export interface ToolDefinition<I extends z.ZodType, O extends z.core.$ZodType> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** `inference_time_ms` is measured around it. */
  run(args: z.output<I>, engine: Engine, signal: AbortSignal): Promise<Omit<z.output<O>, 'inference_time_ms'>>;
  text(answer: z.output<O>): string;
}

export function defineTool<I extends z.ZodType, O extends z.core.$ZodType>(
  definition: ToolDefinition<I, O>,
): MochiTool {
  const { name, title, description, input, output, run, text } = definition;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    outputSchema: jsonSchemaOf(output, 'output'),
    prepare(args) {
      const parsed = input.safeParse(args);
      if (!parsed.success) throw invalid(name, parsed.error.issues);
      return async (engine, signal) => {
        const started = performance.now();
        const found = await run(parsed.data, engine, signal);
        const elapsed = Math.round((performance.now() - started) * 100) / 100;
        const answer = z.parse(output, { ...found, inference_time_ms: elapsed });
        return { structured: asJsonObject(answer), text: text(answer) };
      };
    },
  };
}

/** One sentence that names the first field at fault; how many more there are, not what was sent. */
export function invalid(tool: string, issues: readonly z.core.$ZodIssue[]): MochiFault {
  const [first] = issues;
  const unknown = first?.code === 'unrecognized_keys' ? first.keys[0] : undefined;
  const field = [...(first?.path ?? []).map(String), ...(unknown === undefined ? [] : [unknown])].join('.');
  const shown = field.length > 100 ? `${field.slice(0, 100)}…` : field;
  const reason = unknown === undefined ? (first?.message ?? 'is not valid') : 'is not an argument of this tool';
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new MochiFault('invalid', `${shown === '' ? 'The arguments' : `"${shown}"`} of ${tool}: ${reason}${others}.`, {
    ...(shown === '' ? {} : { field: shown }),
    remedy: 'Call it again with arguments that fit its input schema.',
  });
}

/** What a tool takes, as JSON Schema. */
export function inputSchemaOf(schema: z.ZodType): JsonObject {
  return jsonSchemaOf(schema, 'input');
}

function jsonSchemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): JsonObject {
  const made: unknown = z.toJSONSchema(schema, { target: 'draft-2020-12', io });
  return asJsonObject(made);
}

/** What came out of a schema is JSON; this makes the types say so. */
function asJsonObject(value: unknown): JsonObject {
  const json: Json = JSON.parse(JSON.stringify(value));
  return isJsonObject(json) ? json : {};
}
