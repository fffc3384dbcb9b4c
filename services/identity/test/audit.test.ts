import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { openPool } from '@tidemark/service';
import { anonymous, until } from '@tidemark/testkit';
import type pg from 'pg';
import { AuditLog } from '../src/store/audit-log.ts';
import { type AccountServers, CLIENT, newEmail, type SignedIn, startAccounts } from './account-servers.ts';

let accounts: AccountServers;
let pool: pg.Pool;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
  pool = openPool(accounts.servers.database.url, 'identity');
}, 120_000);
afterAll(async () => {
  await pool.end();
  await accounts.close();
});

const workspaceOf = ({ session }: SignedIn) => session.workspace?.id ?? '';
const actionsIn = async (workspaceId: string) =>
  (
    await accounts.servers.database.sql<{ action: string }>(
      'SELECT action FROM identity.audit WHERE workspace_id = $1 ORDER BY id',
      [workspaceId],
    )
  ).map(({ action }) => action);

describe('the audit log', () => {
  it('has the entry of a change if and only if the change is committed', async () => {
    const owner = await accounts.signUp(newEmail());
    const workspaceId = workspaceOf(owner);
    const rename = (name: string) =>
      accounts.service.peer.call(
        Identity.updateWorkspace,
        { name, maxRpm: undefined, requireSecondFactor: undefined },
        owner.call,
      );
    const { sql } = accounts.servers.database;
    await rename('First');
    // The entry can not be written: the change is rolled back with it.
    await sql(`ALTER TABLE identity.audit ADD CONSTRAINT full_disk CHECK (action <> 'workspace.changed') NOT VALID`);
    await expect(rename('Second')).rejects.toMatchObject({ code: 'internal' });
    await sql('ALTER TABLE identity.audit DROP CONSTRAINT full_disk');
    const [row] = await sql<{ name: string }>('SELECT name FROM identity.workspaces WHERE id = $1', [workspaceId]);
    expect(row).toEqual({ name: 'First' });
    expect(await actionsIn(workspaceId)).toEqual(['member.joined', 'session.created', 'workspace.changed']);
  });

  it('records a session that becomes full with its code, and a switch of the workspace', async () => {
    const person = await accounts.enrol(await accounts.signUp(newEmail()));
    const workspaceId = workspaceOf(person.person);
    const half = await accounts.logIn(person.person.session.user?.email ?? '');
    expect((await actionsIn(workspaceId)).filter((action) => action === 'session.created')).toHaveLength(1);
    const [recoveryCode = ''] = person.recoveryCodes;
    const shown = { code: '', recoveryCode, client: undefined, passkey: undefined, site: undefined };
    await accounts.service.peer.call(Rpc.verifyCode, shown, half.call);
    expect((await actionsIn(workspaceId)).filter((action) => action === 'session.created')).toHaveLength(2);
  });

  it('records refused sign-ins by password and by code without an author, at most 20 a day for a person', async () => {
    const { person } = await accounts.enrol(await accounts.signUp(newEmail()));
    const email = person.session.user?.email ?? '';
    const { sql } = accounts.servers.database;
    const refused = () =>
      sql<{ actor_id: string; subject_id: string; ip: string; reason: string }>(
        `SELECT actor_id, subject_id, ip, detail->>'reason' AS reason FROM identity.audit
         WHERE workspace_id = $1 AND action = 'session.refused' ORDER BY id`,
        [workspaceOf(person)],
      );
    const half = await accounts.logIn(email);
    const wrong = { code: '000000', recoveryCode: '', client: CLIENT, passkey: undefined, site: undefined };
    await expect(accounts.service.peer.call(Rpc.verifyCode, wrong, half.call)).rejects.toMatchObject({
      code: 'validation',
    });
    await until('the entry', async () => (await refused()).length === 1);
    const guess = (ip: string) => accounts.logIn(email, { password: 'not the password', ip });
    // The limits of sign-ins end before the limit of entries does.
    for (let network = 0; network < 6; network += 1) {
      await sql(`DELETE FROM identity.login_failures WHERE subject LIKE 'login-account:%'`);
      for (let n = 0; n < 5; n += 1) await expect(guess(`203.0.113.${network}`)).rejects.toMatchObject({});
    }
    const limit = await until('every entry that is allowed', async () => {
      const rows = await refused();
      return rows.length >= 20 ? rows : undefined;
    });
    expect(limit[0]).toMatchObject({ actor_id: '', subject_id: person.session.user?.id, reason: 'code' });
    expect(limit.slice(1).every(({ actor_id, reason }) => actor_id === '' && reason === 'password')).toBe(true);
    expect(limit[1]?.ip).toBe('203.0.113.0');
    // A later refusal of another person is recorded after those before it.
    const other = await accounts.signUp(newEmail());
    await expect(
      accounts.logIn(other.session.user?.email ?? '', { password: 'not the password' }),
    ).rejects.toMatchObject({ code: 'unauthorized' });
    await until('its entry', async () => (await actionsIn(workspaceOf(other))).includes('session.refused'));
    expect(await refused()).toHaveLength(20);
  });

  it('has no entry of a sign-in to an address without an account', async () => {
    const [before] = await accounts.servers.database.sql<{ n: number }>(
      'SELECT count(*)::int AS n FROM identity.audit',
    );
    await expect(accounts.logIn(newEmail())).rejects.toMatchObject({ code: 'unauthorized' });
    const [after] = await accounts.servers.database.sql<{ n: number }>('SELECT count(*)::int AS n FROM identity.audit');
    expect(after).toEqual(before);
  });

  it('records ended sessions, and a reset link of the operator', async () => {
    const owner = await accounts.signUp(newEmail());
    const { peer } = accounts.service;
    const workspaceId = workspaceOf(owner);
    const email = owner.session.user?.email ?? '';
    const other = await accounts.logIn(email);
    await peer.call(Rpc.endSessions, { sessions: { $case: 'id', value: other.session.id } }, owner.call);
    await peer.call(Rpc.makeResetToken, { email }, anonymous());
    await peer.call(Rpc.endSessions, { sessions: { $case: 'allOthers', value: {} } }, owner.call);
    const found = await accounts.servers.database.sql<{ action: string; actor_id: string; detail: object }>(
      `SELECT action, actor_id, detail FROM identity.audit WHERE workspace_id = $1 ORDER BY id OFFSET 3`,
      [workspaceId],
    );
    const mine = { actor_id: owner.session.user?.id };
    expect(found).toEqual([
      { action: 'session.ended', ...mine, detail: {} },
      { action: 'reset_link.created', actor_id: '', detail: {} },
      { action: 'session.ended', ...mine, detail: { all: true } },
    ]);
  });

  it('keeps entries for 400 days, and loses them with the workspace', async () => {
    const owner = await accounts.signUp(newEmail());
    const workspaceId = workspaceOf(owner);
    const age = (days: number) =>
      accounts.servers.database.sql(
        `UPDATE identity.audit SET at = now() - make_interval(days => $2) WHERE workspace_id = $1 AND action = 'member.joined'`,
        [workspaceId, days],
      );
    const log = new AuditLog(pool);
    await age(399);
    await log.deleteOld();
    expect(await actionsIn(workspaceId)).toContain('member.joined');
    await age(401);
    expect(await log.deleteOld()).toBeGreaterThan(0);
    expect(await actionsIn(workspaceId)).toEqual(['session.created']);
    const [row] = await accounts.servers.database.sql<{ name: string }>(
      'SELECT name FROM identity.workspaces WHERE id = $1',
      [workspaceId],
    );
    await accounts.service.peer.call(Rpc.deleteWorkspace, { name: row?.name ?? '' }, owner.call);
    expect(await actionsIn(workspaceId)).toEqual([]);
  });
});
