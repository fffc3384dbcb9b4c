import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FolderStates, openFolderStates } from '@tidemark/blobs/folder-states';
import { newWorkspace, spawnService, until } from '@tidemark/testkit';
import { clientIn, type MapServers, newKey, type SiteFiles, siteOf, startMapServers, urlset } from './map-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SWEEPING = { SWEEP_SECONDS: '0.1' } as const;
let siteFiles: SiteFiles = {};
let servers: MapServers;
let states: FolderStates;
beforeAll(async () => {
  servers = await startMapServers(
    siteOf(() => siteFiles),
    siteOf(() => ({})),
  );
  await servers.service.close();
  servers.service = await servers.replica(SWEEPING);
  states = openFolderStates(pathToFileURL(join(servers.blobDir, 'map')).href);
}, 120_000);
afterAll(async () => {
  states.close();
  await servers.close();
});

const sql = (text: string, ...values: unknown[]) => servers.database.sql<{ name: string }>(text, values);
const isStored = (name: string) => states.stateOf(name) === 'stored';
const isInTrash = (name: string) => states.stateOf(name) === 'in_trash';
const expireMap = (id: string) =>
  sql("UPDATE map.jobs SET finished_at = now() - interval '25 hours' WHERE id = $1", id);
const requestCheck = (id: string) =>
  sql("UPDATE map.snapshots SET check_at = now() - interval '1 second' WHERE id = $1", id);
const rowDocuments = async (id: string) =>
  (await sql('SELECT unnest(row_blobs) AS name FROM map.jobs WHERE id = $1', id)).map(({ name }) => name);
const treeDocuments = async (id: string) =>
  (await sql("SELECT file ->> 'entries' AS name FROM map.files WHERE job_id = $1", id)).map(({ name }) => name);
/** Skips the waiting times of a candidate for deletion, and waits until the document is deleted or kept. */
async function collect(name: string): Promise<void> {
  await until(`document ${name} to be deleted or kept`, async () => {
    await sql(
      "UPDATE map.blob_candidates SET due = now() - interval '1 second' WHERE sha256 = $1 AND due > now() + interval '10 minutes'",
      name,
    );
    return (await sql('SELECT sha256 AS name FROM map.blob_candidates WHERE sha256 = $1', name)).length === 0;
  });
}
const isDeleted = async (id: string) => (await sql('SELECT id AS name FROM map.jobs WHERE id = $1', id)).length === 0;

async function mapped(client: ReturnType<typeof clientIn>, names: readonly string[], projectId = '', key = '') {
  siteFiles = { '/sitemap.xml': urlset(servers.site.origin, names) };
  const { job } = await client.map({}, { projectId, idempotencyKey: key, requestHash: 'h' });
  const id = job?.id ?? '';
  return { id, rows: await rowDocuments(id), tree: await treeDocuments(id) };
}

describe('retention of maps', () => {
  it('deletes a map with its rows and idempotency key a day after its end and keeps its snapshot', async () => {
    const client = clientIn(servers);
    const key = newKey();
    const { id, rows, tree } = await mapped(client, ['/one'], '', key);
    await sql("UPDATE map.jobs SET finished_at = now() - interval '23 hours' WHERE id = $1", id);
    await sql("UPDATE map.idempotency_keys SET created_at = now() - interval '23 hours' WHERE key = $1", key);
    expect((await mapped(client, ['/other'], '', key)).id).toBe(id);
    await expireMap(id);
    await until('the map to be deleted', () => isDeleted(id));
    await expect(client.job(id)).rejects.toMatchObject({ code: 'not_found' });
    for (const name of [...rows, ...tree]) await collect(name);
    expect(rows.map((name) => isStored(name) || isInTrash(name))).toEqual([false]);
    expect([tree.map(isStored), await client.discovery(servers.site.origin)]).toMatchObject([
      [true],
      { snapshot: { id } },
    ]);
    expect((await mapped(client, ['/again'], '', key)).id).not.toBe(id);
  });

  it('completes a sweep whose process was killed and keeps documents that other maps reference', async () => {
    await servers.service.close();
    const client = clientIn(servers);
    const doomed = await spawnService('map', MAIN, { ...servers.serviceEnv, ...SWEEPING });
    const other = { ...servers, service: { ...servers.service, peer: doomed.peer } };
    const sameWorkspace = clientIn(other, client.workspaceId);
    const maps: Awaited<ReturnType<typeof mapped>>[] = [];
    for (let i = 0; i < 30; i += 1) maps.push(await mapped(sameWorkspace, ['/shared', `/${i}`]));
    const kept = await mapped(clientIn(other, newWorkspace()), ['/shared', '/7']);
    await sql(
      "UPDATE map.jobs SET finished_at = now() - interval '25 hours' WHERE workspace_id = $1",
      client.workspaceId,
    );
    await until('the start of the sweep', () => isDeleted(maps[0]?.id ?? ''));
    await doomed.kill('SIGKILL');
    await doomed.close();
    servers.service = await servers.replica(SWEEPING);
    for (const { id } of maps) await until('every map to be deleted', () => isDeleted(id));
    for (const name of maps.flatMap(({ rows }) => rows)) await collect(name);
    const remaining = maps.flatMap(({ rows }) => rows).filter((name) => isStored(name) || isInTrash(name));
    expect(remaining).toEqual(kept.rows);
    expect((await client.discovery(servers.site.origin)).snapshot?.id).toBe(maps.at(-1)?.id);
  }, 90_000);
});

