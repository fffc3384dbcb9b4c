import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type OwnFleet, serviceOf } from '../harness/fleet.ts';
import { until, within } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { expectAllWell, startFaultyFleet, WELCOME_CREDITS } from './invariants.ts';
import { acceptedOf, inexcusable, startHeld, startLoad } from './load.ts';

const web = await startWeb();
let fleet: OwnFleet;
let workspace: Workspace;

beforeAll(async () => {
  fleet = await startFaultyFleet();
}, 90_000);
beforeEach(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

const LIMIT_MS = 150_000;

test(
  'scrape killed during captures: another instance reclaims them, and each ends once',
  async () => {
    const held = [];
    for (let i = 0; i < 5; i += 1) held.push(await startHeld(workspace.writer, web, `killed-${i}`));
    await serviceOf(fleet, 'scrape').kill('SIGKILL');
    for (let i = 0; i < 5; i += 1) web.open(`killed-${i}`);
    await serviceOf(fleet, 'scrape').restart();

    const ended = await expectAllWell(fleet, workspace, { accepted: held });
    expect(held.map((id) => ended.get(id))).toEqual(held.map(() => 'done'));
  },
  LIMIT_MS,
);

test(
  'scrape killed repeatedly under load: no accepted job is lost or charged twice',
  async () => {
    const load = startLoad(workspace.writer, web.url('/article'));
    for (let i = 0; i < 3; i += 1) {
      await load.accepts(10);
      await serviceOf(fleet, 'scrape').kill('SIGKILL');
      await serviceOf(fleet, 'scrape').restart();
    }
    await load.accepts(5);
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    await expectAllWell(fleet, workspace, { accepted: acceptedOf(outcomes) });
  },
  LIMIT_MS,
);

test(
  'gateway killed while a client waits: the retry with the same key gets the one response, charged once',
  async () => {
    const order = { url: web.url('/gate/gateway'), timeout: 60 };
    const key = { 'idempotency-key': 'across a killed gateway' };
    const waiting = workspace.writer.post('/scrape', order, key).then(
      () => 'answered',
      () => 'cut off',
    );
    await until('a request at the site', () => web.hits('/gate/gateway').length > 0, { withinMs: 15_000 });
    await serviceOf(fleet, 'gateway').kill('SIGKILL');
    expect(await within(10_000, 'the end of the wait', waiting)).toBe('cut off');
    await serviceOf(fleet, 'gateway').restart();

    web.open('gateway');
    const retry = await workspace.writer.scrape(order, key);
    expect(retry).toMatchObject({ status: 200, job: { status: 'done', creditsUsed: 1 } });
    expect(retry.headers.get('idempotent-replayed')).toBe('true');
    await expectAllWell(fleet, workspace, { accepted: [retry.job.id] });
    expect((await workspace.reader.credits()).remaining).toBe(WELCOME_CREDITS - 1);
  },
  LIMIT_MS,
);

test(
  'billing killed: new work is rejected with 503, work in progress ends and is charged after the restart',
  async () => {
    const held = await startHeld(workspace.writer, web, 'billing');
    await serviceOf(fleet, 'billing').kill('SIGKILL');
    const refused = await workspace.writer.post('/scrape', { url: web.url('/tiny') });
    expect(refused.status).toBe(503);
    web.open('billing');
    await until('the page', async () => (await workspace.reader.job(held)).status === 'done', { withinMs: 20_000 });
    await serviceOf(fleet, 'billing').restart();

    await expectAllWell(fleet, workspace, { accepted: [held] });
    expect((await workspace.reader.credits()).remaining).toBe(WELCOME_CREDITS - 1);
  },
  LIMIT_MS,
);

test(
  'billing killed under load: every page is charged once',
  async () => {
    const load = startLoad(workspace.writer, web.url('/tiny'));
    for (let i = 0; i < 2; i += 1) {
      await load.accepts(10);
      await serviceOf(fleet, 'billing').kill('SIGKILL');
      await serviceOf(fleet, 'billing').restart();
    }
    await load.accepts(5);
    const outcomes = await load.stop();
    expect(inexcusable(outcomes)).toEqual({});
    await expectAllWell(fleet, workspace, { accepted: acceptedOf(outcomes) });
  },
  LIMIT_MS,
);

test(
  'archive killed: captures succeed, and every page is stored after the restart',
  async () => {
    await serviceOf(fleet, 'archive').kill('SIGKILL');
    const captures = [];
    for (let i = 0; i < 5; i += 1) captures.push(await workspace.writer.capture(web.url(`/article?n=${i}`)));
    expect(captures.map(({ page }) => page.verdict)).toEqual(captures.map(() => 'ok'));
    await serviceOf(fleet, 'archive').restart();

    await expectAllWell(fleet, workspace, { accepted: captures.map(({ job }) => job.id) });
    for (const { job, page } of captures) expect((await workspace.reader.job(job.id)).data).toEqual([page]);
  },
  LIMIT_MS,
);

test(
  'archive paused: reads respond in bounded time, and pages are stored after it continues',
  async () => {
    const { job } = await workspace.writer.capture(web.url('/article'));
    await serviceOf(fleet, 'archive').kill('SIGSTOP');
    const during = await workspace.writer.capture(web.url('/tiny'));
    const read = await within(12_000, 'a read of a paused archive', workspace.reader.get(`/scrape/${job.id}`));
    expect([200, 503]).toContain(read.status);
    await serviceOf(fleet, 'archive').kill('SIGCONT');

    await expectAllWell(fleet, workspace, { accepted: [job.id, during.job.id] });
  },
  LIMIT_MS,
);

test(
  'identity killed: requests get 503, no key is accepted unchecked, and keys work after the restart',
  async () => {
    const stranger = fleet.api(`service_${'0'.repeat(38)}`);
    const fresh = await fleet.workspaces.key(workspace.id, { scopes: ['read'] });
    await serviceOf(fleet, 'identity').kill('SIGKILL');
    expect([(await stranger.get('/me')).status, (await fresh.get('/me')).status]).toEqual([503, 503]);
    await serviceOf(fleet, 'identity').restart();
    await until('keys to work', async () => (await fresh.get('/me')).status === 200, { withinMs: 15_000 });
    expect((await stranger.get('/me')).status).toBe(401);
  },
  LIMIT_MS,
);
