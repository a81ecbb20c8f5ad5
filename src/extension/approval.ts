/**
 * Remembers which definitions a person let run. An approval belongs to one folder, one server name and the hash of the
 * whole definition with its variables resolved, so that a definition that changes in anything is asked about again. It
 * knows nothing of VS Code; the memory it is given must be one that no workspace can write to.
 */
import type { Danger } from '#core/command-text.ts';
import type { Server } from '#core/model.ts';

/** A definition as it would run. */
export interface Definition {
  /** Over everything that decides what runs, resolved. */
  readonly resolvedHash: string;
  /** Over the definition as the file spells it; says only whether it looks approved. */
  readonly spelledHash: string;
  readonly kind: 'process' | 'address';
  /** The whole command or address, without secrets. */
  readonly text: string;
  readonly dangers: readonly Danger[];
}

export interface ApprovalPorts {
  /** Global memory of the person. */
  readonly memory: { get(): unknown; set(value: unknown): PromiseLike<void> };
  ask(server: Server, definition: Definition): Promise<boolean>;
}

export interface Approvals {
  /** Asks unless exactly this definition was approved before; remembers a yes. */
  request(server: Server, definition: Definition): Promise<boolean>;
  looksApproved(server: Server, spelledHash: string): boolean;
  /** Forgets one server, or everything. */
  forget(server?: Server): Promise<void>;
}

interface Approval {
  readonly folder: string;
  readonly name: string;
  readonly resolved: string;
  readonly spelled: string;
}

/** The oldest are forgotten first. */
const MOST = 500;

export function createApprovals({ memory, ask }: ApprovalPorts): Approvals {
  const all = (): readonly Approval[] => readApprovals(memory.get());
  const isOf = (server: Server) => (one: Approval) => one.folder === folderOf(server) && one.name === server.name;
  return {
    async request(server, { resolvedHash, spelledHash, ...shown }) {
      if (all().some((one) => isOf(server)(one) && one.resolved === resolvedHash)) return true;
      if (!(await ask(server, { resolvedHash, spelledHash, ...shown }))) return false;
      const mine: Approval = {
        folder: folderOf(server),
        name: server.name,
        resolved: resolvedHash,
        spelled: spelledHash,
      };
      // Another source may define a server of the same name; its approval stays beside this one.
      await memory.set([...all(), mine].slice(-MOST));
      return true;
    },
    looksApproved: (server, spelled) => all().some((one) => isOf(server)(one) && one.spelled === spelled),
    forget: async (server) => memory.set(server === undefined ? [] : all().filter((one) => !isOf(server)(one))),
  };
}

/** Servers from the home folder are approved for all workspaces at once. */
function folderOf(server: Server): string {
  return server.source.folder ?? '';
}

function readApprovals(value: unknown): readonly Approval[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.flatMap((one): readonly Approval[] => {
    if (typeof one !== 'object' || one === null) return [];
    const { folder, name, resolved, spelled } = { folder: '', name: '', resolved: '', spelled: '', ...one };
    const isWhole = [folder, name, resolved, spelled].every((text) => typeof text === 'string');
    return isWhole ? [{ folder, name, resolved, spelled }] : [];
  });
}
