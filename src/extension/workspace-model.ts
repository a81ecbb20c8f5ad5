/**
 * The state behind everything the extension shows: which servers are configured, what their tools are, which of them a
 * person left out, and what their skills would be. It knows nothing of VS Code and touches the outside only through its
 * ports; it starts no server that was not agreed to, and writes only in `apply`. Longer than most files, because a third
 * of it says what its ports and its state mean.
 */
import type { Discovered } from '#core/config/discover.ts';
import type { Catalog, Mode, Plan, Server, Skill, Source } from '#core/model.ts';
import type { Disposable, Logger } from '#core/ports.ts';
import { OperationError, type Problem, type Reported } from '#core/problem.ts';
import type { Forms } from '#node/server-forms.ts';

/** Where skills may be written, relative to a workspace folder. */
export const TARGETS = ['.claude/skills', '.github/skills', '.agents/skills'] as const;
export type Target = (typeof TARGETS)[number];

/** Tokens of one tool by itself. */
export interface ToolCost {
  /** Of its definition, as a native tool. */
  readonly native: number;
  /** Of its reference file in the lazy form. */
  readonly lazy: number;
}

/** What is known of a server's tools. */
export type CatalogState =
  | { readonly kind: 'unread' }
  | { readonly kind: 'reading' }
  | {
      readonly kind: 'read';
      /** As the server gave it; hostile text. */
      readonly catalog: Catalog;
      /** The forms with every tool. */
      readonly whole: Forms;
      /** The forms with the tools the person wants. Only their tokens may be counted by Anthropic. */
      readonly forms: Forms;
      /** By name, for every tool of `whole`; counted offline. */
      readonly tools: ReadonlyMap<string, ToolCost>;
      readonly problems: readonly Problem[];
      /** What the forms rest on beside the tools; where it is another, they have to be made anew. */
      readonly basis: string;
    }
  | { readonly kind: 'failed'; readonly error: OperationError };

export interface ServerEntry {
  readonly server: Server;
  /** The skill's name. */
  readonly skill: string;
  readonly state: CatalogState;
  /** Tools that the person left out, by name. */
  readonly excluded: readonly string[];
  /** Whether the person accepted exactly the findings of the current forms; true where there are none. */
  readonly findingsAccepted: boolean;
  /** Whether its definition, as it is now, was approved before. */
  readonly approved: boolean;
}

/** A plan with what the person must know before it is applied. */
export interface PlannedSkill {
  readonly id: string;
  readonly skill: Skill;
  readonly plan: Plan;
  readonly problems: readonly Problem[];
  /** The workspace folder that it may not leave, absolute. */
  readonly within: string;
  readonly target: Target;
  /** No folder stands at the target yet, so that clients see the skill only after a restart. */
  readonly isFirst: boolean;
}

export type WriteOutcome =
  | { readonly kind: 'written' | 'unchanged' | 'conflict'; readonly planned: PlannedSkill }
  | { readonly kind: 'findings'; readonly findings: readonly Problem[] };

export interface FormsRequest {
  readonly server: Server;
  readonly catalog: Catalog;
  readonly skill: string;
  /** Names of all servers. */
  readonly servers: readonly string[];
  readonly excludeTools: readonly string[];
  /** By whom tokens are counted; `exact` sends texts to Anthropic. */
  readonly counter: 'offline' | 'exact';
}

