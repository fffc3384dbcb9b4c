import { AppError, messageOf } from '@tidemark/errors';
import { isDatabaseUnavailable } from '@tidemark/service';

/** Why one item of a request was not processed. */
export interface Refusal {
  readonly code: string;
  readonly why: string;
}

/** Returns the reason of a failure for a list of refused items: the client has no other place to read it. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof AppError) return { code: error.code, why: messageOf(error) };
  if (isDatabaseUnavailable(error))
    return { code: 'unavailable', why: 'a required service is temporarily unavailable; try again shortly' };
  return { code: 'internal', why: 'an internal error; the request id identifies it in the logs' };
}
