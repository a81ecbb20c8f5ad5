/**
 * The wall between the page and the extension: what comes from the page is a known message of the right shape, or it is
 * dropped. Whether a server, a tool or a file of that name exists is asked where it is used.
 */
import { MAX_TOOLS } from '#core/catalog/catalog.ts';
import { MOST_ROUNDS, PRICES } from '#core/economics.ts';
import { MODES, type Mode } from '#core/model.ts';
import type { FromWebview, SessionChoice } from '#protocol/preview.ts';

/** No name that the host gave the page is longer. */
const LONGEST = 8_192;

/** The message, rebuilt from its known parts; `undefined` for anything else. */
export function messageFrom(data: unknown): FromWebview | undefined {
  const part = partsOf(data);
  const kind = part('kind');
  const id = textOf(part('id'));
  const mode = modeOf(part('mode'));
  switch (kind) {
    case 'ready':
    case 'addServer':
    case 'trustWorkspace':
    case 'showLog':
      return { kind };
    case 'selectMode':
      return mode && { kind, mode };
    case 'selectSession': {
      const [model, rounds] = [modelOf(part('model')), roundsOf(part('rounds'))];
      const isWhole = (part('model') === undefined || model) && (part('rounds') === undefined || rounds);
      return isWhole ? { kind, ...(model && { model }), ...(rounds && { rounds }) } : undefined;
    }
    case 'selectServer':
    case 'readTools':
    case 'countExactly':
      return id === undefined ? undefined : { kind, id };
    case 'setTools': {
      const included = namesOf(part('included'));
      return id === undefined || included === undefined ? undefined : { kind, id, included };
    }
    case 'openFile': {
      const path = textOf(part('path'));
      return id === undefined || mode === undefined || path === undefined ? undefined : { kind, id, mode, path };
    }
    case 'compare': {
      const [left, right] = [modeOf(part('left')), modeOf(part('right'))];
      return id === undefined || left === undefined || right === undefined ? undefined : { kind, id, left, right };
    }
    case 'acceptFindings': {
      const accepted = part('accepted');
      return id === undefined || typeof accepted !== 'boolean' ? undefined : { kind, id, accepted };
    }
    case 'write':
      return id === undefined || mode === undefined ? undefined : { kind, id, mode };
    default:
      return undefined;
  }
}

/** What a page kept of its choice over a restart; nothing where it is not understood. */
export function choiceFrom(kept: unknown): {
  readonly selected?: string;
  readonly mode?: Mode;
  readonly session?: SessionChoice;
} {
  const part = partsOf(kept);
  const [selected, mode, session] = [textOf(part('selected')), modeOf(part('mode')), sessionOf(part('session'))];
  return {
    ...(selected === undefined ? {} : { selected }),
    ...(mode === undefined ? {} : { mode }),
    ...(session === undefined ? {} : { session }),
  };
}

function sessionOf(data: unknown): SessionChoice | undefined {
  const part = partsOf(data);
  const [model, rounds] = [modelOf(part('model')), roundsOf(part('rounds'))];
  return model === undefined || rounds === undefined ? undefined : { model, rounds };
}

/** A model whose prices are known. */
function modelOf(value: unknown): string | undefined {
  return PRICES.find(({ model }) => model === value)?.model;
}

/** A number of rounds that can be added up. */
function roundsOf(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MOST_ROUNDS;
  return isCount ? value : undefined;
}

/** Reads own properties only: a prototype has no say. */
function partsOf(data: unknown): (name: string) => unknown {
  if (typeof data !== 'object' || data === null) return () => undefined;
  return (name) => Object.getOwnPropertyDescriptor(data, name)?.value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= LONGEST ? value : undefined;
}

function modeOf(value: unknown): Mode | undefined {
  return MODES.find((mode) => mode === value);
}

function namesOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_TOOLS) return undefined;
  const names = value.filter((name) => typeof name === 'string');
  return names.length === value.length ? names : undefined;
}
