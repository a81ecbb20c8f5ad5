/** How callers talk to a session: one connection a request, one JSON object a line, notes before the answer. */
import { connect, type Socket } from 'node:net';
import { Fault } from './fault.ts';
import { own, ownString, parseJson, writeJson } from './json.ts';
import { readFacts, type SessionFiles } from './session-place.ts';

const CONNECT_MS = 5000;
const PERSON_MS = 200_000;

/** A connection to the daemon; undefined where nobody listens. */
export function reach(files: SessionFiles): Promise<Socket | undefined> {
  const facts = process.platform === 'win32' ? readFacts(files) : undefined;
  if (process.platform === 'win32' && facts?.port === undefined) return Promise.resolve(undefined);
  const socket = facts?.port === undefined ? connect(files.socket) : connect({ host: '127.0.0.1', port: facts.port });
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(new Error('deadline')), CONNECT_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      if (facts?.token !== undefined) socket.write(`${facts.token}\n`);
      resolve(socket);
    });
    socket.once('error', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
}

/** Calls back for every line; lines may be long, so parts are joined once. */
export function onLines(socket: Socket, line: (text: string) => void): void {
  let parts: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at));
      const text = Buffer.concat(parts).toString('utf8');
      parts = [];
      from = at + 1;
      line(text);
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
}

/** Sends a request and waits for its answer; undefined when the daemon went away first. */
export function converse(
  socket: Socket,
  request: Record<string, unknown>,
  timeoutMs: number,
  tell: (line: string) => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const finish = (answer: unknown): void => {
      clearTimeout(timer);
      resolve(answer);
      socket.destroy();
    };
    const arm = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reject(
          new Fault('timeout', 'the session gave no answer in time', {
            remedy: 'Give --timeout more seconds, or end it with --session-stop',
          }),
        );
        socket.destroy();
      }, ms);
    };
    arm(timeoutMs);
    onLines(socket, (text) => {
      let value: unknown;
      try {
        value = parseJson(text);
      } catch {
        finish(undefined);
        return;
      }
      const note = ownString(value, 'tell');
      if (note !== undefined) {
        tell(note);
        // A note means that a person is asked; they take longer than servers.
        arm(timeoutMs + PERSON_MS);
      } else finish(own(value, 'ok') === undefined ? undefined : value);
    });
    socket.on('error', () => finish(undefined));
    socket.on('close', () => finish(undefined));
    socket.write(`${writeJson(request)}\n`);
  });
}
