import { Worker } from 'node:worker_threads';
import type { ReadTask } from '@tidemark/page-reader';
import type { ReadPriority } from './read-priority.ts';
import type { ReaderData, ReaderMessage, ReaderRequest } from './read-worker.ts';
import type { StoredTask } from './stored-task.ts';

/** The message that ends a task. */
export type TaskMessage = Extract<ReaderMessage, { readonly id: number }>;

/** A task that waits for a thread. */
export interface QueuedTask {
  readonly work: { readonly task: ReadTask } | { readonly stored: StoredTask };
  readonly onMessage: (message: TaskMessage) => void;
  readonly reject: (error: Error) => void;
  /** Aborted when the caller has disconnected. A task that has not started is then dropped. */
  readonly signal?: AbortSignal | undefined;
}

/** A task that was given to a thread. */
export interface PostedTask extends QueuedTask {
  readonly id: number;
  readonly workspaceId: string;
  readonly priority: ReadPriority;
}

export interface ReaderLimits {
  /** CPU time per page, ms. The slowest real page takes less than 2,000. */
  readonly pageDeadlineMs: number;
  readonly heapMb: number;
  /** Limit for memory outside the heap, MB, such as buffers of unpacked documents. V8's resource limits do not cover it. */
  readonly bufferMb: number;
  /** Blob store in which the threads store bodies. */
  readonly blobUrl: string | undefined;
  /** Added to the nice value of the process, so that the thread yields its core to the others; 0: none. */
  readonly nice: number;
}

/** Calls of a thread to its pool. */
export interface ReaderEvents {
  /** The thread is idle, or has room for another task. `ended`: the task that ended, and its CPU time. */
  onFree(ended?: { readonly task: PostedTask; readonly cpuMs: number }): void;
  /** The thread has to be replaced. */
  onEnd(reader: ReaderThread, reason: string): void;
}

interface Current {
  readonly task: PostedTask;
  readonly startedAtMs: number;
  timer: NodeJS.Timeout;
}

/** Wall time after which a page is given up whatever CPU time its thread got, in deadlines. */
const WALL_FACTOR = 5;
const LEAST_RECHECK_MS = 50;
const MEGABYTE = 1_048_576;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './read-worker.ts' : './read-worker.js', import.meta.url);

/** One reader thread: the page it reads, the page posted behind it, and their limits. */
export class ReaderThread {
  readonly #limits: ReaderLimits;
  readonly #events: ReaderEvents;
  readonly #worker: Worker;
  #current: Current | undefined;
  /** Already posted to the thread, so that it does not idle between two pages. */
  #next: PostedTask | undefined;
  /** CPU time of the thread when the current page began, ms. */
  #cpuMs = 0;
  /** True once loaded. A page's deadline does not include the start of its thread. */
  isReady = false;

  constructor(limits: ReaderLimits, events: ReaderEvents) {
    this.#limits = limits;
    this.#events = events;
    const workerData: ReaderData = { blobUrl: limits.blobUrl, nice: limits.nice };
    this.#worker = new Worker(WORKER, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // Reader threads alone must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: ReaderMessage) => this.#onMessage(message));
    this.#worker.on('error', (error) => events.onEnd(this, `the page exhausted its reader: ${error.message}`));
    this.#worker.on('exit', () => events.onEnd(this, 'the page ended its reader'));
  }

  get current(): PostedTask | undefined {
    return this.#current?.task;
  }

  get next(): PostedTask | undefined {
    return this.#next;
  }

  get isIdle(): boolean {
    return this.isReady && this.#current === undefined;
  }

  /** True while a page is read and none is posted behind it. */
  get hasRoom(): boolean {
    return this.#current !== undefined && this.#next === undefined;
  }

  /** Gives the thread a page: it begins now, or after the current one. */
  post(task: PostedTask): void {
    if (this.#current === undefined) this.#begin(task);
    else this.#next = task;
    const request: ReaderRequest = { id: task.id, ...task.work };
    this.#worker.postMessage(request);
  }

  #onMessage(message: ReaderMessage): void {
    if ('ready' in message) {
      this.isReady = true;
      this.#cpuMs = message.cpuMs;
      this.#events.onFree();
      return;
    }
    const current = this.#current;
    if (current === undefined || current.task.id !== message.id) return;
    clearTimeout(current.timer);
    const cpuMs = message.cpuMs - this.#cpuMs;
    this.#cpuMs = message.cpuMs;
    this.#current = undefined;
    if (this.#next !== undefined) this.#begin(this.#next);
    this.#next = undefined;
    current.task.onMessage(message);
    this.#events.onFree({ task: current.task, cpuMs });
  }

  /** Starts the deadline when the thread starts the page. */
  #begin(task: PostedTask): void {
    const current: Current = {
      task,
      startedAtMs: performance.now(),
      timer: setTimeout(() => void this.#checkDeadline(current), this.#limits.pageDeadlineMs),
    };
    this.#current = current;
  }

  /** Ends the page at its limit of CPU time. Other load on the machine prolongs its wall time only. */
  async #checkDeadline(current: Current): Promise<void> {
    const { pageDeadlineMs } = this.#limits;
    const { user, system } = await this.#worker.cpuUsage().catch(() => ({ user: Number.POSITIVE_INFINITY, system: 0 }));
    if (this.#current !== current) return;
    const leftMs = pageDeadlineMs - ((user + system) / 1_000 - this.#cpuMs);
    const wallMs = performance.now() - current.startedAtMs;
    if (leftMs <= 0 || wallMs >= pageDeadlineMs * WALL_FACTOR) {
      this.#events.onEnd(this, `the page took longer than ${pageDeadlineMs} ms to read`);
      return;
    }
    const recheckMs = Math.min(Math.max(leftMs, LEAST_RECHECK_MS), pageDeadlineMs * WALL_FACTOR - wallMs);
    current.timer = setTimeout(() => void this.#checkDeadline(current), recheckMs);
  }

  /** Ends the page if its buffers exceed their limit. A page that began after `startedBefore` is not checked. */
  checkMemory(startedBefore: number): void {
    const current = this.#current;
    if (current === undefined || current.startedAtMs > startedBefore) return;
    this.#worker.getHeapStatistics().then(
      ({ external_memory: bytes }) => {
        if (this.#current !== current || bytes < this.#limits.bufferMb * MEGABYTE) return;
        const reason = `the page exhausted its reader: ${Math.round(bytes / MEGABYTE)} MB of buffers`;
        this.#events.onEnd(this, reason);
      },
      // The thread has ended, which its exit handler handles.
      () => undefined,
    );
  }

  /** Ends the thread. A busy thread does not end at once. */
  terminate(): Promise<number> {
    clearTimeout(this.#current?.timer);
    return this.#worker.terminate();
  }
}
