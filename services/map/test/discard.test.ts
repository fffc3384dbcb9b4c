import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newWorkspace, spawnService, until } from '@tidemark/testkit';
import { type Answers, clientIn, type MapGround, newKey, openMap, siteOf, urlset } from './map-ground.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const SWEEPING = { SWEEP_SECONDS: '0.1' } as const;
let answers: Answers = {};
let ground: MapGround;
beforeAll(async () => {
  ground = await openMap(
    siteOf(() => answers),
    siteOf(() => ({})),
  );
  await ground.service.close();
  ground.service = await ground.replica(SWEEPING);
}, 120_000);
afterAll(() => ground.close());

const sql = (text: string, ...values: unknown[]) => ground.database.sql<{ name: string }>(text, values);
const fileOf = (name: string) => join(ground.blobDir, 'map', name.slice(0, 2), `${name}.zst`);
const isKept = (name: string) => existsSync(fileOf(name));
const isAside = (name: string) => existsSync(fileOf(`${name}.aside`));
const passDay = (id: string) => sql("UPDATE map.jobs SET finished_at = now() - interval '25 hours' WHERE id = $1", id);
const look = (id: string) => sql("UPDATE map.snapshots SET due = now() - interval '1 second' WHERE id = $1", id);
const rowDocuments = async (id: string) =>
  (await sql('SELECT unnest(row_blobs) AS name FROM map.jobs WHERE id = $1', id)).map(({ name }) => name);
const treeDocuments = async (id: string) =>
  (await sql("SELECT file ->> 'entries' AS name FROM map.files WHERE job_id = $1", id)).map(({ name }) => name);
/** Passes over the times a document waits for, and waits until it has been decided about. */
async function decide(name: string): Promise<void> {
  await until(`document ${name} to be decided about`, async () => {
    await sql(
      "UPDATE map.blob_candidates SET due = now() - interval '1 second' WHERE sha256 = $1 AND due > now() + interval '10 minutes'",
      name,
    );
    return (await sql('SELECT sha256 AS name FROM map.blob_candidates WHERE sha256 = $1', name)).length === 0;
  });
}
const isDiscarded = async (id: string) => (await sql('SELECT id AS name FROM map.jobs WHERE id = $1', id)).length === 0;

async function mapped(client: ReturnType<typeof clientIn>, names: readonly string[], projectId = '', key = '') {
  answers = { '/sitemap.xml': urlset(ground.site.origin, names) };
  const { job } = await client.map({}, { projectId, idempotencyKey: key, requestHash: 'h' });
  const id = job?.id ?? '';
  return { id, rows: await rowDocuments(id), tree: await treeDocuments(id) };
}

describe('a map', () => {
  it('is gone a day after its end, with its rows and its idempotency key; its tree stays as the site’s snapshot', async () => {
    const client = clientIn(ground);
    const key = newKey();
    const { id, rows, tree } = await mapped(client, ['/one'], '', key);
    await sql("UPDATE map.jobs SET finished_at = now() - interval '23 hours' WHERE id = $1", id);
    await sql("UPDATE map.idempotency_keys SET created_at = now() - interval '23 hours' WHERE key = $1", key);
    expect((await mapped(client, ['/other'], '', key)).id).toBe(id);
    await passDay(id);
    await until('the map to be gone', () => isDiscarded(id));
    await expect(client.job(id)).rejects.toMatchObject({ code: 'not_found' });
    for (const name of [...rows, ...tree]) await decide(name);
    expect(rows.map((name) => isKept(name) || isAside(name))).toEqual([false]);
    expect([tree.map(isKept), await client.discovery(ground.site.origin)]).toMatchObject([
      [true],
      { snapshot: { id } },
    ]);
    expect((await mapped(client, ['/again'], '', key)).id).not.toBe(id);
  }, 60_000);

  it('whose process is killed in the middle of a sweep is gone after the next, and what others name stays', async () => {
    await ground.service.close();
    const client = clientIn(ground);
    const doomed = await spawnService('map', MAIN, { ...ground.serviceEnv, ...SWEEPING });
    const other = { ...ground, service: { ...ground.service, peer: doomed.peer } };
    const asked = clientIn(other, client.workspaceId);
    const maps: Awaited<ReturnType<typeof mapped>>[] = [];
    for (let i = 0; i < 30; i += 1) maps.push(await mapped(asked, ['/shared', `/${i}`]));
    const kept = await mapped(clientIn(other, newWorkspace()), ['/shared', '/7']);
    await sql(
      "UPDATE map.jobs SET finished_at = now() - interval '25 hours' WHERE workspace_id = $1",
      client.workspaceId,
    );
    await until('the sweep to have begun', () => isDiscarded(maps[0]?.id ?? ''));
    await doomed.kill('SIGKILL');
    await doomed.close();
    ground.service = await ground.replica(SWEEPING);
    for (const { id } of maps) await until('every map to be gone', () => isDiscarded(id));
    for (const name of maps.flatMap(({ rows }) => rows)) await decide(name);
    const left = maps.flatMap(({ rows }) => rows).filter((name) => isKept(name) || isAside(name));
    expect(left).toEqual(kept.rows);
    expect((await client.discovery(ground.site.origin)).snapshot?.id).toBe(maps.at(-1)?.id);
  }, 90_000);
});

