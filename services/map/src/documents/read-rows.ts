import type { MapJob } from '../domain/job.ts';
import type { Row } from '../domain/tree.ts';
import type { DocumentStore } from './document-store.ts';
import { parseRows } from './row-document.ts';
import { MAX_RESPONSE_BYTES, ROWS_PER_DOCUMENT } from './row-writer.ts';

/** Returns up to `limit` rows of a finished map, starting at index `after`. Opens only the documents that contain them. */
export async function readRows(documents: DocumentStore, job: MapJob, after: number, limit: number): Promise<Row[]> {
  const end = Math.min(after + limit, job.rows);
  const found: Row[] = [];
  for (let at = after; at < end; ) {
    const index = Math.floor(at / ROWS_PER_DOCUMENT);
    const name = job.rowBlobs[index];
    if (name === undefined) break;
    const first = index * ROWS_PER_DOCUMENT;
    found.push(...parseRows(await documents.get(name)).slice(at - first, end - first));
    at = first + ROWS_PER_DOCUMENT;
  }
  return found;
}

/** Returns the first row documents of a finished map, up to `MAX_RESPONSE_BYTES`. */
export async function readFirstDocuments(documents: DocumentStore, job: MapJob): Promise<Buffer[]> {
  const found: Buffer[] = [];
  let bytes = 0;
  for (const name of job.rowBlobs) {
    const document = await documents.get(name);
    bytes += document.length;
    if (bytes > MAX_RESPONSE_BYTES) break;
    found.push(document);
  }
  return found;
}
