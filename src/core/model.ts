/**
 * The nouns of the pipeline. Sources name servers; a server's tools at one moment are its catalog; a catalog
 * rendered in a mode is a skill; a skill held against the disk is a plan. Plain immutable data, no behaviour.
 */
import type { Place, Problem } from './problem.ts';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Whether a source belongs to a workspace folder or to the person's home folder. */
export type Scope = 'folder' | 'user';

/** A file that names servers. */
export interface Source {
  /** Stable: dialect and path, joined by a colon. */
  readonly id: string;
  /** Row of the dialect table in `config/sources.ts`, for example `claude-code`. */
  readonly dialect: string;
  /** The client's name for people, for example `Claude Code`. */
  readonly label: string;
  /** Absolute path, for reading only. */
  readonly path: string;
  /** Path for people: relative to the folder, or with `~`. The only form that is shown or written. */
  readonly display: string;
  readonly scope: Scope;
  /** The workspace folder the source belongs to, absolute; absent for the home folder. */
  readonly folder?: string;
}

/**
 * How to reach a server. Every string may hold variables in Mochi's one notation, whatever the dialect spelt:
 * `${NAME}`, `${NAME:-default}` (environment), `${input:id}`, `${workspaceFolder}`, `${workspaceFolder:name}`,
 * `${userHome}`, …; `$${` stands for a literal `${`. Nothing is expanded before a connection is made.
 */
export type Endpoint =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** `null` removes a variable. */
      readonly env: Readonly<Record<string, string | null>>;
      readonly cwd?: string;
      /** A file of `NAME=value` lines, read at connect time only. */
      readonly envFile?: string;
    }
  | {
      /** Streamable HTTP; with `sseFallback` the client then tries the legacy SSE transport. */
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly sseFallback: boolean;
    }
  | {
      /** Legacy HTTP+SSE. */
      readonly kind: 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** A value that VS Code asks the person for (`inputs` of `mcp.json`). Kind `command` is never run by Mochi. */
export interface Input {
  readonly id: string;
  readonly kind: 'promptString' | 'pickString' | 'command';
  readonly description: string;
  readonly password: boolean;
  readonly default?: string;
  readonly options?: readonly string[];
}

/** One MCP server as configured. */
export interface Server {
  /** Stable: the source's id, `#`, and the name. */
  readonly id: string;
  /** As the file spells it. */
  readonly name: string;
  readonly source: Source;
  /** Where its entry begins. */
  readonly at: Place;
  readonly endpoint: Endpoint;
  /** Milliseconds, from the config where the dialect has such a field. */
  readonly timeoutMs?: number;
  /** The config switches it off. */
  readonly disabled: boolean;
  /** Id of the server that wins over this one of the same name. */
  readonly shadowedBy?: string;
  /** The inputs that its definition refers to. */
  readonly inputs: readonly Input[];
  /** Tools the config names to keep or to leave out, by exact name. */
  readonly includeTools?: readonly string[];
  readonly excludeTools?: readonly string[];
}

/** One tool as its server describes it. Text is hostile until rendered. */
export interface Tool {
  readonly name: string;
  readonly title?: string;
  /** Empty where the server gives none. */
  readonly description: string;
  /** Exactly as received. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: Json;
  readonly annotations?: JsonObject;
}

/** The tools of one server at one moment. */
export interface Catalog {
  /** The server's name as configured, or the catalog file's id. */
  readonly server: string;
  readonly origin: 'live' | 'cache' | 'file';
  /** In the server's order. */
  readonly tools: readonly Tool[];
  readonly instructions?: string;
  readonly serverInfo?: { readonly name: string; readonly version?: string; readonly title?: string };
  readonly protocolVersion?: string;
  /** The protocol era the server spoke: `modern` is 2026-07-28 and later, stateless. */
  readonly era?: 'legacy' | 'modern';
}

/** Which form a skill takes: everything in SKILL.md, an index with references, or everything compacted. */
export type Mode = 'normal' | 'lazy' | 'compact';
export const MODES: readonly Mode[] = ['normal', 'lazy', 'compact'];

/** How the compact mode cuts: `safe` keeps every tool callable, `strict` equals the upstream of compact-mode.md. */
export type CompactRules = 'safe' | 'strict';

/** What the generated scripts are written in. */
export type Runtime = 'python' | 'node';

/** One file of a skill. */
export interface SkillFile {
  /** Relative to the skill's folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly executable: boolean;
}

/** The folder we generate. Files are sorted by path; the same input gives the same bytes. */
export interface Skill {
  /** Also the folder's name. */
  readonly name: string;
  readonly mode: Mode;
  /** The listing text that clients always load. */
  readonly description: string;
  /** The server's name as configured. */
  readonly server: string;
  readonly files: readonly SkillFile[];
  readonly problems: readonly Problem[];
}

/** What writing would do to one file. */
export type PlanStep =
  | { readonly kind: 'create'; readonly path: string; readonly text: string; readonly executable: boolean }
  | {
      readonly kind: 'update';
      readonly path: string;
      readonly text: string;
      readonly before: string;
      readonly executable: boolean;
    }
  | { readonly kind: 'keep'; readonly path: string }
  | { readonly kind: 'delete'; readonly path: string; readonly before: string }
  /** Would lose what a person wrote; `text` is what would be written with force. */
  | {
      readonly kind: 'conflict';
      readonly path: string;
      readonly text: string;
      readonly before: string;
      readonly executable: boolean;
      readonly reason: 'not-ours' | 'edited';
    };

/** What would be written for one skill. Paths are relative to `root/skill`. */
export interface Plan {
  readonly skill: string;
  /** The skills root, absolute. */
  readonly root: string;
  readonly steps: readonly PlanStep[];
}
