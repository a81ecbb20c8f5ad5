/**
 * Everything heavy that the extension needs, bound together: reading configs and catalogs, running servers, rendering,
 * writing. It is imported when it is first needed and not before, so that activation stays cheap. It asks nobody; who
 * may start a server is decided by the approvals it is given.
 */
import { discover } from '#core/config/discover.ts';
import type { Platform } from '#core/config/sources.ts';
import type { Catalog, Input, Runtime, Server } from '#core/model.ts';
import { planSkill } from '#core/plan.ts';
import type { Logger, TokenCounter } from '#core/ports.ts';
import { OperationError, type Problem, type Reported } from '#core/problem.ts';
import { type ProblemTable, problemTranslator } from '#core/problem-text.ts';
import { redact } from '#core/scan/secrets.ts';
import { type Drift, driftOf } from '#core/skill/drift.ts';
import { readFrontmatter } from '#core/skill/frontmatter.ts';
import { toolFileNames } from '#core/skill/layout-lazy.ts';
import { LOCK_PATH, parseLock, SKILL_MD, type SkillLock } from '#core/skill/lock.ts';
import { skillNames } from '#core/skill/name.ts';
import { validateSkill } from '#core/skill/validate.ts';
import { definitionText } from '#core/tokens.ts';
import { detectRuntime, readCallScript } from '#node/call-scripts.ts';
import { createCachedLister, createCatalogCache, definitionHash, eraMemoryFromCache } from '#node/catalog-cache.ts';
import { sha256 } from '#node/digest.ts';
import { createFiles } from '#node/files.ts';
import { createMcpClient } from '#node/mcp-client.ts';
import { createSecretFinder, type SecretFinder } from '#node/secret-scan.ts';
import { type Forms, formsOf, inspectServer, shortDefinitionHash } from '#node/server-forms.ts';
import { applyPlan, readSkillFolder } from '#node/skill-folder.ts';
import { createAnthropicCounter, createOfflineCounter } from '#node/token-counter.ts';
import problemsJa from '../../l10n/problems.ja.json' with { type: 'json' };
import problemsZhCn from '../../l10n/problems.zh-cn.json' with { type: 'json' };
import type { Approvals } from './approval.ts';
import { type DefinitionContext, describeDefinition, resolveForUse } from './definition.ts';
import { createGatewayDesk, type GatewayDesk } from './gateway-desk.ts';
import { createSkillsShelf, type SkillsShelf } from './skills-shelf.ts';
import type { ModelPorts, ToolCost } from './workspace-model.ts';

export interface WorkshopOptions {
  readonly logger: Logger;
  readonly approvals: Approvals;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** Absolute. */
  readonly cacheFolder: string;
  readonly scriptsFolder: string;
  readonly program: { readonly name: string; readonly version: string };
  folders(): readonly string[];
  readsUserFiles(): boolean;
  timeoutMs(): number;
  /** The editor's display language. */
  readonly language: string;
  runtime(): Runtime | 'auto';
  answer(input: Input, server: Server): Promise<string | undefined>;
  /** The person's key and the model to count for. Throws OperationError `consent-needed` where there is no key. */
  anthropic(): Promise<{ readonly apiKey: string; readonly model: string }>;
}

/** A skill that we wrote, and the name of the server it is for. */
export interface WrittenSkill {
  readonly root: string;
  readonly skill: string;
  readonly server: string;
}

/** How a written skill stands against its server. */
export type SkillVerdict =
  | { readonly kind: 'same' }
  | { readonly kind: 'drift'; readonly drift: Drift; readonly isRedefined: boolean };

