/** Whether the machine runs on its battery, where that can be read without starting anything: on Linux. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const SUPPLIES = '/sys/class/power_supply';

/** Undefined where nobody says. `folder` is the kernel's list of supplies. */
export async function isOnBattery(platform: NodeJS.Platform, folder = SUPPLIES): Promise<boolean | undefined> {
  if (platform !== 'linux') return undefined;
  const names = await readdir(folder).catch(() => []);
  const read = (name: string, file: string): Promise<string> =>
    readFile(join(folder, name, file), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
  const supplies = await Promise.all(
    names.map(async (name) => ({
      type: await read(name, 'type'),
      status: await read(name, 'status'),
      online: await read(name, 'online'),
      scope: await read(name, 'scope'),
    })),
  );
  // A mouse has a battery too, of scope Device.
  const batteries = supplies.filter(({ type, scope }) => type === 'Battery' && scope !== 'Device');
  if (supplies.some(({ type, online }) => /^(Mains|USB)/.test(type) && online === '1')) return false;
  if (batteries.some(({ status }) => status === 'Discharging')) return true;
  return batteries.some(({ status }) => status !== '') ? false : undefined;
}
