import { Worker } from 'node:worker_threads';
import type { SelectorSuggestion } from '../selectors/suggest-selector.ts';
import { outOfTime } from './compare-markup.ts';
import type { MarkupDelta } from './markup-delta.ts';
import type { MarkupAnswer, MarkupMessage, MarkupTask } from './markup-worker.ts';

export interface MarkupPoolOptions {
  readonly threads: number;
  /** Milliseconds one task may take on its thread; then the thread is ended and the task answered without it. */
  readonly capMs?: number;
  /** Milliseconds a task may wait for a thread. */
  readonly waitCapMs?: number;
  readonly waitingCap?: number;
  readonly heapMb?: number;
}

interface Waiting {
  readonly id: number;
  readonly task: MarkupTask;
  /** Undefined: there is no answer in time. */
  readonly settle: (answer: MarkupAnswer | undefined) => void;
  timer: NodeJS.Timeout;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  current: Waiting | undefined;
}

/** Of the cap, what a comparison may use before it answers by itself with what it has. */
const OWN_SHARE = 0.8;

const SOURCE = import.meta.url.endsWith('.ts');
const WORKER = new URL(SOURCE ? './markup-worker.ts' : './markup-worker.js', import.meta.url);

/**
 * Threads that compare markup and look for selectors, so that a hostile pair holds up nobody. There is always an answer: a task that takes
 * too long, exhausts its thread or finds all of them busy is answered that it was out of time. Threads start with the first task.
 */
export class MarkupPool {
  readonly #options: Required<MarkupPoolOptions>;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Waiting[] = [];
  #nextId = 1;
  #closed = false;

  constructor(options: MarkupPoolOptions) {
    this.#options = { capMs: 5_000, waitCapMs: 5_000, waitingCap: 50, heapMb: 512, ...options };
  }

  /** As `compareMarkup`. Never rejects. */
  async compare(before: string, after: string): Promise<MarkupDelta> {
    const deadlineMs = this.#options.capMs * OWN_SHARE;
    const answer = await this.#ask({ kind: 'compare', before, after, deadlineMs });
    return answer?.kind === 'compare' ? answer.delta : outOfTime();
  }

  /** As `suggestSelector`; undefined also where there was no time to find one. Never rejects. */
  async suggest(
    before: readonly string[],
    after: readonly string[],
    selector: string,
  ): Promise<SelectorSuggestion | undefined> {
    const answer = await this.#ask({ kind: 'suggest', before, after, selector });
    return answer?.kind === 'suggest' ? answer.suggestion : undefined;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting.splice(0)) settle(waiting, undefined);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread)));
  }

  #ask(task: MarkupTask): Promise<MarkupAnswer | undefined> {
    if (this.#closed || this.#waiting.length >= this.#options.waitingCap) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiting: Waiting = {
        id: this.#nextId++,
        task,
        settle: resolve,
        timer: setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
          settle(waiting, undefined);
        }, this.#options.waitCapMs),
      };
      this.#waiting.push(waiting);
      this.#pump();
    });
  }

  #pump(): void {
    for (const thread of this.#threads) {
      if (!thread.isReady || thread.current !== undefined) continue;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      clearTimeout(next.timer);
      next.timer = setTimeout(() => void this.#end(thread), this.#options.capMs);
      thread.current = next;
      thread.worker.postMessage({ id: next.id, task: next.task });
    }
    const starting = [...this.#threads].filter((thread) => !thread.isReady).length;
    if (!this.#closed && this.#waiting.length > starting && this.#threads.size < this.#options.threads) this.#start();
  }

  #start(): void {
    const worker = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMb, stackSizeMb: 4 },
      execArgv: SOURCE ? ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'] : [],
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
        settle(done, 'answer' in message ? message.answer : undefined);
      }
      this.#pump();
    });
    worker.on('error', () => void this.#end(thread));
    worker.on('exit', () => void this.#end(thread));
  }

  /** A thread that ends answers for what it was at; the next task starts another. */
  async #end(thread: Thread): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    if (thread.current !== undefined) settle(thread.current, undefined);
    const ended = thread.worker.terminate();
    this.#pump();
    await ended;
  }
}

function settle(waiting: Waiting, answer: MarkupAnswer | undefined): void {
  clearTimeout(waiting.timer);
  waiting.settle(answer);
}
