/**
 * How long one tool's box in the panel takes, on servers of many tools: from the press to the new state that is sent to
 * the page, and what of it blocks. `npm run bench -- toggle`.
 */
import { performance } from 'node:perf_hooks';
import type { Catalog } from '../../src/core/model.ts';
import { definitionText } from '../../src/core/tokens.ts';
import { panelStateOf } from '../../src/extension/panel-state.ts';
import { createWorkspaceModel, type ModelPorts } from '../../src/extension/workspace-model.ts';
import { definitionHash } from '../../src/node/catalog-cache.ts';
import { sha256 } from '../../src/node/digest.ts';
import { createSecretFinder } from '../../src/node/secret-scan.ts';
import { formsOf } from '../../src/node/server-forms.ts';
import { createOfflineCounter } from '../../src/node/token-counter.ts';
import { largeCatalog, serverNamed } from '../support/panel-states.ts';

const finder = await createSecretFinder();
const counter = createOfflineCounter();
const never = new AbortController().signal;
const silent = (): void => {};

function portsFor(catalog: Catalog): ModelPorts {
  const memory = new Map<string, unknown>();
  const server = serverNamed(catalog.server);
  return {
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
    folders: () => ['/w'],
    isTrusted: () => true,
    discover: async () => ({ value: { sources: [server.source], servers: [server] }, problems: [] }),
    definitionHash: async (one) => definitionHash(one),
    skillNames: async (names) => names,
    recorded: async () => undefined,
    wasApproved: async () => true,
    list: async () => ({ value: catalog, problems: [] }),
    makeForms: (request, signal) =>
      formsOf(
        request.server,
        request.catalog,
        request.skill,
        {
          finder,
          home: '/h',
          folders: ['/w'],
          servers: request.servers,
          excludeTools: request.excludeTools,
          counter,
          runtime: 'python',
          callScript: '# call\n',
          compactRules: 'safe',
          allowScript: false,
          generator: 'bench 0.0.0',
        },
        signal,
      ),
    basis: () => '',
    measureTools: async (whole) => {
      const counts = await counter.count(whole.inspected.original.tools.map(definitionText));
      return new Map(
        whole.inspected.catalog.tools.map(({ name }, index) => [name, { native: counts[index] ?? 0, lazy: 0 }]),
      );
    },
    hash: async (value) => sha256(JSON.stringify(value)),
    plan: () => Promise.reject(new Error('nothing is planned')),
    apply: () => Promise.reject(new Error('nothing is written')),
    exists: async () => false,
    memory: { get: (key) => memory.get(key), set: async (key, value) => void memory.set(key, value) },
  };
}

/** The longest time in which nothing else could run, and an end to the watch. */
function watchBlocking(): () => number {
  let [last, longest] = [performance.now(), 0];
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 1);
    last = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return Math.max(longest, performance.now() - last);
  };
}

async function toggle(count: number): Promise<void> {
  const catalog = largeCatalog(count);
  const model = createWorkspaceModel(portsFor(catalog));
  const words = { problemTitle: String, problemText: String, failure: String };
  model.onDidChange(() => {
    const facts = {
      isLoaded: true,
      isTrusted: true,
      entries: model.entries,
      selected: undefined,
      mode: 'lazy' as const,
    };
    panelStateOf(facts, words as never, counter.name);
  });
  await model.load();
  const id = serverNamed(catalog.server).id;
  const before = performance.now();
  await model.readTools(id, never);
  const first = performance.now() - before;
  const names = catalog.tools.map((tool) => tool.name);
  const times: number[] = [];
  let blocked = 0;
  for (let round = 0; round < 12; round++) {
    const included = names.filter((_, index) => index % 40 !== round || round % 3 === 2);
    const end = watchBlocking();
    const start = performance.now();
    await model.setIncluded(id, included);
    times.push(performance.now() - start);
    blocked = Math.max(blocked, end());
  }
  times.sort((a, b) => a - b);
  const cells = [count, first, times[6] ?? 0, times.at(-1) ?? 0, blocked].map((value) => value.toFixed(0).padStart(10));
  console.log(cells.join(''));
}

console.log('One box of a server: milliseconds.');
console.log(['tools', 'read', 'median', 'slowest', 'blocked'].map((title) => title.padStart(10)).join(''));
for (const count of [50, 200, 500]) await toggle(count);
