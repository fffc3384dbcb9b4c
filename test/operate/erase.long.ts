import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeBodyStores, openBodyStores } from '../../deploy/admin/backup/body-stores.ts';
import { findTraces } from '../../deploy/admin/erase/find-traces.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { makeProject, runToEnd } from '../harness/projects.ts';
import { until } from '../harness/until.ts';
import { startWeb } from '../web/server.ts';
import { untilQuiet } from './filled-fleet.ts';
import { installationOf } from './installations.ts';

let web: Awaited<ReturnType<typeof startWeb>>;
let fleet: OwnFleet;

beforeAll(async () => {
  web = await startWeb();
  const sweeps = { SWEEP_SECONDS: '2' };
  fleet = await startFleet({ ephemeral: false, env: { archive: { ...sweeps, CATCH_UP_MINUTES: '0' }, map: sweeps } });
}, 120_000);
afterAll(async () => {
  await fleet.close();
  await web.close();
}, 60_000);

/** What is kept on purpose: entries that state the erasure itself, and counts without content. */
const KEPT: readonly RegExp[] = [
  /^[a-z]+\.workspace_states\.workspace_id$/, // states that the workspace is deleted, so that late events store nothing; removed with the last sweep
  /^crawl\.deleted_projects\./,
  /^[a-z]+\.deleted_projects\./,
  /^archive\.discarded_runs\./,
  /^billing\./, // accounts and documents are kept for the time that the law requires
  /^jetstream /, // at most 24 hours, in DEAD 14 days
  /^identity\.audit\./,
  /^identity\.welcome_grants\./, // which person got welcome credits, so that no one gets them twice: no name, no address
];

/** The request log of a workspace states the paths of its requests, with ids of deleted projects, for `REQUEST_LOG_DAYS`. It ends with the workspace. */
const KEPT_OF_PROJECT: readonly RegExp[] = [...KEPT, /^identity\.requests\.path$/];

const tracesOf = async (texts: readonly string[], kept = KEPT): Promise<string[]> =>
  (await findTraces(installationOf(fleet), texts))
    .map(({ place }) => place)
    .filter((place) => !kept.some((one) => one.test(place)));

/** Lets every candidate be collected now: by default an hour and the time in the trash later. */
async function collectNow(): Promise<void> {
  await until(
    'every unreferenced body to be collected',
    async () => {
      await fleet.sql('UPDATE archive.blob_candidates SET due = now()');
      await fleet.sql('UPDATE map.blob_candidates SET due = now()');
      const [row] = await fleet.sql<{ left: string }>(
        'SELECT (SELECT count(*) FROM archive.blob_candidates) + (SELECT count(*) FROM map.blob_candidates) AS left',
      );
      return row?.left === '0';
    },
    { withinMs: 60_000 },
  );
}

async function bodiesWith(text: string): Promise<number> {
  const stores = openBodyStores(installationOf(fleet).blobUrl);
  let count = 0;
  for (const { blobs } of stores)
    for await (const sha256 of blobs.list()) if ((await blobs.get(sha256)).includes(text)) count += 1;
  await closeBodyStores(stores);
  return count;
}

describe('the erasure of a project', () => {
  it('leaves no row with its id, and no body that only it referenced', async () => {
    const { writer, admin } = await fleet.workspaces.make();
    const seed = web.url('/listing?project=erased');
    const project = await makeProject(writer, { seed, config: { max_pages: 2, use_sitemap: false } });
    await runToEnd(writer, project.id);
    await untilQuiet(fleet);
    expect(await tracesOf([project.id], KEPT_OF_PROJECT)).not.toEqual([]);
    expect((await admin.delete(`/projects/${project.id}`)).status).toBeLessThan(300);
    await until(
      'nothing of the project to be left',
      async () => {
        const found = await tracesOf([project.id], KEPT_OF_PROJECT);
        if (found.length > 0) throw new Error(found.join(', '));
        return true;
      },
      { withinMs: 90_000 },
    );
  }, 150_000);
});

describe('the erasure of a workspace', () => {
  it('leaves no row with its id in any service, and none of its bodies after the time in the trash', async () => {
    const owner = await fleet.people.signUp();
    const { workspace } = (await owner.get('/auth/session')).body as { workspace: { id: string; name: string } };
    const url = web.url('/article?workspace=erased');
    const captured = await owner.post('/scrape', {
      url,
      formats: 'markdown,rawHtml',
      config: { headers: { 'X-Ticket': 'erased-ticket' } },
    });
    expect([200, 202]).toContain(captured.status);
    const project = await makeProject(owner, {
      seed: web.url('/listing'),
      config: { max_pages: 2, use_sitemap: false },
    });
    await runToEnd(owner, project.id);
    const key = (await owner.post('/me/keys', { name: 'erased', scopes: ['read'] })).body as { secret: string };
    expect((await fleet.api(key.secret).get(`/projects/${project.id}`)).status).toBe(200);
    await until('the request to be logged', async () =>
      (await tracesOf([workspace.id])).includes('identity.requests.workspace_id'),
    );
    await untilQuiet(fleet);
    expect((await bodiesWith('gauge at Harlow Point')) > 0).toBe(true);
    const deleted = await owner.request('DELETE', `/auth/workspace?name=${encodeURIComponent(workspace.name)}`);
    expect(deleted.status).toBe(204);
    await until(
      'nothing of the workspace to be left',
      async () => {
        const found = await tracesOf([workspace.id]);
        if (found.length > 0) throw new Error(found.join(', '));
        return true;
      },
      { withinMs: 90_000 },
    );
    await collectNow();
    expect(await bodiesWith('gauge at Harlow Point')).toBe(0);
  }, 240_000);
});
