import type { BlobStore } from '@tidemark/blobs';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';

/** Of PageBodies. */
const MARKDOWN_FIELD = 1;
const LENGTH_DELIMITED = 2;

/** Reads a varint at `at`. @returns its value and its end; undefined without one */
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

/** Decodes only the markdown of a PageBodies message: decoding all bodies costs several times as much. */
export function markdownOf(bodies: Buffer): string | undefined {
  let markdown: string | undefined;
  for (let at = 0; at < bodies.length; ) {
    const tag = varint(bodies, at);
    const length = tag === undefined ? undefined : varint(bodies, tag.end);
    // All fields are length-delimited; another wire type is not a PageBodies message.
    if (tag === undefined || length === undefined || tag.value % 8 !== LENGTH_DELIMITED) return markdown;
    at = length.end + length.value;
    if (tag.value >> 3 === MARKDOWN_FIELD) markdown = bodies.toString('utf8', length.end, at);
  }
  return markdown;
}

/** Reads the markdown of a page. @returns undefined if it has none, or its blob is deleted */
export async function readMarkdown(blobs: BlobStore, row: PageRow): Promise<string | undefined> {
  if (row.content === undefined) return undefined;
  try {
    return markdownOf(await blobs.get(row.content.sha256));
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'internal')) return undefined;
    throw error;
  }
}
