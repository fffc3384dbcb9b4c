import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { ComparedReadings } from '../domain/compared-readings.ts';
import { makeLoadBodies } from './load-captures.ts';

/**
 * Loads some bodies of two readings; an absent reading has none.
 * @throws AppError not_found if a reading no longer exists
 */
export async function loadCompared(
  archive: Peer,
  { before, after }: ComparedReadings,
  bodies: readonly string[],
  call: CallContext,
): Promise<readonly [before: PageBodies, after: PageBodies]> {
  const load = makeLoadBodies(archive, bodies, call);
  const [earlier, later] = await Promise.all([
    before === undefined ? PageBodies.create() : load(before),
    after === undefined ? PageBodies.create() : load(after),
  ]);
  if (earlier === undefined || later === undefined)
    throw new AppError('not_found', 'a reading of the page no longer exists');
  return [earlier, later];
}
