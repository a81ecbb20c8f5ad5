/**
 * What is wrong with a posted body before anybody asks which session or era it belongs to: the two errors that JSON-RPC
 * has for what is no message. It reads no meaning; which messages are served is decided elsewhere.
 */
import { parseJSONRPCMessage } from '@modelcontextprotocol/server';

export interface BodyFault {
  /** Of JSON-RPC 2.0, section 5.1. */
  readonly code: -32_700 | -32_600;
  readonly message: string;
}

const NO_JSON: BodyFault = { code: -32_700, message: 'This body is no JSON: send one JSON-RPC message.' };
const NO_MESSAGE: BodyFault = { code: -32_600, message: 'This is no JSON-RPC 2.0 message.' };
const NO_BATCHES: BodyFault = { code: -32_600, message: 'Batches are not served: send one message.' };

/** Undefined where it is a message or, where `takesBatches`, a list of some. */
export function faultOfBody(body: Uint8Array, takesBatches: boolean): BodyFault | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return NO_JSON;
  }
  if (Array.isArray(value) && !takesBatches) return NO_BATCHES;
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.length > 0 && messages.every(isMessage) ? undefined : NO_MESSAGE;
}

function isMessage(value: unknown): boolean {
  try {
    parseJSONRPCMessage(value);
    return true;
  } catch {
    return false;
  }
}

/** Whether it says of itself that it is JSON; what says otherwise is refused for that. */
export const isJson = (contentType: string | undefined): boolean =>
  /^\s*application\/json\s*(?:;|$)/i.test(contentType ?? '');
