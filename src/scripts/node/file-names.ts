/** Names for files that come from servers: safe on every system, with an extension that tells the type. Pure. */

const EXTENSIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'image/png': '.png',
    'image/jpeg': '.jpg',
    'image/jpg': '.jpg',
    'image/gif': '.gif',
    'image/webp': '.webp',
    'image/svg+xml': '.svg',
    'image/bmp': '.bmp',
    'image/tiff': '.tiff',
    'image/avif': '.avif',
    'image/heic': '.heic',
    'image/x-icon': '.ico',
    'audio/mpeg': '.mp3',
    'audio/mp3': '.mp3',
    'audio/wav': '.wav',
    'audio/x-wav': '.wav',
    'audio/wave': '.wav',
    'audio/ogg': '.ogg',
    'audio/flac': '.flac',
    'audio/aac': '.aac',
    'audio/mp4': '.m4a',
    'audio/webm': '.weba',
    'video/mp4': '.mp4',
    'video/webm': '.webm',
    'video/quicktime': '.mov',
    'video/x-matroska': '.mkv',
    'video/mpeg': '.mpeg',
    'video/x-msvideo': '.avi',
    'model/gltf-binary': '.glb',
    'model/gltf+json': '.gltf',
    'model/obj': '.obj',
    'model/stl': '.stl',
    'application/pdf': '.pdf',
    'application/zip': '.zip',
    'application/gzip': '.gz',
    'application/x-gzip': '.gz',
    'application/x-tar': '.tar',
    'application/json': '.json',
    'application/xml': '.xml',
    'application/yaml': '.yaml',
    'text/plain': '.txt',
    'text/html': '.html',
    'text/css': '.css',
    'text/csv': '.csv',
    'text/markdown': '.md',
    'text/xml': '.xml',
    'text/javascript': '.js',
  }),
);

const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])$/i;
const NAME_LIMIT = 120;
const NAME_BYTES = 240;

/** The extension for a media type, with its dot; empty for an unknown one. */
export function extensionOfType(mime: string): string {
  return EXTENSIONS.get((mime.split(';')[0] ?? '').trim().toLowerCase()) ?? '';
}

/** A name in two parts: before the extension, and the extension with its dot. */
export function splitName(name: string): readonly [string, string] {
  const slash = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
  const dot = name.lastIndexOf('.');
  return dot > slash + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
}

/** Whether a name ends in what looks like an extension. */
export function hasExtension(name: string): boolean {
  return /^\.[\p{L}\p{N}]{1,5}$/u.test(splitName(name)[1]);
}

/** A file name that stays in its folder on every system; empty where nothing usable is left. */
export function safeName(text: string): string {
  let name = text.split(/[\\/]/).at(-1) ?? '';
  name = name.replace(/[\u0000-\u001f\u007f-\u009f]|\p{Cs}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  name = name
    .replace(/[<>:"|?*]/g, '_')
    .trim()
    .replace(/^\.+/, '')
    .replace(/[. ]+$/, '');
  if (DEVICE.test((name.split('.')[0] ?? '').trim())) name = `_${name}`;
  if (name.length > NAME_LIMIT || Buffer.byteLength(name) > NAME_BYTES) {
    const [stem, found] = splitName(name);
    const extension = found.length <= 10 ? found : '';
    name = cutBytes(stem.slice(0, NAME_LIMIT - extension.length), NAME_BYTES - extension.length) + extension;
  }
  return name;
}

function cutBytes(text: string, limit: number): string {
  const characters = [...text].filter((character) => !/^\p{Cs}$/u.test(character));
  while (Buffer.byteLength(characters.join('')) > limit) characters.pop();
  return characters.join('');
}

/** The file name in a Content-Disposition header, still to be made safe; empty where it has none. */
export function dispositionName(header: string): string {
  const extended = /;\s*filename\*\s*=\s*([\w-]*)'[^']*'([^;]*)/i.exec(header);
  if (extended?.[2] !== undefined) {
    try {
      return decodeURIComponent(extended[2].trim());
    } catch {
      return extended[2].trim();
    }
  }
  const plain = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/i.exec(header);
  const name = plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]?.trim() ?? '';
  // Headers arrive as Latin-1; most servers mean UTF-8.
  const bytes = Buffer.from(name, 'latin1');
  const utf8 = bytes.toString('utf8');
  return utf8.includes('\uFFFD') ? name : utf8;
}

/** The last part of an address's path, decoded. */
export function urlName(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** The last part of any URI, decoded: of its path, else of what follows its scheme. */
export function uriName(uri: string): string {
  const path = uri.split(/[?#]/)[0]?.replace(/\/+$/, '') ?? '';
  const last = path.slice(path.lastIndexOf('/') + 1).replace(/^[A-Za-z][A-Za-z0-9+.-]*:/, '');
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** `20261121_093000` of a local time, as people name files. */
export function timeStamp(date: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}${two(date.getMonth() + 1)}${two(date.getDate())}`;
  return `${day}_${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`;
}
