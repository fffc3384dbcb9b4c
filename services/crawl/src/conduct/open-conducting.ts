import { controls } from '@tidemark/contracts';
import type { Bus, Logger, OutgoingEvent, Peer } from '@tidemark/service';
import type pg from 'pg';
import type { Run } from '../domain/run.ts';
import type { FeedSource } from '../feed-source.ts';
import { makeFindEarlier } from '../find-earlier.ts';
import { makeCountInLinks } from '../graph/count-in-links.ts';
import { mapSitemapSource } from '../sitemap-source.ts';
import type { FeedStore } from '../store/feed-store.ts';
import { FrontierStore } from '../store/frontier-store.ts';
import { makeGiveBack } from '../store/give-back.ts';
import { GraphStore } from '../store/graph-store.ts';
import type { KnownStore } from '../store/known-store.ts';
import { LeaseStore } from '../store/lease-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { CallOff } from './call-off.ts';
import { makeDispatchPages } from './dispatch-pages.ts';
import { makeEndRun } from './end-run.ts';
import { makeLeaseCredits } from './lease-credits.ts';
import { makePublishPages } from './publish-pages.ts';
import { RunConductor } from './run-conductor.ts';
import { RunKeeper } from './run-keeper.ts';

interface Around {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  /** Who this process is to the leases of runs. */
  readonly owner: string;
  readonly runs: RunStore;
  readonly known: KnownStore;
  readonly feeds: FeedSource;
  readonly feedStore: FeedStore;
  readonly peers: { readonly billing: Peer; readonly archive: Peer; readonly map: Peer };
  readonly price: (run: Run) => { readonly maxCredits: number; readonly minCredits: number };
  /** Sends facts whose rows are committed. */
  readonly tell: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  /** Has what nobody keeps thrown away. */
  readonly clear: () => void;
  readonly callOff: CallOff;
  readonly maxRuns: number;
  readonly log: Logger;
}

/** Conducts runs, as many at once as this process may. */
export function openConducting(around: Around): RunKeeper {
  const { pool, bus, owner, runs, known, feeds, feedStore, peers, price, tell, now, clear, callOff, maxRuns, log } =
    around;
  const leases = new LeaseStore(pool, owner, tell);
  const frontier = new FrontierStore(pool, owner);
  const dispatch = makeDispatchPages({
    frontier,
    bus,
    leaseCredits: makeLeaseCredits(peers.billing),
    price,
    findEarlier: makeFindEarlier(peers.archive),
    log,
  });
  const endRun = makeEndRun({
    frontier,
    leases,
    giveBack: makeGiveBack({ pool, tell, now }),
    countInLinks: makeCountInLinks(new GraphStore(pool)),
    noteFound: (runNo) => known.noteFound(runNo),
    onEnded: (run) => log.info({ run: run.id }, 'a run has ended'),
    clear,
    callOff: (runId) => callOff.run(runId),
    publishPages: makePublishPages({ pool, runs, tell }),
  });
  const sitemaps = mapSitemapSource(peers.map);
  const conductorOf = (id: string) =>
    new RunConductor({ runs, leases, frontier, dispatch, endRun, callOff, sitemaps, feeds, feedStore, log }, id);
  const requestPages = (runId: string) => bus.control.send(controls.pagesRequested, { runId });
  return new RunKeeper({
    leases,
    conductorOf,
    workMadeAt: () => bus.workStreamCreatedAt(),
    requestPages,
    maxRuns,
    log,
  });
}
