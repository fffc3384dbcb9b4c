import { Worker } from 'node:worker_threads';
import { AppError } from '@tidemark/errors';
import type { KeptReading } from './keep-bodies.ts';
import { READ_PRIORITIES, type ReadPriority } from './read-priority.ts';
import type { ReadTask } from './read-task.ts';
import type { ReaderData, ReaderMessage } from './read-worker.ts';
import type { StoredResult, StoredTask } from './stored-task.ts';

/** A page that could not be read within the limits of time or memory. A result, not an error of this service. */
export class Unreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unreadable';
  }
}

/** The message that ends a task. */
type TaskMessage = Extract<ReaderMessage, { readonly id: number }>;

interface QueuedTask {
  readonly work: { readonly task: ReadTask } | { readonly stored: StoredTask };
  readonly onMessage: (message: TaskMessage) => void;
  readonly reject: (error: Error) => void;
  /** Aborted when the caller has disconnected. A task that has not started is then dropped. */
  readonly signal?: AbortSignal | undefined;
}

interface Task extends QueuedTask {
  readonly id: number;
}

interface Reader {
  readonly worker: Worker;
  /** True once loaded. A page's deadline does not include the start of its thread. */
  isReady: boolean;
  current: (Task & { readonly timer: NodeJS.Timeout; readonly startedAtMs: number }) | undefined;
  /** Already posted to the thread, so that it does not idle between two pages. */
  next: { readonly task: Task; readonly priority: ReadPriority } | undefined;
}

export interface ReadPoolOptions {
  readonly threads: number;
  /** Deadline per page, ms. The slowest real page takes less than 2,000. */
  readonly pageDeadlineMs?: number;
  readonly heapMb?: number;
  /**
   * Limit for memory outside the heap, MB, such as buffers of unpacked documents. V8's resource limits do not cover it.
   */
  readonly bufferMb?: number;
  /** Blob store in which the threads store bodies. */
  readonly blobUrl?: string | undefined;
}

/** Interval of the memory check of busy threads, ms. */
const MEMORY_CHECK_MS = 200;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './read-worker.ts' : './read-worker.js', import.meta.url);

/** Reads pages on worker threads. A page that hangs or exhausts its thread ends only that thread, which is replaced. */
export class ReadPool {
  readonly #options: Required<Omit<ReadPoolOptions, 'blobUrl'>> & Pick<ReadPoolOptions, 'blobUrl'>;
  readonly #readers = new Set<Reader>();
  readonly #queued: Record<ReadPriority, QueuedTask[]> = { interactive: [], stored: [], batch: [], run: [] };
  /** Threads being terminated. A busy thread does not end at once. */
  readonly #ending = new Set<Promise<number>>();
  readonly #memoryCheck: NodeJS.Timeout;
  #nextId = 1;
  #dispatched = 0;
  #closed = false;

  constructor(options: ReadPoolOptions) {
    this.#options = { pageDeadlineMs: 8_000, heapMb: 512, bufferMb: 400, ...options };
    for (let i = 0; i < options.threads; i += 1) this.#spawn();
    this.#memoryCheck = setInterval(() => this.#checkMemory(), MEMORY_CHECK_MS).unref();
  }

