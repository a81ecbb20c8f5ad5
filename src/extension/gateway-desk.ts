/**
 * What the commands and the definition of the gateway need of the heavy half: the files of a folder, the servers they
 * name, and which of them the gateway may start. It asks nobody and starts nothing.
 */
import {
  type GatewayChange,
  type GatewayFiles,
  gatewayEntry,
  isGateway,
  putBehindGateway,
  serversBehind,
  serversInFront,
  takeFromGateway,
} from '#core/config/behind-gateway.ts';
import { discover } from '#core/config/discover.ts';
import { CONFIG_FILE, GATEWAY_FILE } from '#core/config/gateway-files.ts';
import type { Platform } from '#core/config/sources.ts';
import type { Mode, Server } from '#core/model.ts';
import { exchange, readText } from '#node/file-exchange.ts';
import { createFiles } from '#node/files.ts';
import { createGatewayApprovals } from '#node/gateway-approvals.ts';
import type { Definition } from './approval.ts';
import { type DefinitionContext, describeDefinition } from './definition.ts';

export interface GatewayDesk {
  /** Throws OperationError `io` where one is none of ours to change. */
  read(folder: string): Promise<GatewayFiles>;
  /** Throws OperationError `conflict` where one is another by now, and `io`; the files are as before then. */
  write(folder: string, before: GatewayFiles, after: GatewayFiles): Promise<void>;
  inFront(config: string): readonly string[] | undefined;
  behind(gateway: string): readonly string[] | undefined;
  put(files: GatewayFiles, names: readonly string[], program: string, mode: Mode): GatewayChange;
  take(files: GatewayFiles, names: readonly string[]): GatewayChange;
  /** The servers of `.mcp.json`, as the gateway will see them. */
  configured(folder: string): Promise<readonly Server[]>;
  /** The servers that a gateway over all of a folder fronts. */
  fronted(folder: string): Promise<readonly Server[]>;
  /** The definition of a server that the gateway may not start yet. Throws OperationError `unresolved-variable`. */
  unapproved(folder: string, server: Server): Promise<Definition | undefined>;
  /** Remembers a yes, if the definition is still the one that was shown. */
  approve(folder: string, server: Server, shown: Definition): Promise<void>;
}

export interface GatewayDeskOptions extends Omit<DefinitionContext, 'finder' | 'folders' | 'answer'> {
  readonly platform: NodeJS.Platform;
  finder(): Promise<DefinitionContext['finder']>;
}

const MAX_BYTES = 5_000_000;

export function createGatewayDesk({ env, home, platform, finder }: GatewayDeskOptions): GatewayDesk {
  const system: Platform = platform === 'win32' || platform === 'darwin' ? platform : 'linux';
  const paths = (folder: string) => ({ config: `${folder}/${CONFIG_FILE}`, gateway: `${folder}/${GATEWAY_FILE}` });
  const read = async (folder: string): Promise<GatewayFiles> => ({
    config: await readText(paths(folder).config, MAX_BYTES),
    gateway: await readText(paths(folder).gateway, MAX_BYTES),
  });
  const found = async (folder: string, more: { extraConfigs?: readonly string[]; onlyExtra?: boolean }) => {
    const files = createFiles({ confineTo: [folder] });
    const { value } = await discover({ folders: [folder], platform: system, env, ...more }, files);
    return value.servers.filter((server) => server.shadowedBy === undefined && !isGateway(server.endpoint));
  };
  const approvals = (folder: string) => createGatewayApprovals({ env, home, platform, folders: [folder] });
  const describe = async (folder: string, server: Server): Promise<Definition> =>
    // The gateway has nobody to answer.
    describeDefinition(server, {
      env,
      home,
      folders: [folder],
      finder: await finder(),
      answer: async (input) => (input.kind === 'command' ? undefined : input.default),
    });
  return {
    read,
    async write(folder, before, after) {
      const { config, gateway } = paths(folder);
      const one = { path: gateway, before: before.gateway, after: after.gateway };
      const other = { path: config, before: before.config, after: after.config };
      // An entry stands in two files for a moment rather than in none.
      const gains = (after.gateway ?? '').length > (before.gateway ?? '').length;
      await exchange(gains ? [one, other] : [other, one], MAX_BYTES);
    },
    inFront: serversInFront,
    behind: serversBehind,
    put: (files, names, program, mode) => putBehindGateway(files, names, gatewayEntry(program, mode)),
    take: takeFromGateway,
    configured: (folder) => found(folder, { extraConfigs: [paths(folder).config], onlyExtra: true }),
    async fronted(folder) {
      const { gateway } = await read(folder);
      const all = await found(folder, gateway === undefined ? {} : { extraConfigs: [paths(folder).gateway] });
      return all.filter(({ disabled }) => !disabled);
    },
    unapproved: async (folder, server) =>
      (await approvals(folder).has(server)) ? undefined : describe(folder, server),
    async approve(folder, server, shown) {
      if ((await describe(folder, server)).resolvedHash === shown.resolvedHash) await approvals(folder).add([server]);
    },
  };
}
