import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { BatchEnded } from '@tidemark/contracts/scrape/v1/events';
import { Job } from '@tidemark/contracts/scrape/v1/scrape';
import { newWorkspace } from '@tidemark/testkit';
import { HOOK, SECRET } from './fake-peers.ts';
import { API, type NotificationServers, queuedWhen, startNotificationServers } from './notification-servers.ts';

let servers: NotificationServers;
beforeAll(async () => {
  servers = await startNotificationServers();
}, 120_000);
afterAll(() => servers.close());

const NO_OPTIONS = { events: [], metadataJson: undefined };

describe('the webhook of a batch', () => {
  const ended = async (status: JobStatus, webhook: Pick<BatchEnded, 'events' | 'metadataJson'> = NO_OPTIONS) => {
    const [jobId, workspaceId] = [newId('job'), newWorkspace()];
    const progress = { done: 4, total: 5, counts: { ok: 4 }, createdAt: new Date(0), finishedAt: new Date() };
    const event = {
      workspaceId,
      at: new Date(),
      sealedSecret: servers.sealer.seal(SECRET, jobId),
      sealedUrl: servers.sealer.seal(HOOK, `${jobId}:url`),
      ...webhook,
      job: Job.fromPartial({ id: jobId, kind: 'batch', status, ...progress }),
    };
    const publish = () => servers.publish(events.batchEnded, newId('req'), event);
    await publish();
    return { jobId, workspaceId, publish };
  };

  it('receives once that the batch has finished, with its status', async () => {
    const done = await ended('done');
    await done.publish();
    const queued = await queuedWhen(servers, { runId: done.jobId }, ({ length }) => length >= 1);
    expect(queued.map(({ event }) => event)).toEqual(['batch.finished']);
    expect(queued[0]?.message).toMatchObject({
      job: { id: done.jobId, kind: 'batch' },
      data: { status: 'done', progress: { done: 4, total: 5 }, results: `${API}/scrape/${done.jobId}`, next: null },
    });
    expect(queued[0]?.message['metadata']).toBeUndefined();
  });

  it('receives scrape.completed and scrape.failed before it only where they are listed, with the metadata', async () => {
    const all = { events: ['scrape.completed', 'scrape.failed'], metadataJson: '{"order":7}' };
    const [done, cancelled] = [await ended('done', all), await ended('cancelled', all)];
    const failures = await ended('done', { events: ['scrape.failed'], metadataJson: undefined });
    const eventsOf = async ({ jobId }: { jobId: string }, least: number) =>
      (await queuedWhen(servers, { runId: jobId }, ({ length }) => length >= least)).map(({ event }) => event);
    expect(await eventsOf(cancelled, 2)).toEqual(['scrape.failed', 'batch.finished']);
    expect(await eventsOf(done, 2)).toEqual(['scrape.completed', 'batch.finished']);
    expect(await eventsOf(failures, 1)).toEqual(['batch.finished']);
    const queued = await servers.queued({ runId: done.jobId });
    expect(queued.map(({ message }) => message['metadata'])).toEqual([{ order: 7 }, { order: 7 }]);
  });

  it('belongs to the workspace of the batch, with a sealed secret', async () => {
    const { jobId, workspaceId } = await ended('done');
    await queuedWhen(servers, { runId: jobId }, ({ length }) => length === 1);
    const { sql } = servers.servers.database;
    const of = 'SELECT DISTINCT workspace_id FROM delivery.deliveries WHERE run_id = $1';
    expect(await sql(of, [jobId])).toEqual([{ workspace_id: workspaceId }]);
    const [receiver] = await sql<{ workspace_id: string; secret: Buffer }>(
      'SELECT workspace_id, secret FROM delivery.receivers WHERE id = $1',
      [jobId],
    );
    expect(receiver?.workspace_id).toBe(workspaceId);
    expect(servers.sealer.open(receiver?.secret ?? Buffer.alloc(0), jobId)).toBe(SECRET);
  });
});
