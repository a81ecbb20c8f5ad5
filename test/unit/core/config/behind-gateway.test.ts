/** Servers put behind the gateway and taken back: there and back is the same file, and nothing is ever lost. */
import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import {
  type GatewayChange,
  type GatewayFiles,
  gatewayEntry,
  putBehindGateway,
  serversBehind,
  serversInFront,
  takeFromGateway,
} from '../../../../src/core/config/behind-gateway.ts';

const entry = gatewayEntry('/programs/mochi-gateway.mjs', 'lazy');

function files(change: GatewayChange): GatewayFiles {
  if (change.kind === 'problem') throw new Error(JSON.stringify(change.problem));
  return change;
}
const put = (config: string, names: readonly string[], gateway?: string) =>
  files(putBehindGateway({ config, gateway }, names, entry));
const take = (from: GatewayFiles, names: readonly string[]) => files(takeFromGateway(from, names));
const serversOf = (text: string | undefined): Record<string, unknown> => parse(text ?? '').mcpServers;

const THREE = `{
  // the team's
  "mcpServers": {
    "a": { "command":  "run-a" },
    // keep me
    "b": { "command": "run-b", "env": { "T": "\${T}" } }, /* of b? */
    "c": { "url": "https://c.example" }
  },
  "other": [1,2]
}
`;

describe('putting servers behind the gateway', () => {
  it('moves the chosen entries as they are spelt, and leaves the rest', () => {
    const { config, gateway } = put(THREE, ['a', 'b']);
    expect(Object.keys(serversOf(config))).toEqual(['c', 'mochi-gateway']);
    expect(serversOf(config)['mochi-gateway']).toEqual(entry);
    expect(config).toContain("// the team's");
    expect(config).toContain('"other": [1,2]');
    expect(Object.keys(serversOf(gateway))).toEqual(['a', 'b']);
    expect(gateway).toContain('// keep me\n    "b": { "command": "run-b", "env": { "T": "${T}" } }');
    expect(gateway).toContain('{ "command":  "run-a" }');
  });

  it('names the file the gateway reads, so that it fronts those servers and no other', () => {
    expect(entry['args']).toEqual([
      '/programs/mochi-gateway.mjs',
      '--workspace=${CLAUDE_PROJECT_DIR:-.}',
      '--mcp-config=${CLAUDE_PROJECT_DIR:-.}/.mcp.gateway.json',
      '--only-config',
      '--mode=lazy',
    ]);
  });

  it('adds to those behind it, and gives the gateway its new mode', () => {
    const once = put(THREE, ['c']);
    const compact = gatewayEntry('/programs/mochi-gateway.mjs', 'compact');
    const twice = files(putBehindGateway(once, ['a'], compact));
    expect(serversOf(twice.config)['mochi-gateway']).toEqual(compact);
    expect(Object.keys(serversOf(twice.gateway))).toEqual(['c', 'a']);
    expect(take(twice, ['a', 'c'])).toMatchObject({ config: THREE, gateway: undefined });
  });

  it('lists what is in front and what is behind', () => {
    const { config, gateway } = put(THREE, ['b']);
    expect(serversInFront(config ?? '')).toEqual(['a', 'c']);
    expect(serversBehind(gateway ?? '')).toEqual(['b']);
    expect(serversInFront('[]')).toBeUndefined();
    expect(serversBehind('{')).toBeUndefined();
  });
});

describe('taking servers from behind the gateway', () => {
  it('puts one back to where it stood and leaves the others', () => {
    const back = take(put(THREE, ['a', 'b', 'c']), ['b']);
    expect(Object.keys(serversOf(back.config))).toEqual(['b', 'mochi-gateway']);
    expect(take(back, ['a', 'c'])).toMatchObject({ config: THREE, gateway: undefined });
  });

  it('keeps what a person changed since', () => {
    const { config = '', gateway = '' } = put(THREE, ['a']);
    const changed = {
      config: config.replace('[1,2]', '[3]').replace('    // keep me', '    "new": {"command":"n"},\n    // keep me'),
      gateway: gateway.replace('run-a', 'run-a2').replace('"mochi"', '"mine": 1,\n  "mochi"'),
    };
    const back = take(changed, ['a']);
    expect(Object.keys(serversOf(back.config))).toEqual(['a', 'new', 'b', 'c']);
    expect(back.config).toContain('run-a2');
    expect(back.config).toContain('"other": [3]');
    expect(parse(back.gateway ?? '')).toMatchObject({ mcpServers: {}, mine: 1 });
  });

  it('makes the file of the servers where it is gone', () => {
    const { gateway } = put(THREE, ['a', 'c']);
    const back = take({ config: undefined, gateway }, ['a', 'c']);
    expect(Object.keys(serversOf(back.config))).toEqual(['a', 'c']);
  });
});

