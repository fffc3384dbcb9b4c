import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { callerIn, newWorkspace, type RunningService, startService, until } from '@tidemark/testkit';
import { archive } from '../src/service.ts';
import { newProject, newRunOf, type RunServers, site, startRunServers, urlsOf } from './run-servers.ts';

let servers: RunServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startRunServers(() => service.peer);
  service = servers.own(await startService(archive, servers.env));
}, 120_000);
afterAll(() => servers.close());

describe('a run that has ended', () => {
  it('is listed completely, with the known state of its pages', async () => {
    const run = newRunOf();
    const pages = site(2_300);
    const rows = await servers.whole(run, pages, ({ number }) => ({ inLinks: number, orphan: number === 7 }));
    const seen: (string | undefined)[] = [];
    for (let after = 0, isMore = true; isMore; ) {
      const response = await servers.query(run, { after, limit: 1_000 });
      expect(response.total).toBe(after === 0 ? 2_300 : undefined);
      seen.push(...response.pages.map(({ page }) => page?.row?.url));
      ({ last: after, isMore } = response);
    }
    expect(seen).toEqual(urlsOf(pages));
    const [seventh] = (await servers.query(run, { q: 'orphan:true' })).pages;
    expect(seventh?.page?.row).toEqual(rows[6]);
    expect(seventh?.known).toMatchObject({ number: 7, inLinks: 7, orphan: true, unlisted: false, foundVia: 'link' });
  });

  it('is not listed further after the process that lists it ended five times in a row without progress', async () => {
    const run = newRunOf();
    await servers.read(run, site(3), true);
    await servers.finish(run);
    const stateOf = async () => {
      const [row] = await servers.sql<{ is_due: boolean; state: string }>(
        'SELECT due IS NOT NULL AS is_due, state FROM archive.runs WHERE id = $1',
        [run.runId],
      );
      return row;
    };
    // Only a run that no worker holds: the progress of a worker would reset the count.
    await until('the run to wait for its rows', async () => {
      const moved = await servers.sql(
        `UPDATE archive.runs SET owner = 'dead', interrupted = 4, due = now() - interval '1 second'
         WHERE id = $1 AND owner IS NULL AND due > now() RETURNING id`,
        [run.runId],
      );
      return moved.length === 1;
    });
    const given = await until('the run to be completed without the row', async () => {
      const state = await stateOf();
      return state?.is_due === false && state;
    });
    expect(given.state).toBe('listing');
  });

  it('comes with the requested bodies', async () => {
    const run = newRunOf();
    await servers.whole(run, site(3));
    const { pages } = await servers.query(run, { bodies: ['markdown'], limit: 2 });
    expect(pages.map(({ page }) => PageBodies.decode(page?.bodies ?? Buffer.alloc(0)).markdown)).toEqual([
      'page 0 of the tides',
      'page 1 of the tides',
    ]);
  });

  it('is summarised by the engines that captured it', async () => {
    const run = newRunOf();
    await servers.whole(run, [
      ...site(3),
      { url: 'https://example.com/app', row: { method: 'browser', credits: 5, timingsMs: { render: 800 } } },
      { url: 'https://example.com/kept', row: { verdict: 'cached', credits: 0, timingsMs: {} } },
    ]);
    const response = await service.peer.call(Rpc.summarizeRun, { run: servers.runOf(run) }, callerIn(run.workspaceId));
    expect(response.pages).toBe(5);
    expect(response.engines).toContainEqual({ method: 'http', pages: 3, credits: 3, medianMs: 25 });
    expect(response.engines).toContainEqual({ method: 'browser', pages: 1, credits: 5, medianMs: 800 });
    expect(response.engines).toContainEqual({ method: undefined, pages: 1, credits: 0, medianMs: 0 });
  });

  it('is listed by a query although the event of its end is late, and completely once that has arrived', async () => {
    const run = newRunOf();
    await servers.read(run, site(3));
    await servers.publishFinal(run);
    await until('the list of all pages', async () => (await servers.urls(run)).length === 3);
    expect((await servers.query(run)).isMore).toBe(true);
    await servers.publishEnd(run);
    await servers.rested(run);
    expect((await servers.query(run)).isMore).toBe(false);
  });
});

describe('a running run', () => {
  it('is listed to its current row by every query, and completely after its end', async () => {
    const run = newRunOf();
    await servers.read(run, site(3));
    const first = await until('three pages', async () => {
      const response = await servers.query(run);
      return response.pages.length === 3 && response;
    });
    expect(first).toMatchObject({ isMore: true, last: 3, total: 3 });
    expect(first.pages[0]?.known?.inLinks).toBeUndefined();
    await servers.read(run, site(2, 3));
    const more = await until('two more requests', async () => {
      const response = await servers.query(run, { after: first.last });
      return response.pages.length === 2 && response;
    });
    expect(more.pages.map(({ page }) => page?.row?.url)).toEqual(urlsOf(site(2, 3)));
    await servers.finish(run, ({ number }) => ({ inLinks: number * 10 }));
    await servers.rested(run);
    const { pages, isMore } = await servers.query(run);
    expect(pages.map(({ known }) => known?.inLinks)).toEqual([10, 20, 30, 40, 50]);
    expect(isMore).toBe(false);
  });

  it('is answered with the listed rows while events of its pages are missing, and states that there are more', async () => {
    const run = newRunOf();
    await servers.read(run, site(2));
    await until('two pages', async () => (await servers.urls(run)).length === 2);
    const expected = { pages: 3, hasEnded: false, waitMs: 100 };
    expect(await servers.query(run, { run: servers.runOf(run, expected) })).toMatchObject({ isMore: true, total: 2 });
  });
});

