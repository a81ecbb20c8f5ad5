/**
 * The skills of eight recorded servers in all three modes, byte for byte, in `test/golden`. After a wanted change run
 * with UPDATE_GOLDEN=1 and review the difference like code.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODES, type Server, type Skill } from '../../../src/core/model.ts';
import { type FormsOptions, inspect, render } from '../../../src/core/pipeline.ts';
import { findSecrets } from '../../../src/core/scan/secrets.ts';
import { validateSkill } from '../../../src/core/skill/validate.ts';
import { corpus, corpusCatalog } from '../../support/corpus.ts';
import { sha256 } from '../../support/render.ts';

const SERVERS = ['browserbase', 'context7', 'everything', 'filesystem', 'github', 'memory', 'neon', 'tavily'];
const ROOT = new URL('../../golden/', import.meta.url).pathname;

const PATHS = { home: '/home/user', folders: [{ path: '/home/user/project', name: 'project' }] };

function serverOf(name: string): Server {
  const source = {
    id: 's',
    dialect: 'claude-code',
    label: 'Claude Code',
    path: '/home/user/project/.mcp.json',
    display: '.mcp.json',
    scope: 'folder',
    folder: '/home/user/project',
  } as const;
  return {
    id: `s#${name}`,
    name,
    source,
    at: { file: '.mcp.json', line: 3, column: 5 },
    endpoint: {
      kind: 'stdio',
      command: 'npx',
      args: ['-y', `${name}-mcp@1.0.0`, '/home/user/project/data'],
      env: { API_TOKEN: '${API_TOKEN}' },
    },
    disabled: false,
    inputs: [],
  };
}

const OPTIONS: Omit<FormsOptions, 'name'> = {
  runtime: 'python',
  callScript: '# the call script\n',
  compactRules: 'safe',
  allowScript: false,
  generator: 'mochi-skills 0.0.0',
  definition: '0000000000000000',
  digest: sha256,
};

function skillsOf(name: string): readonly Skill[] {
  const options = { spansOf: findSecrets, paths: PATHS, otherServers: [], excludeTools: [], includeTools: [] };
  const inspected = inspect(serverOf(name), corpusCatalog(name), options);
  return MODES.map((mode) => render(serverOf(name), inspected, mode, { ...OPTIONS, name }));
}

function filesBelow(folder: string, prefix = ''): readonly string[] {
  return readdirSync(join(folder, prefix))
    .flatMap((name) =>
      statSync(join(folder, prefix, name)).isDirectory()
        ? filesBelow(folder, join(prefix, name))
        : [join(prefix, name)],
    )
    .sort();
}

describe.each(SERVERS)('the skill of %s', (name) => {
  it.each(skillsOf(name).map((skill) => [skill.mode, skill] as const))('is as recorded in mode %s', (mode, skill) => {
    const folder = join(ROOT, name, mode);
    if (process.env['UPDATE_GOLDEN'] !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      for (const file of skill.files) {
        mkdirSync(dirname(join(folder, file.path)), { recursive: true });
        writeFileSync(join(folder, file.path), file.text);
      }
    }
    expect(filesBelow(folder)).toEqual(skill.files.map((file) => file.path).sort());
    for (const file of skill.files) expect(readFileSync(join(folder, file.path), 'utf8'), file.path).toBe(file.text);
  });
});

describe('every recorded server', () => {
  it('makes valid skills in all modes, the same bytes each time, without machine paths', () => {
    let seen = 0;
    for (const { server } of corpus()) {
      const again = skillsOf(server);
      for (const [index, skill] of skillsOf(server).entries()) {
        expect(skill.files).toEqual(again[index]?.files);
        const files = new Map(skill.files.map((file) => [file.path, file.text]));
        const errors = validateSkill(skill.name, files).filter((problem) => problem.severity === 'error');
        expect(errors, `${server} ${skill.mode}`).toEqual([]);
        for (const file of skill.files)
          expect(file.text, `${server} ${file.path}`).not.toMatch(/\/home\/user\/|[A-Z]:\\Users\\/);
        seen++;
      }
    }
    expect(seen).toBe(75);
  });
});
