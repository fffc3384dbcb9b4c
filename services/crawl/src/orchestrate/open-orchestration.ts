import { controls } from '@tidemark/contracts';
import type { Bus, Logger, OutgoingEvent, Peer } from '@tidemark/service';
import type pg from 'pg';
import type { Run } from '../domain/run/run.ts';
import { makeCountInLinks } from '../graph/count-in-links.ts';
import type { FeedSource } from '../peers/feed-source.ts';
import { makeFindEarlier } from '../peers/find-earlier-pages.ts';
import { mapSitemapSource } from '../peers/sitemap-source.ts';
import { makeCountEnds } from '../store/ended-runs/count-ends.ts';
import { CoverageStore } from '../store/ended-runs/coverage-store.ts';
import { GraphStore } from '../store/ended-runs/graph-store.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';
import { FrontierStore } from '../store/frontier/frontier-store.ts';
import { WithdrawnStore } from '../store/frontier/withdrawn-store.ts';
import { LeaseStore } from '../store/leases/lease-store.ts';
import { makeReleaseCredits } from '../store/results/release-credits.ts';
import type { FeedStore } from '../store/runs/feed-store.ts';
import { RepeatedBlockStore } from '../store/runs/repeated-block-store.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { makeDispatchPages } from './dispatch/dispatch-pages.ts';
import { makeLearnRepeatedBlocks } from './dispatch/learn-repeated-blocks.ts';
import { makeLeaseCredits } from './dispatch/lease-credits.ts';
import type { CallOff } from './end/call-off.ts';
import { makeEndRun } from './end/end-run.ts';
import { makeNoteCoverage } from './end/note-coverage.ts';
import { makePublishPages } from './end/publish-pages.ts';
import { LeasedRuns } from './lease/leased-runs.ts';
import { RunOrchestrator } from './run-orchestrator.ts';

interface OrchestrationDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  /** Identifies this instance as the owner of leases. */
  readonly owner: string;
  readonly stores: { readonly runs: RunStore; readonly known: KnownStore; readonly feedStore: FeedStore };
  readonly feeds: FeedSource;
  readonly peers: { readonly billing: Peer; readonly archive: Peer; readonly map: Peer };
  readonly price: (run: Run) => { readonly maxCredits: number; readonly minCredits: number };
  /** Sends events whose rows are committed. */
  readonly sendEvents: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  /** Starts a retention sweep. */
  readonly sweep: () => void;
  readonly callOff: CallOff;
  readonly maxRuns: number;
  readonly log: Logger;
}

/** Starts to claim and orchestrate runs, at most `maxRuns` at once. */
export function openOrchestration(deps: OrchestrationDeps): LeasedRuns {
  const { pool, bus, owner, feeds, peers, price, sendEvents, now, sweep, callOff, maxRuns, log } = deps;
  const { runs, known, feedStore } = deps.stores;
  const leases = new LeaseStore(pool, owner, sendEvents);
  const frontier = new FrontierStore(pool, owner);
  const withdrawn = new WithdrawnStore(pool, owner);
  const dispatch = makeDispatchPages({
    frontier,
    bus,
    leaseCredits: makeLeaseCredits(peers.billing),
    price,
    findEarlier: makeFindEarlier(peers.archive),
    repeatedBlocks: makeLearnRepeatedBlocks({ store: new RepeatedBlockStore(pool), log }),
    log,
  });
  const endRun = makeEndRun({
    frontier,
    leases,
    runs,
    countEnds: makeCountEnds(pool),
    releaseCredits: makeReleaseCredits({ pool, sendEvents, now }),
    countInLinks: makeCountInLinks(new GraphStore(pool)),
    noteFound: (run) => known.noteFound(run),
    noteCoverage: makeNoteCoverage(new CoverageStore(pool)),
    onEnded: (run) => log.info({ run: run.id }, 'run ended'),
    sweep,
    callOff: (runId) => callOff.run(runId),
    publishPages: makePublishPages({ pool, runs, sendEvents }),
  });
  const sitemaps = mapSitemapSource(peers.map);
  const orchestratorOf = (id: string) =>
    new RunOrchestrator(
      { runs, leases, frontier, withdrawn, dispatch, endRun, callOff, sitemaps, feeds, feedStore, log },
      id,
    );
  const requestPages = (runId: string) => bus.control.send(controls.pagesRequested, { runId });
  return new LeasedRuns({
    leases,
    orchestratorOf,
    workStreamCreatedAt: () => bus.workStreamCreatedAt(),
    requestPages,
    maxRuns,
    log,
  });
}