/** The doors of the model. All of them may be slow, so that nothing is loaded before it is needed. */
export interface ModelPorts {
  readonly logger: Logger;
  /** The workspace folders, absolute. */
  folders(): readonly string[];
  isTrusted(): boolean;
  /** Reads config files; starts nothing. */
  discover(): Promise<Reported<Discovered>>;
  /** Another value for every other definition. */
  definitionHash(server: Server): Promise<string>;
  /** Names for skills, one a server name. */
  skillNames(servers: readonly string[]): Promise<readonly string[]>;
  /** The recorded catalog; starts nothing. */
  recorded(server: Server): Promise<Catalog | undefined>;
  wasApproved(server: Server): Promise<boolean>;
  /** Asks the person, if need be, and then lists live. Throws OperationError `consent-needed` after a no. */
  list(server: Server, signal: AbortSignal): Promise<Reported<Catalog>>;
  makeForms(request: FormsRequest, signal: AbortSignal): Promise<Forms>;
  /** Another value for every other setting that forms depend on. */
  basis(): string;
  measureTools(whole: Forms, signal: AbortSignal): Promise<ReadonlyMap<string, ToolCost>>;
  /** A stable hash of any plain value. */
  hash(value: unknown): Promise<string>;
  plan(skill: Skill, root: string, within: string, force: boolean): Promise<Reported<Plan>>;
  apply(plan: Plan, within: string, signal: AbortSignal): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Kept for this workspace between sessions. */
  readonly memory: Memory;
}

export interface Memory {
  get(key: 'excluded' | 'acceptedFindings'): unknown;
  set(key: 'excluded' | 'acceptedFindings', value: unknown): PromiseLike<void>;
}

export interface WorkspaceModel extends Disposable {
  /** False until the first discovery is done. */
  readonly isLoaded: boolean;
  readonly sources: readonly Source[];
  /** In order of precedence, shadowed and disabled ones included. */
  readonly entries: readonly ServerEntry[];
  /** What is wrong with the config files. */
  readonly problems: readonly Problem[];
  entry(id: string): ServerEntry | undefined;
  /** The listener is called after every change, at most once for one. */
  onDidChange(listener: () => void): Disposable;
  /** Reads the config files again. What was read of servers whose definition is the same stays. */
  refresh(): Promise<void>;
  /** Refreshes once; later calls wait for the first. */
  load(): Promise<void>;
  /** Reads the tools live, after consent. Its failure is also the entry's state. Throws OperationError. */
  readTools(id: string, signal: AbortSignal): Promise<void>;
  /** Says which tools go into the skill; kept for this workspace. Tools that appear later go in. */
  setIncluded(id: string, names: readonly string[]): Promise<void>;
  acceptFindings(id: string, accepted: boolean): Promise<void>;
  /** The forms with the wanted tools, once they were read. */
  forms(id: string): Forms | undefined;
  /** Counts again by Anthropic; lasts until the next change of that server. */
  countExactly(id: string, signal: AbortSignal): Promise<void>;
  /** What writing would do. Throws OperationError. */
  plan(id: string, mode: Mode, target: Target, options?: { readonly force?: boolean }): Promise<PlannedSkill>;
  /** Writes a plan as it was shown; refuses one with conflicts. Throws OperationError. */
  apply(planned: PlannedSkill, signal: AbortSignal): Promise<void>;
  /** Plans and, without conflicts and open findings, applies. Throws OperationError. */
  write(id: string, mode: Mode, target: Target, signal?: AbortSignal): Promise<WriteOutcome>;
}

/** The findings that must be accepted before anything is written. */
export function seriousFindings(forms: Forms): readonly Problem[] {
  return forms.inspected.findings.filter((finding) => finding.severity !== 'info');
}

export function createWorkspaceModel(ports: ModelPorts): WorkspaceModel {
  return new Model(ports);
}

interface Slot {
  readonly server: Server;
  readonly definition: string;
  readonly skill: string;
  state: CatalogState;
  approved: boolean;
  findingsAccepted: boolean;
  running?: Promise<void>;
  choosing?: Promise<void>;
  /** Other tools were chosen since its forms were last begun. */
  isStale?: boolean;
}

class Model implements WorkspaceModel {
  readonly #ports: ModelPorts;
  readonly #listeners = new Set<() => void>();
  readonly #gone = new AbortController();
  #slots = new Map<string, Slot>();
  #sources: readonly Source[] = [];
  #problems: readonly Problem[] = [];
  #entries: readonly ServerEntry[] | undefined;
  #isLoaded = false;
  #first: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  #isStale = false;

