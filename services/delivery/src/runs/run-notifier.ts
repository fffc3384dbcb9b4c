import { ChangeDigestText } from '@tidemark/api';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import { enqueueAll } from '../domain/enqueue-all.ts';
import type { NewMessage } from '../domain/new-message.ts';
import type { Digest, FinishedRun, RunNotification } from '../domain/notification.ts';
import type { MemberMessages, MessageQueue } from '../domain/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import { changeMessages, finishedMessages, sendsChanges } from '../webhook-messages/run-messages.ts';
import type { DigestRequestStore } from './digest-request-store.ts';
import { loadFinishedRun } from './load-finished-run.ts';
import type { RunNotificationClaim, RunNotificationStore } from './run-notification-store.ts';

/** Entries looked at together. */
const BATCH = 500;
const RENEW_MS = 10_000;
const MAX_RETRY_SECONDS = 60;

const KeptDigest = ChangeDigestText.nullable();

/** Whether somebody else tells it by now. */
interface LeaseState {
  isLost: boolean;
}

export interface RunNotifierDeps {
  readonly pool: pg.Pool;
  readonly notifications: RunNotificationStore;
  readonly digestRequests: DigestRequestStore;
  /** How long a telling waits for what a model says. */
  readonly digestWaitSeconds: number;
  /** A model is to be asked. */
  readonly onDigestRequested: () => void;
  readonly peerQueries: PeerQueries;
  readonly members: MemberMessages;
  readonly queue: MessageQueue;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Tells projects of their runs: first that one has ended, then its changes, page by page. Whoever goes on with it tells the same. Where a
 * model is to be asked first, the telling is left until it has answered, for so long and no longer.
 */
export class RunNotifier {
  readonly #deps: RunNotifierDeps;

  constructor(deps: RunNotifierDeps) {
    this.#deps = deps;
  }

  /** Tells of the next run that is due. @returns whether there was one */
  async notifyNext(): Promise<boolean> {
    const { notifications, log } = this.#deps;
    const claim = await notifications.claim();
    if (claim === undefined) return false;
    const lease: LeaseState = { isLost: false };
    const renewing = setInterval(() => void this.#renew(claim, lease), RENEW_MS);
    try {
      if (await this.#notify(claim, lease)) await notifications.end(claim);
    } catch (error) {
      log.warn({ err: error, run: claim.run.runId }, 'a run could not be told of; it is gone on with later');
      await notifications.postpone(claim, Math.min(2 ** claim.attempts, MAX_RETRY_SECONDS));
    } finally {
      clearInterval(renewing);
    }
    return true;
  }

  /** Where the lease can't be renewed now, the next round tries; every move is fenced by the claim besides. */
  async #renew(claim: RunNotificationClaim, lease: LeaseState): Promise<void> {
    const isHeld = await this.#deps.notifications.renew(claim).catch(() => true);
    if (!isHeld) lease.isLost = true;
  }

  /** @returns whether it came to its end: not where it waits for a digest, or another tells it by now */
  async #notify(claim: RunNotificationClaim, lease: LeaseState): Promise<boolean> {
    const { peerQueries, digestRequests, digestWaitSeconds, onDigestRequested } = this.#deps;
    const finished = await loadFinishedRun(peerQueries, claim.run);
    if (finished === undefined) return true;
    if (claim.place === 0) {
      const digest = await this.#digestOf(claim, finished);
      if (lease.isLost) return false;
      if (digest === undefined) {
        await digestRequests.wait(claim, digestWaitSeconds);
        onDigestRequested();
        return false;
      }
      if (!(await this.#sendRunFinished(claim, { ...finished, digest }))) return false;
    }
    const { record, channels } = finished;
    return record === undefined || !sendsChanges(channels) || this.#sendChanges(claim, finished, lease);
  }

  /** @returns false where another tells it by now */
  async #sendRunFinished(claim: RunNotificationClaim, notification: RunNotification): Promise<boolean> {
    const { peerQueries, members, now } = this.#deps;
    const { digest } = notification;
    if (digest !== null)
      await peerQueries.storeDigest(notification.workspaceId, notification.run, JSON.stringify(digest));
    const messages = [
      ...finishedMessages(notification, now()),
      ...members.chatMessages(notification),
      ...members.mailMessages(notification),
    ];
    return this.#enqueue(claim, 0, messages, (client) => members.storeNotice(client, notification));
  }

  /** What a model said; null: nothing, or nobody is to be asked. undefined: it is to be waited for. */
  async #digestOf(claim: RunNotificationClaim, finished: FinishedRun): Promise<Digest | null | undefined> {
    if (claim.digest !== '') return KeptDigest.parse(JSON.parse(claim.digest));
    const known = this.#deps.members.knownDigest(finished);
    if (known !== undefined || !claim.hasWaited) return known;
    // What comes now comes too late: it is told without.
    await this.#deps.notifications.storeDigest(claim, 'null');
    return null;
  }

  /** @returns false where another tells it by now */
  async #sendChanges(
    claim: RunNotificationClaim,
    { workspaceId, channels, run }: FinishedRun,
    lease: LeaseState,
  ): Promise<boolean> {
    const { peerQueries, now } = this.#deps;
    for (let after = claim.place, isMore = true; isMore; ) {
      if (lease.isLost) return false;
      const page = await peerQueries.changeEvents(workspaceId, run, after, BATCH);
      const of = { workspaceId, channels, runId: run.runId, at: now() };
      if (page.last <= after) return true;
      if (!(await this.#enqueue(claim, page.last, changeMessages(of, page.events)))) return false;
      ({ last: after, isMore } = page);
    }
    return true;
  }

  /** Queues messages and notes how far they reach, together. @returns false where another tells it by now: then nothing is queued */
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
