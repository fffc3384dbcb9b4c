import { AppError } from '@tidemark/errors';
import type { PageDelta } from '../domain/page-delta.ts';
import type { CompareMessage, CompareTask } from './compare-worker.ts';
import { openComparer } from './open-comparer.ts';

const HEAP_MB = 512;
/** Milliseconds one pair may take, the start of its thread and all. */
const WITHIN_MS = 5_000;
const MAX_WAITING = 8;

/** Answers large pairs in the degraded way, one after the other and each on a thread of its own, so that nobody else waits for that. */
export class SpareThread {
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  readonly #closing = new AbortController();

  /** @throws AppError unavailable where too many wait or it is closed; internal where the pair is more than a thread can bear */
  async degrade(before: Uint8Array, after: Uint8Array): Promise<PageDelta> {
    if (this.#waiting >= MAX_WAITING) throw new AppError('unavailable', 'too many large pages wait to be compared');
    this.#waiting += 1;
    const answer = this.#turn.then(() => degradeApart(before, after, this.#closing.signal));
    this.#turn = answer.catch(() => {}).finally(() => (this.#waiting -= 1));
    return answer;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#turn;
  }
}

async function degradeApart(before: Uint8Array, after: Uint8Array, closing: AbortSignal): Promise<PageDelta> {
  if (closing.aborted) throw closed();
  const worker = openComparer(HEAP_MB);
  const told = Promise.withResolvers<PageDelta>();
  const timer = setTimeout(() => told.reject(unbearable(`longer than ${WITHIN_MS} ms`)), WITHIN_MS);
  const end = (): void => told.reject(closed());
  closing.addEventListener('abort', end, { once: true });
  worker.on('message', (message: CompareMessage) => 'delta' in message && told.resolve(message.delta));
  worker.on('error', (error) => told.reject(unbearable(error)));
  worker.on('exit', () => told.reject(unbearable('its thread ended')));
  const task: CompareTask = { id: 0, before, after, deadlineMs: WITHIN_MS, isDegradedEnough: true };
  worker.postMessage(task);
  try {
    return await told.promise;
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', end);
    await worker.terminate();
  }
}

const closed = (): AppError => new AppError('unavailable', 'pages are not compared any more');
const unbearable = (cause: unknown): AppError =>
  new AppError('internal', 'the two readings of the page can’t be compared', { cause });