describe('retention of snapshots', () => {
  it('keeps the newest two snapshots of a site and deletes older ones with their changes', async () => {
    const client = clientIn(servers);
    const snapshots = [];
    for (const name of ['/1', '/2', '/3', '/4']) {
      snapshots.push(await mapped(client, [name]));
      await client.discovery(servers.site.origin);
    }
    const ids = snapshots.map(({ id }) => id);
    for (const id of ids) await expireMap(id);
    for (const id of ids) await until('the maps to be deleted', () => isDeleted(id));
    for (const id of ids) await requestCheck(id);
    const kept = async () => (await client.discovery(servers.site.origin)).kept.map(({ id }) => id);
    await until('the older snapshots to be deleted', async () => (await kept()).length === 2);
    expect(await kept()).toEqual([ids[3], ids[2]]);
    const old = snapshots.slice(0, 2).flatMap(({ tree }) => tree);
    for (const name of old) await collect(name);
    expect(old.filter((name) => isStored(name) || isInTrash(name))).toEqual([]);
    expect(await client.entries('', { set: 'added' })).toMatchObject({ total: 1 });
    expect(await sql('SELECT snapshot_id AS name FROM map.diffs WHERE snapshot_id = ANY($1)', ids.slice(0, 2))).toEqual(
      [],
    );
  });

  it('keeps snapshots of a project for 90 days and its newest two without limit, and those of a site for 90 days', async () => {
    const client = clientIn(servers);
    const ofProject = [];
    for (const name of ['/1', '/2', '/3']) ofProject.push((await mapped(client, [name], 'prj_1')).id);
    const ofSite = (await mapped(client, ['/1'])).id;
    for (const id of [...ofProject, ofSite]) await expireMap(id);
    for (const id of [...ofProject, ofSite]) await until('the maps to be deleted', () => isDeleted(id));
    for (const id of [...ofProject, ofSite]) await requestCheck(id);
    const dueCheck = 'SELECT id AS name FROM map.snapshots WHERE id = $1 AND check_at <= now()';
    const checked = (id: string) =>
      until('the snapshot to be checked', async () => (await sql(dueCheck, id)).length === 0);
    for (const id of [...ofProject, ofSite]) await checked(id);
    const kept = async (projectId: string) =>
      (await client.discovery(servers.site.origin, '', projectId)).kept.map(({ id }) => id);
    expect([await kept('prj_1'), await kept('')]).toEqual([ofProject.toReversed(), [ofSite]]);
    for (const id of [...ofProject, ofSite]) {
      await sql("UPDATE map.snapshots SET taken_at = now() - interval '91 days' WHERE id = $1", id);
      await requestCheck(id);
    }
    for (const id of [...ofProject, ofSite]) await checked(id);
    expect([await kept('prj_1'), await kept('')]).toEqual([ofProject.toReversed().slice(0, 2), []]);
  });
});
