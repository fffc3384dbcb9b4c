import { afterAll, describe, expect, test } from '@jest/globals';
import { BillingServiceService as Billing } from '@tidemark/contracts/billing/v1/billing';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();

afterAll(async () => {
  await web.close();
  await fleet.close();
});

/** Returns a workspace with this many credits. */
async function withCredits(credits: number): Promise<Workspace> {
  const workspace = await fleet.workspaces.make();
  await workspace.reader.credits();
  await fleet.sql('UPDATE billing.accounts SET welcome_left = $2 WHERE workspace_id = $1', [workspace.id, credits]);
  return workspace;
}

const settled = ({ reader }: Workspace, remaining: number) =>
  until(`${remaining} credits to remain and none to be set aside`, async () => {
    const now = await reader.credits();
    return now.remaining === remaining && now.reserved === 0 && now;
  });

describe('credits', () => {
  test('start at 1,000, granted once, whichever request is first', async () => {
    const [idle, active] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
    expect(await idle.reader.credits()).toEqual({ remaining: 1_000, reserved: 0, usedThisMonth: 0 });
    await Promise.all(Array.from({ length: 5 }, () => active.writer.capture(web.url('/tiny'))));
    await settled(active, 995);
    const ledger = await fleet.sql(
      "SELECT credits::int FROM billing.ledger WHERE workspace_id = $1 AND kind = 'welcome'",
      [active.id],
    );
    expect(ledger).toEqual([{ credits: 1_000 }]);
  });

  test('are charged or reserved when the response with a page arrives, so that what remains and is not reserved is never too much', async () => {
    const workspace = await fleet.workspaces.make();
    for (let page = 1; page <= 10; page += 1) {
      await workspace.writer.capture(web.url('/tiny'));
      const [{ remaining, reserved }, billing] = await Promise.all([
        workspace.reader.credits(),
        workspace.admin.get('/me/billing'),
      ]);
      expect(remaining - reserved).toBeLessThanOrEqual(1_000 - page);
      const { credits } = billing.body as { credits: { remaining: number; reserved: number } };
      expect(credits.remaining - credits.reserved).toBeLessThanOrEqual(1_000 - page);
    }
    await settled(workspace, 990);
  });

  test('balance, ledger and usage agree after charged and free pages', async () => {
    const workspace = await fleet.workspaces.make();
    const paths = ['/article', '/tiny', '/status/404', '/status/500', '/login', '/broken/reset', '/product'];
    await Promise.all(paths.map((path) => workspace.writer.capture(web.url(path))));
    await workspace.writer.capture(web.url('/private/article', 'ruled'));
    await settled(workspace, 996);
    const [sum] = await fleet.sql<{ sum: string }>('SELECT sum(credits) FROM billing.ledger WHERE workspace_id = $1', [
      workspace.id,
    ]);
    expect(sum).toEqual({ sum: '996' });

    const { body } = await workspace.reader.get('/me/usage');
    const { days, month } = body as { days: { day: string; pages: number; credits: number }[]; month: object };
    expect(days.length).toBe(30);
    expect(days.map(({ day }) => day)).toEqual(days.map(({ day }) => day).sort());
    // A page without a response and a page that was not requested do not count as fetched.
    expect(days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), pages: 6, credits: 4 });
    const used = { pages: 6, credits: 4 };
    const byKey = [{ keyId: expect.stringMatching(/^key_/), memberId: null, ...used }];
    expect(month).toEqual({
      ...used,
      byKind: [{ kind: 'page', ...used }],
      byKey,
      byProject: [{ projectId: null, ...used }],
      tokens: [],
    });
  });

  test('are charged once per page, however often it is read', async () => {
    const workspace = await fleet.workspaces.make();
    const { job } = await workspace.writer.capture(web.url('/tiny'));
    await settled(workspace, 999);
    for (let i = 0; i < 5; i += 1) await workspace.reader.job(job.id);
    expect((await workspace.reader.credits()).remaining).toBe(999);
  });

  test('that are spent cause a 402 before any fetch or job', async () => {
    const spent = await withCredits(0);
    const response = await spent.writer.post('/scrape', { url: web.url('/listing?spent') });
    expect(errorOf(response)).toMatchObject({ status: 402, code: 'credits_exhausted' });
    expect(web.hits('/listing')).toEqual([]);
    expect((await spent.reader.get('/scrape')).body).toMatchObject({ data: [] });
  });

  test('are never overspent by concurrent requests', async () => {
    const three = await withCredits(3);
    const responses = await Promise.all(
      Array.from({ length: 10 }, () =>
        three.writer.post('/scrape', { url: web.url('/tiny'), config: { max_tier: 'http' } }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 200, 402, 402, 402, 402, 402, 402, 402]);
    await settled(three, 0);
  });

  test('are separate for each workspace', async () => {
    const [one, other] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
    await one.writer.capture(web.url('/tiny'));
    await settled(one, 999);
    expect((await other.reader.credits()).remaining).toBe(1_000);
  });
});

