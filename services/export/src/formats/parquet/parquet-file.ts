import { Worker } from 'node:worker_threads';
import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import type { ParquetRequest, ParquetResponse } from './parquet-messages.ts';

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './parquet-worker.ts' : './parquet-worker.js', import.meta.url);
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
  const worker = new Worker(WORKER, {
    workerData: { columns },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: 32 },
    execArgv: IS_SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
  });
  stack.defer(async () => void (await worker.terminate()));
  const thread = new EncodingThread(worker);
  for await (const rows of groupsOf(batches)) yield await thread.encode({ rows });
  yield await thread.encode({ rows: undefined });
}

/** Sends groups to the thread, one at a time. It keeps no response: the file would be held in memory. */
class EncodingThread {
  readonly #worker: Worker;
  #receive: (response: ParquetResponse | Error) => void = () => undefined;
  #ended: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    const end = (error: Error): void => {
      this.#ended ??= error;
      this.#receive(this.#ended);
    };
    worker.on('message', (response: ParquetResponse) => this.#receive(response));
    worker.once('error', end);
    worker.once('exit', () => end(new Error('the thread that writes the Parquet file has ended')));
  }

  async encode(request: ParquetRequest): Promise<Uint8Array> {
    if (this.#ended !== undefined) throw this.#ended;
    const { promise, resolve } = Promise.withResolvers<ParquetResponse | Error>();
    this.#receive = resolve;
    const timer = setTimeout(() => resolve(new Error('a group of the Parquet file took too long')), GROUP_TIMEOUT_MS);
    this.#worker.postMessage(request);
    const response = await promise;
    clearTimeout(timer);
    this.#receive = () => undefined;
    if (response instanceof Error) throw response;
    return response.chunk;
  }
}

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
