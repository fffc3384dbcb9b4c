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
  'scrape killed in the middle of captures: another takes them over, and each ends once',
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
  'scrape killed again and again under load: nothing that was accepted is lost, nothing is charged twice',
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
  'the gateway killed while a caller waits: the retry with the same key gets the one answer, charged once',
  async () => {
    const order = { url: web.url('/gate/gateway'), timeout: 60 };
    const key = { 'idempotency-key': 'across a killed gateway' };
    const waiting = workspace.writer.post('/scrape', order, key).then(
      () => 'answered',
      () => 'cut off',
    );
    await until('the site to be asked', () => web.hits('/gate/gateway').length > 0, { withinMs: 15_000 });
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
  'billing killed: new work is refused with 503, work under way ends, and is charged once billing is back',
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
  'the archive killed: captures are answered all the same, and every page is stored once it is back',
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
  'the archive paused: reads respond in bounded time, and pages are stored once it continues',
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
  'identity killed: keys are refused entry with 503, never let in unchecked, and work again once it is back',
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
