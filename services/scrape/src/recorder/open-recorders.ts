import { RecorderServiceService } from '@tidemark/contracts/scrape/v1/recorder';
import type { CreditGrant, CreditRequest } from '@tidemark/jobs';
import { type Outbox, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import type { ScrapeApp } from '../config.ts';
import type { OpenLogin } from '../domain/login.ts';
import { LivePageClient } from './live-page-client.ts';
import { LivePagePeers } from './live-page-peers.ts';
import { makeOpenRecorder, type OpenRecorderDeps } from './open-recorder.ts';
import { recorderMethods } from './recorder-methods.ts';
import { RecorderStore } from './recorder-store.ts';

const CLEANUP_EVERY_MS = 3_600_000;

interface RecorderParts {
  readonly pool: pg.Pool;
  readonly outbox: Outbox;
  readonly ladder: OpenRecorderDeps['ladder'];
  readonly exits: OpenRecorderDeps['exits'];
  readonly robots: OpenRecorderDeps['robots'];
  readonly lease: (request: CreditRequest) => Promise<CreditGrant>;
  readonly openLogin: OpenLogin;
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly now: () => Date;
}

/** Serves RecorderService. */
export function openRecorders(
  app: ScrapeApp,
  { pool, outbox, ladder, exits, robots, lease, openLogin, admit, now }: RecorderParts,
): void {
  const peers = app.own(new LivePagePeers((address) => app.dial('browser-pool', address)));
  const livePages = new LivePageClient(app.dial('browser-pool', app.config.BROWSER_POOL_ADDR), peers);
  const recorders = new RecorderStore(pool);
  const openRecorder = makeOpenRecorder({
    recorders,
    livePages,
    outbox,
    lease,
    openLogin,
    ladder,
    exits,
    robots,
    admit,
    now,
  });
  app.serve(RecorderServiceService, recorderMethods({ recorders, livePages, openRecorder, now }));
  app.own(
    new PeriodicTask({
      everyMs: CLEANUP_EVERY_MS,
      run: () => recorders.deleteExpired(now()),
      failed: 'rows of expired recorders could not be deleted, will retry',
      log: app.log,
    }),
  );
}
