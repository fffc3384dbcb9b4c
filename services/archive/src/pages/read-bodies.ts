import type { BlobStore } from '@tidemark/blobs';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';

type Copy = (from: PageBodies, to: PageBodies) => void;

const COPIES = {
  markdown: (from, to) => (to.markdown = from.markdown),
  text: (from, to) => (to.text = from.text),
  cleanHtml: (from, to) => (to.cleanHtml = from.cleanHtml),
  rawHtml: (from, to) => (to.rawHtml = from.rawHtml),
  links: (from, to) => (to.linksJson = from.linksJson),
  head: (from, to) => (to.headJson = from.headJson),
  fields: (from, to) => (to.fieldsJson = from.fieldsJson),
  blocks: (from, to) => (to.blocks = from.blocks),
} as const satisfies Record<string, Copy>;

export type BodyName = keyof typeof COPIES;

export const isBodyName = (name: string): name is BodyName => Object.hasOwn(COPIES, name);

/**
 * Returns the requested bodies as PageBodies bytes, from the document that holds all of them. Empty if the page has none.
 * @throws AppError internal if the row references a document that is missing
 */
export async function readBodies(blobs: BlobStore, row: PageRow, names: readonly BodyName[]): Promise<Buffer> {
  if (row.content === undefined || names.length === 0) return Buffer.alloc(0);
  const stored = PageBodies.decode(await blobs.get(row.content.sha256).catch((error: unknown) => missing(row, error)));
  const bodies = PageBodies.create();
  for (const name of names) COPIES[name](stored, bodies);
  return Buffer.from(PageBodies.encode(bodies).finish());
}

function missing(row: PageRow, error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  throw new AppError('internal', `the content of page ${row.id} is missing from the blob store`, { cause: error });
}
