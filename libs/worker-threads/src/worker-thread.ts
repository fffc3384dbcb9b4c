import { Worker } from 'node:worker_threads';
import { codeOf, messageOf } from '@tidemark/errors';
import { ThreadFailure } from './thread-failure.ts';
import type { PostedRequest, ThreadMessage } from './thread-message.ts';

/** Limits of one thread. */
export interface ThreadLimits {
  /** Maximum size of the heap, MB (V8's old generation). */
  readonly heapMb: number;
  /** Maximum memory outside the heap, MB, such as buffers of unpacked documents; V8's limits do not cover it. Absent: not limited. */
  readonly bufferMb?: number;
  /** Time for the start of the thread, ms. It does not count for the time limit of a task. */
  readonly startMs: number;
}

/**
 * Time limit of a task, from its start on the thread. By the `cpu` clock other load on the machine prolongs the task only,
 * up to five times the limit by the clock on the wall.
 */
export interface TimeLimit {
  readonly clock: 'cpu' | 'wall';
  readonly ms: number;
}

/** What is sent to the thread for a task. */
export interface Posting<Request> {
  readonly request: Request;
  readonly limit: TimeLimit;
  /** Buffers of the request that are transferred instead of copied. */
  readonly transfer?: readonly ArrayBuffer[];
}

/** A task that has been sent to a thread. */
export interface ThreadTask<Result, Interim> {
  onResult(result: Result): void;
  onInterim(interim: Interim): void;
  onFailure(error: unknown): void;
}

/** Calls of a thread to its pool. */
export interface ThreadEvents<Task> {
  /** The thread has loaded, or can take a task. `ended`: the task that ended, and its CPU time. */
  onFree(ended?: { readonly task: Task; readonly cpuMs: number }): void;
  /** The thread can not be used any more. */
  onEnd(failure: ThreadFailure): void;
}

interface Posted<Task> {
  readonly id: number;
  readonly task: Task;
  readonly limit: TimeLimit;
}

interface Running<Task> extends Posted<Task> {
  readonly startedAtMs: number;
  timer: NodeJS.Timeout;
}

/** Wall time after which a task with a limit of CPU time ends, in limits. */
const WALL_FACTOR = 5;
const LEAST_RECHECK_MS = 50;
const MEGABYTE = 1_048_576;
/** Size of the young generation, MB. */
const YOUNG_MB = 32;

/** One worker thread: the task that it runs, the task sent behind it, and their limits. */
export class WorkerThread<Task extends ThreadTask<Result, Interim>, Request, Result, Interim> {
  readonly #limits: ThreadLimits;
  readonly #events: ThreadEvents<Task>;
  readonly #worker: Worker;
  #startTimer: NodeJS.Timeout;
  #running: Running<Task> | undefined;
  /** Already sent to the thread, so that it does not idle between two tasks. */
  #next: Posted<Task> | undefined;
  /** CPU time of the thread when the current task began, ms. */
  #cpuMs = 0;
  #nextId = 1;
  #isReady = false;

