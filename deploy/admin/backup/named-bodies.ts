import { createInterface } from 'node:readline';
import type { CopiedTable } from './manifest.ts';
import { readRows } from './tables.ts';

/** A BlobRef (proto/tidemark/page/v1/page.proto) in a message: field 1 of 64 bytes, which is the name of a body. */
const BLOB_REF = /\n@([0-9a-f]{64})/g;

/** Columns of map that name its documents in text. */
const NAMED_BY_MAP: ReadonlyMap<string, readonly string[]> = new Map([
  ['files', ['file']],
  ['jobs', ['row_blobs']],
  ['diffs', ['documents']],
]);
const NAME = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/** Calls back with the name of every body that a row of a copied table references, and the part of the blob store it belongs to. */
export async function forEachNamedBody(
  dir: string,
  table: CopiedTable,
  found: (store: string, sha256: string) => void,
): Promise<void> {
  const inText = table.schema === 'map' ? NAMED_BY_MAP.get(table.table) : undefined;
  for await (const line of createInterface({ input: readRows(dir, table), crlfDelay: Number.POSITIVE_INFINITY })) {
    const values = line.split('\t');
    for (const [index, value] of values.entries()) {
      // In the text format of COPY, bytes are written as \\x and hexadecimal digits.
      if (value.startsWith('\\\\x')) {
        if (table.schema === 'map') continue;
        for (const [, sha256 = ''] of Buffer.from(value.slice(3), 'hex').toString('latin1').matchAll(BLOB_REF))
          found('pages', sha256);
      } else if (inText?.includes(table.columns[index] ?? '')) {
        for (const [sha256] of value.matchAll(NAME)) found('map', sha256);
      }
    }
  }
}
