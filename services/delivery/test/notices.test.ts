import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction, openPool } from '@tidemark/service';
import { callerIn, createDatabase, newWorkspace, type TestDatabase, until } from '@tidemark/testkit';
import type pg from 'pg';
import { Inbox } from '../src/notices/inbox.ts';
import { makeStoreCreditsNotice } from '../src/notices/store-credits-notice.ts';
import { makeStoreNotice } from '../src/notices/store-notice.ts';
import type { Notification, RunNotification } from '../src/notifications/notification.ts';
import { channelsOf, recordOf, runNotification, siteHealthNotification } from '../src/report/fixtures/notifications.ts';
import { NOTICE_DAYS, NoticeStore } from '../src/store/notice-store.ts';
import { RetentionStore } from '../src/store/retention-store.ts';

let database: TestDatabase;
let pool: pg.Pool;
let notices: NoticeStore;

beforeAll(async () => {
  database = await createDatabase();
  pool = openPool(database.url, 'delivery');
  notices = new NoticeStore(pool);
}, 120_000);
afterAll(async () => {
  await pool.end();
  await database.close();
});

/** A workspace whose members get notices. */
function workspace({ isMailOn = false } = {}) {
  const workspaceId = newWorkspace();
  const keep = makeStoreNotice({ notices, isMailOn: false });
  const inbox = new Inbox({ notices, isMailOn });
  return {
    workspaceId,
    notify: (notification: Notification) =>
      inTransaction(pool, (client) => keep(client, { ...notification, workspaceId })),
    found: async (memberId: string | undefined, projects?: readonly string[]) =>
      (await inbox.list(callerIn(workspaceId, { projects }).caller, { memberId, limit: 0 })).notices,
    page: (memberId: string, cursor: string | undefined, limit: number) =>
      inbox.list(callerIn(workspaceId).caller, { memberId, limit, cursor }),
    dismiss: (memberId: string | undefined, id: string) =>
      inbox.dismiss(callerIn(workspaceId).caller, { memberId, id }),
  };
}

const NOT_FOUND = { code: 'not_found' };

let runs = 0;
/** A new run. */
function anotherRun(): RunNotification {
  const notification = runNotification();
  runs += 1;
  return { ...notification, run: { ...notification.run, runId: `run_${runs}_of_notices` } };
}

const idOf = (found: readonly { readonly id: string }[]): string => found[0]?.id ?? '';

