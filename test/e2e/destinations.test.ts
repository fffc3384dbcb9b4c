import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_DESTINATION } from '../harness/paths.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
const ADDRESS = '127.0.0.5';
const config = { max_pages: 1, use_sitemap: false };
let forwarder: Server;
let workspace: Workspace;
let connection: string;
let table = 0;

interface Sync {
  id: string;
  status: string;
  written: number;
  location: string | null;
  error: string | null;
}

/** Forwards connections to a server, so that the database of the fleet is reached under an address that is not the fleet's own. */
async function forward(to: URL): Promise<Server> {
  const server = createServer((socket) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const [from, into] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => into.destroy());
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
  return server;
}

beforeAll(async () => {
  const url = new URL(fleet.databaseUrl);
  forwarder = await forward(url);
  const bound = forwarder.address();
  workspace = await fleet.workspaces.make();
  await fleet.sql('CREATE SCHEMA IF NOT EXISTS warehouse');
  const created = await workspace.admin.post('/connections', {
    provider: 'postgresql',
    name: 'Warehouse',
    secrets: { password: decodeURIComponent(url.password) },
    config: {
      host: ADDRESS,
      port: typeof bound === 'object' ? bound?.port : 0,
      database: url.pathname.slice(1),

      user: url.username,
      schema: 'warehouse',
      tls: 'off',
    },
  });
  connection = (created.body as { id: string }).id;
}, 120_000);
afterAll(async () => {
  forwarder.close();
  await web.close();
  await fleet.close();
});

/** Creates a destination with a table of its own. */
async function makeDestination(more: object = {}): Promise<{ id: string; table: string }> {
  table += 1;
  const body = { name: 'Warehouse', connection_id: connection, table: `pages_${table}`, automatic: false, ...more };
  const { status, body: created, text } = await workspace.admin.post('/destinations', body);
  if (status !== 201) throw new Error(text);
  return created as { id: string; table: string };
}

const urlsIn = async (name: string): Promise<unknown[]> =>
  (await fleet.sql<{ url: string }>(`SELECT url FROM warehouse.${name} ORDER BY url`)).map(({ url }) => url);
const syncOf = (body: unknown): Sync => (body as { destinationSync: Sync }).destinationSync;
const done = (path: string): Promise<Sync> =>
  until(`the sync of ${path}`, async () => {
    const sync = syncOf((await workspace.reader.get(path)).body);
    return sync.status === 'done' ? sync : undefined;
  });

