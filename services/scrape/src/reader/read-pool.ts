import type { ReadTask } from '@tidemark/page-reader';
import type { KeptReading } from './keep-bodies.ts';
import type { ReadPriority } from './read-priority.ts';
import { ReaderGroup, Unreadable } from './reader-group.ts';
import type { TaskMessage } from './reader-thread.ts';
import type { StoredResult, StoredTask } from './stored-task.ts';

export { Unreadable } from './reader-group.ts';

export interface ReadPoolOptions {
  readonly threads: number;
  /** Limit of CPU time per page, ms; default 8,000. */
  readonly pageDeadlineMs?: number;
  readonly heapMb?: number;
  /** Limit for memory outside the heap, MB. */
  readonly bufferMb?: number;
  /** Blob store in which the threads store bodies. */
  readonly blobUrl?: string | undefined;
}

/** The position of a task in the queue. */
export interface ReadOrder {
  readonly priority: ReadPriority;
  /** Workspaces share the threads equally. */
  readonly workspaceId: string;
  /** Aborted when the caller has disconnected. */
  readonly signal?: AbortSignal;
}

/** Size of a page, bytes, above which it is read on a thread for large pages. Reading this size takes about 80 ms. */
export const LARGE_BYTES = 512 * 1024;
/** Large pages yield the cores to everything else. */
const LARGE_NICE = 5;
const LARGE_IDLE_MS = 60_000;

/** Reads pages on worker threads. Large pages have threads of their own, so that a small page never waits for one. */
export class ReadPool {
  readonly #small: ReaderGroup;
  readonly #large: ReaderGroup;

  constructor({ threads, ...options }: ReadPoolOptions) {
    const limits = { pageDeadlineMs: 8_000, heapMb: 512, bufferMb: 400, blobUrl: undefined, nice: 0, ...options };
    this.#small = new ReaderGroup({ ...limits, threads });
    const largeThreads = Math.max(1, Math.floor(threads / 2));
    this.#large = new ReaderGroup({ ...limits, threads: largeThreads, nice: LARGE_NICE, idleMs: LARGE_IDLE_MS });
  }

  /** @throws Unreadable if the page exceeds the limits of a reader */
  read(task: ReadTask, priority: ReadPriority = 'interactive', workspaceId = ''): Promise<KeptReading> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: TaskMessage) =>
        'result' in message ? resolve(message.result) : reject(unreadable(message));
      this.#groupOf(task.body.length).enqueue(workspaceId, priority, { work: { task }, onMessage, reject });
    });
  }

  /**
   * @throws Unreadable if the page exceeds the limits of a reader; AppError unavailable if the caller disconnected
   * before the task started
   */
  runStored(stored: StoredTask, { priority, workspaceId, signal }: ReadOrder): Promise<StoredResult> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: TaskMessage) =>
        'stored' in message ? resolve(message.stored) : reject(unreadable(message));
      const task = { work: { stored }, onMessage, reject, signal };
      this.#groupOf(stored.bytes ?? 0).enqueue(workspaceId, priority, task);
    });
  }

  #groupOf(bytes: number): ReaderGroup {
    return bytes > LARGE_BYTES ? this.#large : this.#small;
  }

  async close(): Promise<void> {
    await Promise.all([this.#small.close(), this.#large.close()]);
  }
}

const unreadable = (message: TaskMessage): Unreadable =>
  new Unreadable('error' in message ? message.error : 'the reader thread sent an unexpected message');
