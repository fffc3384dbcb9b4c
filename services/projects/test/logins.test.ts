import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { newWorkspace, until } from '@tidemark/testkit';
import { type FakeGround, openOnFakes } from './fake-ground.ts';
import { MEMBER_PAGE } from './fake-scrape.ts';
import { cookie, loginsIn, SECRET } from './login-client.ts';

const IN_A_DAY = Math.floor(Date.now() / 1_000) + 86_400;
const YESTERDAY = IN_A_DAY - 2 * 86_400;
const NOT_FOUND = { code: 'not_found' };

let ground: FakeGround;
beforeAll(async () => {
  ground = await openOnFakes();
}, 120_000);
beforeEach(() => {
  ground.scrape.finds = MEMBER_PAGE;
});
afterAll(() => ground.close());

const client = (...more: [string?, Parameters<typeof loginsIn>[2]?]) => loginsIn(ground.service, ...more);

describe('a saved login', () => {
  it('is told without its session, which is sealed at rest and opened for who fetches', async () => {
    const { save, logins, open } = client();
    const expiring = cookie({ name: 'csrf', domain: 'www.site.test', expires: IN_A_DAY, sameSite: 'Lax' });
    const saved = await save({ site: 'https://Site.Test/account', cookies: [cookie(), expiring] });
    expect(saved).toMatchObject({
      ...{ id: expect.stringMatching(/^lgn_[0-7][0-9a-hjkmnp-tv-z]{25}$/), site: 'site.test', name: 'Member' },
      ...{ savedBy: 'key_test', state: 'unknown', reason: 'not tested yet', cookies: 2, projectIds: [] },
      expiresAt: new Date(IN_A_DAY * 1_000),
    });
    expect(JSON.stringify(await logins())).not.toContain(SECRET);
    const kept = [cookie({ domain: 'site.test' }), { ...expiring, sameSite: 'lax' }];
    expect(await open(saved.id)).toEqual(kept);
    const [row] = await ground.sql<{ row: string }>('SELECT l::text AS row FROM projects.logins l WHERE id = $1', [
      saved.id,
    ]);
    expect(row?.row).not.toContain(Buffer.from(SECRET).toString('hex'));
    expect(row?.row).not.toContain(SECRET);
  });

  it('leaves cookies out that had expired, and says so', async () => {
    const { save, open } = client();
    const saved = await save({ cookies: [cookie(), cookie({ name: 'old', expires: YESTERDAY })] });
    expect(saved).toMatchObject({
      cookies: 1,
      reason: expect.stringMatching(/1 of the cookies had expired and was left out/),
    });
    expect((await open(saved.id)).map(({ name }) => name)).toEqual(['sid']);
  });

  it.each([
    ['terms that nobody accepted', { termsAccepted: false }, 'terms_accepted'],
    ['a site that is none', { site: 'not a site' }, 'site'],
    ['a site off the public web', { site: '10.0.0.1', cookies: [cookie({ domain: '10.0.0.1' })] }, 'site'],
    ['no cookies', { cookies: [] }, 'cookies'],
    ['none but expired cookies', { cookies: [cookie({ expires: YESTERDAY })] }, 'cookies'],
    ['too many cookies', { cookies: Array.from({ length: 201 }, (_, i) => cookie({ name: `c${i}` })) }, 'cookies'],
    ['too large a session', { cookies: [cookie({ value: 'x'.repeat(65 * 1_024) })] }, 'cookies'],
    ['another site’s cookie', { cookies: [cookie({ domain: 'other.test' })] }, 'cookies'],
    ['a cookie for every site there is', { cookies: [cookie({ domain: '.test' })] }, 'cookies'],
    ['a cookie that writes headers', { cookies: [cookie({ value: 'a\r\nx: y' })] }, 'cookies'],
    ['a cookie no header can carry', { cookies: [cookie({ value: '→' })] }, 'cookies'],
    ['a cookie without a name', { cookies: [cookie({ name: '' })] }, 'cookies'],
  ])('is refused with %s, by the field’s name and without its values', async (_, more, field) => {
    const { save, logins } = client();
    const refused = await save(more).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'validation', message: expect.stringMatching(new RegExp(`^${field}`)) });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect(await logins()).toEqual([]);
  });

  it('is renamed as it is, and forgets what was known of a session that is replaced', async () => {
    const { save, change, test, open } = client();
    const { id } = await save();
    await test(id);
    expect(await change(id, { name: 'Other' })).toMatchObject({ name: 'Other', state: 'works', cookies: 1 });
    const fresh = [cookie({ value: 'another' }), cookie({ name: 'b' })];
    expect(await change(id, { cookies: fresh })).toMatchObject({ name: 'Other', state: 'unknown', cookies: 2 });
    expect((await open(id)).map(({ value }) => value)).toEqual(['another', SECRET]);
    await expect(change(id, { cookies: [cookie({ domain: 'other.test' })] })).rejects.toMatchObject({
      code: 'validation',
    });
  });

  it('is listed newest first, page by page', async () => {
    const { save, ask } = client();
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await save()).id);
    const first = await ask(Rpc.listLogins, { limit: 2, cursor: '' });
    const rest = await ask(Rpc.listLogins, { limit: 2, cursor: first.next });
    expect([...first.logins, ...rest.logins].map(({ id }) => id)).toEqual(ids);
    expect(rest.next).toBe('');
  });
});

