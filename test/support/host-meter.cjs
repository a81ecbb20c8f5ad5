/**
 * A neighbour in the extension host that measures it: how much processor time each turn of the event loop took, and how
 * much of it was code of Mochi. Not by the wall clock, which on a busy machine tells of others; what waits without
 * computing, as the start of a process does, is not seen. The file `phase` in the folder $MOCHI_METER names what is going
 * on; its figures follow when the name changes. It looks every millisecond, so a turn here is what came between two looks.
 *
 * Garbage is collected in whose turn it likes. Mochi is charged with its share of what ran since the last collection of
 * that kind, whoever is interrupted: the young are collected often, all of the heap is seldom. Loading a file of Mochi is
 * Mochi's, also where VS Code does it.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const Module = require('node:module');
const { join } = require('node:path');
const { constants, PerformanceObserver } = require('node:perf_hooks');
const { runInThisContext } = require('node:vm');

/** Milliseconds; shorter turns are not looked at. */
const SHORT = 0.5;

/** Microseconds that a sample may be late. */
const EDGE = 500;

const isMochi = ({ url }) => url.includes('mochi-skills');
const now = () => Number(process.hrtime.bigint() / 1000n);

exports.activate = () => {
  const folder = process.env.MOCHI_METER;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 250 });
  nameLoading();
  const collections = watchCollections();
  let phase = '';
  /** From when to when, in microseconds of the clock that the profile has, and the processor time between. */
  let turns = [];
  const cell = new Int32Array(new SharedArrayBuffer(4));
  const used = () => {
    // The system brings its count up to date when a thread pauses, and else a few times in a hundred milliseconds.
    Atomics.wait(cell, 0, 0, 0.01);
    const { user, system } = process.threadCpuUsage();
    return user + system;
  };
  let [from, usedBefore] = [now(), used()];
  const turn = () => {
    const [to, usedNow] = [now(), used()];
    if (usedNow - usedBefore > SHORT * 1000) turns.push({ from, to, used: usedNow - usedBefore });
    from = now();
    usedBefore = usedNow;
    setTimeout(turn, 1);
  };
  const look = () => {
    let name = phase;
    try {
      name = readFileSync(join(folder, 'phase'), 'utf8');
    } catch {}
    if (name === phase || name === '') return;
    const ended = phase;
    phase = name;
    if (ended === '') turn();
    else
      session.post('Profiler.stop', (_error, { profile }) => {
        const held = Math.max(0, ...turns.map((one) => one.used)) / 1000;
        const figures = { held, mochi: piecesOf(profile, turns, collections.splice(0)) };
        writeFileSync(join(folder, `${ended}.json`), JSON.stringify(figures));
      });
    turns = [];
    session.post('Profiler.start');
  };
  look();
  setInterval(look, 100);
};

/** Puts a frame of Mochi below all that loads a file of it. */
function nameLoading() {
  const { load } = Module.prototype;
  const named = runInThisContext('(function load(next, module, file) { return next.call(module, file); })', {
    filename: 'mochi-skills/loading',
  });
  Module.prototype.load = function (file) {
    return file.includes('mochi-skills') ? named(load, this, file) : load.call(this, file);
  };
}

/** When garbage was collected, by the clock that the profile has. Single steps of marking belong to the next whole one. */
function watchCollections() {
  const { NODE_PERFORMANCE_GC_MINOR: minor, NODE_PERFORMANCE_GC_MAJOR: major } = constants;
  const collections = [];
  const offset = now() - performance.now() * 1000;
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration, detail } of list.getEntries()) {
      const kind = detail.kind === minor ? 'young' : detail.kind === major ? 'whole' : undefined;
      const from = startTime * 1000 + offset;
      if (kind !== undefined) collections.push({ kind, from: from - EDGE, to: from + duration * 1000 + EDGE });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return collections;
}

/** The turns with the most of Mochi on the stack, in milliseconds, each with its innermost named functions. */
function piecesOf({ nodes, samples, timeDeltas, startTime }, turns, collections) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stackOf = (id) => {
    const stack = [];
    for (let at = id; at !== undefined; at = parents.get(at)) stack.push(byId.get(at).callFrame);
    return stack;
  };
  const pieces = turns.map((one) => ({ ...one, ours: 0, all: 0, where: new Map() }));
  let next = 0;
  let at = startTime;
  /** What ran since garbage of either kind was last collected, in microseconds. */
  const since = { young: { ours: 0, all: 0 }, whole: { ours: 0, all: 0 } };
  /** The collection that is going on. */
  let collecting;
  samples.forEach((id, index) => {
    at += timeDeltas[index];
    const took = timeDeltas[index + 1] ?? 0;
    const stack = stackOf(id);
    // Waiting takes no processor time.
    if (stack[0].functionName === '(idle)') return;
    const isCollecting = stack[0].functionName === '(garbage collector)';
    const isOurs = !isCollecting && stack.some(isMochi);
    if (isCollecting) collecting = collections.find(({ from, to }) => from <= at && at <= to);
    else {
      if (collecting !== undefined) since[collecting.kind] = { ours: 0, all: 0 };
      collecting = undefined;
      for (const sum of Object.values(since)) {
        sum.all += took;
        if (isOurs) sum.ours += took;
      }
    }
    while (pieces[next] !== undefined && pieces[next].to < at) next += 1;
    const piece = pieces[next];
    if (piece === undefined || piece.from > at) return;
    const ms = Math.min(took, piece.to - at) / 1000;
    piece.all += ms;
    const { ours: part, all } = since[collecting?.kind ?? 'whole'];
    const ours = isCollecting ? ms * (all === 0 ? 0 : part / all) : isOurs ? ms : 0;
    if (ours === 0) return;
    piece.ours += ours;
    const name = stack
      .map(({ functionName }) => functionName || '-')
      .slice(0, 3)
      .join(' < ');
    piece.where.set(name, (piece.where.get(name) ?? 0) + ours);
  });
  const shares = pieces.map(({ used, ours, all, where }) => ({
    ms: all === 0 ? 0 : (used / 1000) * (ours / all),
    where,
  }));
  shares.sort((one, two) => two.ms - one.ms);
  return shares.slice(0, 5).map(({ ms, where }) => {
    const [most = ['-']] = [...where].sort((one, two) => two[1] - one[1]);
    return { ms, where: most[0] };
  });
}
