import { AppError } from '@tidemark/errors';
import type { Response } from 'express';

/** Responses up to this size are not counted, bytes: a socket buffers about as much. */
const SMALL_BYTES = 256 * 1024;
/** Bytes of large responses that wait for their clients at the same time. */
const MAX_BYTES = 96 * 1024 * 1024;
const RETRY_AFTER_SECONDS = 2;

/** Limits the memory of responses whose clients read slowly or not at all. */
export class UnreadResponses {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Counts a response until its connection has sent it. @throws AppError unavailable if too many bytes wait */
  hold(response: Pick<Response, 'once'>, bytes: number): void {
    if (bytes <= SMALL_BYTES) return;
    // A single response always fits: its size is limited by the limits of pages.
    if (this.#bytes > 0 && this.#bytes + bytes > this.#maxBytes) {
      throw new AppError('unavailable', 'too many large responses wait for their clients; try again shortly', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    this.#bytes += bytes;
    response.once('close', () => {
      this.#bytes -= bytes;
    });
  }
}

/** The large responses of this process. */
export const unreadResponses = new UnreadResponses();
