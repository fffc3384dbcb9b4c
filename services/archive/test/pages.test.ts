import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BlobStore, openBlobs, openBlobTrash } from '@tidemark/blobs';
import { events, newId } from '@tidemark/contracts';
import { type ListPagesRequest, ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import {
  callerIn,
  newWorkspace,
  pageRow,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';
import { archive } from '../src/service.ts';

let servers: TestServers;
let service: RunningService;
let bus: Bus;
let blobs: BlobStore;
beforeAll(async () => {
  servers = await startTestServers();
  service = servers.own(await startService(archive, servers.env));
  bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
  blobs = servers.own(openBlobs(servers.env['BLOB_URL'] ?? ''));
  await bus.prepare();
}, 120_000);
afterAll(() => servers.close());

interface TestJob {
  readonly workspaceId: string;
  readonly jobId: string;
}
const newJob = (): TestJob => ({ workspaceId: newWorkspace(), jobId: newId('job') });

async function pageOf(markdown: string, url = 'https://example.com/'): Promise<PageRow> {
  const bodies = PageBodies.create({ markdown, text: `text of ${markdown}`, headJson: '{}' });
  const content = await blobs.put(PageBodies.encode(bodies).finish());
  return pageRow({ id: newId('cap'), url, verdict: 'ok', httpStatus: 200, crawledAt: new Date(), content });
}

const publish = (job: TestJob, row: PageRow) =>
  bus.publish(events.pageCaptured.subject, [outgoingEvent(events.pageCaptured, `page:${row.id}`, { ...job, row })]);

const list = ({ workspaceId, jobId }: TestJob, more: Partial<ListPagesRequest> = {}) => {
  const request = { jobId, cursor: '', limit: 100, bodies: [], expect: 0, waitMs: 0, ids: [], ...more };
  return service.peer.call(Rpc.listPages, request, callerIn(workspaceId));
};

const idsOf = (pages: readonly { row?: PageRow | undefined }[]) => pages.map((page) => page.row?.id);

/** Publishes pages in a shuffled order and waits until all are stored. @returns their ids, oldest first */
async function stored(job: TestJob, count: number): Promise<string[]> {
  const rows: PageRow[] = [];
  for (let i = 0; i < count; i += 1) rows.push(await pageOf(`page ${i}`, `https://example.com/${i}`));
  await Promise.all([...rows].reverse().map((row) => publish(job, row)));
  await until('the pages are stored', async () => (await list(job)).pages.length === count);
  return rows.map((row) => row.id);
}

describe('earlier readings of many URLs', () => {
  it('are the newest good one of each, of the workspace alone', async () => {
    const job = newJob();
    const keyed = async (name: string, more: Partial<PageRow> = {}) => ({
      ...(await pageOf(name)),
      urlKey: Buffer.from(name.padEnd(32, '.')),
      captureKey: 'plain',
      formats: ['markdown'],
      ...more,
    });
    const old = await keyed('a', { crawledAt: new Date(Date.now() - 60_000) });
    const rows = [
      old,
      await keyed('a'),
      await keyed('b', { captureKey: 'other' }),
      await keyed('c', { verdict: 'blocked' }),
    ];
    await Promise.all(rows.map((row) => publish(job, row)));
    await until('the pages are stored', async () => (await list(job)).pages.length === rows.length);
    const find = async (workspaceId: string, captureKey: string) => {
      const request = {
        urlKeys: ['a', 'b', 'c', 'd'].map((name) => Buffer.from(name.padEnd(32, '.'))),
        captureKey,
        formats: ['markdown'],
      };
      const response = await service.peer.call(Rpc.findPages, request, callerIn(workspaceId));
      return response.rows.map(({ id }) => id).sort();
    };
    expect(await find(job.workspaceId, '')).toEqual([rows[1]?.id, rows[2]?.id].sort());
    expect(await find(job.workspaceId, 'plain')).toEqual([rows[1]?.id]);
    expect(await find(newWorkspace(), '')).toEqual([]);
  });
});

describe('a captured page', () => {
  it('is stored whole: the row as published, and only the requested bodies are returned', async () => {
    const job = newJob();
    const row = await pageOf('# Tides');
    await publish(job, row);
    const { pages } = await list(job, { expect: 1, waitMs: 5_000, bodies: ['markdown', 'head'] });
    expect(pages[0]?.row).toEqual(row);
    const bodies = PageBodies.decode(pages[0]?.bodies ?? Buffer.alloc(0));
    expect(bodies).toEqual(PageBodies.create({ markdown: '# Tides', headJson: '{}' }));
    const [alone] = (await list(job)).pages;
    expect(alone?.bodies).toHaveLength(0);
  });

  it('is stored once, however often its event is published and whichever replica consumes it', async () => {
    const job = newJob();
    const replica = await startService(archive, servers.env);
    const row = await pageOf('once');
    await Promise.all(Array.from({ length: 20 }, () => publish(job, row)));
    await publish(job, { ...row, url: 'https://example.com/published-differently-later' });
    const [last] = await stored(newJob(), 1);
    expect(last).toBeDefined();
    const { pages } = await list(job, { expect: 1, waitMs: 5_000 });
    expect(pages.map((page) => page.row?.url)).toEqual(['https://example.com/']);
    await replica.close();
  });

  it('is not visible to another workspace that has the job’s id', async () => {
    const job = newJob();
    await stored(job, 1);
    expect((await list({ ...job, workspaceId: newWorkspace() })).pages).toEqual([]);
  });

  it('is there after the service has been restarted', async () => {
    const job = newJob();
    const ids = await stored(job, 2);
    await service.close();
    service = servers.own(await startService(archive, servers.env));
    expect(idsOf((await list(job)).pages)).toEqual(ids);
  });

  it('whose event is published while the archive is down is stored after its restart', async () => {
    const job = newJob();
    await service.close();
    const row = await pageOf('patience');
    await publish(job, row);
    service = servers.own(await startService(archive, servers.env));
    expect(idsOf((await list(job, { expect: 1, waitMs: 10_000 })).pages)).toEqual([row.id]);
  });

  it('whose body is missing in the blob store is an error with this reason, and its row still exists', async () => {
    const job = newJob();
    const row = await pageOf('lost');
    await publish(job, row);
    await list(job, { expect: 1, waitMs: 5_000 });
    const name = row.content?.sha256 ?? '';
    const trash = openBlobTrash(servers.env['BLOB_URL'] ?? '');
    await trash.discard([name]);
    await trash.purge([name]);
    await trash.close();
    await expect(list(job, { bodies: ['markdown'] })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('missing from the blob store'),
    });
    expect(idsOf((await list(job)).pages)).toEqual([row.id]);
  });
});

describe('the pages of a job', () => {
  it('are listed oldest first for any order of arrival, and each once for any page size', async () => {
    const job = newJob();
    const ids = await stored(job, 11);
    for (const limit of [1, 4, 10, 11, 50]) {
      const seen: (string | undefined)[] = [];
      for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
        const response = await list(job, { cursor, limit });
        seen.push(...idsOf(response.pages));
        cursor = response.nextCursor;
      }
      expect(seen).toEqual(ids);
    }
  });

  it('are waited for where more are expected than have arrived', async () => {
    const job = newJob();
    const waiting = list(job, { expect: 2, waitMs: 10_000 });
    const rows = [await pageOf('early'), await pageOf('late')];
    for (const row of rows) await publish(job, row);
    expect(idsOf((await waiting).pages)).toEqual(rows.map((row) => row.id));
  });

  it('are not waited for longer than the request allows', async () => {
    const startedAtMs = performance.now();
    expect((await list(newJob(), { expect: 1, waitMs: 300 })).pages).toEqual([]);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(290);
    expect(performance.now() - startedAtMs).toBeLessThan(9_000);
  });

  it('are not answered with a body that does not exist', async () => {
    await expect(list(newJob(), { bodies: ['pdf'] })).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('"pdf"'),
    });
  });

  it('are refused to a call without a caller', async () => {
    const request = { jobId: newId('job'), cursor: '', limit: 1, bodies: [], expect: 0, waitMs: 0, ids: [] };
    await expect(service.peer.call(Rpc.listPages, request, { requestId: 'r' })).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});