describe('a snapshot', () => {
  it('of a site stays while it is one of the newest two; those before go with their changes', async () => {
    const client = clientIn(ground);
    const snapshots = [];
    for (const name of ['/1', '/2', '/3', '/4']) {
      snapshots.push(await mapped(client, [name]));
      await client.discovery(ground.site.origin);
    }
    const ids = snapshots.map(({ id }) => id);
    for (const id of ids) await passDay(id);
    for (const id of ids) await until('the maps to be gone', () => isDiscarded(id));
    for (const id of ids) await look(id);
    const kept = async () => (await client.discovery(ground.site.origin)).kept.map(({ id }) => id);
    await until('the older ones to be gone', async () => (await kept()).length === 2);
    expect(await kept()).toEqual([ids[3], ids[2]]);
    const old = snapshots.slice(0, 2).flatMap(({ tree }) => tree);
    for (const name of old) await decide(name);
    expect(old.filter((name) => isKept(name) || isAside(name))).toEqual([]);
    expect(await client.entries('', { set: 'added' })).toMatchObject({ total: 1 });
    expect(await sql('SELECT snapshot_id AS name FROM map.diffs WHERE snapshot_id = ANY($1)', ids.slice(0, 2))).toEqual(
      [],
    );
  }, 60_000);

  it('of a project stays for ninety days, and the newest two for ever; one of a site goes then', async () => {
    const client = clientIn(ground);
    const ofProject = [];
    for (const name of ['/1', '/2', '/3']) ofProject.push((await mapped(client, [name], 'prj_1')).id);
    const ofSite = (await mapped(client, ['/1'])).id;
    for (const id of [...ofProject, ofSite]) await passDay(id);
    for (const id of [...ofProject, ofSite]) await until('the maps to be gone', () => isDiscarded(id));
    for (const id of [...ofProject, ofSite]) await look(id);
    const looked = (id: string) =>
      until(
        'it to be looked at',
        async () => (await sql('SELECT id AS name FROM map.snapshots WHERE id = $1 AND due <= now()', id)).length === 0,
      );
    for (const id of [...ofProject, ofSite]) await looked(id);
    const kept = async (projectId: string) =>
      (await client.discovery(ground.site.origin, '', projectId)).kept.map(({ id }) => id);
    expect([await kept('prj_1'), await kept('')]).toEqual([ofProject.toReversed(), [ofSite]]);
    for (const id of [...ofProject, ofSite]) {
      await sql("UPDATE map.snapshots SET taken_at = now() - interval '91 days' WHERE id = $1", id);
      await look(id);
    }
    for (const id of [...ofProject, ofSite]) await looked(id);
    expect([await kept('prj_1'), await kept('')]).toEqual([ofProject.toReversed().slice(0, 2), []]);
  }, 60_000);
});
