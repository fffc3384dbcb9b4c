import { setTimeout as sleep } from 'node:timers/promises';
import { actedBy, allowsProject, type Caller, events, hasScope, newId } from '@tidemark/contracts';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import { maskUrlTokens } from '@tidemark/project-config';
import { auditEvent, inTransaction, type OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import type { MessageReceiver, NewMessage } from '../domain/new-message.ts';
import type { Deliveries, DeliveryRow } from '../store/deliveries.ts';
import type { Queue } from '../store/queue.ts';
import { NO_DELIVERIES, type ReceiverHealth, readHealth } from '../store/receiver-health.ts';
import type { SecretStore } from '../store/secret-store.ts';
import type { OpenChannels } from './project-channels.ts';

const PREVIOUS_VERIFIES_MS = 24 * 3_600_000;
/** Longest wait for the first attempt of a test, ms. */
const TEST_WITHIN_MS = 11_000;
const POLL_INTERVAL_MS = 100;

export interface ProjectWebhooksDeps {
  readonly pool: pg.Pool;
  /** Uncached, so that a change a member has just made is visible. */
  readonly openChannels: OpenChannels;
  readonly queue: Pick<Queue, 'enqueue' | 'upsertReceivers' | 'wake'>;
  readonly secrets: SecretStore;
  readonly deliveries: Deliveries;
  /** Composes the test message; undefined where the project has no webhook. */
  readonly testMessage: (workspaceId: string, channels: Channels, key: string, at: Date) => NewMessage | undefined;
  readonly sendNow: (id: string, queueKey: string) => Promise<void>;
  readonly newSecret: () => string;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
  readonly now: () => Date;
  readonly testWithinMs?: number;
}

/** A project's webhook, as shown to callers that may see the project. */
export interface Webhook {
  /** Masked; undefined: the project has none. */
  readonly url: string | undefined;
  readonly events: readonly string[];
  /** Undefined for callers without the admin scope, without a webhook, and where its sealing key is lost and it must be rotated. */
  readonly secret: string | undefined;
  readonly isSecretHidden: boolean;
  readonly previousUntil: Date | undefined;
  readonly health: ReceiverHealth;
  readonly deliveries: readonly DeliveryRow[];
}

export const webhookIdOf = (projectId: string): string => `${projectId}:webhook`;

/** Reads, rotates and tests the webhooks of projects. A project's receiver row is created when it is first needed. */
export class ProjectWebhooks {
  readonly #deps: ProjectWebhooksDeps;

  constructor(deps: ProjectWebhooksDeps) {
    this.#deps = deps;
  }

  /** Returns a project's webhook with its newest deliveries. @throws AppError not_found */
  async get(caller: Caller, projectId: string, deliveries: number): Promise<Webhook> {
    const channels = await this.#channels(caller, projectId);
    const { workspaceId } = caller;
    const [id, isAdmin] = [webhookIdOf(projectId), hasScope(caller, 'admin')];
    const { webhookUrl } = channels;
    const hasSecret = isAdmin && webhookUrl !== undefined;
    if (hasSecret) await this.#upsertReceiver(workspaceId, projectId, webhookUrl);
    const [secrets, health, recent] = await Promise.all([
      hasSecret ? this.#deps.secrets.open(workspaceId, id, this.#deps.now()) : undefined,
      readHealth(this.#deps.pool, workspaceId, [id]),
      deliveries > 0 ? this.#deps.deliveries.listOf(caller, id, projectId, deliveries) : [],
    ]);
    return {
      url: webhookUrl === undefined ? undefined : maskUrlTokens(webhookUrl),
      events: channels.webhookEvents,
      secret: secrets?.secret,
      isSecretHidden: !isAdmin,
      previousUntil: secrets?.previousUntil,
      health: health.get(id) ?? NO_DELIVERIES,
      deliveries: recent,
    };
  }

  /** Generates a new secret; previous ones verify for a day after their rotation. @throws AppError forbidden, not_found, validation */
  async rotate(caller: Caller, projectId: string): Promise<{ secret: string; previousUntil: Date | undefined }> {
    if (!hasScope(caller, 'admin')) throw new AppError('forbidden', 'rotating a secret needs the admin scope');
    const { webhookUrl } = await this.#channels(caller, projectId);
    if (webhookUrl === undefined) throw noWebhook();
    await this.#upsertReceiver(caller.workspaceId, projectId, webhookUrl);
    const now = this.#deps.now();
    const secret = this.#deps.newSecret();
    const action = { action: 'webhook.secret_rotated', subjectId: projectId, at: now };
    const outgoing = [auditEvent(events.deliveryAudited, actedBy(caller), action)];
    const next = { secret, now, previousUntil: new Date(now.getTime() + PREVIOUS_VERIFIES_MS), outgoing };
    const previousUntil = await this.#deps.secrets.rotate(caller.workspaceId, webhookIdOf(projectId), next);
    this.#deps.send(outgoing);
    return { secret, previousUntil };
  }

  /** Sends a run.finished with test: true and returns it after its first attempt. @throws AppError not_found, validation */
  async test(caller: Caller, projectId: string): Promise<DeliveryRow> {
    const { pool, queue, testMessage, sendNow, now } = this.#deps;
    const channels = await this.#channels(caller, projectId);
    const key = `test:${newId('req')}`;
    const message = testMessage(caller.workspaceId, channels, key, now());
    if (message === undefined) throw noWebhook();
    const queueKeys = await inTransaction(pool, (client) => queue.enqueue(client, [message]));
    const queued = await this.#deps.deliveries.findByKey(caller, message.key);
    // The project was deleted in the meantime.
    if (queued === undefined) throw noProject();
    void sendNow(queued.id, queued.queueKey).catch(() => queue.wake(queueKeys));
    return this.#afterFirstAttempt(caller, queued);
  }

  async #afterFirstAttempt(caller: Caller, queued: DeliveryRow): Promise<DeliveryRow> {
    const until = performance.now() + (this.#deps.testWithinMs ?? TEST_WITHIN_MS);
    for (let row = queued; ; ) {
      if (row.attempts > 0 || performance.now() > until) return row;
      await sleep(POLL_INTERVAL_MS);
      row = (await this.#deps.deliveries.find(caller, queued.id)) ?? row;
    }
  }

  async #channels({ workspaceId, access }: Caller, projectId: string): Promise<Channels> {
    if (!allowsProject(access, projectId)) throw noProject();
    const channels = await this.#deps.openChannels(workspaceId, projectId);
    if (channels === undefined) throw noProject();
    return channels;
  }

  async #upsertReceiver(workspaceId: string, projectId: string, url: string): Promise<void> {
    const receiver: MessageReceiver = {
      id: webhookIdOf(projectId),
      workspaceId,
      projectId,
      kind: 'webhook',
      service: '',
      url,
    };
    await inTransaction(this.#deps.pool, (client) => this.#deps.queue.upsertReceivers(client, [receiver]));
  }
}

const noProject = () => new AppError('not_found', 'project not found');
const noWebhook = () =>
  new AppError('validation', 'webhook_url: the project has none; set one in its config first', {
    detail: [{ loc: ['body', 'webhook_url'], msg: 'the project has none', type: 'missing' }],
  });
