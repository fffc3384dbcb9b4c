import { randomUUID } from 'node:crypto';
import { type App, type ConfigOf, inPieces, type Outgoing, Rounds } from '@tidemark/service';
import type pg from 'pg';
import type { config } from '../config.ts';
import { KnownStore } from '../store/known-store.ts';
import { LookStore } from '../store/look-store.ts';
import { RecordStore } from '../store/record-store.ts';
import { ReleaseStore } from '../store/release-store.ts';
import { SecondFetchStore } from '../store/second-fetch-store.ts';
import { BreakGuard } from './break-guard.ts';
import { RecordMaker } from './record-maker.ts';
import type { PortDeps } from './record-ports.ts';
import { SecondFetcher } from './second-fetcher.ts';

interface Around {
  readonly pool: pg.Pool;
  readonly archive: PortDeps['archive'];
  readonly compare: PortDeps['compare'];
  readonly tell: (told: readonly Outgoing[]) => void;
}

/** Everything that works on what runs leave behind: makers of records, each in a lane of its own, and what learns beside them. */
export function openMaking(app: App<ConfigOf<typeof config>>, { pool, archive, compare, tell }: Around) {
  const { CRAWL_ADDR, SCRAPE_ADDR, RECORD_SECONDS, RECORDS_AT_ONCE, SECOND_FETCH_SECONDS, TIDEMARK_RELEASE } =
    app.config;
  const records = new RecordStore(pool, randomUUID);
  const fetches = new SecondFetchStore(pool, randomUUID);
  const releases = new ReleaseStore(pool);
  const { log } = app;
  const shared = {
    pool,
    fetches,
    store: new KnownStore(pool),
    archive,
    crawl: app.dial('crawl', CRAWL_ADDR),
    scrape: app.dial('scrape', SCRAPE_ADDR),
    compare,
    now: () => new Date(),
    log,
  };
  const maker = new RecordMaker({
    ...shared,
    records,
    guard: new BreakGuard({ releases, release: TIDEMARK_RELEASE, log }),
    looks: new LookStore(pool),
    secondFetchAfterSeconds: SECOND_FETCH_SECONDS,
    tell,
  });
  const fetcher = new SecondFetcher(shared);
  const round = (next: () => Promise<boolean>, what: string): Rounds =>
    app.own(
      new Rounds({
        everyMs: RECORD_SECONDS * 1_000,
        round: (goesOn) => inPieces(next, goesOn),
        failed: `${what} could not be looked for; trying again`,
        log,
      }),
    );
  // A long record holds up nothing but its own lane.
  const lanes = Array.from({ length: RECORDS_AT_ONCE }, () => round(() => maker.makeNext(), 'records'));
  round(() => fetcher.fetchNext(), 'second fetches');
  return { records, releases, lanes };
}
