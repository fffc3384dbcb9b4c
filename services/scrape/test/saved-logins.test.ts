import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { newWorkspace, until } from '@tidemark/testkit';
import { cookie, loginsIn, openSessions, SECRET, siteCookie } from './login-client.ts';
import { article, openScrape, type ScrapeServers } from './scrape-servers.ts';

const IN_A_DAY = Math.floor(Date.now() / 1_000) + 86_400;
const YESTERDAY = IN_A_DAY - 2 * 86_400;
const NOT_FOUND = { code: 'not_found' };

const PAGES = {
  works: [200, article('Members only')],
  dead: [
    200,
    '<h1>Log in</h1><form action="/session"><input type="email" name="mail"><input type="password" name="password"><button>Log in</button></form>',
  ],
  unknown: [503, '<h1>Service unavailable</h1>'],
} as const;

let servers: ScrapeServers;
let sessions: ReturnType<typeof openSessions>;
/** What the site answers; undefined: it does not answer. */
let shows: keyof typeof PAGES | undefined = 'works';
beforeAll(async () => {
  servers = await openScrape((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/robots.txt') response.writeHead(404).end();
    else if (shows !== undefined) response.writeHead(PAGES[shows][0]).end(PAGES[shows][1]);
  });
  sessions = servers.own(openSessions(servers));
}, 120_000);
beforeEach(() => {
  shows = 'works';
});
afterAll(() => servers?.close());

function client(workspaceId?: string, key?: Parameters<typeof loginsIn>[2]) {
  const logins = loginsIn(servers, workspaceId, key);
  return { ...logins, open: (id: string) => sessions.open(logins.workspaceId, id) };
}

/** A session of the test's site. */
const onSite = () => ({ site: `${servers.site.origin}/deep`, cookies: [siteCookie(SECRET)] });

describe('a saved login', () => {
  it('is returned without its session, which is sealed at rest and opened for captures', async () => {
    const { save, logins, open } = client();
    const expiring = cookie({ name: 'csrf', domain: 'www.site.test', expires: IN_A_DAY, sameSite: 'Lax' });
    const saved = await save({ site: 'https://Site.Test/account', cookies: [cookie(), expiring] });
    expect(saved).toMatchObject({
      id: expect.stringMatching(/^lgn_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      site: 'site.test',
      name: 'Member',

      savedBy: 'key_test',
      state: 'unknown',
      reason: 'not tested yet',
      cookies: 2,
      expiresAt: new Date(IN_A_DAY * 1_000),
    });
    expect(JSON.stringify(await logins())).not.toContain(SECRET);
    const kept = [cookie({ domain: 'site.test' }), { ...expiring, sameSite: 'lax' }];
    expect(await open(saved.id)).toEqual(kept);
    const [row] = await servers.database.sql<{ row: string }>(
      'SELECT l::text AS row FROM scrape.logins l WHERE id = $1',
      [saved.id],
    );
    expect(row?.row).not.toContain(Buffer.from(SECRET).toString('hex'));
    expect(row?.row).not.toContain(SECRET);
  });

  it('leaves out expired cookies, and reports their number', async () => {
    const { save, open } = client();
    const saved = await save({ cookies: [cookie(), cookie({ name: 'old', expires: YESTERDAY })] });
    expect(saved).toMatchObject({
      cookies: 1,
      reason: expect.stringMatching(/1 of the cookies had expired and was left out/),
    });
    expect((await open(saved.id))?.map(({ name }) => name)).toEqual(['sid']);
  });

  it.each([
    ['terms that were not accepted', { termsAccepted: false }, 'terms_accepted'],
    ['a site that is not a host', { site: 'not a site' }, 'site'],
    ['a site off the public web', { site: '10.0.0.1', cookies: [cookie({ domain: '10.0.0.1' })] }, 'site'],
    ['no cookies', { cookies: [] }, 'cookies'],
    ['none but expired cookies', { cookies: [cookie({ expires: YESTERDAY })] }, 'cookies'],
    ['too many cookies', { cookies: Array.from({ length: 201 }, (_, i) => cookie({ name: `c${i}` })) }, 'cookies'],
    ['too large a session', { cookies: [cookie({ value: 'x'.repeat(65 * 1_024) })] }, 'cookies'],
    ['another site’s cookie', { cookies: [cookie({ domain: 'other.test' })] }, 'cookies'],
    ['a cookie for a public suffix', { cookies: [cookie({ domain: '.test' })] }, 'cookies'],
    ['a cookie that writes headers', { cookies: [cookie({ value: 'a\r\nx: y' })] }, 'cookies'],
    ['a cookie no header can carry', { cookies: [cookie({ value: '→' })] }, 'cookies'],
    ['a cookie without a name', { cookies: [cookie({ name: '' })] }, 'cookies'],
  ])('is refused with %s, with the name of the field and without its values', async (_, more, field) => {
    const { save, logins } = client();
    const refused = await save(more).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation', message: expect.stringMatching(new RegExp(`^${field}`)) });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect(await logins()).toEqual([]);
  });

  it('keeps its session and state when it is renamed, and has the state unknown after its session was replaced', async () => {
    const { save, change, test, open } = client();
    const { id } = await save(onSite());
    await test(id);
    expect(await change(id, { name: 'Other' })).toMatchObject({ name: 'Other', state: 'works', cookies: 1 });
    const fresh = [siteCookie('another'), siteCookie(SECRET, { name: 'b' })];
    expect(await change(id, { cookies: fresh })).toMatchObject({ name: 'Other', state: 'unknown', cookies: 2 });
    expect((await open(id))?.map(({ value }) => value)).toEqual(['another', SECRET]);
    await expect(change(id, { cookies: [cookie({ domain: 'other.test' })] })).rejects.toMatchObject({
      code: 'validation',
    });
  });

  it('is listed newest first, in pages', async () => {
    const { save, page } = client();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await save()).id);
    const first = await page(2);
    const rest = await page(2, first.next);
    expect([...first.logins, ...rest.logins].map(({ id }) => id)).toEqual(ids);
    expect(rest.next).toBeUndefined();
  });
});

