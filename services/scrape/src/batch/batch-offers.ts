import { type Logger, PeriodicTask } from '@tidemark/service';

/** Re-offer interval, ms. Longer than a worker takes to accept an offer. */
const OFFER_EVERY_MS = 5_000;
/** Deduplication window, ms: a host's pages are offered at most once within it. */
const DEDUPLICATE_MS = 30_000;

interface BatchOffersDeps {
  /** Hosts with batch pages that no worker holds. */
  readonly abandoned: () => Promise<readonly { jobId: string; host: string }[]>;
  readonly offer: (jobId: string, host: string, round: string) => Promise<void>;
  readonly log: Logger;
}

/** Offers batch pages again whose work message was lost, or whose worker stopped. A repeated offer is accepted once. */
export function openBatchOffers({ abandoned, offer, log }: BatchOffersDeps): PeriodicTask {
  const offerAbandoned = async () => {
    const round = String(Math.floor(Date.now() / DEDUPLICATE_MS));
    for (const { jobId, host } of await abandoned()) await offer(jobId, host, round);
  };
  const failed = 'abandoned batch pages could not be offered again, will retry';
  return new PeriodicTask({ everyMs: OFFER_EVERY_MS, run: offerAbandoned, failed, log });
}
