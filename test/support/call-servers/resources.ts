/** The resources of the scripted server: what its links lead to, and what goes wrong on the way. */
import { type Fields, type Outcome, PIXEL, type Surroundings, type Value } from './tool-box.ts';

const contents = (...items: readonly Fields[]): Outcome => ({ kind: 'result', result: { contents: items } });

const RESOURCES: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['demo://docs/report.csv', [{ mimeType: 'text/csv', text: 'a,b\n1,2\n' }]],
  ['demo://pixel', [{ mimeType: 'image/png', blob: PIXEL }]],
  ['demo://code/notes.rs', [{ text: 'fn main() {}' }]],
  ['demo://text', [{ text: 'words' }]],
  ['demo://bytes', [{ blob: 'AAEC' }]],
  ['demo://large', [{ text: 'x'.repeat(2000) }]],
  ['demo://parts', [{ text: 'one' }, { text: 'two' }]],
  ['demo://odd', [{ text: 'readable' }, { nothing: true }]],
  ['demo://no-list', 'here'],
  ['demo://empty', []],
  ['urn:isbn:0%2F1', [{ text: 'a book' }]],
]);

/** Reads a resource; undefined when there is none of that address. */
export function readScripted(uri: string, around: Surroundings): Outcome | undefined {
  if (uri === 'demo://count') return contents({ uri, text: `count ${around.next()}` });
  if (uri === 'demo://silence') return { kind: 'silence' };
  if (uri === 'demo://end') return { kind: 'exit', code: 7, lastWords: 'ended by a read' };
  if (uri.startsWith('demo://number/')) return contents({ uri, text: uri.slice('demo://number/'.length) });
  if (uri.startsWith('demo://evil')) return contents({ uri, mimeType: 'text/plain', text: 'evil' });
  const found = RESOURCES.get(uri);
  return found === undefined ? undefined : { kind: 'result', result: { contents: found } };
}
