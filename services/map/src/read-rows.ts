import type { Documents } from './documents.ts';
import type { Job } from './domain/job.ts';
import type { Row } from './domain/tree.ts';
import { MAX_ANSWER_BYTES, ROWS_A_DOCUMENT } from './row-book.ts';
import { parseRows } from './row-document.ts';

/** Rows of a finished map from after so many on: opens only the documents that hold them. */
export async function readRows(blobs: Documents, job: Job, after: number, limit: number): Promise<Row[]> {
  const end = Math.min(after + limit, job.rows);
  const found: Row[] = [];
  for (let at = after; at < end; ) {
    const number = Math.floor(at / ROWS_A_DOCUMENT);
    const name = job.rowBlobs[number];
    if (name === undefined) break;
    const first = number * ROWS_A_DOCUMENT;
    found.push(...parseRows(await blobs.get(name)).slice(at - first, end - first));
    at = first + ROWS_A_DOCUMENT;
  }
  return found;
}

/** The first documents of a finished map as they are kept, as many as one answer may hold. */
export async function readDocuments(blobs: Documents, job: Job): Promise<Buffer[]> {
  const found: Buffer[] = [];
  let bytes = 0;
  for (const name of job.rowBlobs) {
    const document = await blobs.get(name);
    bytes += document.length;
    if (bytes > MAX_ANSWER_BYTES) break;
    found.push(document);
  }
  return found;
}
