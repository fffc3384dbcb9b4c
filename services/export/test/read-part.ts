import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import type { SyncPlan } from '../src/destinations/driver.ts';

type Row = Record<string, unknown>;

/** Reads the rows of a file that a sync has written. */
export async function readPart(bytes: Uint8Array, { files, columns }: SyncPlan): Promise<Row[]> {
  if (files.format === 'parquet') return readParquet(bytes);
  const plain = { none: Buffer.from, gzip: gunzipSync, zstd: zstdDecompressSync }[files.compression](bytes);
  const text = Buffer.from(plain).toString();
  if (files.format === 'jsonl')
    return text
      .trimEnd()
      .split('\n')
      .map((line): Row => JSON.parse(line));
  const [header = [], ...records] = readCsv(text);
  const jsonColumns = new Set(columns.filter(({ type }) => type === 'json' || type === 'list').map(({ name }) => name));
  return records.map((record) =>
    Object.fromEntries(
      header.map((name, at) => {
        const cell = record[at] ?? null;
        return [name, jsonColumns.has(name ?? '') && cell !== null ? JSON.parse(cell) : cell];
      }),
    ),
  );
}

function readParquet(bytes: Uint8Array): Promise<Row[]> {
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  return parquetReadObjects({ file: Uint8Array.from(bytes).buffer, compressors });
}

/** Reads CSV by RFC 4180. A cell without quotes that is empty is null. */
function readCsv(text: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    const [, quoted, plain = ''] = /"((?:[^"]|"")*)"|([^,\r\n]*)/y.exec(text.slice(at)) ?? [];
    at += quoted === undefined ? plain.length : quoted.length + 2;
    record.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (text[at] === ',') at += 1;
    else {
      records.push(record);
      record = [];
      at += 2;
    }
  }
  return records;
}
