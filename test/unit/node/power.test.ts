/** Whether the machine runs on battery, as the kernel's files tell it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOnBattery } from '../../../src/node/power.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mochi-power-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function supply(name: string, facts: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, name));
  for (const [file, text] of Object.entries(facts)) writeFileSync(join(folder, name, file), `${text}\n`);
}

const battery = (status: string) => ({ type: 'Battery', status, scope: 'System' });

describe('power', () => {
  it.each<[string, Readonly<Record<string, Readonly<Record<string, string>>>>, boolean | undefined]>([
    ['a machine without a battery', {}, undefined],
    ['a desktop that names its mains', { AC: { type: 'Mains', online: '1' } }, false],
    ['a laptop on battery', { AC: { type: 'Mains', online: '0' }, BAT0: battery('Discharging') }, true],
    ['a laptop that charges', { AC: { type: 'Mains', online: '1' }, BAT0: battery('Charging') }, false],
    ['a full laptop whose mains say nothing', { BAT0: battery('Full') }, false],
    ['a desktop with a mouse', { mouse: { type: 'Battery', status: 'Discharging', scope: 'Device' } }, undefined],
  ])('of %s is known', async (_what, supplies, expected) => {
    for (const [name, facts] of Object.entries(supplies)) supply(name, facts);
    expect(await isOnBattery('linux', folder)).toBe(expected);
  });

  it('is not known elsewhere, nor where the kernel lists none', async () => {
    supply('BAT0', battery('Discharging'));
    expect(await isOnBattery('darwin', folder)).toBeUndefined();
    expect(await isOnBattery('linux', join(folder, 'none'))).toBeUndefined();
  });
});
