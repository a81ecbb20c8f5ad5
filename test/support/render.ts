/** Renders a catalog for tests, with everything that does not matter to them filled in. */
import { createHash } from 'node:crypto';
import type { Catalog, Mode, Skill } from '../../src/core/model.ts';
import { skillNameOf } from '../../src/core/skill/name.ts';
import { type RenderRequest, renderSkill } from '../../src/core/skill/render.ts';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function renderForTest(catalog: Catalog, mode: Mode, more: Partial<RenderRequest> = {}): Skill {
  return renderSkill({
    catalog,
    mode,
    compactRules: 'safe',
    name: skillNameOf(catalog.server),
    runtime: 'python',
    callScript: '# the call script\n',
    config: { mcpServers: { [catalog.server]: { type: 'stdio', command: 'server', args: [] } } },
    allowScript: false,
    excluded: [],
    generator: 'mochi-skills 0.0.0',
    definition: '0000000000000000',
    digest: sha256,
    ...more,
  });
}

export function fileOf(skill: Skill, path: string): string {
  const file = skill.files.find((one) => one.path === path);
  if (file === undefined)
    throw new Error(`${skill.name} has no ${path}; it has ${skill.files.map((one) => one.path).join(', ')}`);
  return file.text;
}
