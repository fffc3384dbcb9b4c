import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { enqueueAll } from '../notifications/enqueue-all.ts';
import type { AlertNotification } from '../notifications/notification.ts';
import type { MemberMessages, MessageQueue } from '../notifications/ports.ts';
import type { PeerQueries } from '../peers/peer-queries.ts';
import type { HeldAlertStore, HeldGroup, HeldMatch } from '../store/held-alert-store.ts';
import { alertMessages } from './alert-messages.ts';

export interface HeldAlertDeps {
  readonly pool: pg.Pool;
  readonly held: HeldAlertStore;
  readonly peerQueries: Pick<PeerQueries, 'channels'>;
  readonly members: MemberMessages;
  readonly queue: MessageQueue;
  readonly now: () => Date;
}

/** Queues the messages of held matches when they are due: one message of each channel for a period. */
export class HeldAlertSender {
  readonly #deps: HeldAlertDeps;

  constructor(deps: HeldAlertDeps) {
    this.#deps = deps;
  }

  /** Queues the messages that are due. @returns whether there were any */
  async sendDue(isOpen: () => boolean): Promise<boolean> {
    const { held, now } = this.#deps;
    const groups = await held.due(now());
    for (const group of groups) if (isOpen()) await this.#send(group);
    return groups.length > 0;
  }

  /** Deletes the matches and queues their message in one transaction, so that they are sent once. */
  async #send(group: HeldGroup): Promise<void> {
    const { pool, held, peerQueries, members, queue } = this.#deps;
    const { workspaceId, projectId, channel, dueAt } = group;
    const channels = await peerQueries.channels(workspaceId, projectId);
    const queueKeys = await inTransaction(pool, async (client) => {
      const taken = await held.take(client, group);
      if (channels === undefined || taken.length === 0) return [];
      const notification: AlertNotification = {
        kind: 'alert',
        workspaceId,
        channels,
        key: `${projectId}:alert.matched:${dueAt.toISOString()}`,
        runId: commonRun(taken),
        at: dueAt,
        matches: taken.map(({ match }) => match),
      };
      if (channel === 'mail') await members.storeNotice(client, notification);
      return await enqueueAll(queue, client, alertMessages(channel, notification, members));
    });
    queue.wake(queueKeys);
  }
}

/** Returns the run of all matches; empty: they are of several. */
function commonRun(taken: readonly HeldMatch[]): string {
  const runs = new Set(taken.map(({ runId }) => runId));
  const [first = ''] = runs;
  return runs.size === 1 ? first : '';
}
