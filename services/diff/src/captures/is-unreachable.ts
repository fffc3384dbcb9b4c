import { AppError } from '@tidemark/errors';

/** How gRPC numbers a call whose time was over. */
const DEADLINE_EXCEEDED = 4;

/** Whether a service could not be reached: then asking again later helps. One that was reached and took too long would do so again. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'unavailable') return false;
  const { cause } = error;
  const status = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return status !== DEADLINE_EXCEEDED;
}
