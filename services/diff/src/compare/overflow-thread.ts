import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { startCompareWorker } from './start-compare-worker.ts';

const HEAP_MB = 512;
/** Time limit of one pair including the start of its thread, ms. */
const TIMEOUT_MS = 5_000;
const MAX_WAITING = 8;

/** Degrades large pairs one after the other, each on its own thread, so that the event loop is not blocked. */
export class OverflowThread {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #closing = new AbortController();

  /** @throws AppError unavailable if the queue is full or closed; internal if the pair exceeds the thread's limits */
  async degrade(before: Uint8Array, after: Uint8Array): Promise<PageDelta> {
    if (this.#waiting >= MAX_WAITING)
      throw new AppError('unavailable', 'too many large pages are queued for comparison');
    this.#waiting += 1;
    const answer = this.#last.then(() => degradeInWorker(before, after, this.#closing.signal));
    this.#last = answer.catch(() => {}).finally(() => (this.#waiting -= 1));
    return answer;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last;
  }
}

async function degradeInWorker(before: Uint8Array, after: Uint8Array, closing: AbortSignal): Promise<PageDelta> {
  if (closing.aborted) throw closed();
  const worker = startCompareWorker(HEAP_MB);
  const result = Promise.withResolvers<PageDelta>();
  const timer = setTimeout(() => result.reject(notComparable(`longer than ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  const end = (): void => result.reject(closed());
  closing.addEventListener('abort', end, { once: true });
  worker.on('message', (message: CompareMessage) => 'delta' in message && result.resolve(message.delta));
  worker.on('error', (error) => result.reject(notComparable(error)));
  worker.on('exit', () => result.reject(notComparable('thread exited')));
  const task: CompareTask = { id: 0, before, after, deadlineMs: TIMEOUT_MS, onlyDegraded: true };
  worker.postMessage(task);
  try {
    return await result.promise;
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', end);
    await worker.terminate();
  }
}

const closed = (): AppError => new AppError('unavailable', 'the comparison service is shutting down');
const notComparable = (cause: unknown): AppError =>
  new AppError('internal', 'the two readings of the page cannot be compared', { cause });
