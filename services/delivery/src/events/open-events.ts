import { randomUUID } from 'node:crypto';
import { events } from '@tidemark/contracts';
import { type App, type Bus, PeriodicTask, type ReceivedEvent, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import { CrawlWatcher } from '../crawls/crawl-watcher.ts';
import { WatchStore } from '../crawls/watch-store.ts';
import type { MemberMessages, MessageQueue } from '../domain/ports.ts';
import { PeerQueries, type Peers } from '../peers/peer-queries.ts';
import { DigestRequestStore } from '../runs/digest-request-store.ts';
import { DigestWorker } from '../runs/digest-worker.ts';
import { RunNotificationStore } from '../runs/run-notification-store.ts';
import { RunNotifier } from '../runs/run-notifier.ts';
import { EventNotifier } from './event-notifier.ts';
import { forEachInOrder } from './for-each-in-order.ts';

/** Workers that notify of runs; a long record occupies one of them. */
const RUN_WORKERS = 4;
/** Workers that call models; a workspace uses one at a time. */
const DIGEST_WORKERS = 8;
/** Poll interval for postponed runs, ms; new ones are handled at once. */
const RETRY_INTERVAL_MS = 2_000;
const CRAWL_POLL_MS = 500;
const SWEEP_MS = 3_600_000;
/** Longest wait of a finished run for its record, s. */
const WITHOUT_RECORD_SECONDS = 15 * 60;
/** Longest wait of a run's notification for its digest, s. */
const DIGEST_WAIT_SECONDS = 40;

export interface EventsDeps {
  readonly pool: pg.Pool;
  readonly bus: Bus;
  readonly peers: Peers;
  readonly queue: MessageQueue;
  readonly members: MemberMessages;
  /** Deletes the receivers, deliveries and notices of projects. Idempotent. */
  readonly deleteProjects: (projectIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
  readonly withoutRecordSeconds?: number;
  readonly digestWaitSeconds?: number;
}

/** Consumes events and queues their messages. To be called before the bus is prepared. */
export function openEvents(app: Pick<App<unknown>, 'own' | 'log'>, deps: EventsDeps): void {
  const { pool, bus, queue, members, now, withoutRecordSeconds = WITHOUT_RECORD_SECONDS } = deps;
  const { log } = app;
  const peerQueries = new PeerQueries(deps.peers);
  const notifications = new RunNotificationStore(pool, randomUUID);
  const watches = new WatchStore(pool, randomUUID);
  const shared = { pool, peerQueries, members, queue, now, log };
  const digestRequests = new DigestRequestStore(pool);
  const { digestWaitSeconds = DIGEST_WAIT_SECONDS } = deps;
  const runNotifier = new RunNotifier({
    ...shared,
    notifications,
    digestRequests,
    digestWaitSeconds,
    onDigestRequested: () => composeDigests(),
  });
  const digestWorker = new DigestWorker({ digestRequests, peerQueries, members, log, onDigest: () => notifyRuns() });
  const watcher = new CrawlWatcher({ ...shared, watches });
  const notifier = new EventNotifier(shared);
  const startTask = (
    everyMs: number,
    failed: string,
    task: (isOpen: () => boolean) => Promise<unknown>,
  ): PeriodicTask => app.own(new PeriodicTask({ everyMs, run: task, failed, log }));

  const startWorkers = (length: number, failed: string, step: () => Promise<boolean>) => {
    const workers = Array.from({ length }, () =>
      startTask(RETRY_INTERVAL_MS, failed, (isOpen) => repeatUntilDone(step, isOpen)),
    );
    return (): void => {
      for (const worker of workers) void worker.runNow();
    };
  };
  const notifyRuns = startWorkers(RUN_WORKERS, 'run notification failed, will retry', () => runNotifier.notifyNext());
  const composeDigests = startWorkers(DIGEST_WORKERS, 'digest worker failed, will retry', () =>
    digestWorker.composeNext(),
  );
  const crawlPolls = startTask(CRAWL_POLL_MS, 'poll of crawls failed, will retry', (isOpen) =>
    repeatUntilDone(() => watcher.pollDue(isOpen), isOpen),
  );
  startTask(SWEEP_MS, 'sweep of old run notifications failed, will retry', async () => {
    const unfinished = { runs: await notifications.sweep(), crawls: await watches.sweep() };
    if (unfinished.runs + unfinished.crawls > 0)
      log.error(unfinished, 'expired notifications of runs and crawls were deleted before completion');
  });

  bus.consume(events.runFinished, 'delivery', async (batch) => {
    await notifications.recordFinished(eventsOf(batch), withoutRecordSeconds);
    notifyRuns();
  });
  bus.consume(events.changeReady, 'delivery', async (batch) => {
    await notifications.recordReady(eventsOf(batch));
    notifyRuns();
  });
  bus.consume(events.runWatched, 'delivery', async (batch) => {
    await watcher.watch(eventsOf(batch));
    void crawlPolls.runNow();
  });
  consumeSingleMessageEvents(bus, notifier);
  bus.consume(events.projectDeleted, 'delivery', async (batch) => {
    const projectIds = eventsOf(batch).map(({ projectId }) => projectId);
    await deps.deleteProjects(projectIds);
    await notifications.deleteProjects(projectIds);
  });
}

/** Subscribes to events that need no stored progress. */
function consumeSingleMessageEvents(bus: Bus, notifier: EventNotifier): void {
  bus.consume(events.siteHealthChanged, 'delivery', (batch) =>
    forEachInOrder(
      eventsOf(batch),
      ({ projectId }) => projectId,
      (event) => notifier.notifySiteHealth(event),
    ),
  );
  bus.consume(events.mapEnded, 'delivery', (batch) =>
    forEachInOrder(
      eventsOf(batch),
      ({ projectId }) => projectId,
      (event) => notifier.notifyMapEnded(event),
    ),
  );
  bus.consume(events.batchEnded, 'delivery', (batch) =>
    forEachInOrder(
      eventsOf(batch),
      ({ job }) => job?.id ?? '',
      (event) => notifier.notifyBatchEnded(event),
    ),
  );
}

const eventsOf = <T>(batch: readonly ReceivedEvent<T>[]): T[] => batch.map(({ event }) => event);
