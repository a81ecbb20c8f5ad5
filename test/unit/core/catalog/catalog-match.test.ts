import { describe, expect, it } from 'vitest';
import { matchCatalog, readToolCatalog } from '#core/catalog/match.ts';

const file = 'mcp_tool_catalog.yaml';
const YAML = `
metadata:
  total_servers: 3
servers:
  - id: 3d23d-meshy-v5-remesh
    status: online
    tools:
      - name: remesh_submit
        description: "Submit: now"
        inputSchema:
          type: object
          required: [model_url]
          properties:
            answer: {type: string, enum: [NO, off, "3"], default: NO}
            date: {type: string, default: 2024-01-01}
            __proto__: {type: string}
  - id: flux-LoRA
    status: error
    error_message: gone away
    tools: []
  - id: flux-lora-video
    status: online
    tools:
      - {name: a, parameters: {type: object}}
      - {name: a, parameters: {type: object}}
  - id: flux
`;

function read(text = YAML) {
  const { value, problems } = readToolCatalog(text, file);
  expect(problems).toEqual([]);
  return value;
}

describe('readToolCatalog', () => {
  it('reads ids, states and messages', () => {
    expect(read().servers.map(({ id, status, errorMessage }) => [id, status, errorMessage])).toEqual([
      ['3d23d-meshy-v5-remesh', 'online', undefined],
      ['flux-LoRA', 'error', 'gone away'],
      ['flux-lora-video', 'online', undefined],
      ['flux', undefined, undefined],
    ]);
  });

  it('reads JSON as well', () => {
    expect(read('{"servers":[{"id":"a","tools":[]}]}').servers).toHaveLength(1);
  });

  it.each([
    ['no servers', 'a: 1', 'error', undefined],
    ['text that is no YAML', 'servers:\n  - id: "x', 'error', 2],
    ['a server without an id', 'servers: [{tools: []}]', 'warning', undefined],
    ['a repeated id', 'servers: [{id: a}, {id: a}]', 'warning', undefined],
    ['a repeated key', 'servers:\n  - id: a\n    id: b', 'warning', 3],
    [
      'aliases that multiply without end',
      `a: &a [1]\n${'bcdefghijk'
        .split('')
        .map((key, i) => `${key}: &${key} [${`*${'abcdefghij'[i]},`.repeat(9)}]`)
        .join('\n')}\nservers: []`,
      'error',
      undefined,
    ],
  ] as const)('reports %s', (_what, text, severity, line) => {
    const { problems } = readToolCatalog(text, file);
    expect(problems).toMatchObject([{ kind: 'catalog-invalid', severity, at: { file } }]);
    expect(problems[0]?.at?.line).toBe(line);
  });
});

describe('matchCatalog', () => {
  it.each([
    ['the exact id, though it is part of others', 'flux', 'flux'],
    ['the only id with that part, case ignored', 'MESHY', '3d23d-meshy-v5-remesh'],
    ['the exact id before the case is ignored', 'flux-LoRA', 'flux-LoRA'],
  ])('finds %s', (_what, name, id) => {
    expect(matchCatalog(read(), name).value).toMatchObject({ server: id, origin: 'file' });
  });

  it.each([
    ['several', 'lora', /fits 2 servers of the catalog: flux-LoRA, flux-lora-video\./],
    ['none', 'github', /No server .* \(3d23d-meshy-v5-remesh, flux-LoRA, flux-lora-video, flux\)/],
    ['the empty name', '', /No server/],
  ])('lists the servers for %s and takes none', (_what, name, message) => {
    const { value, problems } = matchCatalog(read(), name);
    expect(value).toBeUndefined();
    expect(problems).toMatchObject([
      { kind: 'catalog-match', severity: 'error', message: expect.stringMatching(message) },
    ]);
  });

  it('takes a failed server and warns with its message', () => {
    const { value, problems } = matchCatalog(read(), 'flux-LoRA');
    expect(value?.tools).toEqual([]);
    expect(problems).toMatchObject([
      { kind: 'catalog-invalid', severity: 'warning', message: expect.stringContaining('gone away') },
    ]);
  });

  it('reads values as YAML 1.2 spells them, and __proto__ as a name', () => {
    const [tool] = matchCatalog(read(), 'meshy').value?.tools ?? [];
    expect(JSON.stringify(tool?.inputSchema)).toBe(
      '{"type":"object","required":["model_url"],"properties":{"answer":{"type":"string","enum":["NO","off","3"],"default":"NO"},"date":{"type":"string","default":"2024-01-01"},"__proto__":{"type":"string"}}}',
    );
  });

  it('reports the tools of the server it takes, and of no other', () => {
    expect(matchCatalog(read(), 'flux-lora-video').problems).toMatchObject([{ kind: 'tool-duplicate', at: { file } }]);
    expect(matchCatalog(read(), 'meshy').problems).toEqual([]);
  });
});
