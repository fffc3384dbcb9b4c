import type { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import type { Delivered } from '@tidemark/service';

/** Sorts facts of many runs by run and takes them in, run by run. Safe to repeat. */
export function makeHearPages(grow: (runId: string, ended: readonly RunPageEnded[]) => Promise<void>) {
  return async (batch: readonly Delivered<RunPageEnded>[]): Promise<void> => {
    const byRun = Map.groupBy(
      batch.map(({ fact }) => fact),
      ({ runId }) => runId,
    );
    for (const [runId, ended] of byRun) await grow(runId, ended);
  };
}
