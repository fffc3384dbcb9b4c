import type { BlobStore } from '@tidemark/blobs';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';

/** Of PageBodies. */
const MARKDOWN_FIELD = 1;
const LENGTH_DELIMITED = 2;

/** @returns the number at `at`, and where it ends; undefined where there is none */
function varint(bytes: Uint8Array, at: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 6; i += 1) {
    const byte = bytes[at + i];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
  return undefined;
}

/** The markdown of a PageBodies message alone: made of all its bodies, strings cost several times as much. */
export function markdownOf(bodies: Buffer): string | undefined {
  let markdown: string | undefined;
  for (let at = 0; at < bodies.length; ) {
    const tag = varint(bodies, at);
    const length = tag === undefined ? undefined : varint(bodies, tag.end);
    // Every body is text or bytes: anything else is not a message of this kind.
    if (tag === undefined || length === undefined || tag.value % 8 !== LENGTH_DELIMITED) return markdown;
    at = length.end + length.value;
    if (tag.value >> 3 === MARKDOWN_FIELD) markdown = bodies.toString('utf8', length.end, at);
  }
  return markdown;
}

/** A page's markdown. @returns undefined where it has none, or it is gone */
export async function readMarkdown(blobs: BlobStore, row: PageRow): Promise<string | undefined> {
  if (row.content === undefined) return undefined;
  try {
    return markdownOf(await blobs.get(row.content.sha256));
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'internal')) return undefined;
    throw error;
  }
}
