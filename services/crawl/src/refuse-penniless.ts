import type { Caller } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';

/** A run that could not pay for its first page is refused, not accepted and then stopped at once. */
export function makeRefusePenniless(billing: Peer, leastOf: (options: CaptureOptions) => number) {
  return async (caller: Caller, options: CaptureOptions): Promise<void> => {
    const least = leastOf(options);
    if (!Number.isFinite(least))
      throw new AppError('tier_limit', 'no engine of this deployment can read pages under these options');
    const { balance, reserved } = await billing.call(Rpc.balance, {}, { caller, requestId: '' });
    if (balance - reserved >= least) return;
    throw new AppError(
      'credits_exhausted',
      `a page of this crawl costs at least ${least} credit${least === 1 ? '' : 's'}, and the workspace has fewer left that are not set aside for work in flight`,
    );
  };
}
