import { randomUUID } from 'node:crypto';
import type { RunWatched } from '@tidemark/contracts/crawl/v1/events';
import { type App, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { MessageQueue } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import { WatchStore } from '../store/watch-store.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import type { OpenUrl } from '../webhook-messages/job-messages.ts';
import { CrawlWatcher, type CrawlWatcherDeps } from './crawl-watcher.ts';

/** Interval at which due crawls are claimed, ms. */
const CLAIM_MS = 500;

/** Intervals of polls, in place of the usual ones. */
export interface CrawlPolls {
  /** Interval at which due crawls are claimed, ms. */
  readonly claimMs: number;
  /** Shortest and longest poll interval per crawl, s. */
  readonly seconds: CrawlWatcherDeps['pollSeconds'];
}

export interface CrawlsDeps {
  readonly pool: pg.Pool;
  readonly peerQueries: PeerQueries;
  readonly queue: MessageQueue;
  readonly openUrl: OpenUrl;
  readonly links: ApiLinks;
  readonly now: () => Date;
  readonly polls?: CrawlPolls | undefined;
}

/** Notifications of crawls with a webhook. */
export interface Crawls {
  /** Starts watching crawls. Idempotent. */
  watch(crawls: readonly RunWatched[]): Promise<void>;
  /** Deletes expired watches. @returns how many of them had not ended */
  sweep(): Promise<number>;
}

/** Starts polling the crawls that have a webhook. */
export function openCrawls(app: Pick<App<unknown>, 'own' | 'log'>, deps: CrawlsDeps): Crawls {
  const { pool, peerQueries, queue, openUrl, links, now, polls } = deps;
  const { log } = app;
  const watches = new WatchStore(pool, randomUUID);
  const pollSeconds = polls?.seconds;
  const watcher = new CrawlWatcher({ pool, watches, peerQueries, queue, openUrl, links, now, log, pollSeconds });
  const claims = app.own(
    new PeriodicTask({
      everyMs: polls?.claimMs ?? CLAIM_MS,
      run: (isOpen) => repeatUntilDone(() => watcher.pollDue(isOpen), isOpen),
      failed: 'poll of crawls failed, will retry',
      log,
    }),
  );
  return {
    async watch(crawls) {
      await watcher.watch(crawls);
      void claims.runNow();
    },
    sweep: () => watches.sweep(),
  };
}
