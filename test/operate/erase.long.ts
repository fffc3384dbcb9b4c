import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeBodyStores, openBodyStores } from '../../deploy/admin/backup/body-stores.ts';
import { erasePerson } from '../../deploy/admin/erase/erase-person.ts';
import { findTraces } from '../../deploy/admin/erase/find-traces.ts';
import { startCanarySite } from '../../deploy/canary/canary-site.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { PASSWORD } from '../harness/people.ts';
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
  // A mail host that no one runs: mails are queued and wait for their next try.
  const delivery = { MAIL_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'tidemark@example.com' };
  fleet = await startFleet({
    env: { archive: { ...sweeps, CATCH_UP_MINUTES: '0' }, map: sweeps, delivery },
  });
}, 300_000);
afterAll(async () => {
  await fleet?.close();
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

/** Returns a part of the stored form of each body with a text, which no other body has. */
async function storedMarks(text: string): Promise<Buffer[]> {
  const stores = openBodyStores(installationOf(fleet).blobUrl);
  const marks: Buffer[] = [];
  for (const { blobs } of stores)
    for await (const sha256 of blobs.list()) {
      if (!(await blobs.get(sha256)).includes(text)) continue;
      const packed = Buffer.from((await blobs.getPacked(sha256)).packed);
      marks.push(packed.subarray(packed.length - 64));
    }
  await closeBodyStores(stores);
  return marks;
}

/** Returns the files of the store that contain one of the marks. */
function segmentsWith(marks: readonly Buffer[]): string[] {
  const root = fileURLToPath(installationOf(fleet).blobUrl);
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => {
    if (!name.endsWith('.seg')) return false;
    const bytes = readFileSync(join(root, name));
    return marks.some((mark) => bytes.includes(mark));
  });
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
  }, 400_000);
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
    const marks = await storedMarks('gauge at Harlow Point');
    expect(segmentsWith(marks)).not.toEqual([]);
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
    expect(segmentsWith(marks)).toEqual([]);
  }, 400_000);
});

/** Columns that keep the id of an erased person. Without the account it names no one. */
const KEPT_OF_PERSON: readonly RegExp[] = [
  /^identity\.audit\.(actor_id|subject_id|detail)$/,
  /^identity\.(api_keys\.created_by|invites\.invited_by|acting\.actor_id|welcome_grants\.user_id|workspaces\.welcome_of)$/,
  /^(scrape\.jobs|crawl\.runs|map\.jobs|billing\.\w+)\.(actor_id|subject_id)$/,
  /^projects\.(config_versions\.changed_by|feed_links\.created_by)$/,
  /^diff\.reviews\.reviewed_by$/,
  /^[a-z]+\.outbox\.payload$/, // until its consumers have confirmed the event
  /^jetstream /, // at most 24 hours
];

describe('the erasure of a person', () => {
  it('is refused for the only owner of a workspace, and names the workspace', async () => {
    const owner = await fleet.people.signUp();
    const { workspace } = (await owner.get('/auth/session')).body as { workspace: { id: string } };
    await expect(erasePerson(installationOf(fleet), { address: owner.email, deletesOwned: false })).rejects.toThrow(
      workspace.id,
    );
    expect((await owner.get('/auth/session')).status).toBe(200);
  }, 400_000);

  it('leaves the address in no row, message and key, and the id only where it names no one', async () => {
    const workspace = await fleet.workspaces.make();
    const person = await fleet.people.join(workspace, 'admin');
    const own = (await person.post('/me/keys', { name: 'of a person', scopes: ['read'] })).body as { secret: string };
    expect((await workspace.admin.post('/auth/invites', { email: 'other@example.com', role: 'viewer' })).status).toBe(
      201,
    );
    const elsewhere = await fleet.workspaces.make();
    expect((await elsewhere.admin.post('/auth/invites', { email: person.email, role: 'viewer' })).status).toBe(201);
    await fleet.people.visitor().post('/auth/login', { email: person.email, password: 'a wrong password' });
    const site = await startCanarySite({
      host: '127.0.0.7',
      port: 0,
      onMessage: async () => undefined,
      metrics: () => '',
    });
    try {
      const config = { max_pages: 10, use_sitemap: false, notify_emails: [person.email, 'desk@example.com'] };
      const project = await makeProject(person, { seed: `http://127.0.0.7:${site.port}/`, config });
      await runToEnd(person, project.id);
      site.change();
      await runToEnd(person, project.id);
      const mails = 'SELECT id FROM delivery.deliveries WHERE recipient = $1';
      await until('a mail to the person', async () => (await fleet.sql(mails, [person.email])).length > 0, {
        withinMs: 120_000,
      });
      await untilQuiet(fleet);
      const before = await tracesOf([person.email], []);
      expect(before).toEqual(
        expect.arrayContaining([
          'identity.users.email',
          'identity.invites.email',
          'identity.login_failures.subject',
          'delivery.deliveries.recipient',
          'projects.projects.config',
        ]),
      );

      const erased = await erasePerson(installationOf(fleet), { address: person.email, deletesOwned: false });
      expect(erased).toMatchObject({ userIds: [person.id], left: [workspace.id], deleted: [], projects: 1 });
      expect(await tracesOf([person.email], [])).toEqual([]);
      expect(await tracesOf([person.id], KEPT_OF_PERSON)).toEqual([]);

      expect((await person.get('/auth/session')).status).toBe(401);
      const login = { email: person.email, password: PASSWORD };
      expect((await fleet.people.visitor().post('/auth/login', login)).status).toBe(401);
      expect((await fleet.api(own.secret).get('/me')).status).toBe(200);
      const { config: now } = (await workspace.admin.get(`/projects/${project.id}`)).body as {
        config: { notify_emails: string[] };
      };
      expect(now.notify_emails).toEqual(['desk@example.com']);
      const again = await erasePerson(installationOf(fleet), { address: person.email, deletesOwned: false });
      expect(again).toEqual({ userIds: [], left: [], deleted: [], mails: 0, projects: 0 });
    } finally {
      await site.close();
    }
  }, 400_000);

  it('deletes the workspaces that only the person owns where the operator requires it', async () => {
    const owner = await fleet.people.signUp();
    const { workspace } = (await owner.get('/auth/session')).body as { workspace: { id: string } };
    const captured = await owner.post('/scrape', { url: web.url('/article?person=erased') });
    expect([200, 202]).toContain(captured.status);
    await untilQuiet(fleet);
    const erased = await erasePerson(installationOf(fleet), { address: owner.email, deletesOwned: true });
    expect(erased.deleted).toEqual([workspace.id]);
    await until(
      'nothing of the workspace to be left',
      async () => {
        const found = await tracesOf([workspace.id]);
        if (found.length > 0) throw new Error(found.join(', '));
        return true;
      },
      { withinMs: 90_000 },
    );
    expect(await tracesOf([owner.email], [])).toEqual([]);
  }, 400_000);
});
