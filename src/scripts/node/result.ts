/** Reading a tool's result: its blocks, texts and binary parts. A result is hostile data; nothing is taken on trust. */
import { isObject, own, ownString } from './json.ts';

/** The content blocks of a result. */
export function blocksOf(result: unknown): readonly Record<string, unknown>[] {
  const blocks = own(result, 'content');
  return Array.isArray(blocks) ? blocks.filter(isObject) : [];
}

/** Base64 text and media type of a block that has to become a file. */
export function blobOf(block: unknown): { readonly data: string; readonly mime: string } | undefined {
  const type = own(block, 'type');
  const data = ownString(block, 'data');
  if ((type === 'image' || type === 'audio') && data !== undefined) {
    return { data, mime: ownString(block, 'mimeType') ?? '' };
  }
  const resource = own(block, 'resource');
  const blob = ownString(resource, 'blob');
  return blob === undefined ? undefined : { data: blob, mime: ownString(resource, 'mimeType') ?? '' };
}

/** Whether a block names a resource without holding it. */
export function isLink(block: unknown): boolean {
  return own(block, 'type') === 'resource_link';
}

/** Text of a text block or of an embedded text resource. */
export function textIn(block: unknown): string | undefined {
  if (own(block, 'type') === 'text') return ownString(block, 'text');
  return ownString(own(block, 'resource'), 'text');
}

/** All text of a result, lines joined. */
export function textOf(result: unknown): string {
  return blocksOf(result)
    .map(textIn)
    .filter((text) => text !== undefined)
    .join('\n');
}
