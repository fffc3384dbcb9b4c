import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import { RankedQueue, type TaskOptions, ThreadPool, workerModule } from '@tidemark/worker-threads';
import type { ParquetRequest, ParquetResponse } from './parquet-messages.ts';

const MODULE = workerModule('./parquet-worker', import.meta.url);
/** Time for the start of the thread, ms. */
const START_MS = 60_000;
const HEAP_MB = 192;
/** Size of the rows of a group, characters of JSON: larger groups compress little better and hold more memory. */
const GROUP_SIZE = 4 * 1024 * 1024;
const MAX_GROUP_ROWS = 20_000;
const GROUP_TIMEOUT_MS = 60_000;

/** Encodes batches of rows as one Parquet file with ZSTD pages. A worker thread encodes: a group takes some 50 ms. */
export async function* encodeParquet(
  batches: AsyncIterable<readonly Row[]>,
  columns: readonly Column[],
): AsyncGenerator<Uint8Array> {
  await using stack = new AsyncDisposableStack();
  const thread = new ThreadPool<ParquetRequest, ParquetResponse>({
    module: MODULE,
    workerData: { columns },
    threads: 1,
    life: { kind: 'stateful' },
    limits: { heapMb: HEAP_MB, startMs: START_MS },
    queue: new RankedQueue(),
    maxWaiting: 1,
  });
  stack.defer(() => thread.close());
  for await (const rows of groupsOf(batches)) yield (await thread.run(taskOf({ rows }))).chunk;
  yield (await thread.run(taskOf({ rows: undefined }))).chunk;
}

const taskOf = (request: ParquetRequest): TaskOptions<ParquetRequest> => ({
  order: 0,
  post: () => ({ request, limit: { clock: 'wall', ms: GROUP_TIMEOUT_MS } }),
});

/** Joins batches to groups of GROUP_SIZE. */
async function* groupsOf(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<readonly Row[]> {
  let group: Row[] = [];
  let size = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      group.push(row);
      size += sizeOf(row);
      if (size < GROUP_SIZE && group.length < MAX_GROUP_ROWS) continue;
      yield group;
      group = [];
      size = 0;
    }
  }
  if (group.length > 0) yield group;
}

/** An estimate: long texts decide the size of a row. */
function sizeOf(row: Row): number {
  let size = 0;
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 16;
  return size;
}
