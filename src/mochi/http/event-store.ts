/**
 * What a session of the legacy era can be sent again when its stream breaks: the last messages, bounded in number
 * and size, in memory only.
 */
import type { EventId, EventStore, JSONRPCMessage, StreamId } from '@modelcontextprotocol/server';

const MAX_EVENTS = 64;
/** Characters of JSON, over all events of one session. */
const MAX_SIZE = 1_000_000;

interface Kept {
  readonly id: EventId;
  readonly stream: StreamId;
  readonly message: JSONRPCMessage;
  readonly size: number;
}

export function createEventStore(): EventStore {
  const kept: Kept[] = [];
  let size = 0;
  let last = 0;
  return {
    async storeEvent(stream, message) {
      last++;
      const event = { id: `${stream}.${last}`, stream, message, size: JSON.stringify(message).length };
      kept.push(event);
      size += event.size;
      while (kept.length > MAX_EVENTS || (size > MAX_SIZE && kept.length > 1)) size -= kept.shift()?.size ?? 0;
      return event.id;
    },
    async getStreamIdForEventId(id) {
      return kept.find((event) => event.id === id)?.stream;
    },
    async replayEventsAfter(lastId, { send }) {
      const at = kept.findIndex((event) => event.id === lastId);
      const stream = kept[at]?.stream ?? '';
      for (const event of at < 0 ? [] : kept.slice(at + 1).filter((one) => one.stream === stream)) {
        // An empty message only marks the beginning of a stream.
        if (Object.keys(event.message).length > 0) await send(event.id, event.message);
      }
      return stream;
    },
  };
}
