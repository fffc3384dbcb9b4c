import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { Channels } from '@tidemark/contracts/projects/v1/projects';
import { until } from '@tidemark/testkit';
import { type FakeRun, HOOK } from './fake-peers.ts';
import { changed, other, projectOn, RECORD } from './finished-run.ts';
import { API, ids, type NotificationServers, queuedWhen, startNotificationServers } from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
beforeEach(() => {
  servers.peers.listsEvents = true;
  Object.assign(servers.members, { digest: null, digests: 0, noticed: [], beforeDigest: async () => undefined });
});
afterAll(() => servers.close());

const project = (channels: Partial<Channels> = {}, finished: Partial<FakeRun> = {}) =>
  projectOn(servers, channels, finished);

const eventsOf = (queued: readonly { event: string }[]): string[] => queued.map(({ event }) => event);

describe('a run of a project', () => {
  it('sends run.finished with its record first, and then its changes in order', async () => {
    const places = Array.from({ length: 8 }, (_, at) => [changed(at + 1)]);
    const { runId, projectId, finish, ready } = project(
      { webhookMetadataJson: '{"team":"web"}' },
      { changeEvents: places },
    );
    await finish();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 9);
    expect(eventsOf(queued)).toEqual(['run.finished', ...places.map(() => 'page.changed')]);
    expect(queued[0]?.message).toMatchObject({
      project: { id: projectId, host: 'site.test' },
      run: { id: runId },
      metadata: { team: 'web' },
      data: {
        status: 'done',
        trigger: 'schedule',
        pages: 7,
        stop: 'finished',
        error: null,
        digest: null,
        baseline: 'run_before',
        counts: { modified: 2, same: 5 },
        coverage: { verdict: true, read: 7 },
        changes: `${API}/projects/${projectId}/changes?run_id=${runId}`,
      },
    });
    expect(queued.slice(1).map(({ message }) => message.data['url'])).toEqual(
      places.map((_, at) => `https://site.test/${at + 1}`),
    );
    expect(queued.map(({ receiverId }) => receiverId)).toEqual(queued.map(() => `${projectId}:webhook`));
  });

  it('is sent once, whichever of its events comes first, late or twice', async () => {
    const { runId, finish, ready } = project({}, { changeEvents: [[changed(1)]] });
    await ready();
    await finish();
    await queuedWhen(servers, { runId }, ({ length }) => length === 2);
    await finish();
    await ready();
    const after = project();
    await after.finish();
    await after.ready();
    await queuedWhen(servers, after, ({ length }) => length > 0);
    expect(eventsOf(await servers.queued({ runId }))).toEqual(['run.finished', 'page.changed']);
  });

  it('sends nothing after the process that prepares its messages ended five times in a row without progress', async () => {
    const { runId, finish } = project();
    const sql = (text: string) => servers.servers.database.sql<{ due: Date | null }>(text, [runId]);
    await finish();
    await until('the end to be recorded', async () => {
      return (
        (await sql('SELECT FROM delivery.run_notifications WHERE run_id = $1 AND finished IS NOT NULL')).length > 0
      );
    });
    await sql(`
      UPDATE delivery.run_notifications SET owner = 'gone', lease_until = now() - interval '1 second', due = now(), interrupted = 4
      WHERE run_id = $1`);
    await until('the notification to fail for good', async () => {
      const [row] = await sql('SELECT due FROM delivery.run_notifications WHERE run_id = $1');
      return row?.due === null;
    });
    expect(await servers.queued({ runId })).toEqual([]);
  });

  it('waits for its record', async () => {
    const { runId, finish, ready } = project();
    await finish();
    const after = project();
    await after.finish();
    await after.ready();
    await queuedWhen(servers, after, ({ length }) => length > 0);
    expect(await servers.queued({ runId })).toEqual([]);
    await ready();
    await queuedWhen(servers, { runId }, ({ length }) => length === 1);
  });

  it('has the trigger recrawl where it is a recrawl', async () => {
    const { runId, finish, ready } = project();
    await finish(runId, 'recrawl');
    await ready();
    const [finished] = await queuedWhen(servers, { runId }, ({ length }) => length === 1);
    expect(finished?.message.data).toMatchObject({ trigger: 'recrawl' });
  });

  it('continues after diff was unavailable, and sends nothing twice', async () => {
    const places = Array.from({ length: 7 }, (_, at) => [changed(at + 1)]);
    const { runId, finish, ready } = project({}, { changeEvents: places });
    servers.peers.listsEvents = 3;
    await finish();
    await ready();
    await queuedWhen(servers, { runId }, ({ length }) => length === 4);
    servers.peers.listsEvents = true;
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 8);
    expect(new Set(queued.map(({ key }) => key)).size).toBe(8);
  });

  it('is continued by another worker from the stored position once the lease expires', async () => {
    const places = Array.from({ length: 6 }, (_, at) => [changed(at + 1)]);
    const { runId, finish, ready } = project({}, { changeEvents: places });
    await finish();
    const { sql } = servers.servers.database;
    await until('the row of the run', async () => {
      const rows = await sql(
        `UPDATE delivery.run_notifications SET owner = 'dead', lease_until = now() + interval '1 second', place = 4 WHERE run_id = $1 RETURNING 1`,
        [runId],
      );
      return rows.length > 0;
    });
    const readyAtMs = performance.now();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 2);
    expect(queued.map(({ message }) => message.data['changeId'])).toEqual(['entry_5', 'entry_6']);
    expect(performance.now() - readyAtMs).toBeGreaterThan(500);
  });

  it('sends nothing for another workspace or a deleted project', async () => {
    const { projectId, runId, finish, ready } = project();
    servers.peers.workspaces.set(projectId, 'ws_other');
    await finish();
    await ready();
    const deleted = project();
    await servers.publish(events.projectDeleted, `deleted:${deleted.projectId}`, deleted);
    await until('the project to be deleted', async () => {
      const rows = await servers.servers.database.sql('SELECT FROM delivery.deleted_projects WHERE project_id = $1', [
        deleted.projectId,
      ]);
      return rows.length > 0;
    });
    await deleted.finish();
    await deleted.ready();
    const after = project();
    await after.finish();
    await after.ready();
    await queuedWhen(servers, after, ({ length }) => length > 0);
    expect([...(await servers.queued({ runId })), ...(await servers.queued(deleted))]).toEqual([]);
  });
});

