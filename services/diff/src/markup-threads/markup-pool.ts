import { Worker } from 'node:worker_threads';
import { outOfTime } from '../markup/compare-markup.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import type { SelectorSuggestion } from '../selectors/suggest-selector.ts';
import type { MarkupMessage, MarkupResult, MarkupTask } from './markup-worker.ts';

export interface MarkupPoolOptions {
  readonly threads: number;
  /** Time limit of a task, ms; then its thread is terminated. */
  readonly timeoutMs?: number;
  /** Maximum time in the queue, ms. */
  readonly maxWaitMs?: number;
  readonly maxWaiting?: number;
  readonly heapMb?: number;
}

interface QueuedTask {
  readonly id: number;
  readonly task: MarkupTask;
  /** Undefined: no result in time. */
  readonly complete: (answer: MarkupResult | undefined) => void;
  timer: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  current: QueuedTask | undefined;
}

/** Share of the time limit after which a comparison returns its partial result itself. */
const WORKER_SHARE = 0.8;

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './markup-worker.ts' : './markup-worker.js', import.meta.url);

/**
 * Worker threads that compare markup and suggest selectors, isolated from the event loop. Every task gets a result: one
 * that exceeds its limits, or finds no free thread, is reported as out_of_time. Threads start on demand.
 */
export class MarkupPool {
  readonly #options: Required<MarkupPoolOptions>;
  readonly #threads = new Set<Thread>();
  readonly #queued: QueuedTask[] = [];
  #nextId = 1;
  #closed = false;

  constructor(options: MarkupPoolOptions) {
    this.#options = { timeoutMs: 5_000, maxWaitMs: 5_000, maxWaiting: 50, heapMb: 512, ...options };
  }

  /** As `compareMarkup`. Never rejects. */
  async compare(before: string, after: string): Promise<MarkupDelta> {
    const deadlineMs = this.#options.timeoutMs * WORKER_SHARE;
    const answer = await this.#enqueue({ kind: 'compare', before, after, deadlineMs });
    return answer?.kind === 'compare' ? answer.delta : outOfTime();
  }

  /** As `suggestSelector`; undefined also after the time limit. Never rejects. */
  async suggest(
    before: readonly string[],
    after: readonly string[],
    selector: string,
  ): Promise<SelectorSuggestion | undefined> {
    const answer = await this.#enqueue({ kind: 'suggest', before, after, selector });
    return answer?.kind === 'suggest' ? answer.suggestion : undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const queued of this.#queued.splice(0)) complete(queued, undefined);
    await Promise.all([...this.#threads].map((thread) => this.#stop(thread)));
  }

  #enqueue(task: MarkupTask): Promise<MarkupResult | undefined> {
    if (this.#closed || this.#queued.length >= this.#options.maxWaiting) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const queued: QueuedTask = {
        id: this.#nextId++,
        task,
        complete: resolve,
        timer: setTimeout(() => {
          this.#queued.splice(this.#queued.indexOf(queued), 1);
          complete(queued, undefined);
        }, this.#options.maxWaitMs),
      };
      this.#queued.push(queued);
      this.#dispatch();
    });
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.current !== undefined) continue;
      const next = this.#queued.shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.timer = setTimeout(() => void this.#stop(thread), this.#options.timeoutMs);
      thread.current = next;
      thread.worker.postMessage({ id: next.id, task: next.task });
    }
    const starting = [...this.#threads].filter((thread) => !thread.isReady).length;
    if (!this.#closed && this.#queued.length > starting && this.#threads.size < this.#options.threads)
      this.#startThread();
  }

  #startThread(): void {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, stackSizeMb: 4 },
      execArgv: IS_SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
    });
    // The thread must not keep the process alive.
    worker.unref();
    const thread: Thread = { worker, isReady: false, current: undefined };
    this.#threads.add(thread);
    worker.on('message', (message: MarkupMessage) => {
      if ('ready' in message) thread.isReady = true;
      else if (thread.current?.id === message.id) {
        const done = thread.current;
        thread.current = undefined;
        complete(done, 'result' in message ? message.result : undefined);
      }
      this.#dispatch();
    });
    worker.on('error', () => void this.#stop(thread));
    worker.on('exit', () => void this.#stop(thread));
  }

  /** Terminates a thread and completes its task without a result; a new thread starts on demand. */
  async #stop(thread: Thread): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    if (thread.current !== undefined) complete(thread.current, undefined);
    const ended = thread.worker.terminate();
    this.#dispatch();
    await ended;
  }
}

function complete(queued: QueuedTask, answer: MarkupResult | undefined): void {
  clearTimeout(queued.timer);
  queued.complete(answer);
}
