import { type LoggedRequest, RequestLogServiceService as Rpc } from '@tidemark/contracts/identity/v1/requests';
import { AppError } from '@tidemark/errors';
import type { Logger, Peer } from '@tidemark/service';

/** Time between two batches, ms. A request is in the log after it and the write. */
const EVERY_MS = 1_000;
/** Requests in a batch: about 300 KB. */
const MAX_BATCH = 1_000;
/** Requests that wait while identity is unavailable: about 10 MB. The oldest are dropped for newer ones. */
const MAX_WAITING = 20_000;
const DEADLINE_MS = 5_000;
/** Deadline of the last batches at a shutdown, ms. */
const CLOSE_MS = 2_000;

/**
 * Collects requests and stores them in identity in batches, so that a request pays for an append to a list only. A batch is sent again under the
 * same ids until it is stored or refused; a crash loses the requests of the last second.
 */
export class RequestBuffer {
  readonly #identity: Peer;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;
  #waiting: LoggedRequest[] = [];
  #flushing: Promise<void> | undefined;
  #dropped = 0;

  constructor(identity: Peer, log: Logger) {
    this.#identity = identity;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(DEADLINE_MS), EVERY_MS);
  }

  add(request: LoggedRequest): void {
    // Half of the list is dropped at once: a shift per request would move the whole list each time.
    if (this.#waiting.length >= MAX_WAITING) {
      const removed = this.#waiting.splice(0, MAX_WAITING / 2);
      this.#dropped += removed.length;
    }
    this.#waiting.push(request);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush(CLOSE_MS);
    await this.#flush(CLOSE_MS);
  }

  #flush(deadlineMs: number): Promise<void> {
    this.#flushing ??= this.#store(deadlineMs).finally(() => {
      this.#flushing = undefined;
    });
    return this.#flushing;
  }

  /** Stores what waits. Ends at the first batch that identity does not accept now. */
  async #store(deadlineMs: number): Promise<void> {
    if (this.#dropped > 0)
      this.#log.warn(
        { requests: this.#dropped },
        'request log could not be stored in time, the oldest requests were dropped',
      );
    this.#dropped = 0;
    while (this.#waiting.length > 0) {
      const requests = this.#waiting.splice(0, MAX_BATCH);
      try {
        await this.#identity.call(Rpc.storeRequests, { requests }, { requestId: '' }, { deadlineMs });
      } catch (error) {
        if (isTemporary(error)) return void this.#waiting.unshift(...requests);
        this.#log.error({ err: error, requests: requests.length }, 'batch of the request log was refused and dropped');
      }
    }
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof AppError && ['unavailable', 'rate_limited'].includes(error.code);
