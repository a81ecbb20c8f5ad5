/**
 * A neighbour in the extension host that measures it: how long the event loop was held at a time, and how long by code of
 * Mochi. The file `phase` in the folder $MOCHI_METER names what is going on; its figures follow when the name changes.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { join } = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');

exports.activate = () => {
  const folder = process.env.MOCHI_METER;
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 250 });
  let phase = '';
  let delay;
  setInterval(() => {
    let now = phase;
    try {
      now = readFileSync(join(folder, 'phase'), 'utf8');
    } catch {}
    if (now === phase || now === '') return;
    const [ended, measured] = [phase, delay];
    phase = now;
    const begin = () => {
      session.post('Profiler.start');
      delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
    };
    if (measured === undefined) return begin();
    measured.disable();
    session.post('Profiler.stop', (_error, { profile }) => {
      const figures = { held: measured.max / 1e6, p99: measured.percentile(99) / 1e6, mochi: spansOf(profile) };
      writeFileSync(join(folder, `${ended}.json`), JSON.stringify(figures));
      begin();
    });
  }, 100);
};

/** The longest times at a stretch with Mochi on the stack, in milliseconds, each with its innermost named functions. */
function spansOf({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const stackOf = (id) => {
    const stack = [];
    for (let at = id; at !== undefined; at = parents.get(at)) stack.push(byId.get(at).callFrame);
    return stack;
  };
  const spans = [];
  let open;
  samples.forEach((id, at) => {
    const stack = stackOf(id);
    const isCollecting = stack[0].functionName === '(garbage collector)';
    if (!isCollecting && !stack.some(({ url }) => url.includes('mochi-skills'))) open = undefined;
    else {
      if (open === undefined && !isCollecting) {
        open = { ms: 0, where: new Map() };
        spans.push(open);
      }
      if (open === undefined) return;
      const ms = (timeDeltas[at + 1] ?? 0) / 1000;
      open.ms += ms;
      const name = stack
        .map(({ functionName }) => functionName || '-')
        .slice(0, 3)
        .join(' < ');
      open.where.set(name, (open.where.get(name) ?? 0) + ms);
    }
  });
  spans.sort((one, two) => two.ms - one.ms);
  return spans.slice(0, 5).map(({ ms, where }) => {
    const [most = ['-']] = [...where].sort((one, two) => two[1] - one[1]);
    return { ms, where: most[0] };
  });
}
