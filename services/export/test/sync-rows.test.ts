import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import type { EntryKind } from '@tidemark/contracts/diff/v1/diff';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import type { FakePage } from './fake-sources.ts';
import { pages, startSyncs, workspaceOf } from './sync-servers.ts';

let servers: Awaited<ReturnType<typeof startSyncs>>;
beforeAll(async () => {
  servers = await startSyncs();
}, 120_000);
afterAll(() => servers.close());

const workspace = () => workspaceOf(servers, servers.peer);
const url = (index: number): string => `https://a.example/${index}`;
const entry = (index: number, kind: EntryKind) => ({
  url: url(index),
  kind,
  position: index + 1,
  firstSeenAt: new Date(),
});

describe('the rows of a sync', () => {
  it('contain how each page differs from the run before, as the change record states it', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const { id, table } = await create();
    const entries = [entry(0, 'added'), entry(1, 'modified'), entry(2, 'withheld')];
    const changesOf = async (run: string, count: number) => {
      await finish(run);
      await ended(id, count);
      return (await rows(table)).filter((row) => row['_run_id'] === run).map((row) => row['_change']);
    };
    const projectId = newId('prj');
    const compared = addRun(projectId, { pages: pages(1, 2, 3, 4), entries, baselineRunId: 'run_before' });
    expect(await changesOf(compared, 1)).toEqual(['added', 'modified', null, 'same']);
    const first = addRun(newId('prj'), { pages: pages(5, 6) });
    expect(await changesOf(first, 2)).toEqual([null, null]);
    const template = { ...entry(0, 'template'), template: { pages: 9, urls: [], isRedesign: true } };
    const redesign = addRun(newId('prj'), {
      pages: pages(7, 8),
      entries: [template, entry(1, 'added')],
      baselineRunId: 'run_before',
    });
    expect(await changesOf(redesign, 3)).toEqual([null, 'added']);
  });

  it('of the dataset sitemap are the URLs of the stored tree, and a mirror marks those that it no longer has', async () => {
    const { create, addRun, finish, ended, rows, caller } = workspace();
    const { id, table } = await create({ dataset: 'sitemap', mode: 'mirror' });
    const projectId = newId('prj');
    const { trees } = servers.sources;
    await finish(addRun(projectId));
    expect((await ended(id))[0]).toMatchObject({
      status: 'done',
      read: 0,
      warnings: [expect.any(String), expect.any(String)],
    });
    trees.set(projectId, { urls: [1, 2, 3].map(url), complete: true });
    await finish(addRun(projectId));
    expect((await ended(id, 2))[0]).toMatchObject({ status: 'done', dataset: 'sitemap', written: 3 });
    expect((await rows(table))[0]).toMatchObject({ url: url(1), lastmod: '2026-01', snapshot_id: `map_${projectId}` });
    trees.set(projectId, { urls: [url(1)], complete: false });
    await finish(addRun(projectId));
    expect((await ended(id, 3))[0]).toMatchObject({ deleted: 0 });
    trees.set(projectId, { urls: [url(1), url(2)], complete: true });
    await finish(addRun(projectId));
    expect((await ended(id, 4))[0]).toMatchObject({ deleted: 1 });
    await expect(servers.peer.call(Rpc.checkDestination, { id }, caller)).rejects.toMatchObject({
      code: 'validation',
      httpStatus: 400,
    });
  });

  it('that the destination can not store are left out with their reasons, and more than one percent of them is an error', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const { id, table } = await create({ dataset: 'fields' });
    const priced = (count: number, price: unknown, from = 0): FakePage[] =>
      Array.from({ length: count }, (_, at) => ({ url: url(from + at), words: 1, fields: { price } }));
    await finish(addRun(newId('prj'), { pages: [...priced(199, 2.5), ...priced(1, 'cheap', 199)] }));
    const [done] = await ended(id);
    expect(done).toMatchObject({ status: 'done', read: 200, written: 199, skipped: 1 });
    expect(done?.warnings).toEqual([expect.stringContaining(`the row ${url(199)} was left out: the column price`)]);
    await finish(addRun(newId('prj'), { pages: [...priced(98, 2.5), ...priced(2, 'cheap', 98)] }));
    const [failed] = await ended(id, 2);
    expect(failed).toMatchObject({
      status: 'error',
      written: 0,
      error: { code: 'invalid', message: expect.stringContaining('2 of 100 rows can not be stored, more than 1 %') },
    });
    expect(await rows(table)).toHaveLength(199);
  });

  it('of a frozen destination fail where the table lacks a column, until it is added or the destination evolves', async () => {
    const { create, update, addRun, finish, ended } = workspace();
    const { id, table } = await create({ freeze: true, columns: { values: ['url', 'words'] } });
    const projectId = newId('prj');
    await finish(addRun(projectId));
    expect((await ended(id))[0]).toMatchObject({ status: 'done' });
    expect(await update(id, { columns: { values: ['url', 'words', 'title'] } })).toMatchObject({ freeze: true });
    await finish(addRun(projectId));
    expect((await ended(id, 2))[0]).toMatchObject({
      status: 'error',
      error: { code: 'invalid', message: expect.stringContaining(`the table ${table} has no column title`) },
    });
    expect(await update(id, { freeze: false })).toMatchObject({ freeze: false });
    await finish(addRun(projectId));
    expect((await ended(id, 3))[0]).toMatchObject({ status: 'done', written: 2 });
  });
});
