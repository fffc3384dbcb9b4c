import { AppError } from '@tidemark/errors';
import type { ReadTask } from '@tidemark/page-reader';
import { ThreadFailure, ThreadPool, type ThreadPoolOptions, workerModule } from '@tidemark/worker-threads';
import type { KeptReading } from './keep-bodies.ts';
import type { ReadPriority } from './read-priority.ts';
import { type ReadOrder, ReadQueue } from './read-queue.ts';
import type { ReaderData, ReaderRequest, ReaderResult } from './read-worker.ts';
import type { StoredResult, StoredTask } from './stored-task.ts';

/** A page that could not be read within the limits of time or memory. A result, not an error of this service. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

export interface ReadPoolOptions {
  readonly threads: number;
  /** Limit of CPU time per page, ms; default 8,000. The slowest real page takes less than 2,000. */
  readonly pageDeadlineMs?: number;
  readonly heapMb?: number;
  /** Limit for memory outside the heap, MB. */
  readonly bufferMb?: number;
  /** Blob store in which the threads store bodies. */
  readonly blobUrl?: string | undefined;
}

/** The position of a task in the queue, and its caller. */
export interface StoredOrder extends ReadOrder {
  /** Aborted when the caller has disconnected. A task that has not started is then dropped. */
  readonly signal?: AbortSignal;
}

/** Size of a page, bytes, above which it is read on a thread for large pages. Reading this size takes about 80 ms. */
export const LARGE_BYTES = 512 * 1024;
/** Large pages yield the cores to everything else. */
const LARGE_NICE = 5;
const LARGE_IDLE_MS = 60_000;
/** Time for the start of a thread, ms. */
const START_MS = 30_000;

const MODULE = workerModule('./read-worker', import.meta.url);

type ReaderPool = ThreadPool<ReaderRequest, ReaderResult, never, ReadOrder>;

/** Reads pages on worker threads. Large pages have threads of their own, so that a small page never waits for one. */
export class ReadPool {
  readonly #pageDeadlineMs: number;
  readonly #small: ReaderPool;
  readonly #large: ReaderPool;

  constructor({ threads, pageDeadlineMs = 8_000, heapMb = 512, bufferMb = 400, blobUrl }: ReadPoolOptions) {
    this.#pageDeadlineMs = pageDeadlineMs;
    const poolOf = (threads: number, life: ThreadPoolOptions<ReaderRequest, ReaderResult>['life'], nice: number) => {
      const workerData: ReaderData = { blobUrl, nice };
      return new ThreadPool<ReaderRequest, ReaderResult, never, ReadOrder>({
        module: MODULE,
        workerData,
        threads,
        life,
        limits: { heapMb, bufferMb, startMs: START_MS },
        queue: new ReadQueue(),
        // Captures in progress and their memory are limited before they reach this queue.
        maxWaiting: Number.POSITIVE_INFINITY,
        isPostedBehind: true,
      });
    };
    this.#small = poolOf(threads, { kind: 'kept' }, 0);
    const largeThreads = Math.max(1, Math.floor(threads / 2));
    this.#large = poolOf(largeThreads, { kind: 'on_demand', idleMs: LARGE_IDLE_MS }, LARGE_NICE);
  }

  /** @throws Unreadable if the page exceeds the limits of a reader; AppError unavailable if the pool is closed */
  async read(task: ReadTask, priority: ReadPriority = 'interactive', workspaceId = ''): Promise<KeptReading> {
    const result = await this.#run(task.body.length, { task }, { priority, workspaceId });
    if (!('reading' in result)) throw new Unreadable('the reader thread sent an unexpected message');
    return result.reading;
  }

  /**
   * @throws Unreadable if the page exceeds the limits of a reader; AppError unavailable if the caller disconnected
   * before the task started, or the pool is closed
   */
  async runStored(stored: StoredTask, order: StoredOrder): Promise<StoredResult> {
    const result = await this.#run(stored.bytes ?? 0, { stored }, order);
    if (!('stored' in result)) throw new Unreadable('the reader thread sent an unexpected message');
    return result.stored;
  }

  async #run(bytes: number, request: ReaderRequest, order: StoredOrder): Promise<ReaderResult> {
    const pool = bytes > LARGE_BYTES ? this.#large : this.#small;
    const limit = { clock: 'cpu', ms: this.#pageDeadlineMs } as const;
    try {
      return await pool.run({ order, post: () => ({ request, limit }), dropSignal: order.signal });
    } catch (error) {
      throw error instanceof ThreadFailure ? readFailure(error, this.#pageDeadlineMs) : error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#small.close(), this.#large.close()]);
  }
}

function readFailure({ kind, message }: ThreadFailure, pageDeadlineMs: number): Error {
  if (kind === 'dropped') return new AppError('unavailable', 'the caller disconnected before the page was read');
  if (kind === 'closed' || kind === 'start' || kind === 'full')
    return new AppError('unavailable', 'no reader thread is available', { retryAfterSeconds: 5 });
  if (kind === 'time') return new Unreadable(`the page took longer than ${pageDeadlineMs} ms to read`);
  if (kind === 'memory') return new Unreadable(`the page exhausted its reader: ${message}`);
  if (kind === 'exit') return new Unreadable('the page ended its reader');
  return new Unreadable(message);
}
