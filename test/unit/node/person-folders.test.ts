/** Where Mochi keeps things of a person, by platform and surroundings. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cacheFolder, dataFolder } from '../../../src/node/person-folders.ts';

const home = '/home/me';

describe('the folders of a person', () => {
  it.each<[NodeJS.Platform, Record<string, string>, string, string]>([
    ['linux', {}, '/home/me/.cache/mochi', '/home/me/.local/share/mochi'],
    ['linux', { XDG_CACHE_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/mochi', '/d/mochi'],
    ['darwin', {}, '/home/me/Library/Caches/mochi', '/home/me/Library/Application Support/mochi'],
    ['win32', {}, '/home/me/AppData/Local/mochi', '/home/me/AppData/Local/mochi'],
  ])('on %s with %j', (platform, env, cache, data) => {
    const around = { platform, env, home };
    expect([cacheFolder(around), dataFolder(around)]).toEqual([join(cache), join(data)]);
  });

  it.each(['', '.', 'relative', './x', '../x'])('are never in the folder one is started in: %j', (folder) => {
    const around = { platform: 'linux', env: { XDG_CACHE_HOME: folder, XDG_DATA_HOME: folder }, home } as const;
    expect(cacheFolder(around)).toBe(join('/home/me/.cache/mochi'));
    expect(dataFolder(around)).toBe(join('/home/me/.local/share/mochi'));
    expect(cacheFolder({ platform: 'win32', env: { LOCALAPPDATA: folder }, home })).toContain('AppData');
  });
});
