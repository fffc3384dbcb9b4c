import { events } from '@tidemark/contracts';
import type { Bus, Logger, Outbox } from '@tidemark/service';
import type pg from 'pg';
import type { RunViews } from '../store/pages/run-views.ts';
import { PageResultStore } from '../store/results/page-result-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { makeOnPageEnded } from './on-page-ended.ts';
import { makeRecordPageResults } from './record-page-results.ts';
import { RunContexts } from './run-context.ts';
import { SeenCache } from './seen-cache.ts';

interface RecordingDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly outbox: Outbox;
  readonly runs: RunStore;
  readonly views: RunViews;
  /** Wakes the run's orchestrator, if this instance holds the lease. */
  readonly wake: (runId: string) => void;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Starts to record the results of pages, of any run. */
export function openRecording({ pool, bus, outbox, runs, views, wake, now, log }: RecordingDeps): void {
  const recordResults = makeRecordPageResults({
    results: new PageResultStore(pool),
    contexts: new RunContexts((id) => runs.get(id)),
    seen: new SeenCache(),
    earlierLinks: (runNo, key) => views.linksOf(runNo, key),
    sendEvents: (charges) => outbox.send(charges),
    wake,
    now,
    log,
  });
  bus.consume(events.runPageEnded, 'crawl', makeOnPageEnded(recordResults));
}
