import type { MapEnded } from '@tidemark/contracts/map/v1/events';
import type { SiteHealthChanged } from '@tidemark/contracts/projects/v1/events';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { NewMessage } from '../domain/new-message.ts';
import { enqueueAll } from './enqueue-all.ts';
import type { Fleet } from './fleet.ts';
import { batchMessages, jobReceiver } from './job-messages.ts';
import type { HealthTold, People, Queue } from './ports.ts';
import { healthMessages, mapMessages } from './site-messages.ts';

export interface FactTellerDeps {
  readonly pool: pg.Pool;
  readonly fleet: Fleet;
  readonly people: People;
  readonly queue: Queue;
  readonly now: () => Date;
}

/** Tells facts that are one message each, as they are heard. What can't be told now fails, and is heard again. */
export class FactTeller {
  readonly #deps: FactTellerDeps;

  constructor(deps: FactTellerDeps) {
    this.#deps = deps;
  }

  /** A site has begun to fail, or has recovered: webhook, chat, mail and notices. */
  async tellHealth(change: SiteHealthChanged): Promise<void> {
    const { fleet, people, now } = this.#deps;
    const { workspaceId, projectId } = change;
    const channels = await fleet.channels(workspaceId, projectId);
    if (channels === undefined) return;
    const told: HealthTold = { kind: 'monitor', workspaceId, channels, change };
    const messages = [
      ...healthMessages(channels, change, now()),
      ...people.chatMessages(told),
      ...people.mailMessages(told),
    ];
    await this.#enqueue(messages, (client) => people.keepNotices(client, told));
  }

  /** A project's map has ended. */
  async tellMap({ workspaceId, projectId, job }: MapEnded): Promise<void> {
    if (job === undefined) return;
    const { fleet, now } = this.#deps;
    const channels = await fleet.channels(workspaceId, projectId);
    if (channels === undefined || channels.webhookUrl === '') return;
    const discovery = await fleet.discovery(workspaceId, projectId, job);
    await this.#enqueue(mapMessages({ workspaceId, channels, job, discovery, at: now() }));
  }

  /** A batch has ended. */
  async tellBatch({ workspaceId, job, webhookUrl: url, sealedSecret }: BatchEnded): Promise<void> {
    if (job === undefined) return;
    const receiver = jobReceiver(workspaceId, job.id, { url, sealedSecret });
    await this.#enqueue(batchMessages(receiver, job, this.#deps.now()));
  }

  async #enqueue(messages: readonly NewMessage[], also?: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const { pool, queue } = this.#deps;
    const lanes = await inTransaction(pool, async (client) => {
      const waiting = await enqueueAll(queue, client, messages);
      await also?.(client);
      return waiting;
    });
    queue.wake(lanes);
  }
}