  /** @throws Unreadable if the page exceeds the limits of a reader */
  read(task: ReadTask, priority: ReadPriority = 'interactive'): Promise<KeptReading> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: TaskMessage) =>
        'result' in message ? resolve(message.result) : reject(unreadable(message));
      this.#enqueue(priority, { work: { task }, onMessage, reject });
    });
  }

  /**
   * @throws Unreadable if the page exceeds the limits of a reader; AppError unavailable if the caller disconnected
   * before the task started
   */
  runStored(stored: StoredTask, priority: ReadPriority, signal?: AbortSignal): Promise<StoredResult> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: TaskMessage) =>
        'stored' in message ? resolve(message.stored) : reject(unreadable(message));
      this.#enqueue(priority, { work: { stored }, onMessage, reject, signal });
    });
  }

  #enqueue(priority: ReadPriority, queued: QueuedTask): void {
    this.#queued[priority].push(queued);
    this.#dispatch();
  }

  #spawn(): void {
    const workerData: ReaderData = { blobUrl: this.#options.blobUrl };
    const worker = new Worker(WORKER, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Reader threads alone must not keep the process alive.
    worker.unref();
    const reader: Reader = { worker, isReady: false, current: undefined, next: undefined };
    this.#readers.add(reader);
    worker.on('message', (message: ReaderMessage) => {
      if ('ready' in message) {
        reader.isReady = true;
        return this.#dispatch();
      }
      const current = reader.current;
      if (current === undefined || current.id !== message.id) return;
      clearTimeout(current.timer);
      reader.current = undefined;
      if (reader.next !== undefined) this.#begin(reader, reader.next.task);
      reader.next = undefined;
      current.onMessage(message);
      this.#dispatch();
    });
    worker.on('error', (error) => this.#replace(reader, `the page exhausted its reader: ${error.message}`));
    worker.on('exit', () => this.#replace(reader, 'the page ended its reader'));
  }

  #replace(reader: Reader, reason: string): void {
    if (!this.#readers.delete(reader)) return;
    const ending = reader.worker.terminate().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
    if (reader.current !== undefined) {
      clearTimeout(reader.current.timer);
      reader.current.reject(new Unreadable(reason));
    }
    // The queued task has not been started.
    if (reader.next !== undefined) this.#queued[reader.next.priority].unshift(reader.next.task);
    if (this.#closed) return;
    this.#spawn();
    this.#dispatch();
  }

  /** Ends threads whose document exceeds the buffer limit. Ordinary pages finish before the first check. */
  #checkMemory(): void {
    const startedBefore = performance.now() - MEMORY_CHECK_MS;
    for (const reader of this.#readers) {
      const { current, worker } = reader;
      if (current === undefined || current.startedAtMs > startedBefore) continue;
      worker.getHeapStatistics().then(
        ({ external_memory: bytes }) => {
          if (reader.current !== current || bytes < this.#options.bufferMb * 1_048_576) return;
          this.#replace(reader, `the page exhausted its reader: ${Math.round(bytes / 1_048_576)} MB of buffers`);
        },
        // The thread has ended, which its exit handler handles.
        () => undefined,
      );
    }
  }

  /** Every eighth task comes from the lowest priority class, so that none starves. */
  #next(): { task: Task; priority: ReadPriority } | undefined {
    this.#dispatched += 1;
    const priorities = this.#dispatched % 8 === 0 ? READ_PRIORITIES.toReversed() : READ_PRIORITIES;
    for (const priority of priorities) {
      const next = this.#firstOf(priority);
      if (next !== undefined) return { task: { ...next, id: this.#nextId++ }, priority };
    }
    return undefined;
  }

  #firstOf(priority: ReadPriority): QueuedTask | undefined {
    for (let next = this.#queued[priority].shift(); next !== undefined; next = this.#queued[priority].shift()) {
      if (next.signal?.aborted !== true) return next;
      next.reject(new AppError('unavailable', 'the caller disconnected before the page was read'));
    }
    return undefined;
  }

  /**
   * Fills idle threads first, then gives each thread one queued task that is not interactive, because it may wait there
   * for long.
   */
  #dispatch(): void {
    for (const reader of this.#readers) {
      if (!reader.isReady || reader.current !== undefined) continue;
      const next = this.#next();
      if (next === undefined) return;
      this.#begin(reader, next.task);
      reader.worker.postMessage({ id: next.task.id, ...next.task.work });
    }
    for (const reader of this.#readers) {
      if (reader.current === undefined || reader.next !== undefined) continue;
      const next = this.#queued.interactive.length > 0 ? undefined : this.#next();
      if (next === undefined) return;
      reader.next = next;
      reader.worker.postMessage({ id: next.task.id, ...next.task.work });
    }
  }

  /** Starts the deadline when the thread starts the page. */
  #begin(reader: Reader, task: Task): void {
    const timer = setTimeout(() => {
      this.#replace(reader, `the page took longer than ${this.#options.pageDeadlineMs} ms to read`);
    }, this.#options.pageDeadlineMs);
    reader.current = { ...task, timer, startedAtMs: performance.now() };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#memoryCheck);
    await Promise.all([...this.#ending, ...[...this.#readers].map((reader) => reader.worker.terminate())]);
  }
}

const unreadable = (message: TaskMessage): Unreadable =>
  new Unreadable('error' in message ? message.error : 'the reader thread sent an unexpected message');