describe('the pages of a run', () => {
  it('are not visible to another workspace, another project, or a key without access to the project', async () => {
    const run = newRunOf();
    const [row] = await servers.whole(run, site(1));
    const strangers = [
      { run, caller: callerIn(newWorkspace()) },
      { run: { ...run, projectId: newId('prj') }, caller: callerIn(run.workspaceId) },
      { run: { ...run, projectId: '' }, caller: callerIn(run.workspaceId) },
      { run, caller: callerIn(run.workspaceId, { projects: [newId('prj')] }) },
    ];
    for (const { run: otherRun, caller } of strangers) {
      const about = { run: servers.runOf(otherRun) };
      const calls = [
        service.peer.call(Rpc.queryPages, { ...about, q: '', after: 0, limit: 1, bodies: [] }, caller),
        service.peer.call(Rpc.searchPages, { ...about, q: 'tides', after: 0, limit: 1 }, caller),
        service.peer.call(Rpc.getPage, { ...about, pageId: row?.id ?? '', bodies: [], versions: 0 }, caller),
        service.peer.call(Rpc.summarizeRun, about, caller),
        service.peer.call(Rpc.countPages, { ...about, body: 'rawHtml', after: 0, to: 1 }, caller),
      ];
      for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'not_found' });
    }
    expect(await servers.urls(run)).toHaveLength(1);
  });

  it('are refused with the column where a query goes wrong', async () => {
    const run = newRunOf();
    await expect(servers.query(run, { q: 'depth:>2 colour:blue' })).rejects.toMatchObject({
      code: 'validation',
      detail: [
        {
          loc: ['query', 'q'],
          type: 'query_refused',
          msg: expect.stringMatching(/^column 10: there is no field "colour"/),
        },
      ],
    });
    await expect(servers.query(run, { bodies: ['pdf'] })).rejects.toMatchObject({ code: 'validation' });
    await expect(servers.query(run, { withBody: 'pdf' })).rejects.toMatchObject({ code: 'validation' });
  });
});

describe('the pages of a run that have a body', () => {
  it('are listed alone, and counted beside those without it', async () => {
    const run = newRunOf();
    const pages = Array.from({ length: 9 }, (_, i) => ({
      url: `https://example.com/${i}`,
      ...(i % 3 === 0 ? { rawHtml: '<p>tide</p>' } : { markdown: 'tide' }),
    }));
    await servers.whole(run, pages);
    const { pages: found, last, isMore } = await servers.query(run, { withBody: 'rawHtml', limit: 2 });
    expect(found.map(({ known }) => known?.number)).toEqual([1, 4]);
    expect({ last, isMore }).toEqual({ last: 4, isMore: true });
    const request = { run: servers.runOf(run), body: 'rawHtml', after: 1, to: 4 };
    const counts = await service.peer.call(Rpc.countPages, request, callerIn(run.workspaceId));
    expect(counts).toEqual({ inRange: 3, withoutBody: 6, total: 9 });
  });
});

describe('one page', () => {
  it('is shown with its other readings, newest first, and which of them are equal', async () => {
    const project = newProject();
    const url = 'https://example.com/over-time';
    const texts = ['low tide', 'low tide', 'high tide', 'high tide'];
    const pages: string[] = [];
    for (const [day, markdown] of texts.entries()) {
      const [row] = await servers.whole(newRunOf(project), [
        { url, markdown, row: { crawledAt: new Date(Date.UTC(2026, 0, day + 1)) } },
      ]);
      pages.push(row?.id ?? '');
    }
    const stranger = newRunOf({ ...project, projectId: newId('prj') });
    await servers.whole(stranger, [{ url, markdown: 'another project’s' }]);
    const run = newRunOf(project);
    const [row] = await servers.whole(run, [{ url, markdown: 'high tide' }]);
    const get = (versions: number) =>
      service.peer.call(
        Rpc.getPage,
        { run: servers.runOf(run), pageId: row?.id ?? '', bodies: ['markdown'], versions },
        callerIn(run.workspaceId),
      );
    const all = await get(10);
    expect(PageBodies.decode(all.page?.page?.bodies ?? Buffer.alloc(0)).markdown).toBe('high tide');
    expect(all.versions.map(({ pageId }) => pageId)).toEqual([...pages].reverse());
    expect(all.versions.map(({ isSame }) => isSame)).toEqual([true, false, true, false]);
    expect(all.hasOlder).toBe(false);
    expect(await get(2)).toMatchObject({ hasOlder: true, versions: [{ isSame: true }, { isSame: false }] });
    expect((await get(0)).versions).toEqual([]);
  });

  it('of another run is not found', async () => {
    const [mine, other] = [newRunOf(), newRunOf()];
    await servers.whole(mine, site(1));
    const [row] = await servers.whole(other, site(1));
    const request = { run: servers.runOf(mine), pageId: row?.id ?? '', bodies: [], versions: 0 };
    await expect(service.peer.call(Rpc.getPage, request, callerIn(mine.workspaceId))).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
