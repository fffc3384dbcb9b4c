import { randomUUID } from 'node:crypto';
import type { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import type { ChangeReady } from '@tidemark/contracts/diff/v1/events';
import { type App, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import { HeldAlertSender } from '../alerts/held-alert-sender.ts';
import type { MemberMessages, MessageQueue } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import { DigestRequestStore } from '../store/digest-request-store.ts';
import { HeldAlertStore } from '../store/held-alert-store.ts';
import { RunNotificationStore } from '../store/run-notification-store.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import { DigestWorker } from './digest-worker.ts';
import { RunNotifier } from './run-notifier.ts';

/** Workers that notify of runs; a long record occupies one of them. */
const RUN_WORKERS = 4;
/** Workers that call models; a workspace uses one at a time. */
const DIGEST_WORKERS = 8;
/** Poll interval for postponed runs, ms; new ones are handled at once. */
const RETRY_INTERVAL_MS = 2_000;
/** Poll interval for alerts that were held, ms. */
const HELD_ALERT_POLL_MS = 10_000;

export interface RunsDeps {
  readonly pool: pg.Pool;
  readonly peerQueries: PeerQueries;
  readonly members: MemberMessages;
  readonly queue: MessageQueue;
  readonly links: ApiLinks;
  readonly now: () => Date;
  /** Longest wait of a finished run for its record, s. */
  readonly withoutRecordSeconds: number;
  /** Longest wait of a run's notification for its digest, s. */
  readonly digestWaitSeconds: number;
  /** Poll interval for alerts that were held, ms; default 10,000. */
  readonly heldAlertPollMs?: number | undefined;
}

/** Notifications of finished runs. */
export interface Runs {
  /** Records finished runs and starts notifying of them. Idempotent. */
  recordFinished(runs: readonly RunFinished[]): Promise<void>;
  /** Records that records are made and starts notifying of their runs. Idempotent. */
  recordReady(records: readonly ChangeReady[]): Promise<void>;
  /** Deletes the runs of deleted projects. */
  deleteProjects(projectIds: readonly string[]): Promise<void>;
  /** Deletes expired runs. @returns how many of them were unfinished */
  sweep(): Promise<number>;
}

/** Starts the workers that notify of finished runs and compose their digests. */
export function openRuns(app: Pick<App<unknown>, 'own' | 'log'>, deps: RunsDeps): Runs {
  const { pool, peerQueries, members, queue, links, now, withoutRecordSeconds, digestWaitSeconds } = deps;
  const { heldAlertPollMs = HELD_ALERT_POLL_MS } = deps;
  const { log } = app;
  const notifications = new RunNotificationStore(pool, randomUUID);
  const digestRequests = new DigestRequestStore(pool);
  const heldAlerts = new HeldAlertStore(pool);
  const onDigestRequested = () => composeDigests();
  const runNotifier = new RunNotifier({
    pool,
    notifications,
    digestWaitSeconds,
    onDigestRequested,
    peerQueries,
    members,
    heldAlerts,
    queue,
    links,
    now,
    log,
  });
  // Closed after the workers, in reverse order.
  app.own({ close: () => runNotifier.drain() });
  const digestWorker = new DigestWorker({ digestRequests, peerQueries, members, log, onDigest: () => notifyRuns() });

  const startWorkers = (length: number, failed: string, step: () => Promise<boolean>) => {
    const run = (isOpen: () => boolean) => repeatUntilDone(step, isOpen);
    const workers = Array.from({ length }, () =>
      app.own(new PeriodicTask({ everyMs: RETRY_INTERVAL_MS, run, failed, log })),
    );
    return (): void => {
      for (const worker of workers) void worker.runNow();
    };
  };
  const notifyRuns = startWorkers(RUN_WORKERS, 'run notification failed, will retry', () => runNotifier.notifyNext());
  const composeDigests = startWorkers(DIGEST_WORKERS, 'digest worker failed, will retry', () =>
    digestWorker.composeNext(),
  );
  const heldAlertSender = new HeldAlertSender({ pool, held: heldAlerts, peerQueries, members, queue, now });
  app.own(
    new PeriodicTask({
      everyMs: heldAlertPollMs,
      run: (isOpen) => repeatUntilDone(() => heldAlertSender.sendDue(isOpen), isOpen),
      failed: 'sending held alerts failed, will retry',
      log,
    }),
  );
  return {
    async recordFinished(runs) {
      await notifications.recordFinished(runs, withoutRecordSeconds);
      notifyRuns();
    },
    async recordReady(records) {
      await notifications.recordReady(records);
      notifyRuns();
    },
    async deleteProjects(projectIds) {
      await notifications.deleteProjects(projectIds);
      await heldAlerts.deleteProjects(projectIds);
    },
    sweep: () => notifications.sweep(),
  };
}
