import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { startCompareWorker } from './start-compare-worker.ts';

const HEAP_MB = 512;
/** Milliseconds one pair may take, the start of its thread and all. */
const TIMEOUT_MS = 5_000;
const MAX_WAITING = 8;

/** Answers large pairs in the degraded way, one after the other and each on a thread of its own, so that nobody else waits for that. */
export class OverflowThread {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #closing = new AbortController();

  /** @throws AppError unavailable where too many wait or it is closed; internal where the pair is more than a thread can bear */
  async degrade(before: Uint8Array, after: Uint8Array): Promise<PageDelta> {
    if (this.#waiting >= MAX_WAITING) throw new AppError('unavailable', 'too many large pages wait to be compared');
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
  worker.on('exit', () => result.reject(notComparable('its thread ended')));
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

const closed = (): AppError => new AppError('unavailable', 'pages are not compared any more');
const notComparable = (cause: unknown): AppError =>
  new AppError('internal', 'the two readings of the page can’t be compared', { cause });