describe('a destination', () => {
  test('of a scrape is written before the response, and is the same when the job is read again', async () => {
    const destination = await makeDestination();
    const { status, body } = await workspace.writer.post('/scrape', {
      url: web.url('/article'),
      destination: destination.id,
    });
    expect(status).toBe(200);
    expect(syncOf(body)).toMatchObject({ status: 'done', written: 1, skipped: 0, error: null });
    expect(await urlsIn(destination.table)).toEqual([web.url('/article')]);
    const { id } = body as { id: string };
    expect(syncOf((await workspace.reader.get(`/scrape/${id}`)).body)).toEqual(syncOf(body));
  });

  test('of a batch and of a crawl is written once when they are done', async () => {
    const destination = await makeDestination();
    const urls = [web.url('/article'), web.url('/tiny')];
    const batch = await workspace.writer.post('/scrape', { urls, destination: destination.id });
    expect(syncOf(batch.body)).toMatchObject({ id: null, status: 'pending', written: 0 });
    expect(await done(`/scrape/${(batch.body as { id: string }).id}`)).toMatchObject({ written: 2 });
    const request = { url: web.url('/tiny'), limit: 1, useSitemap: false, destination: destination.id };
    const crawl = await workspace.writer.post('/crawl', request);
    expect(syncOf(crawl.body)).toMatchObject({ status: 'pending' });
    expect(await done(`/crawl/${(crawl.body as { id: string }).id}`)).toMatchObject({
      location: `table ${destination.table}`,
    });
    expect(await urlsIn(destination.table)).toEqual(urls.toSorted());
    const { body } = await workspace.reader.get(`/destinations/${destination.id}/syncs`);
    expect((body as { data: { source: { kind: string } }[] }).data.map(({ source }) => source.kind)).toEqual([
      'crawl',
      'batch',
    ]);
  });

  test('states which key a table made by hand lacks and the command that adds it, and is written once that was run', async () => {
    const destination = await makeDestination();
    await fleet.sql(`CREATE TABLE warehouse.${destination.table} (url text)`);
    const scrape = () => workspace.writer.post('/scrape', { url: web.url('/tiny'), destination: destination.id });
    const failed = syncOf((await scrape()).body);
    expect(failed).toMatchObject({
      status: 'error',
      written: 0,
      error: expect.stringContaining('lacks the key _row_id'),
    });
    const [, command = ''] = /Run (ALTER TABLE .*\(_row_id\)),/.exec(String(failed.error)) ?? [];
    await fleet.sql(command.replace(`"${destination.table}"`, `warehouse."${destination.table}"`));
    expect(syncOf((await scrape()).body)).toMatchObject({ status: 'done', written: 1, error: null });
  });

  test('that is paused answers 400 before anything is queued, and one of another workspace 404', async () => {
    const destination = await makeDestination();
    await workspace.admin.patch(`/destinations/${destination.id}`, { status: 'paused' });
    const other = await fleet.workspaces.make();
    const before = (await workspace.reader.get('/scrape')).body as { data: unknown[] };
    for (const [api, id, status, code] of [
      [workspace.writer, destination.id, 400, 'validation'],
      [other.writer, destination.id, 404, 'not_found'],
      [workspace.writer, NO_DESTINATION, 404, 'not_found'],
    ] as const) {
      for (const [path, body] of [
        ['/scrape', { url: web.url('/tiny') }],
        ['/scrape', { urls: [web.url('/tiny')] }],
        ['/crawl', { url: web.url('/tiny') }],
      ] as const)
        expect(await api.post(path, { ...body, destination: id })).toMatchObject({ status, body: { code } });
    }
    expect(((await workspace.reader.get('/scrape')).body as typeof before).data).toHaveLength(before.data.length);
  });

  test('of a project receives each finished run with the columns of its shape', async () => {
    const { id: project } = await makeProject(workspace.writer, { seed: web.url('/article'), config });
    const shape = {
      columns: [
        { name: 'url', expr: 'url', type: 'text' },
        { name: 'long', expr: 'words > 20', type: 'bool' },
      ],
    };
    const body = { name: 'Own', connection_id: connection, table: `own_${Date.now()}`, shape };
    const created = await workspace.admin.post(`/projects/${project}/destinations`, body);
    const { id } = created.body as { id: string };
    await runToEnd(workspace.writer, project);
    const path = `/projects/${project}/destinations/${id}/syncs`;
    const sync = await until('the sync of the run', async () => {
      const { data } = (await workspace.reader.get(path)).body as { data: { id: string; status: string }[] };
      return data.find(({ status }) => status === 'done');
    });
    const rows = await fleet.sql(`SELECT url, long FROM warehouse.${body.table}`);
    expect(rows).toEqual([{ url: web.url('/article'), long: true }]);
    expect((await workspace.reader.get(`/syncs/${sync.id}`)).body).toMatchObject({
      status: 'done',
      projectId: project,
      trigger: 'automatic',
      rows: { read: 1, written: 1 },
      error: null,
    });
    const preview = await workspace.reader.post('/destinations/preview', {
      project_id: project,
      shape,
      columns: ['long'],
    });
    expect(preview.body).toMatchObject({
      columns: [{ name: 'long', type: 'bool' }],
      data: [{ long: true }],
      failed: 0,
    });
  });

  test('is refused with the column at fault where an expression of its shape is wrong', async () => {
    const columns = [
      { name: 'ok', expr: 'url' },
      { name: 'price', expr: 'prize * 2', type: 'double' },
    ];
    const { status, body } = await workspace.admin.post('/destinations', {
      name: 'Wrong',
      connection_id: connection,
      shape: { columns },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 'validation', error: expect.stringContaining('shape.columns.1.expr (price)') });
  });
});
