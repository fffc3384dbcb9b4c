import type { PageCaptured } from '@tidemark/contracts/scrape/v1/events';
import type { Arrivals } from '../pages/arrivals.ts';
import type { PageStore } from '../store/page-store.ts';

/** Stores captured pages, and resolves the waits for them. Safe to repeat. */
export type OnPageCaptured = (captured: readonly PageCaptured[]) => Promise<void>;

export function makeOnPageCaptured({
  pages,
  arrivals,
}: {
  readonly pages: Pick<PageStore, 'record'>;
  readonly arrivals: Pick<Arrivals, 'announce'>;
}): OnPageCaptured {
  return async (captured) => {
    await pages.record(captured);
    arrivals.announce(captured.map(({ jobId }) => jobId));
  };
}
