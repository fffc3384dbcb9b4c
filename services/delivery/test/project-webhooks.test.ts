import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { Sync, type SyncError } from '@tidemark/contracts/export/v1/destinations';
import { MapJob } from '@tidemark/contracts/map/v1/map';
import type { HealthChange } from '@tidemark/contracts/projects/v1/events';
import { newWorkspace } from '@tidemark/testkit';
import { HOOK } from './fake-peers.ts';
import { API, type NotificationServers, queuedWhen, startNotificationServers } from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
afterAll(() => servers.close());

describe('a project’s webhook', () => {
  const project = () => {
    const [projectId, workspaceId] = [newId('prj'), newWorkspace()];
    servers.peers.workspaces.set(projectId, workspaceId);
    servers.peers.channels.set(projectId, { seed: 'https://site.test/', webhookUrl: HOOK });
    return { projectId, workspaceId };
  };

  it('receives that its site fails, and that it has recovered', async () => {
    const { projectId, workspaceId } = project();
    const publish = async (health: HealthChange, messages: number) => {
      const runId = newId('run');
      await servers.publish(events.siteHealthChanged, `health:${runId}`, {
        projectId,
        workspaceId,
        runId,
        health,
        why: 'as its runs show',
        at: new Date(),
      });
      return queuedWhen(servers, { projectId }, ({ length }) => length === messages);
    };
    await publish('failing', 1);
    const queued = await publish('recovered', 2);
    expect(queued.map(({ event, message }) => [event, message.data['health']])).toEqual([
      ['site.failing', 'failing'],
      ['site.recovered', 'recovered'],
    ]);
    expect(servers.members.noticed).toEqual(expect.arrayContaining(['failing', 'recovered']));
  });

  it('receives that a sync was written and that one failed for good, each once, and members get a notice of the failure', async () => {
    const { projectId, workspaceId } = project();
    const publish = async (id: string, error: SyncError | undefined) => {
      const sync = Sync.fromPartial({
        id,
        destinationId: 'dst_1',
        projectId,
        sourceKind: 'run',
        sourceId: 'run_1',
        dataset: 'pages',
        mode: 'upsert',
        trigger: 'automatic',

        status: error === undefined ? 'done' : 'error',
        written: 3,
        location: 'table pages',
        error,
        attempts: 1,
      });
      const ended = { workspaceId, projectId, at: new Date(), sync, destinationName: 'Warehouse' };
      const pausedReason = error === undefined ? '' : 'a sync was refused';
      await servers.publish(events.syncEnded, `sync:${id}:${Math.random()}`, { ...ended, pausedReason });
    };
    const [done, failed] = [newId('syn'), newId('syn')];
    for (const _ of [1, 2]) await publish(done, undefined);
    await publish(failed, { code: 'refused', message: 'wrong password', hint: 'Check it.' });
    const queued = await queuedWhen(servers, { projectId }, ({ length }) => length === 2);
    expect(queued.map(({ event, message }) => [event, message.data['id']])).toEqual([
      ['sync.finished', done],
      ['sync.failed', failed],
    ]);
    expect(queued[1]?.message.data).toMatchObject({
      destination: { id: 'dst_1', name: 'Warehouse' },
      paused: 'a sync was refused',
      error: { code: 'refused', message: 'wrong password' },
    });
    expect(servers.members.noticed).toContain(`${failed}: wrong password`);
    expect(servers.members.noticed).not.toContain(`${done}: written`);
  });

  it('receives each alert of used credits once for each URL that is subscribed to it', async () => {
    const { projectId, workspaceId } = project();
    const [twin, other, silent] = [newId('prj'), newId('prj'), newId('prj')];
    for (const id of [twin, other, silent]) servers.peers.workspaces.set(id, workspaceId);
    servers.peers.channels.set(twin, { webhookUrl: HOOK });
    servers.peers.channels.set(other, { webhookUrl: `${HOOK}/other`, webhookEvents: ['credits.low'] });
    servers.peers.channels.set(silent, { webhookUrl: `${HOOK}/silent`, webhookEvents: ['run.finished'] });
    const resetsAt = new Date('2027-01-01T00:00:00.000Z');
    const alert = { id: `credits-low:${workspaceId}:x:80`, workspaceId, of: 'allowance' as const, percent: 80 };
    for (const time of [1, 2])
      await servers.publish(events.creditsLow, `${alert.id}:${time}`, {
        ...alert,
        remaining: 20,
        resetsAt,
        at: new Date(),
      });
    const [first] = await queuedWhen(servers, { projectId }, ({ length }) => length === 1);
    expect(first?.event).toBe('credits.low');
    expect(first?.message.data).toEqual({
      of: 'allowance',
      percent: 80,
      remaining: 20,
      resetsAt: resetsAt.toISOString(),
    });
    expect(await queuedWhen(servers, { projectId: other }, ({ length }) => length === 1)).toHaveLength(1);
    expect([await servers.queued({ projectId: twin }), await servers.queued({ projectId: silent })]).toEqual([[], []]);
  });

  const mapped = async (isVerdict: boolean, { projectId, workspaceId } = project()) => {
    const mapId = newId('job');
    servers.peers.workspaces.set(mapId, workspaceId);
    servers.peers.discoveries.set(mapId, {
      snapshot: { id: mapId, takenAt: new Date(), complete: true, robots: undefined, totals: undefined, files: [] },
      diff: {
        beforeId: 'job_before',
        added: 1_200,
        removed: 1,
        updated: 0,
        isVerdict,
        urlsAdded: Array.from({ length: 1_000 }, (_, at) => `https://site.test/${at}`),

        urlsRemoved: ['https://site.test/gone'],
        urlsUpdated: [],
        filesChanged: [],

        filesAdded: ['https://site.test/new.xml'],
        filesRemoved: ['https://site.test/old.xml'],
      },
    });
    const done = { status: 'done', url: 'https://site.test/', done: 2, total: 2, creditsUsed: 2 } as const;
    const job = MapJob.fromPartial({ id: mapId, createdAt: new Date(0), method: 'sitemap', ...done });
    await servers.publish(events.mapEnded, `map:${mapId}`, { workspaceId, projectId, at: new Date(), job });
    return queuedWhen(servers, { projectId }, ({ length }) => length >= 3);
  };

  it('receives that a map is complete, and what its sitemaps added and removed', async () => {
    const queued = await mapped(true);
    expect(queued.map(({ event }) => event)).toEqual([
      'map.completed',
      'sitemap.added',
      'sitemap.removed',
      'sitemap.file_added',
      'sitemap.file_removed',
    ]);
    expect(queued[0]?.message.data).toMatchObject({
      results: expect.stringMatching(`^${API}/map/job_`),
      next: null,
    });
    expect(queued[1]?.message.data['count']).toBe(1_200);
    expect(queued[1]?.message.data['urls']).toHaveLength(1_000);
  });

  it('receives no removals where a tree was not read whole', async () => {
    const queued = await mapped(false);
    expect(queued.map(({ event }) => event)).toEqual(['map.completed', 'sitemap.added', 'sitemap.file_added']);
  });
});
