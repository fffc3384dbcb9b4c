import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { until } from '@tidemark/testkit';
import type { FinishedRun } from '../src/notifications/notification.ts';
import type { FakeRun } from './fake-peers.ts';
import { changed, projectOn, RECORD } from './finished-run.ts';
import { type NotificationServers, queuedWhen, startNotificationServers } from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
beforeEach(() => {
  servers.peers.listsEvents = true;
  Object.assign(servers.members, { digest: null, digests: 0, noticed: [], beforeDigest: async () => undefined });
});
afterAll(() => servers.close());

/** A run of a project that has a model. */
const project = (finished: Partial<FakeRun> = {}, workspaceId?: string, on = servers) =>
  projectOn(on, { digestConnectionId: 'con_1' }, finished, workspaceId);

describe('a digest', () => {
  it('is part of run.finished, is stored with the record, and is composed once', async () => {
    servers.members.digest = { summary: 'Prices rose.', points: ['Team costs more'], significant: true };
    const { runId, finish, ready } = project({ changeEvents: [[changed(1)]] });
    servers.peers.listsEvents = false;
    await finish();
    await ready();
    const [finished] = await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    await until('a second try', () => servers.members.noticed.length > 1);
    expect(finished?.message.data['digest']).toEqual(servers.members.digest);
    expect(servers.peers.keptDigests.get(runId)).toEqual(servers.members.digest);
    expect(servers.members.digests).toBe(1);
    expect(servers.members.noticed).toContain(`${runId}: Prices rose.`);
  });
});

describe('a model that is slow', () => {
  it('gets one call at a time per workspace, and delays no notification of other workspaces', async () => {
    const gate = Promise.withResolvers<void>();
    let [active, maxActive] = [0, 0];
    servers.members.beforeDigest = async () => {
      active += 1;
      maxActive = Math.max(maxActive, active);
      await gate.promise;
      active -= 1;
    };
    const first = project();
    const same = Array.from({ length: 6 }, () => project({}, first.workspaceId));
    for (const { finish, ready } of [first, ...same]) {
      await finish();
      await ready();
    }
    await until('the model to be called', () => active > 0);
    const other = projectOn(servers);
    await other.finish();
    await other.ready();
    await queuedWhen(servers, other, ({ length }) => length > 0);
    const otherWorkspace = project();
    await otherWorkspace.finish();
    await otherWorkspace.ready();
    await until('the other workspace’s model to be called', () => active === 2);
    expect(await servers.queued(first)).toEqual([]);
    gate.resolve();
    for (const { runId } of [first, ...same, otherWorkspace])
      await queuedWhen(servers, { runId }, ({ length }) => length > 0);
    expect(maxActive).toBe(2);
  });

  it('is waited for up to the limit, and called once, although its response is late', async () => {
    const limited = await startNotificationServers(600, 1);
    const gate = Promise.withResolvers<void>();
    try {
      limited.members.beforeDigest = () => gate.promise;
      limited.members.digest = { summary: 'Too late.', points: [], significant: true };
      const { runId, finish, ready } = project({}, undefined, limited);
      await finish();
      await ready();
      const [finished] = await queuedWhen(limited, { runId }, ({ length }) => length === 1);
      expect(finished?.message.data['digest']).toBeNull();
      gate.resolve();
      const after = project({}, undefined, limited);
      await after.finish();
      await after.ready();
      const [next] = await queuedWhen(limited, after, ({ length }) => length > 0);
      expect(next?.message.data['digest']).toEqual(limited.members.digest);
      expect(await limited.queued({ runId })).toHaveLength(1);
      expect(limited.peers.keptDigests.has(runId)).toBe(false);
      expect(limited.members.digests).toBe(2);
    } finally {
      await limited.close();
    }
  });
});

describe('the changes of a record', () => {
  it('are passed to the model, although thirty unverified pages come first', async () => {
    const unread = Array.from({ length: 30 }, (_, at) => ({
      kind: 'unverified' as const,
      url: `https://site.test/${at}`,
    }));
    const entries = [...unread, { kind: 'template' as const, url: 'https://site.test/x', blocks: [] }];
    const record = { ...RECORD, counts: { ...RECORD?.counts, modified: 0, unverified: 30 } };
    const composed: FinishedRun[] = [];
    servers.members.beforeDigest = async (finished) => void composed.push(finished);
    const { runId, finish, ready } = project({ record, entries });
    await finish();
    await ready();
    await queuedWhen(servers, { runId }, ({ length }) => length > 0);
    expect(composed.map((finished) => finished.entries.map(({ kind }) => kind))).toEqual([['template']]);
  });
});