  constructor(module: URL, workerData: unknown, limits: ThreadLimits, events: ThreadEvents<Task>) {
    this.#limits = limits;
    this.#events = events;
    this.#worker = new Worker(module, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: YOUNG_MB, stackSizeMb: 4 },
      execArgv: module.pathname.endsWith('.ts')
        ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning']
        : [],
    });
    // Worker threads alone must not keep the process alive.
    this.#worker.unref();
    this.#worker.on('message', (message: ThreadMessage<Result, Interim>) => this.#onMessage(message));
    this.#worker.on('error', (error) => this.#end(failureOf(error)));
    this.#worker.on('exit', () => this.#end(new ThreadFailure('exit', 'the thread ended')));
    const notStarted = new ThreadFailure('start', `the thread did not start within ${limits.startMs} ms`);
    this.#startTimer = setTimeout(() => this.#events.onEnd(notStarted), limits.startMs);
  }

  /** True once the thread has loaded. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get current(): Task | undefined {
    return this.#running?.task;
  }

  /** The time limit of the current task, ms. */
  get currentLimitMs(): number {
    return this.#running?.limit.ms ?? 0;
  }

  /** The task that has been sent and not started. */
  get next(): Task | undefined {
    return this.#next?.task;
  }

  get isIdle(): boolean {
    return this.#isReady && this.#running === undefined;
  }

  /** True while a task runs and none is sent behind it. */
  get hasRoom(): boolean {
    return this.#running !== undefined && this.#next === undefined;
  }

  /** Sends a task: it starts once the thread has loaded and the current task has ended. */
  post(task: Task, { request, limit, transfer = [] }: Posting<Request>): void {
    const posted: Posted<Task> = { id: this.#nextId++, task, limit };
    const message: PostedRequest<Request> = { id: posted.id, request };
    this.#worker.postMessage(message, transfer);
    if (this.isIdle) this.#begin(posted);
    else this.#next = posted;
  }

  #onMessage(message: ThreadMessage<Result, Interim>): void {
    if (message.kind === 'ready') {
      clearTimeout(this.#startTimer);
      this.#isReady = true;
      this.#cpuMs = message.cpuMs;
      this.#beginNext();
      this.#events.onFree();
      return;
    }
    const running = this.#running;
    if (running === undefined || running.id !== message.id) return;
    const { task } = running;
    if (message.kind === 'interim') {
      task.onInterim(message.interim);
      return;
    }
    clearTimeout(running.timer);
    const cpuMs = message.cpuMs - this.#cpuMs;
    this.#cpuMs = message.cpuMs;
    this.#running = undefined;
    this.#beginNext();
    if (message.kind === 'result') task.onResult(message.result);
    else task.onFailure(new ThreadFailure('error', message.message));
    this.#events.onFree({ task, cpuMs });
  }

  #beginNext(): void {
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) this.#begin(next);
  }

  /** Starts the time limit when the thread starts the task. */
  #begin(posted: Posted<Task>): void {
    const running: Running<Task> = {
      id: posted.id,
      task: posted.task,
      limit: posted.limit,
      startedAtMs: performance.now(),
      timer: setTimeout(() => void this.#checkTime(running), posted.limit.ms),
    };
    this.#running = running;
  }

  async #checkTime(running: Running<Task>): Promise<void> {
    const { clock, ms } = running.limit;
    const leftMs = clock === 'cpu' ? ms - (await this.#usedCpuMs()) : 0;
    if (this.#running !== running) return;
    const leftWallMs = ms * WALL_FACTOR - (performance.now() - running.startedAtMs);
    if (leftMs <= 0 || leftWallMs <= 0) {
      this.#end(new ThreadFailure('time', `the task took longer than ${ms} ms`));
      return;
    }
    running.timer = setTimeout(
      () => void this.#checkTime(running),
      Math.min(Math.max(leftMs, LEAST_RECHECK_MS), leftWallMs),
    );
  }

  /** CPU time of the current task, ms; infinite if the thread has ended. */
  async #usedCpuMs(): Promise<number> {
    try {
      const { user, system } = await this.#worker.cpuUsage();
      return (user + system) / 1_000 - this.#cpuMs;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }

  /** Ends the thread if its buffers exceed their limit. A task that began after `startedBefore` is not checked. */
  checkMemory(startedBefore: number): void {
    const running = this.#running;
    const { bufferMb } = this.#limits;
    if (bufferMb === undefined || running === undefined || running.startedAtMs > startedBefore) return;
    this.#worker.getHeapStatistics().then(
      ({ external_memory: bytes }) => {
        if (this.#running !== running || bytes < bufferMb * MEGABYTE) return;
        this.#end(new ThreadFailure('memory', `${Math.round(bytes / MEGABYTE)} MB of buffers`));
      },
      // The thread has ended, which its exit handler handles.
      () => undefined,
    );
  }

  #end(failure: ThreadFailure): void {
    this.#events.onEnd(this.#isReady ? failure : new ThreadFailure('start', failure.message));
  }

  /** Ends the thread. A busy thread does not end at once. */
  terminate(): Promise<number> {
    clearTimeout(this.#startTimer);
    clearTimeout(this.#running?.timer);
    return this.#worker.terminate();
  }
}

function failureOf(error: unknown): ThreadFailure {
  const message = messageOf(error);
  return new ThreadFailure(codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'exit', message);
}
