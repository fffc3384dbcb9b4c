import { DIRECTORY_BYTES, SNIFFED_BYTES } from './thresholds.ts';

/** Media types of text that can be read as a page, by their essence (WHATWG MIME Sniffing 4.3). */
const READABLE =
  /^(text\/|application\/(xhtml\+xml|xml|json|javascript|ld\+json|rss\+xml|atom\+xml|[\w.-]+\+(xml|json)))/i;
/** Types that servers send for unknown content. */
const UNSPECIFIED = /^(application\/octet-stream|application\/x-download|binary\/octet-stream|unknown\/unknown)?$/i;

/** Returns `text/html` for `text/html; charset=utf-8`. */
export const essenceOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/**
 * Returns true if the body has binary data bytes (WHATWG MIME Sniffing 3). UTF-16 with a byte order mark may contain
 * zeros.
 */
function isBinary(body: Uint8Array): boolean {
  const [first, second] = body;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return body
    .subarray(0, SNIFFED_BYTES)
    .some((byte) => byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f));
}

const isPdf = (body: Uint8Array): boolean => String.fromCharCode(...body.subarray(0, 5)) === '%PDF-';

/** Returns true if a response can be read as a page. The Content-Type is trusted unless it is unspecified. */
export function isReadable(contentType: string | undefined, body: Uint8Array): boolean {
  const essence = essenceOf(contentType);
  if (UNSPECIFIED.test(essence)) return !isBinary(body) && !isPdf(body);
  return READABLE.test(essence);
}

/** Kinds of documents that can be read like a page. */
export type DocumentKind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'csv'
  | 'tsv'
  | 'json'
  | 'ndjson'
  | 'xml'
  | 'svg'
  | 'markdown'
  | 'image'
  | 'protected';

const OFFICE = /^application\/vnd\.openxmlformats-officedocument\.(wordprocessingml|spreadsheetml|presentationml)\./;
const OFFICE_KINDS: Readonly<Record<string, DocumentKind>> = {
  wordprocessingml: 'docx',
  spreadsheetml: 'xlsx',
  presentationml: 'pptx',
};
/** Parts that only one kind of Office file has, by the start of their names in the zip directory. */
const OFFICE_PARTS: readonly (readonly [string, DocumentKind])[] = [
  ['word/document', 'docx'],
  ['xl/workbook', 'xlsx'],
  ['ppt/presentation', 'pptx'],
];
const TEXT_KINDS: Readonly<Record<string, DocumentKind>> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/json': 'json',
  'text/json': 'json',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
  'application/x-jsonlines': 'ndjson',
  'image/svg+xml': 'svg',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/xml': 'xml',
  'text/xml': 'xml',
};
const BY_EXTENSION: Readonly<Record<string, DocumentKind>> = {
  csv: 'csv',
  tsv: 'tsv',
  json: 'json',
  geojson: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  md: 'markdown',
  markdown: 'markdown',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
  svg: 'svg',
};

const latin1 = (body: Uint8Array, length: number): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1', 0, length);

/**
 * Returns the kind of document; undefined for a page, plain text, or content that is not read. Bytes take precedence
 * over the Content-Type, and the Content-Type over the URL.
 */
export function documentKindOf(
  contentType: string | undefined,
  body: Uint8Array,
  url: string,
): DocumentKind | undefined {
  const start = latin1(body, SNIFFED_BYTES);
  const binary = binaryKindOf(start, body, essenceOf(contentType));
  if (binary !== undefined) return binary;
  // The most common case first.
  if (/^\s*<!doctype html/i.test(start) || isBinary(body)) return undefined;
  return textKindOf(essenceOf(contentType), start.replace(/^\u00ef\u00bb\u00bf|\0/g, ''), url);
}

function binaryKindOf(start: string, body: Uint8Array, essence: string): DocumentKind | undefined {
  // Readers accept the header anywhere in the first 1,024 bytes. A text that mentions it is not a PDF.
  if (start.startsWith('%PDF-') || (essence === 'application/pdf' && start.includes('%PDF-'))) return 'pdf';
  if (start.startsWith('PK\u0003\u0004')) return zipKindOf(body, essence);
  if (start.startsWith('\u00d0\u00cf\u0011\u00e0')) return isProtectedOffice(body) ? 'protected' : undefined;
  if (isImage(start)) return 'image';
  // A file declared as a document with other bytes is a broken document.
  return essence === 'application/pdf' ? 'pdf' : officeKindOf(essence);
}

/** https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern, and the ISO media files of AVIF and HEIC. */
const isImage = (start: string): boolean =>
  start.startsWith('\u0089PNG\r\n') ||
  start.startsWith('\u00ff\u00d8\u00ff') ||
  /^GIF8[79]a/.test(start) ||
  (start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP') ||
  /^(?:II\*\0|MM\0\*)/.test(start) ||
  /^BM....\0\0\0\0/s.test(start) ||
  start.startsWith('\0\0\u0001\0') ||
  /^\0\0\0.ftyp(?:avif|avis|heic|heix|mif1)/s.test(start);

const officeKindOf = (essence: string): DocumentKind | undefined => OFFICE_KINDS[OFFICE.exec(essence)?.[1] ?? ''];

function zipKindOf(body: Uint8Array, essence: string): DocumentKind | undefined {
  const directory = Buffer.from(body.buffer, body.byteOffset, body.byteLength).subarray(-DIRECTORY_BYTES);
  return OFFICE_PARTS.find(([part]) => directory.includes(part))?.[1] ?? officeKindOf(essence);
}

/** Password-protected Office files are stored in a compound file: [MS-OFFCRYPTO] 2.1.1 */
const isProtectedOffice = (body: Uint8Array): boolean =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(Buffer.from('EncryptedPackage', 'utf16le'));

/** Returns the kind that a media type of a text declares, by its name or its suffix. */
function declaredKindOf(essence: string): DocumentKind | undefined {
  if (/\+xml$/.test(essence)) return TEXT_KINDS[essence] ?? 'xml';
  return TEXT_KINDS[essence] ?? (/\+json$/.test(essence) ? 'json' : undefined);
}

function textKindOf(essence: string, start: string, url: string): DocumentKind | undefined {
  const root = rootOf(start);
  if (root === 'html') return undefined;
  if (/^(?:rss|feed|rdf)$/.test(root)) return 'xml';
  const named = declaredKindOf(essence);
  if (essence === 'application/xhtml+xml') return undefined;
  if (named !== undefined) return named === 'xml' && root === 'svg' ? 'svg' : named;
  if (essence !== 'text/plain' && !UNSPECIFIED.test(essence)) return undefined;
  if (root === 'svg') return 'svg';
  const extension = /\.(\w+)$/.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';
  return BY_EXTENSION[extension];
}

/** Returns the name of the root element if the text starts like XML, after declaration, comments and document type. */
function rootOf(start: string): string {
  let rest = start.trimStart();
  for (;;) {
    const end = rest.startsWith('<?') ? rest.indexOf('>') + 1 : rest.startsWith('<!--') ? rest.indexOf('-->') + 3 : 0;
    if (end < 4) break;
    rest = rest.slice(end).trimStart();
  }
  const root = /^<(?:!doctype\s+)?([A-Za-z_][\w:.-]*)/i.exec(rest)?.[1] ?? '';
  return root.slice(root.lastIndexOf(':') + 1).toLowerCase();
}
