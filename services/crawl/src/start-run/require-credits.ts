import type { Caller } from '@tidemark/contracts';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import { makeRequireCredits } from '@tidemark/jobs';
import type { Peer } from '@tidemark/service';

/** Rejects a run that cannot pay for its first page, so that it is not accepted and then stopped at once. */
export function makeRequireFirstPageCredits(billing: Peer, minCreditsOf: (options: CaptureOptions) => number) {
  const requireCredits = makeRequireCredits(billing);
  return async (caller: Caller, options: CaptureOptions): Promise<void> => {
    const minCredits = minCreditsOf(options);
    if (!Number.isFinite(minCredits))
      throw new AppError('tier_limit', 'no engine of this deployment can read pages under these options');
    await requireCredits(caller, minCredits, 'crawl');
  };
}
