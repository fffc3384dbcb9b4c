import { events } from '@tidemark/contracts';
import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { type App, type Bus, PeriodicTask, type ReceivedEvent } from '@tidemark/service';
import type pg from 'pg';
import { type CrawlPolls, openCrawls } from '../crawls/open-crawls.ts';
import type { MemberMessages, MessageQueue } from '../notifications/ports.ts';
import { PeerQueries, type Peers } from '../peers/peer-queries.ts';
import { openRuns } from '../runs/open-runs.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import type { OpenUrl } from '../webhook-messages/job-messages.ts';
import { EventNotifier, type EventNotifierDeps } from './event-notifier.ts';
import { forEachInOrder } from './for-each-in-order.ts';

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
  readonly openUrl: OpenUrl;
  readonly accountMessages: EventNotifierDeps['accountMessages'];
  readonly links: ApiLinks;
  readonly members: MemberMessages;
  readonly storeCreditsNotice: (alert: CreditsLow) => Promise<void>;
  /** Deletes the receivers, deliveries and notices of projects. Idempotent. */
  readonly deleteProjects: (projectIds: readonly string[]) => Promise<void>;
  readonly now: () => Date;
  readonly withoutRecordSeconds?: number;
  readonly digestWaitSeconds?: number;
  readonly heldAlertPollMs?: number;
  readonly crawlPolls?: CrawlPolls;
}

/** Consumes events and queues their messages. To be called before the bus is prepared. */
export function openEvents(app: Pick<App<unknown>, 'own' | 'log'>, deps: EventsDeps): void {
  const { pool, bus, queue, members, openUrl, links, accountMessages, now } = deps;
  const { withoutRecordSeconds = WITHOUT_RECORD_SECONDS, digestWaitSeconds = DIGEST_WAIT_SECONDS } = deps;
  const { log } = app;
  const peerQueries = new PeerQueries(deps.peers);
  const runs = openRuns(app, {
    pool,
    peerQueries,
    members,
    queue,
    links,
    now,
    withoutRecordSeconds,
    digestWaitSeconds,
    heldAlertPollMs: deps.heldAlertPollMs,
  });
  const crawls = openCrawls(app, { pool, peerQueries, queue, openUrl, links, now, polls: deps.crawlPolls });
  const notifier = new EventNotifier({ pool, peerQueries, members, queue, openUrl, links, accountMessages, now });

  const failed = 'sweep of old run notifications failed, will retry';
  const run = async () => {
    const unfinished = { runs: await runs.sweep(), crawls: await crawls.sweep() };
    if (unfinished.runs + unfinished.crawls > 0)
      log.error(unfinished, 'expired notifications of runs and crawls were deleted before completion');
  };
  app.own(new PeriodicTask({ everyMs: SWEEP_MS, run, failed, log }));

  bus.consume(events.runFinished, 'delivery', (batch) => runs.recordFinished(eventsOf(batch)));
  bus.consume(events.changeReady, 'delivery', (batch) => runs.recordReady(eventsOf(batch)));
  bus.consume(events.runWatched, 'delivery', (batch) => crawls.watch(eventsOf(batch)));
  consumeSingleMessageEvents(bus, notifier);
  bus.consume(events.creditsLow, 'delivery', async (batch) => {
    for (const alert of eventsOf(batch)) {
      await deps.storeCreditsNotice(alert);
      await notifier.notifyCreditsLow(alert);
    }
  });
  bus.consume(events.projectDeleted, 'delivery', async (batch) => {
    const projectIds = eventsOf(batch).map(({ projectId }) => projectId);
    await deps.deleteProjects(projectIds);
    await runs.deleteProjects(projectIds);
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
  bus.consume(events.syncEnded, 'delivery', (batch) =>
    forEachInOrder(
      eventsOf(batch),
      ({ projectId }) => projectId,
      (event) => notifier.notifySyncEnded(event),
    ),
  );
  bus.consume(events.accountMailRequested, 'delivery', (batch) =>
    forEachInOrder(
      eventsOf(batch),
      ({ id }) => id,
      (event) => notifier.notifyAccount(event),
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
