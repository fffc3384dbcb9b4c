import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { newRunOf, type ProjectRun, type RunServers, site, startRunServers, urlsOf } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

const recordedRows = ({ runId }: ProjectRun) =>
  servers.sql('SELECT number FROM archive.recorded_pages WHERE run_id = $1 ORDER BY number', [runId]);
const linksOf = async (run: ProjectRun) => (await servers.query(run)).pages.map(({ known }) => known?.inLinks);
const passed = async (run: ProjectRun) => {
  // Events of one subject are stored in order: once a later one is, so is what came before it.
  const marker = newRunOf({ workspaceId: run.workspaceId, projectId: newId('prj') });
  await servers.publishRecorded(marker, []);
  await until('the events to be stored', async () => {
    const rows = await servers.sql('SELECT FROM archive.runs WHERE id = $1', [marker.runId]);
    return rows.length === 1;
  });
};

describe('events of a run', () => {
  it('list every page once with its link counts in whatever order they arrive, and however often', async () => {
    const run = newRunOf();
    const { rows, known } = await servers.make(run, site(4));
    await servers.publishEnd(run);
    await servers.publishFinal(run, ({ number }) => ({ inLinks: number * 10 }));
    await servers.publishRecorded(run, known.slice(2));
    await servers.publishFinal(run, ({ number }) => ({ inLinks: number * 10 }));
    await servers.publishRecorded(run, known.slice(0, 2));
    await servers.publish(run, rows.toReversed());
    await servers.rested(run);
    await servers.publishRecorded(run, known);
    await servers.publishEnd(run);
    await passed(run);
    await servers.rested(run);
    expect(await servers.urls(run)).toEqual(urlsOf(site(4)));
    expect(await linksOf(run)).toEqual([10, 20, 30, 40]);
  });

  it('leave only the list after the run is settled', async () => {
    const run = newRunOf();
    await servers.whole(run, site(3));
    expect(await recordedRows(run)).toEqual([]);
  });

  it('show no page before those with smaller numbers', async () => {
    const run = newRunOf();
    const { rows, known } = await servers.make(run, site(4));
    await servers.publish(run, rows);
    await servers.publishRecorded(run, known.slice(2));
    await until('the later pages to be stored', async () => (await recordedRows(run)).length === 2);
    expect(await servers.urls(run)).toEqual([]);
    await servers.publishRecorded(run, known.slice(0, 2));
    await until('all events to be handled', async () => (await servers.urls(run)).length === 4);
  });

  it('do not complete a run before as many pages have arrived as its end names', async () => {
    const run = newRunOf();
    const { rows, known } = await servers.make(run, site(3));
    const final = known.map((page) => ({ ...page, inLinks: 1, orphan: false, unlisted: false }));
    await servers.publish(run, rows);
    await servers.publishRecorded(run, final.slice(0, 2));
    await servers.publishEnd(run);
    await until('two pages', async () => (await servers.urls(run)).length === 2);
    expect((await servers.query(run)).isMore).toBe(true);
    await servers.publishRecorded(run, final.slice(2));
    await servers.rested(run);
    expect(await servers.query(run)).toMatchObject({ isMore: false, total: 3 });
  });

  it('that name no project show nothing until one does', async () => {
    const run = newRunOf();
    const { rows, known } = await servers.make(run, site(2));
    await servers.publish(run, rows);
    await servers.publishRecorded({ ...run, projectId: '' }, known);
    await until('the pages to be stored', async () => (await recordedRows(run)).length === 2);
    await expect(servers.query(run)).rejects.toMatchObject({ code: 'not_found' });
    await servers.publishRecorded(run, []);
    await until('the run to be shown', async () => {
      const found = await servers.urls(run).catch(() => []);
      return found.length === 2;
    });
  });

  it('that arrive after the run was discarded change nothing', async () => {
    const run = newRunOf();
    const { known } = await servers.make(run, site(2));
    await servers.publishRecorded(run, known.slice(0, 1));
    await until('the page to be stored', async () => (await recordedRows(run)).length === 1);
    await servers.discard(run);
    const isDiscarded = async () => {
      const rows = await servers.sql('SELECT FROM archive.discarded_runs WHERE job_id = $1', [run.runId]);
      return rows.length === 1;
    };
    await until('the run to be discarded', isDiscarded);
    await servers.publishRecorded(run, known);
    await servers.publishFinal(run);
    await servers.publishEnd(run);
    await passed(run);
    expect((await recordedRows(run)).length).toBeLessThanOrEqual(1);
    await expect(servers.query(run)).rejects.toMatchObject({ code: 'not_found' });
    const expected = { pages: 2, hasEnded: true, waitMs: 0 };
    const query = servers.query(run, { run: servers.runOf(run, expected) });
    await expect(query).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a caller that has read a run at crawl', () => {
  const ended = (pages: number, waitMs = 5_000) => ({ pages, hasEnded: true, waitMs });

  it('waits for the pages whose events have not arrived, and returns the whole list', async () => {
    const run = newRunOf();
    const query = servers.query(run, { run: servers.runOf(run, ended(3)) });
    await servers.read(run, site(3));
    await servers.finish(run);
    const { pages, isMore, total } = await query;
    expect(pages.map(({ page }) => page?.row?.url)).toEqual(urlsOf(site(3)));
    expect({ isMore, total }).toEqual({ isMore: false, total: 3 });
  });

  it('waits no longer than its limit, and states that there are more rows', async () => {
    const run = newRunOf();
    const startedAtMs = performance.now();
    const response = await servers.query(run, { run: servers.runOf(run, ended(3, 300)) });
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(290);
    expect(response).toMatchObject({ pages: [], isMore: true, total: 0 });
  });

  it('gets what is listed of a running run, once as many pages are listed as the caller expects', async () => {
    const run = newRunOf();
    const expected = { pages: 2, hasEnded: false, waitMs: 5_000 };
    const query = servers.query(run, { run: servers.runOf(run, expected) });
    await servers.read(run, site(2));
    expect((await query).pages).toHaveLength(2);
    await expect(servers.query(newRunOf())).rejects.toMatchObject({ code: 'not_found' });
  });

  it('finds no run of another project', async () => {
    const run = newRunOf();
    await servers.whole(run, site(1));
    const other = { ...run, projectId: newId('prj') };
    const query = servers.query(run, { run: servers.runOf(other, ended(1)) });
    await expect(query).rejects.toMatchObject({ code: 'not_found' });
  });
});
