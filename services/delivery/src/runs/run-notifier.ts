import { HeldLeases, isPoison, poisonReason } from '@tidemark/leased-work';
import { ChangeDigestText } from '@tidemark/results';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import { alertMessages } from '../alerts/alert-messages.ts';
import { channelMatches } from '../alerts/collect-alerts.ts';
import type { ChannelMatch } from '../domain/channel-match.ts';
import type { NewMessage } from '../domain/new-message.ts';
import { enqueueAll } from '../notifications/enqueue-all.ts';
import type { AlertNotification, Digest, FinishedRun, RunNotification } from '../notifications/notification.ts';
import type { MemberMessages, MessageQueue } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import type { HeldAlertStore } from '../store/held-alert-store.ts';
import type { RunNotificationClaim, RunNotificationStore } from '../store/run-notification-store.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import { changeMessages, finishedMessages, sendsChanges } from '../webhook-messages/run-messages.ts';
import { loadFinishedRun } from './load-finished-run.ts';

/** Entries read at a time. */
const BATCH = 500;
const RENEW_MS = 10_000;
/** Matches of alert rules that are sent of one run; its record marks all of them. */
const MAX_MATCHES = 1_000;

const StoredDigest = ChangeDigestText.nullable();

export interface RunNotifierDeps {
  readonly pool: pg.Pool;
  readonly notifications: RunNotificationStore;
  /** Longest wait for a digest, s. */
  readonly digestWaitSeconds: number;
  /** Called when a digest is to be composed. */
  readonly onDigestRequested: () => void;
  readonly peerQueries: PeerQueries;
  readonly members: MemberMessages;
  readonly heldAlerts: Pick<HeldAlertStore, 'hold'>;
  readonly queue: MessageQueue;
  readonly links: ApiLinks;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Queues the messages of finished runs: run.finished and the alerts first, then the changes, page by page. A retry queues the same messages. Where a digest is
 * to be composed first, the run is postponed until it is stored or its wait is over.
 */
export class RunNotifier {
  readonly #deps: RunNotifierDeps;
  readonly #leases = new HeldLeases();

  constructor(deps: RunNotifierDeps) {
    this.#deps = deps;
  }

  /** Releases the runs in progress. */
  drain(): Promise<void> {
    return this.#leases.drain();
  }

  /** Queues the messages of the next due run. @returns whether there was one */
  async notifyNext(): Promise<boolean> {
    const { notifications, log } = this.#deps;
    const claim = await notifications.claim();
    if (claim === undefined) return false;
    if (isPoison(claim.interruptions)) {
      log.error({ run: claim.run.runId }, `run is not notified further: ${poisonReason('prepared its messages')}`);
      await notifications.end(claim);
      return true;
    }
    const lease = {
      renew: () => notifications.renew(claim),
      everyMs: RENEW_MS,
      release: () => notifications.release(claim),
    };
    try {
      const isComplete = await this.#leases.hold(lease, (lost) => this.#notify(claim, lost));
      if (isComplete) await notifications.end(claim);
    } catch (error) {
      log.warn({ err: error, run: claim.run.runId }, 'run notification failed, will retry');
      await notifications.retry(claim);
    }
    return true;
  }

