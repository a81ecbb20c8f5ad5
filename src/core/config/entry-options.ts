/** What an entry says besides how its server is reached: switched off, timeout, tools to keep or leave out. */
import { scalarOf, typeOf } from './document.ts';
import type { EntryReader } from './entry.ts';
import type { TimeField } from './sources.ts';

/** `disabled: true` or `enabled: false`. */
export function isDisabled(reader: EntryReader): boolean {
  let disabled = false;
  for (const [key, off] of [
    ['disabled', true],
    ['enabled', false],
  ] as const) {
    const field = reader.pick(key);
    const value = scalarOf(field?.value);
    if (value === off) disabled = true;
    if (field !== undefined && typeof value !== 'boolean') {
      reader.note({
        kind: 'entry-invalid',
        severity: 'warning',
        message: `\`${key}\` is ${typeOf(field.value)}, so it is ignored.`,
        remedy: 'Write true or false.',
        offset: field.value.at,
      });
    }
  }
  return disabled;
}

/** Milliseconds, from the first of the row's fields that holds a figure. */
export function readTimeout(reader: EntryReader, rows: readonly TimeField[]): number | undefined {
  for (const { key, unit } of rows) {
    const field = reader.pick(key);
    if (field === undefined) continue;
    const value = scalarOf(field.value);
    if (typeof value === 'number' && Number.isFinite(value) && value > 0)
      return Math.round(unit === 's' ? value * 1000 : value);
    reader.note({
      kind: 'entry-invalid',
      severity: 'warning',
      message: `\`${key}\` is not a positive number, so it is ignored.`,
      remedy: `Write the ${unit === 's' ? 'seconds' : 'milliseconds'} as a number.`,
      offset: field.value.at,
    });
  }
  return undefined;
}

/** A lone star means all tools, which is the same as no list. */
export function readTools(reader: EntryReader, keys: readonly string[]): readonly string[] | undefined {
  const field = reader.pickFirst(keys);
  if (field === undefined || scalarOf(field.value) === '*') return undefined;
  const items = field.value.kind === 'array' ? field.value.items.map(scalarOf) : [];
  const names = items.filter((item) => typeof item === 'string');
  if (field.value.kind !== 'array' || names.length !== items.length) {
    reader.note({
      kind: 'entry-invalid',
      severity: 'warning',
      message: `\`${field.key}\` is not a list of tool names; what is none is ignored.`,
      remedy: 'Write a list of strings.',
      offset: field.value.at,
    });
    if (names.length === 0) return undefined;
  }
  return names.includes('*') ? undefined : names;
}