describe('the subscription of a webhook', () => {
  it('limits messages to the subscribed events', async () => {
    const finished = [[changed(1)], [other('page.orphaned')]];
    const { runId, finish, ready } = project({ webhookEvents: ['page.orphaned'] }, { changeEvents: finished });
    await finish();
    await ready();
    expect(eventsOf(await queuedWhen(servers, { runId }, ({ length }) => length > 0))).toEqual(['page.orphaned']);
  });

  it('leaves out modified pages whose edit is smaller than notify_min_words, and no others: not changes of fields', async () => {
    const finished = [
      [changed(1, { wordsAdded: 4, wordsRemoved: 5 })],
      [changed(2, { wordsAdded: 5, wordsRemoved: 5 })],
      [changed(3, { kind: 'added', wordsAdded: 1, wordsRemoved: 0 })],
      [changed(4, { wordsAdded: 0, wordsRemoved: 0, fields: ['fields.price'] })],
    ];
    const { runId, finish, ready } = project({ notifyMinWords: 10 }, { changeEvents: finished });
    await finish();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 4);
    expect(queued.slice(1).map(({ message }) => message.data['changeId'])).toEqual(['entry_2', 'entry_3', 'entry_4']);
  });

  it('covers every kind of change, each valid against its schema', async () => {
    const field = { from: null, to: 'https://site.test/y', pages: 1 };
    const finished = [
      [changed(1, { kind: 'modified', movedFrom: 'https://site.test/old', returned: true })],
      [
        other('field.canonical', { field: 'canonical', ...field }),
        other('field.canonical', { field: 'title', ...field }),
      ],
      [
        other('page.blocked', { before: 'ok', verdict: 'blocked: CAPTCHA' }),
        other('page.orphaned'),
        other('page.linked'),
      ],
    ];
    const { runId, finish, ready } = project({}, { changeEvents: finished });
    await finish();
    await ready();
    const queued = await queuedWhen(servers, { runId }, ({ length }) => length === 7);
    expect(eventsOf(queued)).toEqual([
      'run.finished',
      'page.changed',
      'field.canonical',
      'field.canonical',
      'page.blocked',
      'page.orphaned',
      'page.linked',
    ]);
  });
});

