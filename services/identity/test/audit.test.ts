import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { openPool } from '@tidemark/service';
import type pg from 'pg';
import { AuditLog } from '../src/store/audit-log.ts';
import { type AccountServers, newEmail, type SignedIn, startAccounts } from './account-servers.ts';

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
