import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inTransaction, openPool } from '@tidemark/service';
import { createDatabase, newWorkspace, type TestDatabase, until } from '@tidemark/testkit';
import type pg from 'pg';
import { channelsOf, healthTold, recordOf, runTold } from '../src/notices/fixtures/told.ts';
import { Inbox } from '../src/notices/inbox.ts';
import { makeKeepNotices } from '../src/notices/keep-notices.ts';
import { NOTICE_DAYS, NoticeStore } from '../src/notices/notice-store.ts';
import { Discards } from '../src/store/discards.ts';
import type { HealthTold, RunTold } from '../src/telling/ports.ts';

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

/** A workspace whose members find notices. */
function workspace({ isMailOn = false } = {}) {
  const workspaceId = newWorkspace();
  const keep = makeKeepNotices({ notices, isMailOn: false });
  const inbox = new Inbox({ notices, isMailOn });
  const callerOf = (projects: readonly string[]) => ({ workspaceId, keyId: 'key_1', scope: 'read' as const, projects });
  return {
    workspaceId,
    tell: (told: RunTold | HealthTold) => inTransaction(pool, (client) => keep(client, { ...told, workspaceId })),
    found: async (memberId: string, projects: readonly string[] = []) =>
      (await inbox.list(callerOf(projects), { memberId, limit: 0, cursor: '' })).notices,
    page: (memberId: string, cursor: string, limit: number) => inbox.list(callerOf([]), { memberId, limit, cursor }),
    dismiss: (memberId: string, id: string) => inbox.dismiss(callerOf([]), { memberId, id }),
  };
}

const NOT_FOUND = { code: 'not_found' };

let runs = 0;
/** A run nobody has been told of before. */
function anotherRun(): RunTold {
  const told = runTold();
  runs += 1;
  return { ...told, run: { ...told.run, runId: `run_${runs}_of_notices` } };
}

const idOf = (found: readonly { readonly id: string }[]): string => found[0]?.id ?? '';

describe('a notice', () => {
  it('is kept of a run with something to report, once however often it is told', async () => {
    const { tell, found } = workspace();
    const told = anotherRun();
    await Promise.all([tell(told), tell(told)]);
    await tell(told);
    expect(await found('mem_1')).toMatchObject([
      {
        ...{ kind: 'run', projectId: 'prj_1', runId: told.run.runId, createdAt: told.run.finishedAt },
        title: 'shop.example: 1 page added, 1 removed, 4 modified',
        text: 'https://shop.example/lamps/brass-desk-lamp and others, 6 pages in all.',
      },
    ]);
  });

  it('says what a model made of the run', async () => {
    const { tell, found } = workspace();
    await tell({ ...anotherRun(), digest: { summary: 'A lamp is new.', points: [], significant: true } });
    expect(await found('mem_1')).toMatchObject([{ text: 'A lamp is new.' }]);
  });

  it('is kept of a site that fails and recovers, and not of a run that compared clean', async () => {
    const { tell, found } = workspace();
    const { change, ...told } = healthTold('failing');
    await tell({ ...told, change: { ...change, runId: 'run_f' } });
    await tell({ ...told, change: { ...change, runId: 'run_f', health: 'recovered' } });
    await tell({ ...anotherRun(), record: recordOf({ counts: { same: 9 } }), entries: [] });
    expect((await found('mem_1')).map(({ kind, title }) => [kind, title])).toEqual([
      ['monitor', 'shop.example: runs work again'],
      ['monitor', 'shop.example: runs are failing'],
    ]);
  });

  it('is not kept where people can be written to', async () => {
    const { workspaceId, found } = workspace();
    const keep = makeKeepNotices({ notices, isMailOn: true });
    await inTransaction(pool, (client) => keep(client, { ...anotherRun(), workspaceId }));
    expect(await found('mem_1')).toEqual([]);
  });

  it('is found by no key, which has no inbox, and by nobody while mail is sent', async () => {
    const { tell, found, dismiss } = workspace();
    await tell(anotherRun());
    expect(await found('')).toEqual([]);
    await expect(dismiss('', idOf(await found('mem_1')))).rejects.toMatchObject(NOT_FOUND);
    const written = workspace({ isMailOn: true });
    await written.tell(anotherRun());
    expect(await written.found('mem_1')).toEqual([]);
  });

  it('is gone for the member who dismisses it, twice or not, and for nobody else', async () => {
    const { tell, found, dismiss } = workspace();
    await tell(anotherRun());
    const id = idOf(await found('mem_1'));
    await dismiss('mem_1', id);
    await dismiss('mem_1', id);
    expect(await found('mem_1')).toEqual([]);
    expect(await found('mem_2')).toMatchObject([{ id }]);
  });

  it('is not there for another workspace, nor for who may not see its project', async () => {
    const own = workspace();
    await own.tell(anotherRun());
    const id = idOf(await own.found('mem_1'));
    const other = workspace();
    expect(await other.found('mem_1')).toEqual([]);
    await expect(other.dismiss('mem_1', id)).rejects.toMatchObject(NOT_FOUND);
    expect(await own.found('mem_1', ['prj_2'])).toEqual([]);
    expect(await own.found('mem_1', ['prj_1'])).toMatchObject([{ id }]);
    await expect(own.dismiss('mem_1', 'ntc_none')).rejects.toMatchObject(NOT_FOUND);
  });

  it('is listed newest first, page by page', async () => {
    const { tell, found, page } = workspace();
    for (let i = 0; i < 3; i += 1) await tell(anotherRun());
    const all = (await found('mem_1')).map(({ id }) => id);
    expect(all).toEqual(all.toSorted().reverse());
    const first = await page('mem_1', '', 2);
    const rest = await page('mem_1', first.next, 2);
    expect([...first.notices, ...rest.notices].map(({ id }) => id)).toEqual(all);
    expect(rest.next).toBe('');
  });

  it('is not kept of a project that is gone, nor of one that goes meanwhile', async () => {
    const { tell, found } = workspace();
    const of = (projectId: string) => ({ ...anotherRun(), channels: channelsOf({ projectId }) });
    const discards = new Discards(pool);
    await discards.forgetProjects(['prj_gone']);
    await tell(of('prj_gone'));
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query("SELECT pg_advisory_xact_lock(hashtextextended('prj_going', 0))");
      await client.query("INSERT INTO deleted_projects (project_id) VALUES ('prj_going')");
      const telling = tell(of('prj_going'));
      await until('the teller waits', async () => {
        const waiting = await database.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
        return waiting.length > 0;
      });
      await client.query('COMMIT');
      await telling;
    } finally {
      client.release();
    }
    expect(await found('mem_1')).toEqual([]);
  });

  it('is forgotten after its days, with its marks, and with its project', async () => {
    const { tell, found, dismiss } = workspace();
    await tell(anotherRun());
    const [notice] = await found('mem_1');
    await dismiss('mem_2', notice?.id ?? '');
    const at = notice?.createdAt.getTime() ?? 0;
    await notices.forgetSome(new Date(at + NOTICE_DAYS * 86_400_000));
    expect(await found('mem_1')).toHaveLength(1);
    expect(await notices.forgetSome(new Date(at + NOTICE_DAYS * 86_400_000 + 1))).toBeGreaterThan(0);
    expect(await found('mem_1')).toEqual([]);
    expect(await database.sql('SELECT 1 FROM delivery.dismissed_notices WHERE notice_id = $1', [notice?.id])).toEqual(
      [],
    );
    await tell(anotherRun());
    await notices.forgetProject('prj_1');
    expect(await found('mem_1')).toEqual([]);
  });
});
