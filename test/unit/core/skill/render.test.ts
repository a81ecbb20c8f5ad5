import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../../src/core/model.ts';
import { fileOf, renderForTest } from '../../../support/render.ts';

const job = (stem: string): Catalog => ({
  server: 'flux-lora',
  origin: 'file',
  tools: ['submit', 'status', 'result'].map((role) => ({
    name: `${stem}_${role}`,
    description: `${role} of an image`,
    inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  })),
});

describe('a skill', () => {
  it('has the folder layout of the specification in every mode, sorted', () => {
    const common = ['SKILL.md', 'references/mcp.json', 'references/mochi.json'];
    const scripts = ['scripts/flux_lora.py', 'scripts/mcp_async_call.py'];
    expect(renderForTest(job('x'), 'normal').files.map((file) => file.path)).toEqual([
      ...common,
      'references/tools.json',
      ...scripts,
    ]);
    expect(renderForTest(job('x'), 'compact').files.map((file) => file.path)).toEqual([
      ...common,
      'references/tools.json',
      ...scripts,
    ]);
    expect(renderForTest(job('x'), 'lazy').files.map((file) => file.path)).toEqual([
      ...common,
      'references/tools/flux-lora.yaml',
      ...['x_result', 'x_status', 'x_submit'].map((tool) => `references/tools/flux-lora/${tool}.yaml`),
      ...scripts,
    ]);
  });

  it('bakes the tools of a job into its wrapper and shows how to run it', () => {
    const skill = renderForTest(job('flux_lora'), 'lazy');
    expect(fileOf(skill, 'scripts/flux_lora.py')).toContain(
      'sys.exit(main(["--submit-tool", "flux_lora_submit", "--status-tool", "flux_lora_status", "--result-tool", "flux_lora_result"] + sys.argv[1:]))\n',
    );
    expect(fileOf(skill, 'references/tools/flux-lora.yaml')).toContain('      --submit-tool flux_lora_submit \\\n');
    expect(fileOf(skill, 'SKILL.md')).toContain('python3 scripts/flux_lora.py --args \'{"id":"id"}\'');
    const node = renderForTest(job('flux_lora'), 'lazy', { runtime: 'node' });
    expect(fileOf(node, 'scripts/flux_lora.mjs')).toContain('main(["--submit-tool", "flux_lora_submit", ');
  });

  it('has a wrapper without anything baked in where there is no job', () => {
    const catalog: Catalog = {
      server: 'one',
      origin: 'file',
      tools: [{ name: 'echo', description: '', inputSchema: { type: 'object' } }],
    };
    const wrapper = fileOf(renderForTest(catalog, 'lazy'), 'scripts/one.py');
    expect(wrapper).toContain('sys.exit(main(sys.argv[1:]))\n');
    expect(wrapper.indexOf('dont_write_bytecode')).toBeLessThan(wrapper.indexOf('from mcp_async_call'));
    expect(fileOf(renderForTest(catalog, 'lazy', { runtime: 'node' }), 'scripts/one.mjs')).toContain(
      'await main(process.argv.slice(2));\n',
    );
  });

  it('shows a call that only looks, or none', () => {
    const tool = (name: string, annotations?: Record<string, boolean>, description = '') => ({
      name,
      description,
      inputSchema: { type: 'object' },
      ...(annotations && { annotations }),
    });
    const shown = (...tools: readonly Catalog['tools'][number][]): string =>
      /^python3 .*$/m.exec(fileOf(renderForTest({ server: 's', origin: 'file', tools }, 'lazy'), 'SKILL.md'))?.[0] ??
      '';
    expect(shown(tool('delete_all'), tool('list_all'))).toBe("python3 scripts/s.py list_all '{}'");
    expect(shown(tool('do_it', { readOnlyHint: false }), tool('peek', { readOnlyHint: true }))).toBe(
      "python3 scripts/s.py peek '{}'",
    );
    expect(shown(tool('read_old', undefined, 'DEPRECATED: use read_new'), tool('read_new'))).toBe(
      "python3 scripts/s.py read_new '{}'",
    );
    expect(shown(tool('create_thing'))).toBe("python3 scripts/s.py TOOL '{}'");
  });

  it('names the file of a tool that cannot be called like it', () => {
    const tools = ['検索', 'repo/create', 'ok', 'OK'].map((name) => ({
      name,
      description: '',
      inputSchema: { type: 'object' },
    }));
    const text = fileOf(renderForTest({ server: 's', origin: 'file', tools }, 'lazy'), 'SKILL.md');
    for (const line of ['- 検索 (tool.yaml)', '- repo/create (tool-repo-create.yaml)', '- ok\n', '- OK (OK-2.yaml)'])
      expect(text).toContain(line);
  });

  it('keeps hostile names of a job inside string literals', () => {
    const skill = renderForTest(job('a",b\\'), 'lazy');
    expect(fileOf(skill, 'scripts/flux_lora.py')).toContain('["--submit-tool", "a\\",b\\\\_submit", "--status-tool"');
    expect(fileOf(skill, 'SKILL.md')).not.toContain('--args \'{"id');
  });

  it('grants its own wrapper and nothing else, and only where asked', () => {
    expect(fileOf(renderForTest(job('x'), 'lazy'), 'SKILL.md')).not.toContain('allowed-tools');
    expect(fileOf(renderForTest(job('x'), 'lazy', { allowScript: true }), 'SKILL.md')).toContain(
      'allowed-tools: "Bash(python3 scripts/flux_lora.py *)"\n',
    );
  });

  it('warns where SKILL.md has 500 lines or more', () => {
    const properties = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`p${index}`, { type: 'string' }]));
    const catalog: Catalog = {
      server: 'big',
      origin: 'file',
      tools: [{ name: 't', description: '', inputSchema: { type: 'object', properties } }],
    };
    expect(renderForTest(catalog, 'normal').problems).toMatchObject([{ kind: 'skill-large', server: 'big' }]);
    expect(renderForTest(catalog, 'lazy').problems).toEqual([]);
  });
});