describe('a notice', () => {
  it('is stored once per reportable run, however often it is notified', async () => {
    const { notify, found } = workspace();
    const notification = anotherRun();
    await Promise.all([notify(notification), notify(notification)]);
    await notify(notification);
    expect(await found('mem_1')).toMatchObject([
      {
        kind: 'run',
        projectId: 'prj_1',
        runId: notification.run.runId,
        createdAt: notification.run.finishedAt,
        title: 'shop.example: 1 page added, 1 removed, 4 modified',
        text: 'https://shop.example/lamps/brass-wall-lamp and others, 6 pages in all.',
      },
    ]);
  });

  it('holds the digest of the run', async () => {
    const { notify, found } = workspace();
    await notify({ ...anotherRun(), digest: { summary: 'A lamp is new.', points: [], significant: true } });
    expect(await found('mem_1')).toMatchObject([{ text: 'A lamp is new.' }]);
  });

  it('is stored for a site that fails and recovers, and not for a run without changes', async () => {
    const { notify, found } = workspace();
    const { change, ...notification } = siteHealthNotification('failing');
    await notify({ ...notification, change: { ...change, runId: 'run_f' } });
    await notify({ ...notification, change: { ...change, runId: 'run_f', health: 'recovered' } });
    await notify({ ...anotherRun(), record: recordOf({ counts: { same: 9 } }), entries: [] });
    expect((await found('mem_1')).map(({ kind, title }) => [kind, title])).toEqual([
      ['monitor', 'shop.example: runs work again'],
      ['monitor', 'shop.example: runs are failing'],
    ]);
  });

  it('is not stored where mails are sent', async () => {
    const { workspaceId, found } = workspace();
    const keep = makeStoreNotice({ notices, isMailOn: true });
    await inTransaction(pool, (client) => keep(client, { ...anotherRun(), workspaceId }));
    expect(await found('mem_1')).toEqual([]);
  });

  it('is not listed for an API key, which has no inbox, nor while mails are sent', async () => {
    const { notify, found, dismiss } = workspace();
    await notify(anotherRun());
    expect(await found(undefined)).toEqual([]);
    await expect(dismiss(undefined, idOf(await found('mem_1')))).rejects.toMatchObject(NOT_FOUND);
    const written = workspace({ isMailOn: true });
    await written.notify(anotherRun());
    expect(await written.found('mem_1')).toEqual([]);
  });

  it('is hidden from the member that dismisses it only', async () => {
    const { notify, found, dismiss } = workspace();
    await notify(anotherRun());
    const id = idOf(await found('mem_1'));
    await dismiss('mem_1', id);
    await dismiss('mem_1', id);
    expect(await found('mem_1')).toEqual([]);
    expect(await found('mem_2')).toMatchObject([{ id }]);
  });

  it('is hidden from another workspace and outside its project', async () => {
    const member = workspace();
    await member.notify(anotherRun());
    const id = idOf(await member.found('mem_1'));
    const other = workspace();
    expect(await other.found('mem_1')).toEqual([]);
    await expect(other.dismiss('mem_1', id)).rejects.toMatchObject(NOT_FOUND);
    expect(await member.found('mem_1', ['prj_2'])).toEqual([]);
    expect(await member.found('mem_1', ['prj_1'])).toMatchObject([{ id }]);
    await expect(member.dismiss('mem_1', 'ntc_none')).rejects.toMatchObject(NOT_FOUND);
  });

  it('is listed newest first, page by page', async () => {
    const { notify, found, page } = workspace();
    for (let i = 0; i < 3; i += 1) await notify(anotherRun());
    const all = (await found('mem_1')).map(({ id }) => id);
    expect(all).toEqual(all.toSorted().reverse());
    const first = await page('mem_1', undefined, 2);
    const rest = await page('mem_1', first.next, 2);
    expect([...first.notices, ...rest.notices].map(({ id }) => id)).toEqual(all);
    expect(rest.next).toBeUndefined();
  });

  it('is not stored for a deleted project, nor for one deleted meanwhile', async () => {
    const { notify, found } = workspace();
    const of = (projectId: string) => ({ ...anotherRun(), channels: channelsOf({ projectId }) });
    const retention = new RetentionStore(pool);
    await retention.deleteProjects(['prj_gone']);
    await notify(of('prj_gone'));
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended('prj_going', 0))");
      await client.query("INSERT INTO deleted_projects (project_id) VALUES ('prj_going')");
      const storing = notify(of('prj_going'));
      await until('the transaction to wait', async () => {
        const waiting = await database.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
        return waiting.length > 0;
      });
      await client.query('COMMIT');
      await storing;
    } finally {
      client.release();
    }
    expect(await found('mem_1')).toEqual([]);
  });

  it('is deleted after its retention, with its dismissals, and with its project', async () => {
    const { notify, found, dismiss } = workspace();
    await notify(anotherRun());
    const [notice] = await found('mem_1');
    await dismiss('mem_2', notice?.id ?? '');
    const at = notice?.createdAt.getTime() ?? 0;
    await notices.deleteExpired(new Date(at + NOTICE_DAYS * 86_400_000));
    expect(await found('mem_1')).toHaveLength(1);
    expect(await notices.deleteExpired(new Date(at + NOTICE_DAYS * 86_400_000 + 1))).toBeGreaterThan(0);
    expect(await found('mem_1')).toEqual([]);
    expect(await database.sql('SELECT 1 FROM delivery.dismissed_notices WHERE notice_id = $1', [notice?.id])).toEqual(
      [],
    );
    await notify(anotherRun());
    await notices.deleteProject('prj_1');
    expect(await found('mem_1')).toEqual([]);
  });
});

describe('the notice of an alert of credits', () => {
  const alertOf = (workspaceId: string) => ({
    id: `credits-low:${workspaceId}::80`,
    workspaceId,
    of: 'allowance' as const,
    percent: 80,
    remaining: 24_000,

    resetsAt: new Date('2027-01-31T10:00:00Z'),
    at: new Date('2027-01-20T00:00:00Z'),
  });

  it('is stored once, for all members, and not where alerts are mailed', async () => {
    const { workspaceId, found } = workspace();
    const store = makeStoreCreditsNotice({ pool, notices, isMailOn: false, now: () => new Date() });
    await store(alertOf(workspaceId));
    await store(alertOf(workspaceId));
    expect(await found('mem_1')).toMatchObject([
      {
        kind: 'credits',
        projectId: '',
        runId: '',
        title: '80 % of the allowance used',
        text: '24,000 credits may still be used; then new work is refused. The next period begins on 2027-01-31.',
      },
    ]);
    const mailed = workspace();
    await makeStoreCreditsNotice({ pool, notices, isMailOn: true, now: () => new Date() })(alertOf(mailed.workspaceId));
    expect(await mailed.found('mem_1')).toEqual([]);
  });
});
