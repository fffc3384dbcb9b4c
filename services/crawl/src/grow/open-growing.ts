import { events } from '@tidemark/contracts';
import type { Bus, Outbox } from '@tidemark/service';
import type pg from 'pg';
import { EndsStore } from '../store/ends-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { RunViews } from '../store/run-views.ts';
import { makeGrowRun } from './grow-run.ts';
import { makeHearPages } from './hear-pages.ts';
import { RunContexts } from './run-context.ts';
import { SeenCache } from './seen-cache.ts';

interface Around {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly outbox: Outbox;
  readonly runs: RunStore;
  readonly views: RunViews;
  /** Tells the run's conductor, where it is here. */
  readonly wake: (runId: string) => void;
  readonly now: () => Date;
}

/** Takes in pages as they end, of any run. */
export function openGrowing({ pool, bus, outbox, runs, views, wake, now }: Around): void {
  const grow = makeGrowRun({
    ends: new EndsStore(pool),
    contexts: new RunContexts((id) => runs.get(id)),
    seen: new SeenCache(),
    earlierLinks: (runNo, key) => views.linksOf(runNo, key),
    tell: (charges) => outbox.send(charges),
    wake,
    now,
  });
  bus.consume(events.runPageEnded, 'crawl', makeHearPages(grow));
}
