import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/**
 * Refuses a key that is limited to projects. Keys and settings belong to the workspace, so such a key could extend its own access with
 * them.
 * @throws AppError forbidden
 */
export function refuseLimitedKey({ projects }: Caller): void {
  if (projects.length > 0)
    throw new AppError(
      'forbidden',
      'this key is limited to projects; the keys and settings of the workspace require a key without that limit',
    );
}
