import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { ChildServiceService as Children } from '@tidemark/contracts/identity/v1/children';
import { Bus, createLogger, openPool, outgoingEvent } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type pg from 'pg';
import { type AccountServers, newEmail, type SignedIn, startAccounts } from './account-servers.ts';

let accounts: AccountServers;
let bus: Bus;
let pool: pg.Pool;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off', TIDEMARK_DEFAULT_PLAN: 'scale' });
  bus = accounts.servers.own(await Bus.connect(accounts.servers.nats.url, 'test', createLogger('test', 'silent')));
  await bus.prepare();
  pool = openPool(accounts.servers.database.url, 'identity');
}, 120_000);
afterAll(async () => {
  await pool.end();
  await accounts.close();
});

const workspaceOf = ({ session }: SignedIn) => session.workspace?.id ?? '';
/** Publishes a change of the plan, as billing does. */
const change = (workspaceId: string, plan: string, version: number) =>
  bus.publish(events.planChanged.subject, [
    outgoingEvent(events.planChanged, `plan:${workspaceId}:${version}`, { workspaceId, plan, version, at: new Date() }),
  ]);
const createChild = async ({ call }: SignedIn, name = 'child') => {
  const request = { name, cap: 0, idempotencyKey: '', requestHash: '' };
  return (await accounts.service.peer.call(Children.createChild, request, call)).child?.id ?? '';
};
const plansOf = async (parentId: string): Promise<string[]> =>
  (
    await accounts.servers.database.sql<{ plan: string }>(
      'SELECT plan FROM identity.workspaces WHERE id = $1 OR parent_id = $1',
      [parentId],
    )
  ).map(({ plan }) => plan);
const untilPlans = (parentId: string, plans: readonly string[]) =>
  until(`the plans ${plans.join(', ')}`, async () => String(await plansOf(parentId)) === String(plans));

describe('the plan of a workspace', () => {
  it('is that of its sub-accounts, and changes with them; an older change has no effect', async () => {
    const owner = await accounts.signUp(newEmail());
    const parentId = workspaceOf(owner);
    const child = await createChild(owner);
    await change(parentId, 'growth', 2);
    await untilPlans(parentId, ['growth', 'growth']);
    await createChild(owner);
    expect(await plansOf(parentId)).toEqual(['growth', 'growth', 'growth']);
    const entered = await accounts.service.peer.call(Children.enterChild, { id: child, calls: 0 }, owner.call);
    expect(entered.workspace?.plan).toBe('growth');
    await change(parentId, 'starter', 1);
    await change(parentId, 'scale', 3);
    await untilPlans(parentId, ['scale', 'scale', 'scale']);
  });

  it('is that of a sub-account whose creation was under way when it changed', async () => {
    const owner = await accounts.signUp(newEmail());
    const parentId = workspaceOf(owner);
    await createChild(owner);
    const creation = await pool.connect();
    await creation.query('BEGIN');
    await creation.query('SELECT 1 FROM workspaces WHERE id = $1 FOR UPDATE', [parentId]);
    await change(parentId, 'growth', 1);
    await until('the change to wait for the creation', async () => {
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await accounts.servers.database.sql(waiting)).length > 0;
    });
    const insert = `INSERT INTO workspaces (id, name, plan, parent_id) SELECT $2, 'child', plan, id FROM workspaces WHERE id = $1`;
    await creation.query(insert, [parentId, newId('ws')]);
    await creation.query('COMMIT');
    creation.release();
    await untilPlans(parentId, ['growth', 'growth', 'growth']);
  });
});