  constructor(ports: ModelPorts) {
    this.#ports = ports;
  }

  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get sources(): readonly Source[] {
    return this.#sources;
  }

  get problems(): readonly Problem[] {
    return this.#problems;
  }

  get entries(): readonly ServerEntry[] {
    this.#entries ??= [...this.#slots.values()].map((slot) => ({
      server: slot.server,
      skill: slot.skill,
      state: slot.state,
      excluded: this.#excluded(slot.server.id),
      findingsAccepted: slot.findingsAccepted,
      approved: slot.approved,
    }));
    return this.#entries;
  }

  entry(id: string): ServerEntry | undefined {
    return this.entries.find((entry) => entry.server.id === id);
  }

  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  load(): Promise<void> {
    this.#first ??= this.refresh();
    return this.#first;
  }

  refresh(): Promise<void> {
    // A file that changes while files are being read is read by the round that follows.
    if (this.#refreshing !== undefined) {
      this.#isStale = true;
      return this.#refreshing;
    }
    const round = async (): Promise<void> => {
      do {
        this.#isStale = false;
        await this.#discover();
      } while (this.#isStale && !this.#gone.signal.aborted);
    };
    this.#refreshing = round().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async readTools(id: string, signal: AbortSignal): Promise<void> {
    const slot = this.#slot(id);
    slot.running ??= this.#read(slot, AbortSignal.any([signal, this.#gone.signal])).finally(() => {
      delete slot.running;
    });
    await slot.running;
  }

  async setIncluded(id: string, names: readonly string[]): Promise<void> {
    const slot = this.#slot(id);
    if (slot.state.kind !== 'read') throw notRead(slot.server);
    const wanted = new Set(names);
    const excluded = slot.state.catalog.tools.map((tool) => tool.name).filter((name) => !wanted.has(name));
    await this.#remember('excluded', id, excluded.length === 0 ? undefined : excluded);
    // Boxes can be pressed faster than forms are made: what was pressed in the meantime is one more round, not many.
    slot.isStale = true;
    slot.choosing ??= this.#choose(slot).finally(() => {
      delete slot.choosing;
    });
    await slot.choosing;
  }

  async #choose(slot: Slot): Promise<void> {
    while (slot.isStale === true && slot.state.kind === 'read') {
      slot.isStale = false;
      await this.#inspect(slot, slot.state.catalog, slot.state.problems, this.#gone.signal, slot.state);
    }
  }

  async acceptFindings(id: string, accepted: boolean): Promise<void> {
    const slot = this.#slot(id);
    if (slot.state.kind !== 'read') throw notRead(slot.server);
    const hash = await this.#findingsHash(slot.state.forms);
    await this.#remember('acceptedFindings', id, accepted ? hash : undefined);
    slot.findingsAccepted = await this.#isAccepted(id, slot.state.forms);
    this.#changed();
  }

  forms(id: string): Forms | undefined {
    const state = this.#slots.get(id)?.state;
    return state?.kind === 'read' ? state.forms : undefined;
  }

  async countExactly(id: string, signal: AbortSignal): Promise<void> {
    const slot = this.#slot(id);
    if (slot.state.kind !== 'read') throw notRead(slot.server);
    const request = this.#request(slot, slot.state.catalog);
    const ended = AbortSignal.any([signal, this.#gone.signal]);
    const { state } = slot;
    const forms = await this.#ports.makeForms({ ...request, counter: 'exact' }, ended);
    // Other tools or a newer list may have come while Anthropic was counting; the count is not theirs.
    if (slot.state !== state) return;
    slot.state = { ...state, forms };
    this.#changed();
  }

  async plan(id: string, mode: Mode, target: Target, options: { force?: boolean } = {}): Promise<PlannedSkill> {
    this.#needTrust();
    const slot = this.#slot(id);
    const skill = this.forms(id)?.skills.find((one) => one.mode === mode);
    if (skill === undefined) throw notRead(slot.server);
    const within = slot.server.source.folder ?? this.#ports.folders()[0];
    if (within === undefined)
      throw new OperationError('usage', 'There is no folder to write the skill into.', { remedy: 'Open a folder.' });
    const root = `${within}/${target}`;
    const { value: plan, problems } = await this.#ports.plan(skill, root, within, options.force ?? false);
    const isFirst = !(await this.#ports.exists(root));
    return { id, skill, plan, problems: [...skill.problems, ...problems], within, target, isFirst };
  }

  async apply(planned: PlannedSkill, signal: AbortSignal): Promise<void> {
    this.#needTrust();
    const current = this.forms(planned.id)?.skills.includes(planned.skill) ?? false;
    if (!current)
      throw new OperationError('conflict', `What is known of "${planned.skill.server}" changed since it was shown.`, {
        remedy: 'Look at the plan again.',
      });
    await this.#ports.apply(planned.plan, planned.within, AbortSignal.any([signal, this.#gone.signal]));
  }

  async write(id: string, mode: Mode, target: Target, signal = this.#gone.signal): Promise<WriteOutcome> {
    const planned = await this.plan(id, mode, target);
    const entry = this.entry(id);
    const forms = this.forms(id);
    if (entry?.findingsAccepted === false && forms !== undefined)
      return { kind: 'findings', findings: seriousFindings(forms) };
    if (planned.plan.steps.some((step) => step.kind === 'conflict')) return { kind: 'conflict', planned };
    if (planned.plan.steps.every((step) => step.kind === 'keep')) return { kind: 'unchanged', planned };
    await this.apply(planned, signal);
    return { kind: 'written', planned };
  }

  dispose(): void {
    this.#gone.abort();
    this.#listeners.clear();
  }

  async #discover(): Promise<void> {
    const { value, problems } = await this.#ports.discover();
    const usable = value.servers.filter((server) => server.shadowedBy === undefined).map((server) => server.name);
    const names = await this.#ports.skillNames(usable);
    const skillOf = new Map(usable.map((name, index) => [name, names[index] ?? '']));
    const slots = new Map<string, Slot>();
    for (const server of value.servers) {
      const definition = await this.#ports.definitionHash(server);
      const skill = skillOf.get(server.name) ?? '';
      const before = this.#slots.get(server.id);
      const isSame = before !== undefined && before.definition === definition && before.skill === skill;
      const slot: Slot = isSame
        ? Object.assign(before, { server })
        : { server, definition, skill, state: { kind: 'unread' }, approved: false, findingsAccepted: true };
      slot.approved = await this.#ports.wasApproved(server);
      slots.set(server.id, slot);
    }
    if (this.#gone.signal.aborted) return;
    this.#slots = slots;
    this.#sources = value.sources;
    this.#problems = problems;
    this.#isLoaded = true;
    this.#changed();
    for (const slot of slots.values()) await (slot.state.kind === 'read' ? this.#renew(slot) : this.#recall(slot));
  }

  /** Other servers and settings make other findings and files of the same tools. */
  async #renew(slot: Slot): Promise<void> {
    const { state } = slot;
    if (state.kind !== 'read' || state.basis === this.#basis() || slot.running !== undefined) return;
    await this.#inspect(slot, state.catalog, state.problems, this.#gone.signal);
  }

  #basis(): string {
    return JSON.stringify([[...this.#slots.values()].map((one) => one.server.name), this.#ports.basis()]);
  }

  /** Fills in what was recorded, so that figures show without a server being started. */
  async #recall(slot: Slot): Promise<void> {
    if (slot.state.kind !== 'unread' || slot.server.shadowedBy !== undefined || slot.running !== undefined) return;
    try {
      const catalog = await this.#ports.recorded(slot.server);
      if (catalog === undefined || slot.state.kind !== 'unread' || slot.running !== undefined) return;
      await this.#inspect(slot, catalog, [], this.#gone.signal);
    } catch (error) {
      this.#ports.logger.debug(`The recorded tools of "${slot.server.name}" were not used: ${String(error)}`);
    }
  }

  async #read(slot: Slot, signal: AbortSignal): Promise<void> {
    this.#needTrust();
    const before = slot.state;
    slot.state = { kind: 'reading' };
    this.#changed();
    try {
      const { value, problems } = await this.#ports.list(slot.server, signal);
      await this.#inspect(slot, value, problems, signal);
    } catch (error) {
      const isRefused = signal.aborted || OperationError.is(error, 'consent-needed');
      slot.state = isRefused || !OperationError.is(error) ? before : { kind: 'failed', error };
      throw error;
    } finally {
      slot.approved = await this.#ports.wasApproved(slot.server);
      this.#changed();
    }
  }

  /** Forms of the tools that the person wants. */
  #request({ server, skill }: Slot, catalog: Catalog): FormsRequest {
    const servers = [...this.#slots.values()].map((one) => one.server.name);
    const names = new Set(catalog.tools.map((tool) => tool.name));
    const excludeTools = this.#excluded(server.id).filter((name) => names.has(name));
    return { server, catalog, skill, servers, excludeTools, counter: 'offline' };
  }

  /** What is known of all tools is used again where only the chosen ones are others. */
  async #inspect(
    slot: Slot,
    catalog: Catalog,
    problems: readonly Problem[],
    signal: AbortSignal,
    before?: CatalogState & { readonly kind: 'read' },
  ): Promise<void> {
    const request = this.#request(slot, catalog);
    const basis = this.#basis();
    const known = before?.basis === basis ? before : undefined;
    const whole = known?.whole ?? (await this.#ports.makeForms({ ...request, excludeTools: [] }, signal));
    const forms = request.excludeTools.length === 0 ? whole : await this.#ports.makeForms(request, signal);
    const tools = known?.tools ?? (await this.#ports.measureTools(whole, signal));
    slot.findingsAccepted = await this.#isAccepted(slot.server.id, forms);
    slot.state = { kind: 'read', catalog, whole, forms, tools, problems, basis };
    this.#changed();
  }

  async #isAccepted(id: string, forms: Forms): Promise<boolean> {
    if (seriousFindings(forms).length === 0) return true;
    return recordOf(this.#ports.memory.get('acceptedFindings')).get(id) === (await this.#findingsHash(forms));
  }

  #findingsHash(forms: Forms): Promise<string> {
    return this.#ports.hash(
      seriousFindings(forms).map(({ kind, severity, tool, message }) => [kind, severity, tool ?? '', message]),
    );
  }

  #excluded(id: string): readonly string[] {
    const names = recordOf(this.#ports.memory.get('excluded')).get(id);
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  }

  async #remember(key: 'excluded' | 'acceptedFindings', id: string, value: unknown): Promise<void> {
    const all = recordOf(this.#ports.memory.get(key));
    if (value === undefined) all.delete(id);
    else all.set(id, value);
    await this.#ports.memory.set(key, [...all]);
  }

  #needTrust(): void {
    if (this.#ports.isTrusted()) return;
    throw new OperationError('consent-needed', 'This workspace is not trusted.', {
      remedy: 'Trust the workspace first.',
    });
  }

  #slot(id: string): Slot {
    const slot = this.#slots.get(id);
    if (slot === undefined)
      throw new OperationError('not-found', 'The server is no longer configured.', { remedy: 'Choose another.' });
    return slot;
  }

  #changed(): void {
    this.#entries = undefined;
    for (const listener of this.#listeners) listener();
  }
}

function notRead(server: Server): OperationError {
  return new OperationError('usage', `The tools of "${server.name}" have not been read.`, {
    remedy: 'Read its tools first.',
  });
}

/** What was remembered, as pairs; anything else is as good as nothing. */
function recordOf(value: unknown): Map<string, unknown> {
  const pairs: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(
    pairs.flatMap((pair): readonly (readonly [string, unknown])[] =>
      Array.isArray(pair) && typeof pair[0] === 'string' ? [[pair[0], pair[1]]] : [],
    ),
  );
}
