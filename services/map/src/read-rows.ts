import type { BlobStore } from '@tidemark/blobs';
import { z } from 'zod';
import type { Job } from './domain/job.ts';
import type { Row } from './domain/tree.ts';
import { MAX_ANSWER_BYTES, ROWS_A_DOCUMENT } from './row-book.ts';

const Rows = z.array(
  z.object({
    url: z.string(),
    lastmod: z.string(),
    changefreq: z.string(),
    source: z.enum(['sitemap', 'feed', 'link']),
    file: z.string(),
    section: z.string(),
  }),
);
/** Rows of a finished map from after so many on: opens only the documents that hold them. */
export async function readRows(blobs: BlobStore, job: Job, after: number, limit: number): Promise<Row[]> {
  const end = Math.min(after + limit, job.rows);
  const found: Row[] = [];
  for (let at = after; at < end; ) {
    const number = Math.floor(at / ROWS_A_DOCUMENT);
    const name = job.rowBlobs[number];
    if (name === undefined) break;
    const first = number * ROWS_A_DOCUMENT;
    found.push(...Rows.parse(JSON.parse((await blobs.get(name)).toString('utf8'))).slice(at - first, end - first));
    at = first + ROWS_A_DOCUMENT;
  }
  return found;
}

/** The first documents of a finished map as they are kept, as many as one answer may hold. */
export async function readDocuments(blobs: BlobStore, job: Job): Promise<Buffer[]> {
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
