import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';

/** A record as a reader of WARC 1.1 sees it. */
export interface ReadRecord {
  readonly headers: Readonly<Record<string, string>>;
  readonly block: Buffer;
}

/** Reads the records of an uncompressed WARC file by their lengths, and verifies the digest of each block. */
export function readWarc(compressed: Uint8Array): ReadRecord[] {
  const file = gunzipSync(compressed);
  const records: ReadRecord[] = [];
  for (let at = 0; at < file.length; ) {
    const end = file.indexOf('\r\n\r\n', at);
    const [version, ...lines] = file.subarray(at, end).toString().split('\r\n');
    if (version !== 'WARC/1.1') throw new Error(`expected a record at ${at}, found ${String(version).slice(0, 40)}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
    );
    const length = Number(headers['Content-Length']);
    const block = file.subarray(end + 4, end + 4 + length);
    const digest = `sha256:${createHash('sha256').update(block).digest('hex')}`;
    if (digest !== headers['WARC-Block-Digest']) throw new Error(`the digest of the record at ${at} differs`);
    if (file.subarray(end + 4 + length, end + 8 + length).toString() !== '\r\n\r\n')
      throw new Error('the record has no end');
    records.push({ headers, block });
    at = end + 8 + length;
  }
  return records;
}
