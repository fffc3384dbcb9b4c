import { randomBytes } from 'node:crypto';
import { type EventDefinition, newId } from '@tidemark/contracts';
import { Sealer } from '@tidemark/sealing';
import { Bus, createLogger, defineService, openPool, outgoingEvent } from '@tidemark/service';
import {
  newWorkspace,
  type RunningService,
  startService,
  startTestServers,
  TestClock,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { isEventName, messageSchema } from '@tidemark/webhook-events';
import { z } from 'zod';
import { knownDigest } from '../src/digest/compose-digest.ts';
import { openEvents } from '../src/events/open-events.ts';
import type { Digest, FinishedRun, Notification } from '../src/notifications/notification.ts';
import type { MemberMessages } from '../src/notifications/ports.ts';
import { Queue } from '../src/store/queue.ts';
import { Receivers } from '../src/store/receivers.ts';
import { RetentionStore } from '../src/store/retention-store.ts';
import { apiLinks } from '../src/webhook-messages/api-links.ts';
import { type FakePeers, startFakePeers } from './fake-peers.ts';

/** Base URL of the REST interface in messages. */
export const API = 'https://api.test/v1';

/** A queued message. */
export interface Queued {
  readonly id: string;
  readonly key: string;
  readonly event: string;
  readonly receiverId: string;
  readonly runId: string;
  /** The parsed body. */
  readonly message: Message;
}

const Message = z.looseObject({
  id: z.string(),
  event: z.string(),
  ts: z.number(),
  createdAt: z.string(),
  data: z.record(z.string(), z.unknown()),
});
type Message = z.output<typeof Message>;

/** Fake messages to members and a fake digest, which waits for `beforeDigest`. */
interface FakeMembers {
  digest: Digest | null;
  digests: number;
  noticed: string[];
  beforeDigest: (notification: FinishedRun) => Promise<void>;
}

/** Event handling on a real database and bus, with the queue; other services are fakes. */
export interface NotificationServers {
  readonly servers: TestServers;
  readonly peers: FakePeers;
  /** Fake messages to members. */
  readonly members: FakeMembers;
  readonly clock: TestClock;
  /** Starts another instance. */
  start(): Promise<RunningService>;
  /** Shared sealing keys. */
  readonly sealer: Sealer;
  publish<T>(event: EventDefinition<T>, id: string, message: T): Promise<void>;
  /** The messages of a run, job or project, in the order they were queued; each is validated against its schema. */
  queued(of: { runId?: string; projectId?: string }): Promise<Queued[]>;
  close(): Promise<void>;
}

export async function startNotificationServers(
  withoutRecordSeconds = 600,
  digestWaitSeconds = 40,
): Promise<NotificationServers> {
  const servers = await startTestServers();
  const peers = servers.own(await startFakePeers());
  const fake: FakeMembers = { digest: null, digests: 0, noticed: [], beforeDigest: async () => undefined };
  const noticeOf = (notification: Notification): string =>
    notification.kind === 'alert'
      ? `${notification.matches.length} alerts`
      : notification.kind === 'run'
        ? `${notification.run.runId}: ${notification.digest?.summary ?? 'no digest'}`
        : notification.kind === 'sync'
          ? `${notification.sync.id}: ${notification.sync.error?.message ?? 'written'}`
          : notification.change.health;
  const members: MemberMessages = {
    knownDigest,
    async composeDigest(notification) {
      fake.digests += 1;
      await fake.beforeDigest(notification);
      return fake.digest;
    },
    chatMessages: () => [],
    mailMessages: () => [],
    async storeNotice(_, notification) {
      fake.noticed.push(noticeOf(notification));
    },
  };
  const clock = new TestClock();
  const sealer = new Sealer(randomBytes(32).toString('base64'));
  const definition = defineService({
    name: 'delivery',
    config: { DATABASE_URL: z.url(), NATS_URL: z.string() },
    async start(app) {
      const pool = app.own(openPool(app.config.DATABASE_URL, 'delivery'));
      const bus = app.own(await Bus.connect(app.config.NATS_URL, 'delivery', app.log));
      const now = () => clock.now();
      const queue = new Queue(
        new Receivers(pool, sealer, () => `whsec_${randomBytes(32).toString('base64')}`),
        now,
        () => undefined,
      );
      const peer = app.dial('peers', peers.address);
      const retention = new RetentionStore(pool);
      const deleteProjects = (projectIds: readonly string[]) => retention.deleteProjects(projectIds);
      openEvents(app, {
        pool,
        bus,
        peers: { crawl: peer, map: peer, projects: peer, diff: peer },
        queue,
        members,
        deleteProjects,
        storeCreditsNotice: async () => undefined,
        accountMessages: () => [],
        links: apiLinks(API),
        openUrl: (sealed, jobId) => sealer.open(sealed, `${jobId}:url`),
        now,
        withoutRecordSeconds,
        digestWaitSeconds,
        heldAlertPollMs: 50,
        crawlPolls: { claimMs: 50, seconds: { least: 0.05, most: 0.3 } },
      });
      await bus.prepare();
    },
  });
  const start = async () => servers.own(await startService(definition, servers.env));
  await start();
  const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'fatal')));
  return {
    servers,
    peers,
    members: fake,
    clock,
    sealer,
    start,
    close: () => servers.close(),
    publish: (event, id, message) => bus.publish(event.subject, [outgoingEvent(event, id, message)]),
    queued: async ({ runId, projectId }) => {
      const rows = await servers.database.sql(
        'SELECT id, key, event, receiver_id, run_id, body FROM delivery.deliveries WHERE run_id = $1 OR project_id = $2 ORDER BY id',
        [runId ?? '-', projectId ?? '-'],
      );
      return rows.map(toQueued);
    },
  };
}

const Row = z.object({
  id: z.string(),
  key: z.string(),
  event: z.string(),
  body: z.string(),

  receiver_id: z.string(),
  run_id: z.string(),
});

function toQueued(found: object): Queued {
  const row = Row.parse(found);
  const body: unknown = JSON.parse(row.body);
  const message = Message.parse(body);
  if (!isEventName(message.event)) throw new Error(`there is no event ${message.event}`);
  const parsed = messageSchema(message.event).parse(body);
  if (JSON.stringify(sorted(parsed)) !== JSON.stringify(sorted(body)))
    throw new Error(`${message.event} holds more than its schema: ${JSON.stringify(body)}`);
  if (message.id !== row.id) throw new Error(`the message is ${message.id}, its delivery ${row.id}`);
  return {
    id: message.id,
    key: row.key,
    event: row.event,
    message,

    receiverId: row.receiver_id,
    runId: row.run_id,
  };
}

/** The same value with every object's keys in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}

/** Waits until the queued messages match, and returns them. */
export const queuedWhen = (
  servers: NotificationServers,
  of: { runId?: string; projectId?: string },
  holds: (queued: readonly Queued[]) => boolean,
): Promise<Queued[]> =>
  until(`the messages of ${of.runId ?? of.projectId}`, async () => {
    const queued = await servers.queued(of);
    return holds(queued) ? queued : undefined;
  });

export const ids = () => ({ workspaceId: newWorkspace(), projectId: newId('prj'), runId: newId('run') });
