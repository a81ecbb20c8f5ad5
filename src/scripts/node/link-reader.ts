/**
 * Saves what the resource links of a result lead to, as read from the server that gave them. Nothing is fetched from
 * the network, and no link can fail a call: one that cannot be read stays a link.
 */
import { Fault, type FaultKind } from './fault.ts';
import { extensionOfType, hasExtension, safeName, splitName, uriName } from './file-names.ts';
import { isObject, type JsonObject, own, ownString } from './json.ts';
import { blocksOf, isLink } from './result.ts';
import type { SavedFile, Saver } from './saver.ts';

/** So many links of one result are read, and so many parts of one resource. */
const LIMIT = 20;
/** After these there is no use in asking for the next one. */
const FINAL: ReadonlySet<FaultKind> = new Set(['timeout', 'crashed', 'unreachable', 'auth-needed']);

interface Part {
  /** As declared, or empty. */
  readonly mime: string;
  readonly bytes: Buffer;
  readonly isText: boolean;
}

export class LinkReader {
  readonly #read: (uri: string, timeoutMs: number) => Promise<JsonObject>;
  readonly #end: number;
  readonly #maxBytes: number;
  #left = LIMIT;

  /** `end` is the deadline of the whole call, milliseconds since 1970; `maxBytes` the most that one link may hold. */
  constructor(read: (uri: string, timeoutMs: number) => Promise<JsonObject>, end: number, maxBytes: number) {
    this.#read = read;
    this.#end = end;
    this.#maxBytes = maxBytes;
  }

  /** How many files the links of a result may become. */
  count(result: unknown): number {
    return Math.min(LIMIT, blocksOf(result).filter(isLink).length);
  }

  /** The files of a link; none where it could not be read or saved. */
  async save(block: unknown, saver: Saver): Promise<readonly SavedFile[]> {
    const uri = ownString(block, 'uri') ?? '';
    const timeoutMs = this.#end - Date.now();
    if (uri === '' || this.#left <= 0 || timeoutMs <= 0) return [];
    this.#left -= 1;
    const files: SavedFile[] = [];
    try {
      const result = await this.#read(uri, timeoutMs);
      const last = safeName(uriName(uri));
      const name = safeName(ownString(block, 'name') ?? '') || last || undefined;
      for (const [index, part] of partsOf(result, block, this.#maxBytes).entries()) {
        if (index > 0) saver.expect();
        const own = hasExtension(last) ? splitName(last)[1] : part.isText ? '.txt' : '.bin';
        const mime = part.mime || (part.isText ? 'text/plain' : '');
        files.push(
          await saver.write({ name, extension: extensionOfType(part.mime) || own }, [part.bytes], mime, { uri }),
        );
      }
    } catch (error) {
      if (!(error instanceof Fault) || FINAL.has(error.kind)) this.#left = 0;
    }
    return files;
  }
}

/** What a read gave, decoded. None where a part is of no known kind, or all together are too large. */
function partsOf(result: JsonObject, link: unknown, maxBytes: number): readonly Part[] {
  const contents = own(result, 'contents');
  if (!Array.isArray(contents) || contents.length > LIMIT) return [];
  const parts: Part[] = [];
  let size = 0;
  for (const item of contents) {
    if (!isObject(item)) return [];
    const text = ownString(item, 'text');
    const blob = ownString(item, 'blob');
    if (text === undefined && blob === undefined) return [];
    const bytes = blob === undefined ? Buffer.from(text ?? '') : Buffer.from(blob, 'base64');
    size += bytes.length;
    if (size > maxBytes) return [];
    const mime = ownString(item, 'mimeType') || ownString(link, 'mimeType') || '';
    const isText = blob === undefined;
    parts.push({ mime, bytes, isText });
  }
  return parts;
}
