import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import { AlertRule } from '@tidemark/contracts/config/v1/config';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import type { FakeRun } from './fake-peers.ts';
import { projectOn } from './finished-run.ts';
import {
  ids,
  type NotificationServers,
  type Queued,
  queuedWhen,
  startNotificationServers,
} from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
afterAll(() => servers.close());

const rule = (id: string, more: Partial<AlertRule> = {}): AlertRule =>
  AlertRule.fromPartial({ id, name: id, when: 'true', deliver: 'now', at: '08:00', ...more });
const entryOn = (place: number) => ({
  id: `entry_${place}`,
  url: `https://site.test/${place}`,
  title: `Page ${place}`,
});
const project = (alerts: AlertRule[], run: Partial<FakeRun>, channels: Partial<Channels> = {}) =>
  projectOn(servers, { alerts, timezone: 'Europe/Berlin', ...channels }, run);
const alertsIn = (queued: readonly Queued[]) =>
  queued.filter(({ event }) => event === 'alert.matched').map(({ message }) => message.data);
const heldOf = (projectId: string) =>
  servers.servers.database.sql<{ due_at: Date }>(
    "SELECT due_at FROM delivery.held_alerts WHERE project_id = $1 AND channel = 'webhook'",
    [projectId],
  );

describe('alert.matched', () => {
  it('is sent once for each rule that changes of a run match', async () => {
    const { runId, finish, ready } = project([rule('price'), rule('recall')], {
      alerts: [
        ['price', entryOn(1)],
        ['recall', entryOn(1)],
        ['price', entryOn(2)],
      ],
    });
    await finish();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 3);
    expect(alertsIn(queued)).toMatchObject([
      {
        alert: { id: 'price', name: 'Rule price' },
        matches: [{ changeId: 'entry_1', runId, title: 'Page 1' }, { changeId: 'entry_2' }],
        more: 0,
      },
      { alert: { id: 'recall' }, matches: [{ url: 'https://site.test/1', kind: 'modified' }], more: 0 },
    ]);
    await finish();
    await ready();
    expect(await servers.queued({ runId })).toHaveLength(3);
  });

  it('lists twenty matches and counts the others', async () => {
    const alerts = Array.from({ length: 27 }, (_, at) => ['price', entryOn(at + 1)] as const);
    const { runId, finish, ready } = project([rule('price')], { alerts });
    await finish();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 2);
    expect(alertsIn(queued)).toEqual([expect.objectContaining({ more: 7 })]);
  });

  it('is not sent for a rule of other channels, one that was deleted since, or a webhook without the event', async () => {
    const run: Partial<FakeRun> = { alerts: [['price', entryOn(1)]] };
    const others = [
      project([rule('price', { channels: { values: ['chat'] } })], run),
      project([rule('other')], run),
      project([rule('price')], run, { webhookEvents: ['run.finished'] }),
    ];
    for (const { runId, finish, ready } of others) {
      await finish();
      await ready();
      await queuedWhen(servers, { runId }, ({ length }) => length > 0);
      expect(alertsIn(await servers.queued({ runId }))).toEqual([]);
    }
  });

  it('is sent as one message when the matches of a day are due', async () => {
    const run: Partial<FakeRun> = { alerts: [['price', entryOn(1)]] };
    const { projectId, runId, add, finish, ready } = project([rule('price', { deliver: 'daily' })], run);
    const second = ids().runId;
    add(second, { alerts: [['price', entryOn(2)]] });
    for (const id of [runId, second]) {
      await finish(id);
      await ready(id);
    }
    const held = await until('both matches to be held', async () => {
      const rows = await heldOf(projectId);
      return rows.length === 2 ? rows : undefined;
    });
    expect(new Set(held.map(({ due_at: dueAt }) => dueAt.getTime())).size).toBe(1);
    expect(alertsIn(await servers.queued({ projectId }))).toEqual([]);
    servers.clock.stop();
    servers.clock.move((held[0]?.due_at.getTime() ?? 0) - servers.clock.now().getTime());
    const queued = await queuedWhen(servers, { projectId }, (all) => alertsIn(all).length > 0);
    expect(alertsIn(queued)).toMatchObject([
      {
        matches: [
          { changeId: 'entry_1', runId },
          { changeId: 'entry_2', runId: second },
        ],
      },
    ]);
    servers.clock.start();
    expect(await heldOf(projectId)).toEqual([]);
  });

  it('is not sent for a deleted project, whose held matches are deleted', async () => {
    const { workspaceId, projectId, runId, finish, ready } = project([rule('price', { deliver: 'weekly' })], {
      alerts: [['price', entryOn(1)]],
    });
    await finish();
    await ready();
    await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    expect(await heldOf(projectId)).toHaveLength(1);
    await servers.publish(events.projectDeleted, `deleted:${projectId}`, { projectId, workspaceId });
    await until('the held matches to be deleted', async () => (await heldOf(projectId)).length === 0);
  });
});
