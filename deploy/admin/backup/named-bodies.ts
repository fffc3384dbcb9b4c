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
  const namesOf = table.schema === 'map' ? namesOfMap(table) : namesOfPages;
  for await (const line of createInterface({ input: readRows(dir, table), crlfDelay: Number.POSITIVE_INFINITY }))
    for (const [index, value] of line.split('\t').entries())
      for (const [store, sha256] of namesOf(value, index)) found(store, sha256);
}

/** Returns the bodies that a value references: the store and the name of each. `index`: of its column. */
type NamesOf = (value: string, index: number) => readonly (readonly [store: string, sha256: string])[];

/** In the text format of COPY, bytes are written as \\x and hexadecimal digits. */
const BYTES = '\\\\x';

const namesOfPages: NamesOf = (value) =>
  value.startsWith(BYTES)
    ? [...Buffer.from(value.slice(BYTES.length), 'hex').toString('latin1').matchAll(BLOB_REF)].map(
        ([, sha256 = '']) => ['pages', sha256] as const,
      )
    : [];

function namesOfMap({ table, columns }: CopiedTable): NamesOf {
  const naming = NAMED_BY_MAP.get(table);
  return (value, index) =>
    naming?.includes(columns[index] ?? '') === true && !value.startsWith(BYTES)
      ? [...value.matchAll(NAME)].map(([sha256]) => ['map', sha256] as const)
      : [];
}
