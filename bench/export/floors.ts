import type { BlobStore } from '@tidemark/blobs';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import pLimit from 'p-limit';
import type pg from 'pg';
import type { BenchRun } from '../archive/rows.ts';

const READS_AT_ONCE = 16;
const CHUNK = 64 * 1024;

/** CPU milliseconds of the parts that no export can avoid, measured in this process. */
export interface Floors {
  /** Each document read from the blob store, verified and decoded once. */
  readonly readMs: number;
  /** Rows as JSON texts in chunks of 64 KB. */
  readonly writeMs: number;
}

/** Measures the floors of a run. */
export async function measureFloors(pool: pg.Pool, blobs: BlobStore, run: BenchRun): Promise<Floors> {
  const { rows } = await pool.query<{ row: Buffer }>('SELECT row FROM archive.pages WHERE job_id = $1', [run.runId]);
  const { PageRow } = await import('@tidemark/contracts/page/v1/page');
  const pages = rows.map(({ row }) => PageRow.decode(row));
  const limit = pLimit(READS_AT_ONCE);
  const readStart = process.cpuUsage();
  const bodies = await limit.map(pages, async ({ content }) =>
    content === undefined ? undefined : PageBodies.decode(await blobs.get(content.sha256)),
  );
  const readMs = cpuSince(readStart);
  const objects = pages.map((page, at) => ({ ...page, markdown: bodies[at]?.markdown }));
  const writeStart = process.cpuUsage();
  let text = '';
  let bytes = 0;
  for (const object of objects) {
    text += `${JSON.stringify(object)}\n`;
    if (text.length < CHUNK) continue;
    bytes += Buffer.from(text).length;
    text = '';
  }
  if (bytes === 0) throw new Error('nothing was written');
  return { readMs, writeMs: cpuSince(writeStart) };
}

function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