describe('the plan of a workspace', () => {
  test('is changed by the operator, and GET /me/billing shows its credits, which the cap of the overage limits', async () => {
    const workspace = await fleet.workspaces.make();
    const billing = fleet.dial('billing');
    await billing.call(Billing.setPlan, { workspaceId: workspace.id, plan: 'starter' }, { requestId: '' });
    const planOf = async () => Object((await workspace.reader.get('/me')).body).plan;
    await until('identity to store the plan', async () => (await planOf()) === 'starter');
    const capped = await workspace.admin.patch('/me/billing/cap', { cap: 0.5 });
    expect(capped).toMatchObject({
      status: 200,
      body: {
        plan: { id: 'starter', allowance: 20_000 },
        credits: { remaining: 31_000, allowanceLeft: 20_000, welcomeLeft: 1_000, overageRoom: 10_000, reserved: 0 },
        cap: 0.5,
        charges: [],
      },
    });
    expect((await workspace.reader.get('/me/billing')).body).toMatchObject({ cap: 0.5, paidBy: null });
    const entries = () =>
      fleet.sql<{ action: string; detail: object }>(
        `SELECT action, detail FROM identity.audit WHERE workspace_id = $1 AND action IN ('plan.changed', 'overage_cap.changed') ORDER BY action`,
        [workspace.id],
      );
    await until('the entries of the audit log', async () => (await entries()).length === 2);
    expect(await entries()).toMatchObject([
      { action: 'overage_cap.changed', detail: { cap: 0.5 } },
      { action: 'plan.changed', detail: { to: 'starter' } },
    ]);
    await workspace.admin.patch('/me/billing/cap', { cap: 0 });
    expect((await workspace.reader.credits()).remaining).toBeNull();
    expect(errorOf(await workspace.admin.patch('/me/billing/cap', { cap: 21 }))).toMatchObject({ status: 422 });
    await billing.close();
  });
});

describe('the spend limit of a key', () => {
  test('refuses its scrapes with 402 and the name of the key, leaves other keys alone, and is shown in usage and billing', async () => {
    const workspace = await fleet.workspaces.make();
    const key = Object(Object((await workspace.writer.get('/me')).body).key).id;
    const set = await workspace.admin.patch('/me/billing/cap', { limits: [{ id: key, credits: 1 }] });
    const limit = { keyId: key, memberId: null, projectId: null, credits: 1 };
    expect(set).toMatchObject({ status: 200, body: { limits: [{ ...limit, used: 0 }] } });
    await workspace.writer.capture(web.url('/tiny'));
    await until('the charge to be counted', async () => {
      const { limits } = Object((await workspace.reader.get('/me/usage')).body);
      return limits[0].used === 1;
    });
    expect((await workspace.reader.get('/me/billing')).body).toMatchObject({ limits: [{ ...limit, used: 1 }] });
    const refused = errorOf(await workspace.writer.post('/scrape', { url: web.url('/tiny') }));
    expect(refused).toMatchObject({ status: 402, code: 'credits_exhausted' });
    expect(refused.error).toContain(key);
    expect((await workspace.admin.post('/scrape', { url: web.url('/tiny') })).status).toBe(200);
    const removed = await workspace.admin.patch('/me/billing/cap', { limits: [{ id: key, credits: null }] });
    expect(removed).toMatchObject({ status: 200, body: { limits: [] } });
    await workspace.writer.capture(web.url('/tiny'));
  });

  test('is refused for a key, member or project that the workspace does not have, and removed with its key or project', async () => {
    const [workspace, other] = [await fleet.workspaces.make(), await fleet.workspaces.make()];
    const foreign = Object(Object((await other.writer.get('/me')).body).key).id;
    const unknown = [foreign, 'usr_01k2m3n4p5q6r7s8t9v0w1x2y3', 'prj_01k2m3n4p5q6r7s8t9v0w1x2y3'];
    const limits = unknown.map((id) => ({ id, credits: 1 }));
    const refused = errorOf(await workspace.admin.patch('/me/billing/cap', { cap: 2, limits }));
    expect(refused).toMatchObject({ status: 422, code: 'validation' });
    for (const id of unknown) expect(refused.error).toContain(id);
    const removals = unknown.map((id) => ({ id, credits: null }));
    expect((await workspace.admin.patch('/me/billing/cap', { limits: removals })).status).toBe(200);

    const key = Object((await workspace.admin.post('/me/keys', { name: 'limited', scopes: ['read'] })).body).id;
    const project = Object((await workspace.writer.post('/projects', { seed: web.url('/site') })).body).id;
    const set = [key, project].map((id) => ({ id, credits: 5 }));
    expect(await workspace.admin.patch('/me/billing/cap', { limits: set })).toMatchObject({ status: 200 });
    const limited = async () =>
      Object((await workspace.reader.get('/me/billing')).body).limits.map((limit: object) => ({ ...limit }));
    expect(await limited()).toHaveLength(2);
    await workspace.admin.delete(`/me/keys/${key}`);
    await workspace.admin.delete(`/projects/${project}`);
    await until('the limits to be removed', async () => (await limited()).length === 0);
  });

  test('refuses or stops every kind of work of its key: scrape, batch, map, crawl, run and re-crawl', async () => {
    const workspace = await fleet.workspaces.make();
    const key = Object(Object((await workspace.writer.get('/me')).body).key).id;
    const project = Object((await workspace.writer.post('/projects', { seed: web.url('/site') })).body).id;
    await workspace.admin.patch('/me/billing/cap', { limits: [{ id: key, credits: 0 }] });
    const url = web.url('/tiny');
    expect(errorOf(await workspace.writer.post('/scrape', { url }))).toMatchObject({ status: 402 });
    const map = errorOf(await workspace.writer.post('/map', { url: web.url('/site') }));
    expect(map).toMatchObject({ status: 402, code: 'credits_exhausted' });
    expect(map.error).toContain(key);
    const post = async (path: string, body: object) => {
      const response = await workspace.writer.post(path, body);
      expect(response.status).toBe(202);
      return Object(response.body).id as string;
    };
    const ended = (path: string) =>
      until(`the end of ${path}`, async () => {
        const body = Object((await workspace.reader.get(path)).body);
        return !['queued', 'running'].includes(body.status) && body;
      });
    const runs = `/projects/${project}/runs`;
    const [batch, crawl, run] = await Promise.all([
      post('/scrape', { urls: [url] }).then((id) => ended(`/scrape/${id}`)),
      post('/crawl', { url: web.url('/site'), config: { max_pages: 3 } }).then((id) => ended(`/crawl/${id}`)),
      post(runs, {}).then((id) => ended(`${runs}/${id}`)),
    ]);
    expect(batch).toMatchObject({ creditsUsed: 0, data: [{ errorCode: 'BUDGET_EXHAUSTED', credits: 0 }] });
    expect(crawl).toMatchObject({ stop: 'credit_limit', creditsUsed: 0 });
    expect(run).toMatchObject({ stop: 'credit_limit' });
    const recrawl = await post(`/projects/${project}/pages/recrawl`, { urls: [url] });
    expect(await ended(`${runs}/${recrawl}`)).toMatchObject({ stop: 'credit_limit' });
    const charged = 'SELECT 1 FROM billing.ledger WHERE workspace_id = $1 AND credits < 0';
    expect(await fleet.sql(charged, [workspace.id])).toEqual([]);
  });
});

