import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const compress = promisify(gzip);

export type WarcType = 'warcinfo' | 'response' | 'request' | 'revisit' | 'resource' | 'conversion' | 'metadata';

export interface WarcRecord {
  readonly type: WarcType;
  readonly id: string;
  readonly date: Date;
  readonly contentType: string;
  /** Further named fields, such as WARC-Target-URI. */
  readonly fields: Readonly<Record<string, string>>;
  readonly block: Uint8Array;
}

/** Returns a record id that follows from its parts: the same export has the same ids. The form is that of a UUID of version 8 (RFC 9562). */
export function recordId(...parts: readonly string[]): string {
  const hex = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return `<urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}>`;
}

export const sha256Of = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Encodes a record (WARC 1.1, ISO 28500:2017) as one gzip member, so that an index can point at it. */
export function encodeRecord({ type, id, date, contentType, fields, block }: WarcRecord): Promise<Buffer> {
  const head = {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    'WARC-Date': date.toISOString(),
    ...fields,
    'WARC-Block-Digest': sha256Of(block),
    'Content-Type': contentType,
    'Content-Length': String(block.length),
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${oneLine(value)}\r\n`);
  return compress(Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block, Buffer.from('\r\n\r\n')]));
}

const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, ' ');
