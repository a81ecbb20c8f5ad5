/** Turns a tool's result into what is printed. Binary content becomes files; base64 never reaches the reader. */
import { oneLine } from './fault.ts';
import { isObject, own, ownString, parseJson, sameJson, writeJson } from './json.ts';
import type { LinkReader } from './link-reader.ts';
import { blobOf, blocksOf, isLink, textIn } from './result.ts';
import { extensionFor, type Saver, savedLine } from './saver.ts';

/** Longer text goes to a file, bytes. */
const TEXT_LIMIT = 10 * 1024 * 1024;

/** A result as it is shown: lines for people, blocks for `--json`. */
export interface Rendered {
  readonly lines: readonly string[];
  readonly content: readonly unknown[];
}

function isLong(text: string): boolean {
  return text.length > TEXT_LIMIT / 4 && Buffer.byteLength(text) > TEXT_LIMIT;
}

function needsFile(block: unknown): boolean {
  const text = textIn(block);
  return blobOf(block) !== undefined || (text !== undefined && isLong(text));
}

/** How many blocks of a result become files. */
export function countFiles(result: unknown): number {
  return blocksOf(result).filter(needsFile).length;
}

/** Whether a text already tells all of a value: it is its JSON, or the value merely wraps it under one name. */
function says(text: string, value: unknown): boolean {
  const inner = isObject(value) ? Object.values(value) : [];
  const candidates = inner.length === 1 ? [value, ...inner] : [value];
  if (candidates.includes(text)) return true;
  if (!/^\s*["[{\d\-tfn]/.test(text)) return false;
  try {
    const told = parseJson(text);
    return candidates.some((candidate) => sameJson(told, candidate));
  } catch {
    return false;
  }
}

async function saveBlock(block: unknown, saver: Saver, id: string | undefined): Promise<Rendered> {
  const blob = blobOf(block);
  const mime = blob?.mime ?? 'text/plain';
  const bytes = blob === undefined ? Buffer.from(textIn(block) ?? '') : Buffer.from(blob.data, 'base64');
  const resource = own(block, 'resource');
  const from = isObject(resource) ? { uri: ownString(resource, 'uri') ?? '' } : {};
  const file = await saver.write({ extension: extensionFor(mime), id }, [bytes], mime, from);
  return { lines: [savedLine(file)], content: [file] };
}

function showBlock(block: Record<string, unknown>): Rendered {
  const text = textIn(block);
  const resource = own(block, 'resource');
  if (text !== undefined) {
    const head = isObject(resource) ? [`resource: ${oneLine(ownString(resource, 'uri') ?? '', 2000)}`] : [];
    return { lines: [...head, text], content: [block] };
  }
  if (isLink(block)) {
    const about = ['name', 'mimeType'].flatMap((key) => oneLine(ownString(block, key) ?? '', 200) || []);
    const tail = about.length > 0 ? ` (${about.join(', ')})` : '';
    return { lines: [`link: ${oneLine(ownString(block, 'uri') ?? '', 2000)}${tail}`], content: [block] };
  }
  const rest = Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'data' && key !== 'blob'));
  return { lines: [writeJson(rest)], content: [rest] };
}

async function renderBlock(
  block: Record<string, unknown>,
  saver: Saver,
  id: string | undefined,
  links: LinkReader | undefined,
): Promise<Rendered> {
  if (needsFile(block)) return saveBlock(block, saver, id);
  const files = isLink(block) ? ((await links?.save(block, saver)) ?? []) : [];
  if (files.length === 0) return showBlock(block);
  const source = oneLine(ownString(block, 'uri') ?? '', 2000);
  return { lines: files.map((file) => `${savedLine(file)} from ${source}`), content: files };
}

/** Renders a result and saves its files. Without `links`, resource links are only shown. */
export async function render(result: unknown, saver: Saver, id?: string, links?: LinkReader): Promise<Rendered> {
  const lines: string[] = [];
  const content: unknown[] = [];
  const texts: string[] = [];
  for (const block of blocksOf(result)) {
    const shown = await renderBlock(block, saver, id, links);
    lines.push(...shown.lines);
    content.push(...shown.content);
    const text = textIn(block);
    if (text !== undefined && !isObject(own(block, 'resource'))) texts.push(text);
  }
  const structured = own(result, 'structuredContent');
  if (structured !== undefined && !texts.some((text) => says(text, structured))) {
    const json = writeJson(structured, 2);
    if (isLong(json)) {
      saver.expect();
      const file = await saver.write({ extension: '.json', id }, [Buffer.from(json)], 'application/json');
      lines.push(savedLine(file));
    } else lines.push(json);
  }
  return { lines, content };
}

/** The parts of a result that `--json` prints. */
export function contentJson(result: unknown, rendered: Rendered): Record<string, unknown> {
  const structured = own(result, 'structuredContent');
  return { content: rendered.content, ...(structured === undefined ? {} : { structuredContent: structured }) };
}