describe('a test of a login', () => {
  it.each([
    ['works', { httpStatus: 200, answered: true, showsLogin: false }],
    ['dead', { httpStatus: 200, answered: true, showsLogin: true }],
    ['unknown', { httpStatus: 503, answered: false, showsLogin: false }],
  ] as const)('finds that it is %s, by what the site’s front page shows', async (state, found) => {
    const { save, test } = client();
    const { id } = await save(onSite());
    shows = state;
    const { login, probe } = await test(id);
    expect(probe).toEqual({ ...found, landedUrl: `${servers.site.origin}/`, reason: expect.stringMatching(/./) });
    expect(login).toMatchObject({ state, reason: probe?.reason, checkedAt: expect.any(Date) });
    expect(servers.site.seen.at(-1)).toMatchObject({ url: '/', headers: { cookie: `sid=${SECRET}` } });
  });

  it('does not change the state of the login if the fetch is aborted', async () => {
    const { save, test, login } = client();
    const { id } = await save(onSite());
    shows = undefined;
    const fetches = servers.site.seen.length;
    await expect(test(id, 500)).rejects.toMatchObject({ code: 'unavailable' });
    const fetched = servers.site.seen[fetches];
    await until('the fetch to be aborted', () => fetched?.destroyed);
    expect(await login(id)).toMatchObject({ state: 'unknown', reason: 'not tested yet' });
  });

  it('fetches nothing if every cookie has expired since, and captures do not use them', async () => {
    const { save, test, open } = client();
    const end = Math.floor(Date.now() / 1_000) + 1;
    const { id } = await save({ ...onSite(), cookies: [siteCookie(SECRET, { expires: end })] });
    const fetches = servers.site.seen.length;
    await until('the session to end', async () => (await open(id)) === undefined);
    expect((await test(id)).login).toMatchObject({ state: 'dead', reason: expect.stringMatching(/expired/) });
    expect(await open(id)).toBeUndefined();
    expect(servers.site.seen).toHaveLength(fetches);
  });
});

describe('a login', () => {
  it('is not found by another workspace', async () => {
    const { id } = await client().save();
    const other = client(newWorkspace());
    expect(await other.logins()).toEqual([]);
    expect(await other.open(id)).toBeUndefined();
    for (const one of await Promise.allSettled([
      other.get(id),
      other.change(id, { name: 'x' }),
      other.test(id),
      other.drop(id),
      other.recordRun(id, newId('run')),
    ])) {
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    }
  });

  it('can be read and tested, but not changed, by a key for a project that names it; other logins are not found by that key', async () => {
    const all = client();
    const [named, hidden] = [await all.save(onSite()), await all.save(onSite())];
    const some = client(all.workspaceId, { projects: ['prj_1'], named: [named.id] });
    expect(await some.logins()).toMatchObject([{ id: named.id }]);
    expect(await client(all.workspaceId, { projects: ['prj_1'] }).logins()).toEqual([]);
    expect(await some.get(named.id)).toMatchObject({ id: named.id });
    expect((await some.test(named.id)).login).toMatchObject({ state: 'works' });
    const forbidden = { code: 'forbidden' };
    for (const one of await Promise.allSettled([
      some.save(),
      some.change(named.id, { name: 'x' }),
      some.drop(named.id),
    ])) {
      expect(one).toMatchObject({ status: 'rejected', reason: forbidden });
    }
    for (const one of await Promise.allSettled([
      some.get(hidden.id),
      some.change(hidden.id, { name: 'x' }),
      some.test(hidden.id),
      some.drop(hidden.id),
    ])) {
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    }
  });
});
