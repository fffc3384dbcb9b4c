import { randomBytes } from 'node:crypto';
import { ALL_PROJECTS, newId } from '@tidemark/contracts';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { createGuard, parseAllowList } from '@tidemark/egress';
import { Sealer } from '@tidemark/sealing';
import { createLogger, inTransaction, openPool } from '@tidemark/service';
import { newWorkspace, SITE_ADDRESS, startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import type { MessageReceiver, NewMessage } from '../src/domain/new-message.ts';
import { openSending, type Sending } from '../src/sending/open-sending.ts';
import { Deliveries, type DeliveryRow } from '../src/store/deliveries.ts';
import { type Receiver, startReceiver } from './receiver.ts';

export const SEALING_KEYS = randomBytes(32).toString('base64');

/** A queue and its dispatcher on a real database, with a clock that the test moves. */
export interface SendingServers extends Sending {
  readonly servers: TestServers;
  readonly pool: pg.Pool;
  readonly sealer: Sealer;
  readonly deliveries: Deliveries;
  /** Channels by project; a project that is absent is deleted. */
  readonly channels: Map<string, Channels>;
  readonly clock: { now: Date; forward(ms: number): void };
  /** Starts a second instance. */
  open(pollIntervalMs?: number): Sending;
  /** Enqueues messages and wakes their queues. */
  enqueue(...messages: readonly NewMessage[]): Promise<void>;
  find(key: string): Promise<DeliveryRow>;
  /** Resolves once the delivery of that key has this status. */
  inStatus(key: string, status: string): Promise<DeliveryRow>;
  /** A receiver that is closed with the servers. */
  newReceiver(): Promise<Receiver>;
  close(): Promise<void>;
}

export async function startServers(): Promise<SendingServers> {
  const servers = await startTestServers();
  const opened = openPool(servers.database.url, 'delivery', 8);
  const pool = servers.own(Object.assign(opened, { close: () => opened.end() }));
  const sealer = new Sealer(SEALING_KEYS);
  const channels = new Map<string, Channels>();
  const clock = {
    now: new Date(),
    forward(ms: number) {
      clock.now = new Date(clock.now.getTime() + ms);
    },
  };
  const app = { own: <T extends object>(one: T): T => one, log: createLogger('test', 'fatal') };
  const open = (pollIntervalMs = 50): Sending => {
    const opened = openSending(app, {
      pool,
      sealer,
      pollIntervalMs,
      mail: { url: '', from: 'Tidemark <tidemark@test>' },
      guard: createGuard({ allow: parseAllowList(`${SITE_ADDRESS}/32`) }),
      openChannels: async (_, projectId) => channels.get(projectId),
      now: () => clock.now,
    });
    servers.own(opened.dispatcher);
    return opened;
  };
  const sending = open();
  const deliveries = new Deliveries(pool);
  const find = async (key: string): Promise<DeliveryRow> => {
    const { rows } = await pool.query<{ workspace_id: string }>('SELECT workspace_id FROM deliveries WHERE key = $1', [
      key,
    ]);
    const [row] = rows;
    const found = row && (await deliveries.findByKey({ workspaceId: row.workspace_id, access: ALL_PROJECTS }, key));
    if (found === undefined) throw new Error(`no delivery has the key ${key}`);
    return found;
  };
  return {
    ...sending,

    servers,
    pool,
    sealer,
    deliveries,
    channels,
    clock,
    open,
    async enqueue(...messages) {
      for (const { receiver } of messages)
        if (!channels.has(receiver.projectId)) channels.set(receiver.projectId, channelsOf(receiver));
      sending.queue.wake(await inTransaction(pool, (client) => sending.queue.enqueue(client, messages)));
    },
    find,
    inStatus: (key, status) =>
      until(`${key} to be ${status}`, async () => {
        const row = await find(key);
        return row.status === status && row;
      }),
    newReceiver: async () => servers.own(await startReceiver()),
    close: () => servers.close(),
  };
}

/** The webhook of a new project. */
export function webhookOf(url: string, workspaceId = newWorkspace()): MessageReceiver {
  const projectId = newId('prj');
  return { id: `${projectId}:webhook`, workspaceId, projectId, kind: 'webhook', service: '', url };
}

/** Channels of a project with this webhook. */
export const channelsOf = ({ projectId, url }: MessageReceiver): Channels => ({
  projectId,
  projectName: '',
  seed: 'https://site.test/',
  webhookUrl: url === '' ? undefined : url,
  webhookEvents: [],

  notifyMinWords: 0,
  notifyEmails: [],
  alerts: [],
  timezone: 'UTC',
});

/** A message to a receiver, with a unique key. */
export function messageTo(receiver: MessageReceiver, more: Partial<NewMessage> = {}): NewMessage {
  return {
    key: newId('req'),
    receiver,
    runId: '',
    event: 'run.finished',
    recipient: '',
    createdAt: new Date(),
    body: (id) => JSON.stringify({ id, event: 'run.finished', data: { pages: 3 } }),
    ...more,
  };
}
