/** One client in front of the gateway: how a request of it is carried to a server and what the server says meanwhile. */
import type { Server, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '#core/model.ts';
import { type Conversations, capabilitiesOf } from './conversation.ts';
import type { Notes } from './notes.ts';
import type { RequestOptions, Upstream } from './upstream.ts';

export interface Front {
  /** To be called before anything that may start a server: it is told then what the client can be asked. */
  look(context: ServerContext): void;
  /** Carries a request to a server. */
  exchange(
    context: ServerContext,
    upstream: Upstream,
    work: (options: RequestOptions) => Promise<JsonObject>,
  ): Promise<JsonObject>;
}

export interface FrontParts {
  readonly server: Server;
  readonly notes: Notes;
  readonly conversations: Conversations;
  readonly onCapabilities: (capabilities: JsonObject) => void;
}

export function createFront({ server, notes, conversations, onCapabilities }: FrontParts): Front {
  const look = (context: ServerContext): void => onCapabilities(capabilitiesOf(server, context));
  return {
    look,
    exchange(context, upstream, work) {
      look(context);
      return notes.during(upstream, context, () => conversations.run(server, context, work));
    },
  };
}
