import { Worker } from 'node:worker_threads';
import { outOfTime } from '../markup/compare-markup.ts';
import type { MarkupDelta } from '../markup/markup-delta.ts';
import type { SelectorSuggestion } from '../selectors/suggest-selector.ts';
import type { MarkupMessage, MarkupResult, MarkupTask } from './markup-worker.ts';

export interface MarkupPoolOptions {
  readonly threads: number;
  /** Milliseconds one task may take on its thread; then the thread is ended and the task answered without it. */
  readonly timeoutMs?: number;
  /** Milliseconds a task may wait for a thread. */
  readonly maxWaitMs?: number;
  readonly maxWaiting?: number;
  readonly heapMb?: number;
}

interface QueuedTask {
  readonly id: number;
  readonly task: MarkupTask;
  /** Undefined: there is no answer in time. */
  readonly complete: (answer: MarkupResult | undefined) => void;
  timer: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  current: QueuedTask | undefined;
}

/** Of the cap, what a comparison may use before it answers by itself with what it has. */
const WORKER_SHARE = 0.8;

const IS_SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(IS_SOURCE ? './markup-worker.ts' : './markup-worker.js', import.meta.url);

/**
 * Threads that compare markup and look for selectors, so that a hostile pair holds up nobody. There is always an answer: a task that takes
 * too long, exhausts its thread or finds all of them busy is answered that it was out of time. Threads start with the first task.
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

  /** As `suggestSelector`; undefined also where there was no time to find one. Never rejects. */
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
    // Comparing must not keep a process alive that has nothing else to do.
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

  /** A thread that ends answers for what it was at; the next task starts another. */
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
