import type { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import type { ReceivedEvent } from '@tidemark/service';

/** Pages whose links enter a frontier in one statement: a page may have some thousand. */
const BATCH_PAGES = 64;

/** Groups events by run and records them run by run. Safe to repeat. */
export function makeOnPageEnded(recordResults: (runId: string, ended: readonly RunPageEnded[]) => Promise<void>) {
  return async (batch: readonly ReceivedEvent<RunPageEnded>[]): Promise<void> => {
    const byRun = Map.groupBy(
      batch.map(({ event }) => event),
      ({ runId }) => runId,
    );
    for (const [runId, ended] of byRun) {
      for (let from = 0; from < ended.length; from += BATCH_PAGES) {
        await recordResults(runId, ended.slice(from, from + BATCH_PAGES));
      }
    }
  };
}
