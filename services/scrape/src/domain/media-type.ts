/** Media types whose bytes are text that can be read as a page, by their essence (WHATWG MIME Sniffing 4.3). */
const READABLE =
  /^(text\/|application\/(xhtml\+xml|xml|json|javascript|ld\+json|rss\+xml|atom\+xml|[\w.-]+\+(xml|json)))/i;
/** Types servers use when they don't know. */
const UNTOLD = /^(application\/octet-stream|application\/x-download|binary\/octet-stream|unknown\/unknown)?$/i;
const SNIFFED_BYTES = 1_024;

/** `text/html; charset=utf-8` without its parameters. */
export const essenceOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Control bytes no text holds: the binary data bytes of WHATWG MIME Sniffing 3, UTF-16's zeros excepted where a mark announces them. */
function looksBinary(body: Uint8Array): boolean {
  const [first, second] = body;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return body
    .subarray(0, SNIFFED_BYTES)
    .some((byte) => byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f));
}

const isPdf = (body: Uint8Array): boolean => String.fromCharCode(...body.subarray(0, 5)) === '%PDF-';

/** Whether an answer can be read as a page at all. What servers say is believed, except where they say nothing. */
export function isReadable(contentType: string | undefined, body: Uint8Array): boolean {
  const essence = essenceOf(contentType);
  if (UNTOLD.test(essence)) return !looksBinary(body) && !isPdf(body);
  return READABLE.test(essence);
}

/** What an answer is where it is no page but a document that can be read like one. */
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
/** Parts that only one kind of Office file has, by how their names begin in the zip's directory. */
const OFFICE_PARTS: readonly (readonly [string, DocumentKind])[] = [
  ['word/document', 'docx'],
  ['xl/workbook', 'xlsx'],
  ['ppt/presentation', 'pptx'],
];
const DIRECTORY_BYTES = 1_048_576;
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
 * The document an answer is, or undefined where it is a page, plain text or something that isn't read. Bytes are believed
 * before servers, and servers before the address.
 */
export function documentKindOf(
  contentType: string | undefined,
  body: Uint8Array,
  url: string,
): DocumentKind | undefined {
  const start = latin1(body, SNIFFED_BYTES);
  const binary = binaryKindOf(start, body, essenceOf(contentType));
  if (binary !== undefined) return binary;
  // The commonest answer of all, decided first.
  if (/^\s*<!doctype html/i.test(start) || looksBinary(body)) return undefined;
  return textKindOf(essenceOf(contentType), start.replace(/^\u00ef\u00bb\u00bf|\0/g, ''), url);
}

function binaryKindOf(start: string, body: Uint8Array, essence: string): DocumentKind | undefined {
  // Readers accept a header anywhere in the first 1,024 bytes; before text that names one, only at the beginning.
  if (start.startsWith('%PDF-') || (essence === 'application/pdf' && start.includes('%PDF-'))) return 'pdf';
  if (start.startsWith('PK\u0003\u0004')) return zipKindOf(body, essence);
  if (start.startsWith('\u00d0\u00cf\u0011\u00e0')) return isProtectedOffice(body) ? 'protected' : undefined;
  if (isImage(start)) return 'image';
  // A file that is named a document and begins like none is a broken one.
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

/** Office files under a password are kept in an old compound file: [MS-OFFCRYPTO] 2.1.1 */
const isProtectedOffice = (body: Uint8Array): boolean =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(Buffer.from('EncryptedPackage', 'utf16le'));

function textKindOf(essence: string, start: string, url: string): DocumentKind | undefined {
  const root = rootOf(start);
  if (root === 'html') return undefined;
  if (/^(?:rss|feed|rdf)$/.test(root)) return 'xml';
  const named = TEXT_KINDS[essence] ?? (/\+xml$/.test(essence) ? 'xml' : /\+json$/.test(essence) ? 'json' : undefined);
  if (essence === 'application/xhtml+xml') return undefined;
  if (named !== undefined) return named === 'xml' && root === 'svg' ? 'svg' : named;
  if (essence !== 'text/plain' && !UNTOLD.test(essence)) return undefined;
  if (root === 'svg') return 'svg';
  const extension = /\.(\w+)$/.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';
  return BY_EXTENSION[extension];
}

/** The name of the root element where text begins like XML, after its declaration, comments and document type. */
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