describe('a test of a login', () => {
  const page = { httpStatus: 200, landedUrl: 'https://site.test/', reason: 'as found' };
  it.each([
    ['works', { ...page, answered: true, showsLogin: false }],
    ['dead', { ...page, answered: true, showsLogin: true }],
    ['unknown', { ...page, answered: false, showsLogin: false }],
  ])('finds that it is %s, by what the site’s front page shows', async (state, finds) => {
    const { save, test } = client();
    const { id } = await save({ site: 'http://site.test:8080/deep' });
    ground.scrape.finds = finds;
    const { login, probe } = await test(id);
    expect(probe).toEqual(finds);
    expect(login).toMatchObject({ state, reason: 'as found', checkedAt: expect.any(Date) });
    expect(ground.scrape.probed.at(-1)).toMatchObject({ url: 'http://site.test:8080/', cookies: [{ value: SECRET }] });
  });

  it('says nothing of it where nobody can fetch', async () => {
    const { save, test, login } = client();
    const { id } = await save();
    ground.scrape.finds = undefined;
    await expect(test(id)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await login(id)).toMatchObject({ state: 'unknown', reason: 'not tested yet' });
  });

  it('needs no fetch where every cookie has expired since, and nobody fetches with those', async () => {
    const { save, test, open } = client();
    const end = Math.floor(Date.now() / 1_000) + 1;
    const { id } = await save({ cookies: [cookie({ expires: end })] });
    const before = ground.scrape.probed.length;
    await until('the session to end', async () => (await open(id).catch(() => [])).length === 0);
    expect((await test(id)).login).toMatchObject({ state: 'dead', reason: expect.stringMatching(/expired/) });
    await expect(open(id)).rejects.toMatchObject(NOT_FOUND);
    expect(ground.scrape.probed).toHaveLength(before);
  });
});

describe('a login', () => {
  it('is not there for another workspace', async () => {
    const { id } = await client().save();
    const other = client(newWorkspace());
    expect(await other.logins()).toEqual([]);
    for (const one of await Promise.allSettled([
      other.change(id, { name: 'x' }),
      other.test(id),
      other.open(id),
      other.drop(id),
    ])) {
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    }
  });

  it('is seen and tested, and not changed, by a key that is for a project that names it; others are not there for it', async () => {
    const all = client();
    const [named, hidden] = [await all.save(), await all.save()];
    const [mine, other] = [await all.create({ login_id: named.id }), await all.create({ login_id: named.id })];
    const some = client(all.workspaceId, { projects: [mine.id] });
    expect(await some.logins()).toMatchObject([{ id: named.id, projectIds: [mine.id] }]);
    expect((await all.login(named.id))?.projectIds.toSorted()).toEqual([mine.id, other.id].toSorted());
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
      some.change(hidden.id, { name: 'x' }),
      some.test(hidden.id),
      some.drop(hidden.id),
    ])) {
      expect(one).toMatchObject({ status: 'rejected', reason: NOT_FOUND });
    }
    await expect(some.update(mine.id, { login_id: hidden.id })).rejects.toMatchObject({ code: 'validation' });
    await some.update(mine.id, { login_id: named.id, max_pages: 3 });
  });
});
