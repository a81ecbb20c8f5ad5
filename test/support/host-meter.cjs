/**
 * A neighbour in the extension host that measures it: how much processor time each turn of the event loop took, and how
 * much of it was code of Mochi. Not by the wall clock, which on a busy machine tells of others; what waits without
 * computing, as the start of a process does, is not seen. The file `phase` in the folder $MOCHI_METER names what is going
 * on; its figures follow when the name changes. It looks every millisecond, so a turn here is what came between two looks.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');

/** Milliseconds; shorter turns are not looked at. */
const SHORT = 0.5;

exports.activate = () => {
  const folder = process.env.MOCHI_METER;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 250 });
  let phase = '';
  /** From when to when, in microseconds of the clock that the profile has, and the processor time between. */
  let turns = [];
  const now = () => Number(process.hrtime.bigint() / 1000n);
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
  setInterval(() => {
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
        const figures = { held, mochi: piecesOf(profile, turns) };
        writeFileSync(join(folder, `${ended}.json`), JSON.stringify(figures));
      });
    turns = [];
    session.post('Profiler.start');
  }, 100);
};

/** The turns with the most of Mochi on the stack, in milliseconds, each with its innermost named functions. */
function piecesOf({ nodes, samples, timeDeltas, startTime }, turns) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stackOf = (id) => {
    const stack = [];
    for (let at = id; at !== undefined; at = parents.get(at)) stack.push(byId.get(at).callFrame);
    return stack;
  };
  const pieces = turns.map((one) => ({ ...one, ours: 0, all: 0, where: new Map() }));
  let next = 0;
  let isOurs = false;
  let at = startTime;
  samples.forEach((id, index) => {
    at += timeDeltas[index];
    while (pieces[next] !== undefined && pieces[next].to < at) {
      next += 1;
      isOurs = false;
    }
    const piece = pieces[next];
    if (piece === undefined || piece.from > at) return;
    const stack = stackOf(id);
    const ms = Math.min(timeDeltas[index + 1] ?? 0, piece.to - at) / 1000;
    piece.all += ms;
    // What is collected in the middle of our code was most likely left by it.
    if (stack[0].functionName !== '(garbage collector)') isOurs = stack.some(({ url }) => url.includes('mochi-skills'));
    if (!isOurs) return;
    piece.ours += ms;
    const name = stack
      .map(({ functionName }) => functionName || '-')
      .slice(0, 3)
      .join(' < ');
    piece.where.set(name, (piece.where.get(name) ?? 0) + ms);
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
