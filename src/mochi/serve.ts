/**
 * Serves one Mochi over the transport that was chosen, until the client, a signal or an error ends it. Owns standard
 * output: only the protocol writes there, whatever a library prints.
 */
import { pipeline, Writable } from 'node:stream';
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Logger } from '#core/ports.ts';
import { createMessageFilter } from '#node/stdin-messages.ts';
import { LIMITS } from '#protocol/mochi.ts';
import { serveHttp } from './http.ts';
import type { ServeOptions } from './options.ts';
import type { Mochi } from './server.ts';

export interface Serving {
  /** Resolves when the client is gone. */
  readonly ended: Promise<void>;
  /** Tells all clients, of both eras, that the resources are others. */
  resourcesChanged(): void;
  /** Tells all clients, of both eras, that the list of tools is another one. */
  toolsChanged(): void;
  close(): Promise<void>;
}

/** Standard output for the protocol alone; what else is written to it lands in the log by its length only. */
export function reserveOutput(output: NodeJS.WriteStream, logger: () => Logger): Writable {
  const write = output.write.bind(output);
  const reserved = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, encoding, done) => {
      write(chunk, encoding, (error) => done(error));
    },
  });
  // Each answer that waits for the reader listens; how many may wait, the limit of calls decides.
  reserved.setMaxListeners(0);
  output.on('error', (error) => reserved.destroy(error));
  output.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    logger().warn(`kept ${chunk.length} characters of other output from the protocol's stream`);
    const done = rest.find((one) => typeof one === 'function');
    if (done !== undefined) queueMicrotask(() => done());
    return true;
  };
  return reserved;
}

export async function serve(
  mochi: Mochi,
  options: Pick<ServeOptions, 'transport' | 'host' | 'port' | 'token'>,
  streams: { readonly input: NodeJS.ReadStream; readonly output: Writable },
  logger: Logger,
): Promise<Serving> {
  switch (options.transport) {
    case 'stdio':
      return overStdio(mochi, streams, logger);
    case 'http':
      return overHttp(mochi, options, logger);
    default:
      return options.transport satisfies never;
  }
}

function overStdio(
  mochi: Mochi,
  { input, output }: { readonly input: NodeJS.ReadStream; readonly output: Writable },
  logger: Logger,
): Serving {
  const filter = createMessageFilter(output, LIMITS.stdioMessage, parseJSONRPCMessage);
  // Its end is the end of what goes on, however it came.
  pipeline(input, filter, () => {});
  const transport = new StdioServerTransport(filter, output, { maxBufferSize: LIMITS.stdioMessage });
  const service = serveStdio(() => mochi.createServer('stdio'), {
    transport,
    onerror: (error) => logger.debug(`message refused: ${error.name}`),
  });
  const closeWire = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closeWire?.();
      resolve();
    };
  });
  logger.info('serving on standard streams');
  return {
    ended,
    resourcesChanged: () => mochi.resourcesChanged(),
    toolsChanged: () => mochi.toolsChanged(),
    async close() {
      await service.close();
      filter.destroy();
    },
  };
}

async function overHttp(
  mochi: Mochi,
  { host, port, token }: Pick<ServeOptions, 'host' | 'port' | 'token'>,
  logger: Logger,
): Promise<Serving> {
  const service = await serveHttp({
    createServer: (transport, lasts) => mochi.createServer(transport, lasts),
    logger,
    host,
    port,
    token,
    maxBody: LIMITS.httpBody,
  });
  logger.info(`listening on ${service.url}`);
  return {
    ended: new Promise(() => {}),
    resourcesChanged() {
      mochi.resourcesChanged();
      service.notify.resourcesChanged();
    },
    toolsChanged() {
      mochi.toolsChanged();
      service.notify.toolsChanged();
    },
    close: () => service.close(),
  };
}