export interface Workshop
  extends Omit<ModelPorts, 'logger' | 'folders' | 'isTrusted' | 'memory' | 'wasApproved' | 'exists' | 'basis'> {
  /** The skills of ours below a root. */
  written(root: string): Promise<readonly WrittenSkill[]>;
  /** Holds a skill of ours against the tools of its server; `servers` are the names of all. */
  check(
    skill: WrittenSkill,
    now: { readonly server: Server; readonly catalog: Catalog },
    servers: readonly string[],
    signal: AbortSignal,
  ): Promise<SkillVerdict>;
  /** What the Agent Skills rules and the clients that read them say about a folder. */
  validate(root: string, skill: string): Promise<readonly Problem[]>;
  /** Names of the folders below a root that hold a skill. */
  skills(root: string): Promise<readonly string[]>;
  /** The installed skills. */
  readonly shelf: SkillsShelf;
  /** What is behind the gateway, and what may be. */
  readonly gateway: GatewayDesk;
  /** A sentence of a problem in the editor's language. */
  readonly sayProblem: (english: string) => string;
  /** Waits until no server runs any more. */
  idle(): Promise<void>;
}

const PROBLEMS: Readonly<Record<string, ProblemTable>> = { ja: problemsJa, 'zh-cn': problemsZhCn };

export function createWorkshop(options: WorkshopOptions): Workshop {
  const { logger, env, home, folders } = options;
  const platform: Platform = options.platform === 'win32' || options.platform === 'darwin' ? options.platform : 'linux';
  const cache = createCatalogCache({ folder: options.cacheFolder, logger, now: () => new Date() });
  const offline = createOfflineCounter();
  const running = new Set<Promise<unknown>>();
  let finding: Promise<SecretFinder> | undefined;
  const finder = (): Promise<SecretFinder> => {
    finding ??= createSecretFinder();
    return finding;
  };
  const definitionContext = async (): Promise<DefinitionContext> => ({
    env,
    home,
    folders: folders(),
    finder: await finder(),
    answer: options.answer,
  });
  const inspection = async (servers: readonly string[], excludeTools: readonly string[]) => ({
    finder: await finder(),
    home,
    folders: folders(),
    servers,
    excludeTools,
  });
  const list = async (server: Server, signal: AbortSignal): Promise<Reported<Catalog>> => {
    const context = await definitionContext();
    const definition = await describeDefinition(server, context);
    if (!(await options.approvals.request(server, definition)))
      throw new OperationError('consent-needed', `"${server.name}" was not started.`);
    signal.throwIfAborted();
    const endpoint = await resolveForUse(server, context);
    // The files that it is resolved from may have changed while the person was reading.
    if ((await describeDefinition(server, context)).resolvedHash !== definition.resolvedHash)
      throw new OperationError(
        'consent-needed',
        `The definition of "${server.name}" changed while it was asked about.`,
      );
    const client = createMcpClient({
      env,
      cwd: folders()[0] ?? home,
      logger,
      clientInfo: options.program,
      deadlineMs: options.timeoutMs(),
      eras: await eraMemoryFromCache(cache, [server], new Date()),
      redact: (text) => redact(text, context.finder.spansOf(text)),
      resolveEndpoint: async () => endpoint,
    });
    return createCachedLister({ lister: client, cache, offline: () => false }).list(server, signal);
  };
  return {
    discover: () =>
      discover(
        { folders: folders(), ...(options.readsUserFiles() ? { home } : {}), platform, env },
        createFiles({ confineTo: folders() }),
      ),
    definitionHash: async (server) => definitionHash(server),
    skillNames: async (names) => skillNames(names).value,
    recorded: async (server) => (await cache.read(server))?.catalog,
    list(server, signal) {
      const work = list(server, signal);
      running.add(work);
      const done = (): void => void running.delete(work);
      work.then(done, done);
      return work;
    },
    async makeForms({ server, catalog, skill, servers, excludeTools, counter }, signal) {
      const wanted = options.runtime();
      const runtime = wanted === 'auto' ? await detectRuntime({ env, platform: options.platform }) : wanted;
      const context = {
        ...(await inspection(servers, excludeTools)),
        counter: counter === 'exact' ? await exactCounter(options) : offline,
        runtime,
        callScript: await readCallScript(options.scriptsFolder, runtime),
        compactRules: 'safe' as const,
        allowScript: false,
        generator: `${options.program.name} ${options.program.version}`,
      };
      return formsOf(server, catalog, skill, context, signal);
    },
    measureTools: (whole, signal) => measureTools(whole, offline, signal),
    hash: async (value) => sha256(JSON.stringify(value)),
    async plan(skill, root, within, force) {
      const onDisk = await readSkillFolder(root, skill.name, { within });
      return planSkill(skill, onDisk, root, { force, digest: sha256 });
    },
    apply: (plan, within, signal) => applyPlan(plan, { within, signal }),
    written: writtenSkills,
    async check({ root, skill }, { server, catalog }, servers, signal) {
      const lock = await lockOf(root, skill);
      if (lock === undefined)
        throw new OperationError('not-found', `The skill "${skill}" is gone.`, { remedy: 'Check again.' });
      const context = await inspection(servers, lock.excluded);
      const inspected = await inspectServer(server, catalog, context, signal);
      const drift = driftOf(lock, inspected.catalog, sha256);
      const isRedefined = lock.definition !== shortDefinitionHash(server);
      return drift.same && !isRedefined ? { kind: 'same' } : { kind: 'drift', drift, isRedefined };
    },
    skills: skillsIn,
    async validate(root, skill) {
      const files = (await readSkillFolder(root, skill)) ?? new Map<string, string>();
      const { body } = readFrontmatter(files.get(SKILL_MD) ?? '', `${skill}/${SKILL_MD}`).value;
      const [bodyTokens] = await offline.count([body]);
      return validateSkill(skill, files, { bodyTokens });
    },
    shelf: createSkillsShelf({
      folders,
      home: () => (options.readsUserFiles() ? home : undefined),
      counter: offline,
    }),
    gateway: createGatewayDesk({ env, home, platform: options.platform, finder }),
    sayProblem: problemTranslator(PROBLEMS[options.language] ?? {}),
    idle: async () => void (await Promise.allSettled(running)),
  };
}