describe('a run that read no page, or was cancelled', () => {
  it.each([
    ['error', 'refused', 'no page could be read: the site refused 7 pages'],
    ['cancelled', 'cancelled', undefined],
  ] as const)(
    'with status %s sends run.finished with its reason, and none of the changes it saw',
    async (status, stop, error) => {
      const [run, next] = [
        project({}, { changeEvents: [[changed(1)]] }),
        project({}, { changeEvents: [[changed(1)]] }),
      ];
      const of = { workspaceId: run.workspaceId, projectId: run.projectId, runId: run.runId };
      await servers.publish(events.runFinished, `finished:${run.runId}`, {
        ...of,
        trigger: 'schedule',
        status,
        stop: stop,
        error,

        finishedAt: new Date(),
        pages: 7,
        counts: { blocked: 7 },
        creditsUsed: 0,
        hasCoverage: false,
      });
      await run.ready();
      // A run that ended after it has sent its change by the time both are queued.
      await next.finish();
      await next.ready();
      await queuedWhen(servers, { runId: next.runId }, ({ length }) => length === 2);
      const queued = await queuedWhen(servers, { runId: run.runId }, ({ length }) => length > 0);
      expect(eventsOf(queued)).toEqual(['run.finished']);
      expect(queued[0]?.message.data).toMatchObject({ status, stop, error: error ?? null });
    },
  );
});

describe('a run without a record', () => {
  it('is sent without counts after the wait; its changes follow once the record is made', async () => {
    const limited = await startNotificationServers(0.5);
    try {
      const { workspaceId, projectId } = ids();
      const runId = newId('run');
      for (const id of [projectId, runId]) limited.peers.workspaces.set(id, workspaceId);
      limited.peers.channels.set(projectId, { seed: 'https://site.test/', webhookUrl: HOOK });
      limited.peers.runs.set(runId, { changeEvents: [[changed(1)]] });
      await limited.publish(events.runFinished, `finished:${runId}`, {
        runId,
        workspaceId,
        projectId,
        trigger: 'manual',
        status: 'done',
        stop: 'finished',

        finishedAt: new Date(),
        pages: 0,
        counts: {},
        creditsUsed: 0,
        hasCoverage: false,
      });
      const [finished] = await queuedWhen(limited, { runId }, ({ length }) => length === 1);
      expect(finished?.message.data).toMatchObject({
        status: 'done',
        stop: 'finished',
        counts: null,
        baseline: null,
        coverage: { verdict: false, reasons: ['no_record'] },
      });
      limited.peers.runs.set(runId, { record: RECORD, changeEvents: [[changed(1)]] });
      await limited.publish(events.changeReady, `ready:${runId}`, {
        runId,
        workspaceId,
        projectId,
        counts: {},
        isVerdict: true,
        reasons: [],
        madeAt: new Date(),
      });
      const queued = await queuedWhen(limited, { runId }, ({ length }) => length === 2);
      expect(eventsOf(queued)).toEqual(['run.finished', 'page.changed']);
    } finally {
      await limited.close();
    }
  });
});