  /** @returns whether it is complete; false where it waits for a digest or another worker has claimed it */
  async #notify(claim: RunNotificationClaim, lost: AbortSignal): Promise<boolean> {
    const { peerQueries, notifications, digestWaitSeconds, onDigestRequested } = this.#deps;
    const finished = await loadFinishedRun(peerQueries, claim.run);
    if (finished === undefined) return true;
    if (claim.place === 0) {
      const digest = await this.#digestOf(claim, finished);
      if (lost.aborted) return false;
      if (digest === undefined) {
        await notifications.waitForDigest(claim, digestWaitSeconds);
        onDigestRequested();
        return false;
      }
      if (!(await this.#sendRunFinished(claim, { ...finished, digest }))) return false;
    }
    const { record, channels, run } = finished;
    // The changes that a failed or cancelled run saw are found again by the next run that is done, and sent then.
    const isReported = record !== undefined && run.status === 'done';
    return !isReported || !sendsChanges(channels) || this.#sendChanges(claim, finished, lost);
  }

  /** @returns false where another worker has claimed the run */
  async #sendRunFinished(claim: RunNotificationClaim, notification: RunNotification): Promise<boolean> {
    const { peerQueries, members, heldAlerts, links, now } = this.#deps;
    const { digest, workspaceId, run } = notification;
    if (digest !== null) await peerQueries.storeDigest(notification.workspaceId, notification.run, digest);
    const messages = [
      ...finishedMessages(notification, { at: now(), links }),
      ...members.chatMessages(notification),
      ...members.mailMessages(notification),
    ];
    const matches = await this.#alertsOf(notification);
    const { present, held } = byTime(matches, now());
    const alerts = [...Map.groupBy(present, ({ channel }) => channel)].map(([channel, found]) => ({
      channel,
      notification: alertNotification(notification, found),
    }));
    const all = [...messages, ...alerts.flatMap((each) => alertMessages(each.channel, each.notification, members))];
    return this.#enqueue(claim, 0, all, async (client) => {
      await members.storeNotice(client, notification);
      for (const each of alerts) if (each.channel === 'mail') await members.storeNotice(client, each.notification);
      await heldAlerts.hold(client, { workspaceId, projectId: run.projectId, runId: run.runId }, held);
    });
  }

  /** Returns the changes of the record that alert rules match, each with its channels and times. */
  async #alertsOf({ workspaceId, channels, run, record }: RunNotification): Promise<readonly ChannelMatch[]> {
    const { peerQueries, now } = this.#deps;
    if (record === undefined || channels.alerts.length === 0) return [];
    const matches = await peerQueries.alertMatches(workspaceId, run, MAX_MATCHES);
    return channelMatches(channels, matches, now());
  }

  /** Returns the digest; null: there is none. undefined: it is to be waited for. */
  async #digestOf(claim: RunNotificationClaim, finished: FinishedRun): Promise<Digest | null | undefined> {
    if (claim.digest !== '') return StoredDigest.parse(JSON.parse(claim.digest));
    const known = this.#deps.members.knownDigest(finished);
    if (known !== undefined || !claim.hasWaited) return known;
    // A later result is discarded: the message is sent without a digest.
    await this.#deps.notifications.storeDigest(claim, 'null');
    return null;
  }

  /** @returns false where another worker has claimed the run */
  async #sendChanges(
    claim: RunNotificationClaim,
    { workspaceId, channels, run }: FinishedRun,
    lost: AbortSignal,
  ): Promise<boolean> {
    const { peerQueries, now } = this.#deps;
    for (let after = claim.place, isMore = true; isMore; ) {
      if (lost.aborted) return false;
      const page = await peerQueries.changeEvents(workspaceId, run, after, BATCH);
      const of = { workspaceId, channels, runId: run.runId, at: now() };
      if (page.last <= after) return true;
      if (!(await this.#enqueue(claim, page.last, changeMessages(of, page.events)))) return false;
      ({ last: after, isMore } = page);
    }
    return true;
  }

  /** Queues messages and stores the progress in one transaction. @returns false where another worker has claimed the run: nothing is queued */
  async #enqueue(
    claim: RunNotificationClaim,
    place: number,
    messages: readonly NewMessage[],
    also?: (client: pg.PoolClient) => Promise<void>,
  ): Promise<boolean> {
    const { pool, notifications, queue } = this.#deps;
    const queueKeys = await inTransaction(pool, async (client) => {
      if (!(await notifications.advance(client, claim, place))) return undefined;
      const waiting = await enqueueAll(queue, client, messages);
      await also?.(client);
      return waiting;
    });
    if (queueKeys !== undefined) queue.wake(queueKeys);
    return queueKeys !== undefined;
  }
}

/** Returns the matches that are sent now, and those that are held. */
function byTime(matches: readonly ChannelMatch[], now: Date) {
  const isPresent = ({ dueAt }: ChannelMatch): boolean => dueAt <= now;
  return { present: matches.filter(isPresent), held: matches.filter((match) => !isPresent(match)) };
}

const alertNotification = (
  { workspaceId, channels, run }: RunNotification,
  matches: readonly ChannelMatch[],
): AlertNotification => ({
  kind: 'alert',
  workspaceId,
  channels,
  key: `${run.runId}:alert.matched`,
  runId: run.runId,
  at: run.finishedAt ?? new Date(0),
  matches: matches.map(({ match }) => match),
});