describe('what cannot be done without a loss', () => {
  const none = { config: undefined, gateway: undefined };
  const kept = put(THREE, ['a']);
  it.each<[string, GatewayChange, object]>([
    ['no file', putBehindGateway(none, ['a'], entry), { kind: 'missing', file: '.mcp.json' }],
    ['no gateway file', takeFromGateway(none, ['a']), { kind: 'missing', file: '.mcp.gateway.json' }],
    ['half a file', putBehindGateway({ ...none, config: '{"mcpServers": {' }, ['a'], entry), { kind: 'unreadable' }],
    ['no servers', putBehindGateway({ ...none, config: '{}' }, ['a'], entry), { kind: 'unreadable' }],
    [
      'a name that stands twice',
      putBehindGateway({ ...none, config: '{"mcpServers":{"a":{},"a":{"command":"x"}}}' }, ['a'], entry),
      { kind: 'unreadable', file: '.mcp.json' },
    ],
    [
      'servers that stand twice',
      putBehindGateway({ ...none, config: '{"mcpServers":{"a":{}},"mcpServers":{}}' }, ['a'], entry),
      { kind: 'unreadable' },
    ],
    ['half a gateway file', putBehindGateway({ config: THREE, gateway: '{' }, ['a'], entry), { kind: 'unreadable' }],
    ['a name that is not there', putBehindGateway({ ...none, config: THREE }, ['z'], entry), { kind: 'unknown' }],
    [
      'a name that is behind already',
      putBehindGateway({ config: THREE, gateway: kept.gateway }, ['a'], entry),
      { kind: 'taken', file: '.mcp.gateway.json', name: 'a' },
    ],
    [
      'a name that is in front again',
      takeFromGateway({ config: THREE, gateway: kept.gateway }, ['a']),
      { kind: 'taken', file: '.mcp.json', name: 'a' },
    ],
    ['a name that is not behind', takeFromGateway(kept, ['b']), { kind: 'unknown', name: 'b' }],
    [
      "another server of the gateway's name",
      putBehindGateway({ ...none, config: '{"mcpServers":{"a":{},"mochi-gateway":{"command":"x"}}}' }, ['a'], entry),
      { kind: 'taken', name: 'mochi-gateway' },
    ],
  ])('is a problem: %s', (_what, change, expected) => {
    expect(change).toMatchObject({ kind: 'problem', problem: expected });
  });
});

describe('there and back', () => {
  const blank = fc.constantFrom('', ' ', '\n    ', '\r\n\t\t', '\n    // one, two\n    ', ' /* , */ ', ' // x }\n');
  const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a,b', ' ', '"q"', 'ü'), fc.string());
  const server = fc.constantFrom('{}', '{"command":"x"}', '{ "a": [1, 2 , 3] }', '{\n      "command": "}"\n    }');
  const piece = fc.tuple(name, blank, blank, server, blank);
  const file = fc.record({
    pieces: fc.uniqueArray(piece, { selector: ([one]) => one, minLength: 1, maxLength: 6 }),
    start: fc.constantFrom('{"mcpServers":{', '\uFEFF{\n  "mcpServers": {', '{\n\t// x\n\t"z": 1,\n\t"mcpServers" : {'),
    end: fc.constantFrom('}}', '\n  }\n}\n', '\n\t},\n\t"y": {"mochi-gateway": 1}\n}'),
    comma: fc.constantFrom('', ',', ' ,'),
  });
  const textOf = ({ pieces, start, end, comma }: typeof file extends fc.Arbitrary<infer T> ? T : never) =>
    `${start}${pieces
      .map(([one, lead, between, body, trail]) => `${lead}${JSON.stringify(one)}${between}:${body}${trail}`)
      .join(',')}${comma}${end}`;

  it('is the same file, whatever its style and whichever servers', () => {
    fc.assert(
      fc.property(file, fc.array(fc.nat(5)), (made, picks) => {
        const text = textOf(made);
        const all = made.pieces.map(([one]) => one);
        const names = [...new Set(picks.flatMap((pick) => all[pick % all.length] ?? []))].filter(
          (one) => one !== 'mochi-gateway',
        );
        const away = put(text, names);
        expect(new Set(serversBehind(away.gateway ?? ''))).toEqual(new Set(names));
        expect(serversInFront(away.config ?? '')).toEqual(all.filter((one) => !names.includes(one)));
        expect(take(away, names)).toEqual({ kind: 'change', config: text, gateway: undefined });
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same file also in two steps each way', () => {
    fc.assert(
      fc.property(file, fc.nat(5), fc.nat(5), (made, one, other) => {
        const text = textOf(made);
        const all = made.pieces.map(([name]) => name);
        const [first = '', second = ''] = [all[one % all.length], all[other % all.length]];
        fc.pre(first !== second);
        const once = put(text, [first]);
        const twice = files(putBehindGateway(once, [second], entry));
        const back = take(take(twice, [first]), [second]);
        expect(Object.keys(serversOf(back.config))).toEqual(Object.keys(serversOf(text)));
        expect(parse(back.config ?? '')).toEqual(parse(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
