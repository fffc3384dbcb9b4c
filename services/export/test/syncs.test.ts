import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { until } from '@tidemark/testkit';
import { pages, startSyncs, workspaceOf } from './sync-servers.ts';

let servers: Awaited<ReturnType<typeof startSyncs>>;
beforeAll(async () => {
  servers = await startSyncs();
}, 120_000);
afterEach(() => {
  Object.assign(servers.sources, { gate: Promise.resolve(), isArchiveDown: false });
});
afterAll(() => servers.close());

const workspace = () => workspaceOf(servers, servers.peer);
const byUrl = (rows: readonly Record<string, unknown>[]) =>
  Object.fromEntries(rows.map((row) => [row['url'], [row['words'], row['_deleted_at'] === null]]));

describe('a destination of a workspace', () => {
  it('receives a finished run of each project once, however often its event arrives', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const { id, table } = await create();
    const projectId = newId('prj');
    const run = addRun(projectId);
    await Promise.all([finish(run), finish(run)]);
    const [sync] = await ended(id);
    expect(sync).toMatchObject({
      status: 'done',
      sourceKind: 'run',
      sourceId: run,
      projectId,
      trigger: 'automatic',
      mode: 'upsert',

      read: 2,
      written: 2,
      unchanged: 0,
      deleted: 0,
      skipped: 0,
      attempts: 1,
      warnings: [],

      location: `table ${table}`,
      error: undefined,
    });
    await finish(run);
    const second = addRun(projectId, { pages: pages(1, 7) });
    await finish(second);
    expect((await ended(id, 2)).map(({ sourceId }) => sourceId)).toEqual([second, run]);
    const written = await rows(table);
    expect(byUrl(written)).toEqual({ 'https://a.example/0': [1, true], 'https://a.example/1': [7, true] });
    expect(written[0]).toMatchObject({
      title: 'Title of https://a.example/0',
      http_status: 200,
      _project_id: projectId,
    });
  });

  it('with the scope projects receives the runs of its projects only', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const [mine, other] = [newId('prj'), newId('prj')];
    const { id, table } = await create({ scope: 'projects', projects: { values: [mine] } });
    await finish(addRun(other));
    await finish(addRun(mine));
    await ended(id);
    expect(new Set((await rows(table)).map((row) => row['_project_id']))).toEqual(new Set([mine]));
  });

  it('in mirror mode marks the pages that a whole run no longer has as deleted, and none after a run without a verdict', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const { id, table } = await create({ mode: 'mirror' });
    const projectId = newId('prj');
    await finish(addRun(projectId, { pages: pages(1, 2, 3) }));
    await ended(id);
    await finish(addRun(projectId, { pages: pages(1), record: { status: 'made', isVerdict: false } }));
    const [partial] = await ended(id, 2);
    expect(partial).toMatchObject({ deleted: 0, warnings: [expect.stringContaining('does not cover the whole site')] });
    await finish(addRun(projectId, { pages: pages(1, 2) }));
    expect((await ended(id, 3))[0]).toMatchObject({ deleted: 1 });
    expect(byUrl(await rows(table))).toMatchObject({
      'https://a.example/1': [2, true],
      'https://a.example/2': [3, false],
    });
  });

  it('waits for the change record of a run, and is then written at once', async () => {
    const { create, addRun, finish, syncsOf, ended, workspaceId } = workspace();
    const { id } = await create({ dataset: 'changes' });
    const projectId = newId('prj');
    const entries = [
      { id: 'chg_1', position: 1, url: 'https://a.example/0', kind: 'modified' as const, firstSeenAt: new Date() },
    ];
    const run = addRun(projectId, { record: { status: 'making', isVerdict: false }, entries });
    await finish(run);
    await until('a sync that waits', async () => (await syncsOf(id)).find(({ status }) => status === 'queued'));
    const found = servers.sources.runs.get(run);
    if (found !== undefined) found.record = { status: 'made', isVerdict: true };
    await servers.publish(events.changeReady, `ready:${run}`, {
      runId: run,
      workspaceId,
      projectId,
      counts: {},
      isVerdict: true,
      reasons: [],
      madeAt: new Date(),
    });
    expect(await ended(id)).toMatchObject([{ status: 'done', mode: 'append', written: 1, attempts: 1 }]);
  });

  it('writes the computed columns of its shape for the rows that meet its condition', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const shapeJson = JSON.stringify({
      columns: [
        { name: 'url', expr: 'url', type: 'text' },
        { name: 'price', expr: 'fields.price', type: 'double' },
        { name: 'long', expr: 'words > 10', type: 'bool' },
      ],
      where: 'words > 1',
    });
    const { id, table } = await create({ shapeChange: { $case: 'shapeJson', value: shapeJson } });
    const [short, long] = pages(1, 20);
    await finish(
      addRun(newId('prj'), {
        pages: [
          { url: 'x', words: 1 },
          { ...short, url: 'u', words: 3, fields: { price: 2.5 } },
          { ...long, url: 'v', words: 20 },
        ],
      }),
    );
    const [sync] = await ended(id);
    expect(sync).toMatchObject({ read: 2, written: 2, warnings: [expect.stringContaining('the column price')] });
    expect((await rows(table)).map(({ url, price, long: isLong }) => [url, price, isLong])).toEqual([
      ['u', 2.5, false],
      ['v', null, true],
    ]);
  });

  it('writes one column per configured field for the dataset fields', async () => {
    const { create, addRun, finish, ended, rows } = workspace();
    const { id, table } = await create({ dataset: 'fields' });
    await finish(
      addRun(newId('prj'), {
        pages: [
          { url: 'u', words: 1, fields: { price: 9.5 } },
          { url: 'v', words: 1 },
        ],
      }),
    );
    expect(await ended(id)).toMatchObject([{ status: 'done', written: 1 }]);
    expect(await rows(table)).toMatchObject([{ url: 'u', price: 9.5 }]);
  });

  it('is written by hand with the newest run of each project, or with a run that is named', async () => {
    const { create, addRun, finish, ended, start, rows } = workspace();
    const { id, table } = await create({ automatic: false });
    const [one, two] = [newId('prj'), newId('prj')];
    const old = addRun(one);
    const [newest, other] = [addRun(one), addRun(two)];
    for (const run of [old, newest, other]) await finish(run);
    await until('the newest runs', async () => {
      const text = 'SELECT FROM export.project_runs WHERE run_id = ANY($1)';
      return (await servers.servers.database.sql(text, [[newest, other]])).length === 2;
    });
    const started = await start(id);
    expect(started).toHaveLength(2);
    expect(started.map(({ trigger, sourceId }) => [trigger, sourceId])).toEqual(
      expect.arrayContaining([
        ['manual', newest],
        ['manual', other],
      ]),
    );
    await ended(id, 2);
    const [named] = await start(id, { ofProjectId: one, runId: old });
    expect(named).toMatchObject({ sourceId: old, trigger: 'manual' });
    const all = await ended(id, 3);
    expect(all.find((sync) => sync.id === named?.id)).toMatchObject({ status: 'skipped', written: 0 });
    expect(new Set((await rows(table)).map((row) => row['_run_id']))).toEqual(new Set([newest, other]));
    await expect(start(id, { ofProjectId: two, runId: old })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes the newest of several waiting runs, and skips the others', async () => {
    const { create, addRun, finish, ended, syncsOf } = workspace();
    const { id } = await create();
    const projectId = newId('prj');
    const gate = Promise.withResolvers<void>();
    servers.sources.gate = gate.promise;
    const first = addRun(projectId);
    await finish(first);
    await until('a running sync', async () => (await syncsOf(id)).some(({ status }) => status === 'running'));
    const [second, third] = [addRun(projectId), addRun(projectId)];
    await finish(second);
    await finish(third);
    await until('three syncs', async () => (await syncsOf(id)).length === 3);
    gate.resolve();
    const statuses = (await ended(id, 3)).map(({ sourceId, status }) => [sourceId, status]);
    expect(Object.fromEntries(statuses)).toEqual({ [first]: 'done', [second]: 'skipped', [third]: 'done' });
  });
});
