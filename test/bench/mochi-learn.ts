/**
 * Speed and memory of learning from files on disk: `node test/bench/mochi-learn.ts MILLIONS`. Where the corpus is smaller
 * than asked for, its files are copied, which is said.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { learnFolder, relearnFile } from '../../src/mochi/learn/learn.ts';
import { loadMemory, saveMemory } from '../../src/mochi/learn/store.ts';
import { readTable, root } from './mochi-corpus.ts';

const wanted = Number(process.argv[2] ?? 1) * 1_000_000;
const rows = readTable('split');
if (rows === undefined || !existsSync(`${root}.bench/${rows[0]?.[0]}`)) {
  console.log('learning: the corpus is missing');
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'mochi-learn-'));
const perFile = 1_120;
let copied = 0;
for (let round = 0; copied * perFile < wanted; round += 1) {
  for (const [path = ''] of rows) {
    if (copied * perFile >= wanted) break;
    cpSync(`${root}.bench/${path}`, join(folder, `copy${round}`, path));
    copied += 1;
  }
}
const signal = AbortSignal.timeout(300_000);
let peak = 0;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 20);
const cpu = process.cpuUsage();
const start = performance.now();
const memory = await learnFolder(folder, {}, signal);
const took = performance.now() - start;
const { user, system } = process.cpuUsage(cpu);
clearInterval(watch);
peak = Math.max(peak, process.memoryUsage().rss, process.resourceUsage().maxRSS * 1024);
const tokens = memory.base.tokens.length;
const knowing = performance.now();
const { patterns, conventions } = memory.knowledge;
const known = performance.now() - knowing;
const store = join(folder, 'index.bin');
let at = performance.now();
await saveMemory(store, memory);
const saved = performance.now() - at;
at = performance.now();
await loadMemory(store);
const loaded = performance.now() - at;
const times: number[] = [];
for (const [path = ''] of rows.slice(0, 40)) {
  const relative = join(readdirSync(folder).find((name) => name === 'copy0') ?? '', path);
  writeFileSync(join(folder, relative), `// changed\nexport const changed = 1;\n`, { flag: 'a' });
  at = performance.now();
  await relearnFile(folder, relative, memory);
  times.push(performance.now() - at);
}
times.sort((one, two) => one - two);
console.log(
  `learning ${(tokens / 1e6).toFixed(1)} M tokens from ${copied} files${copied > rows.length ? ' (the corpus several times)' : ''}: ` +
    `${(took / 1000).toFixed(2)} s, ${(tokens / 1000 / took).toFixed(2)} M tokens/s (${((user + system) / 1e6).toFixed(2)} s of processor), peak ${(peak / 1048576).toFixed(0)} MB; ` +
    `findings ${known.toFixed(0)} ms (${patterns.length + conventions.length}); save ${saved.toFixed(0)} ms, load ${loaded.toFixed(0)} ms; ` +
    `one file again p50/p95 ${(times[20] ?? 0).toFixed(1)}/${(times[37] ?? 0).toFixed(1)} ms`,
);
rmSync(folder, { recursive: true, force: true });