async function measureTools(
  { inspected, skills }: Forms,
  counter: TokenCounter,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ToolCost>> {
  const { tools } = inspected.catalog;
  const lazy = skills.find((skill) => skill.mode === 'lazy');
  const files = new Map(lazy?.files.map(({ path, text }) => [path, text]));
  const names = toolFileNames(tools);
  const texts = tools.flatMap((tool, index) => {
    const reference = files.get(`references/tools/${lazy?.name ?? ''}/${names[index] ?? ''}.yaml`);
    return [definitionText(inspected.original.tools[index] ?? tool), reference ?? ''];
  });
  const counts = await counter.count(texts, signal);
  return new Map(
    tools.map((tool, index) => [tool.name, { native: counts[2 * index] ?? 0, lazy: counts[2 * index + 1] ?? 0 }]),
  );
}

const exactCounters = new Map<string, TokenCounter>();

/** One counter a key and model, so that no text is counted twice. */
async function exactCounter(options: WorkshopOptions): Promise<TokenCounter> {
  const { apiKey, model } = await options.anthropic();
  const key = sha256(`${apiKey} ${model}`);
  const counter = exactCounters.get(key) ?? createAnthropicCounter({ apiKey, model });
  exactCounters.set(key, counter);
  return counter;
}

async function skillsIn(root: string): Promise<readonly string[]> {
  const files = createFiles();
  const found: string[] = [];
  for (const name of await files.list(root))
    if ((await files.stat(`${root}/${name}/${SKILL_MD}`))?.kind === 'file') found.push(name);
  return found;
}

async function writtenSkills(root: string): Promise<readonly WrittenSkill[]> {
  const found: WrittenSkill[] = [];
  for (const skill of await skillsIn(root)) {
    const lock = /^[a-z0-9-]+$/.test(skill) ? await lockOf(root, skill) : undefined;
    if (lock !== undefined) found.push({ root, skill, server: lock.server });
  }
  return found;
}

async function lockOf(root: string, skill: string): Promise<SkillLock | undefined> {
  return parseLock((await readSkillFolder(root, skill))?.get(LOCK_PATH) ?? '');
}
