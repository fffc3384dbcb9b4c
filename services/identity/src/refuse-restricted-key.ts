import type { Caller } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';

/**
 * Refuses a key that is restricted to projects. Keys and settings belong to the workspace, so such a key could extend its own access with
 * them.
 * @throws AppError forbidden
 */
export function refuseRestrictedKey({ access }: Caller): void {
  if (access.kind === 'only')
    throw new AppError(
      'forbidden',
      'this key is restricted to projects; the keys and settings of the workspace require a key without that restriction',
    );
}
