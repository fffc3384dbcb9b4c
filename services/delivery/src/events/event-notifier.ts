import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import type { SyncEnded } from '@tidemark/contracts/export/v1/events';
import type { AccountMailRequested } from '@tidemark/contracts/identity/v1/events';
import type { MapEnded } from '@tidemark/contracts/map/v1/events';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import { enqueueAll } from '../notifications/enqueue-all.ts';
import type { SiteHealthNotification, SyncNotification } from '../notifications/notification.ts';
import type { MemberMessages, MessageQueue } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import type { ApiLinks } from '../webhook-messages/api-links.ts';
import { creditMessages } from '../webhook-messages/credit-messages.ts';
import { batchMessages, jobReceiver, type OpenUrl } from '../webhook-messages/job-messages.ts';
import { healthMessages, mapMessages } from '../webhook-messages/site-messages.ts';
import { syncMessages } from '../webhook-messages/sync-messages.ts';

export interface EventNotifierDeps {
  readonly pool: pg.Pool;
  readonly peerQueries: PeerQueries;
  readonly members: MemberMessages;
  readonly queue: MessageQueue;
  readonly openUrl: OpenUrl;
  /** Builds the mail of an account event; none where no mail host is configured. */
  readonly accountMessages: (event: AccountMailRequested, now: Date) => readonly NewMessage[];
  readonly links: ApiLinks;
  readonly now: () => Date;
}

/** Handles events that need no stored progress. A failed handler throws, and the event is redelivered. */
export class EventNotifier {
  readonly #deps: EventNotifierDeps;

  constructor(deps: EventNotifierDeps) {
    this.#deps = deps;
  }

  /** Queues the messages of a change of a site's health: webhook, chat, mail and notice. */
  async notifySiteHealth(change: SiteHealthChanged): Promise<void> {
    const { peerQueries, members, now } = this.#deps;
    const { workspaceId, projectId } = change;
    const channels = await peerQueries.channels(workspaceId, projectId);
    if (channels === undefined) return;
    const notification: SiteHealthNotification = { kind: 'monitor', workspaceId, channels, change };
    const messages = [
      ...healthMessages(channels, change, now()),
      ...members.chatMessages(notification),
      ...members.mailMessages(notification),
    ];
    await this.#enqueue(messages, (client) => members.storeNotice(client, notification));
  }

  /** Queues the messages of an ended sync: webhook and chat, and a mail and a notice of a failure. */
  async notifySyncEnded(ended: SyncEnded): Promise<void> {
    const { peerQueries, members, now } = this.#deps;
    const { workspaceId, projectId, sync } = ended;
    const channels = sync === undefined ? undefined : await peerQueries.channels(workspaceId, projectId);
    if (sync === undefined || channels === undefined) return;
    const notification: SyncNotification = { kind: 'sync', workspaceId, channels, ended, sync };
    const isFailed = sync.error !== undefined;
    const messages = [
      ...syncMessages(channels, ended, sync, now()),
      ...members.chatMessages(notification),
      ...(isFailed ? members.mailMessages(notification) : []),
    ];
    await this.#enqueue(messages, isFailed ? (client) => members.storeNotice(client, notification) : undefined);
  }

  /** Queues the messages of an ended map of a project. */
  async notifyMapEnded({ workspaceId, projectId, job }: MapEnded): Promise<void> {
    if (job === undefined) return;
    const { peerQueries, links, now } = this.#deps;
    const channels = await peerQueries.channels(workspaceId, projectId);
    if (channels?.webhookUrl === undefined) return;
    const discovery = await peerQueries.discovery(workspaceId, projectId, job);
    await this.#enqueue(mapMessages({ workspaceId, channels, job, discovery, at: now(), links }));
  }

  /** Queues the messages of an ended batch. */
  async notifyBatchEnded({ workspaceId, job, sealedUrl, sealedSecret, ...webhook }: BatchEnded): Promise<void> {
    if (job === undefined) return;
    const { openUrl, links, now } = this.#deps;
    const url = openUrl(sealedUrl, job.id);
    const receiver = jobReceiver(workspaceId, job.id, { url, sealedSecret });
    await this.#enqueue(batchMessages({ receiver, ...webhook }, job, { at: now(), links }));
  }

  /** Queues the webhook messages of an alert of used credits. */
  async notifyCreditsLow(alert: CreditsLow): Promise<void> {
    const { peerQueries, now } = this.#deps;
    const channels = await peerQueries.allChannels(alert.workspaceId);
    await this.#enqueue(creditMessages(channels, alert, alert.at ?? now()));
  }

  /** Queues a mail about an account. */
  async notifyAccount(event: AccountMailRequested): Promise<void> {
    const { accountMessages, now } = this.#deps;
    await this.#enqueue(accountMessages(event, now()));
  }

  async #enqueue(
    messages: readonly NewMessage[],
    writeNotice?: (client: pg.PoolClient) => Promise<void>,
  ): Promise<void> {
    const { pool, queue } = this.#deps;
    const queueKeys = await inTransaction(pool, async (client) => {
      const waiting = await enqueueAll(queue, client, messages);
      await writeNotice?.(client);
      return waiting;
    });
    queue.wake(queueKeys);
  }
}