describe('the cost limit of a page', () => {
  test('is limited by max_tier: a page that needs the browser is TIER_LIMIT, and free', async () => {
    const workspace = await fleet.workspaces.make();
    const { page, job } = await workspace.writer.capture(web.url('/app-shell'), { config: { max_tier: 'http' } });
    expect(page).toMatchObject({
      verdict: 'blocked',
      errorCode: 'TIER_LIMIT',
      tier: 'http',
      credits: 0,
      climbedTo: 'http',
    });
    expect(job.creditsUsed).toBe(0);
    await settled(workspace, 1_000);
  });

  test('is limited by render_js never in the same way', async () => {
    const workspace = await fleet.workspaces.make();
    const { page } = await workspace.writer.capture(web.url('/app-shell'), { config: { render_js: 'never' } });
    expect(page).toMatchObject({ errorCode: 'TIER_LIMIT', tier: 'http', credits: 0 });
  });

  test.each([
    ['maxCredits', { maxCredits: 4 }],
    ['config.max_credits_per_page', { config: { max_credits_per_page: 4 } }],
  ])('is limited by %s: a page that needs more is BUDGET_EXHAUSTED, and free', async (_, order) => {
    const workspace = await fleet.workspaces.make();
    const { page } = await workspace.writer.capture(web.url('/app-shell'), order);
    expect(page).toMatchObject({ verdict: 'blocked', errorCode: 'BUDGET_EXHAUSTED', tier: 'http', credits: 0 });
    expect((await workspace.writer.capture(web.url('/tiny'), order)).page.credits).toBe(1);
    await settled(workspace, 999);
  });

  test('is limited by the balance: the last credits fetch affordable pages, and a dearer page is BUDGET_EXHAUSTED', async () => {
    const four = await withCredits(4);
    expect((await four.writer.capture(web.url('/app-shell'))).page).toMatchObject({
      errorCode: 'BUDGET_EXHAUSTED',
      credits: 0,
    });
    await settled(four, 4);
    expect((await four.writer.capture(web.url('/article'))).page).toMatchObject({ verdict: 'ok', credits: 1 });
    await settled(four, 3);
  });
});
