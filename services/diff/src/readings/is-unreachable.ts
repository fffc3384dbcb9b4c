import { AppError } from '@tidemark/errors';

/** gRPC status code DEADLINE_EXCEEDED. */
const DEADLINE_EXCEEDED = 4;

/**
 * Whether the service could not be reached, so that a retry may help. A call that exceeded its deadline would do so
 * again.
 */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof AppError) || error.code !== 'unavailable') return false;
  const { cause } = error;
  const status = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return status !== DEADLINE_EXCEEDED;
}
