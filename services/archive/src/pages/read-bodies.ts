import { BinaryReader } from '@bufbuild/protobuf/wire';
import type { BlobStore } from '@tidemark/blobs';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import { readBudget } from './read-budget.ts';

/** Field numbers of the bodies in a PageBodies message. */
const FIELDS = {
  markdown: 1,
  text: 2,
  cleanHtml: 3,
  rawHtml: 4,
  links: 5,
  head: 6,
  fields: 7,
  blocks: 8,
  extraction: 9,
} as const;

export type BodyName = keyof typeof FIELDS;

export const isBodyName = (name: string): name is BodyName => Object.hasOwn(FIELDS, name);

/**
 * Returns the requested bodies as PageBodies bytes, from the document that holds all of them. Empty if the page has none.
 * @throws AppError internal if the row references a document that is missing
 */
export async function readBodies(blobs: BlobStore, row: PageRow, names: readonly BodyName[]): Promise<Buffer> {
  const { content } = row;
  if (content === undefined || names.length === 0) return Buffer.alloc(0);
  return readBudget.run(content.bytes, () => readStored(blobs, row, names));
}

async function readStored(blobs: BlobStore, row: PageRow, names: readonly BodyName[]): Promise<Buffer> {
  const { content } = row;
  if (content === undefined) return Buffer.alloc(0);
  const stored = await blobs.get(content.sha256).catch((error: unknown) => missing(row, error));
  return selectFields(stored, new Set(names.map((name) => FIELDS[name])));
}

/** Returns the message with these fields only. It copies bytes: the texts of a large page would fill the heap. */
export function selectFields(message: Uint8Array, fields: ReadonlySet<number>): Buffer {
  const reader = new BinaryReader(message);
  const parts: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const from = reader.pos;
    const [field, wireType] = reader.tag();
    reader.skip(wireType, field);
    if (fields.has(field)) parts.push(message.subarray(from, reader.pos));
  }
  return Buffer.concat(parts);
}

/** Like `readBodies` for many rows, which are read in batches. */
async function readBodiesOf(blobs: BlobStore, rows: readonly PageRow[], names: readonly BodyName[]): Promise<Buffer[]> {
  const stored = rows.flatMap(({ content }) => (content === undefined || names.length === 0 ? [] : [content]));
  if (stored.length === 0) return rows.map(() => Buffer.alloc(0));
  const bytes = stored.reduce((sum, content) => sum + content.bytes, 0);
  return readBudget.run(bytes, async () => {
    const documents = await blobs.getMany(stored.map(({ sha256 }) => sha256)).catch(() => undefined);
    // Read again one by one, so that the error names the page.
    if (documents === undefined) return Promise.all(rows.map((row) => readStored(blobs, row, names)));
    const fields = new Set(names.map((name) => FIELDS[name]));
    const byHash = new Map(stored.map(({ sha256 }, at) => [sha256, documents[at]]));
    return rows.map(({ content }) => {
      const document = content && byHash.get(content.sha256);
      return document === undefined ? Buffer.alloc(0) : selectFields(document, fields);
    });
  });
}

/** Bytes of the bodies of one response. It ends early instead of exceeding them, and states that there is more. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
/** Stored bytes that are read at the same time; a single page may have more. */
const READ_BYTES = 16 * 1024 * 1024;
const READS_AT_ONCE = 16;

/** Returns the first of these pages with their bodies: as many as fit into one response, at least one. */
export async function readFirstBodies<T extends { readonly row: PageRow }>(
  blobs: BlobStore,
  pages: readonly T[],
  names: readonly BodyName[],
): Promise<{ readonly page: T; readonly bodies: Buffer }[]> {
  const read: { readonly page: T; readonly bodies: Buffer }[] = [];
  let bytes = 0;
  for (let from = 0; from < pages.length; ) {
    const piece = firstWithin(pages.slice(from, from + READS_AT_ONCE));
    const bodies = await readBodiesOf(
      blobs,
      piece.map(({ row }) => row),
      names,
    );
    for (const [at, page] of piece.entries()) {
      const body = bodies[at] ?? Buffer.alloc(0);
      bytes += body.length;
      if (read.length > 0 && bytes > MAX_RESPONSE_BYTES) return read;
      read.push({ page, bodies: body });
    }
    from += piece.length;
  }
  return read;
}

/** Returns the first pages whose stored bodies have `READ_BYTES` together, at least one. */
export function firstWithin<T extends { readonly row: PageRow }>(pages: readonly T[]): readonly T[] {
  let bytes = 0;
  const end = pages.findIndex(({ row }, at) => {
    bytes += row.content?.bytes ?? 0;
    return at > 0 && bytes > READ_BYTES;
  });
  return end === -1 ? pages : pages.slice(0, end);
}

function missing(row: PageRow, error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  throw new AppError('internal', `the content of page ${row.id} is missing from the blob store`, { cause: error });
}
