import { type App, type Peer, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import { makeExpireRuns } from './expire-runs.ts';
import { ExpiryStore } from './expiry-store.ts';

const EXPIRE_EVERY_MS = 5_000;

export interface RetentionDeps {
  readonly app: Pick<App<unknown>, 'own' | 'log'>;
  readonly pool: pg.Pool;
  readonly crawl: Peer;
  readonly now: () => Date;
}

/** Deletes runs after the retention of their project, in the background. */
export function openRetention({ app, pool, crawl, now }: RetentionDeps): void {
  const { log } = app;
  app.own(
    new PeriodicTask({
      everyMs: EXPIRE_EVERY_MS,
      run: makeExpireRuns({ expiries: new ExpiryStore(pool), crawl, now, log }),
      failed: 'old runs could not be deleted, will retry',
      log,
    }),
  );
}
