import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { WorkspaceChanged } from '@tidemark/contracts/identity/v1/events';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { anonymous, until } from '@tidemark/testkit';
import { type AccountServers, CLIENT, newEmail, PASSWORD, type SignedIn, startAccounts } from './account-servers.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts();
}, 120_000);
afterAll(() => accounts.close());

const workspaceOf = ({ session }: SignedIn) => session.workspace?.id ?? '';
const isWelcome = async (workspaceId: string) => {
  const response = await accounts.service.peer.call(Identity.describeAccount, { workspaceId }, anonymous());
  return response.snapshot?.isWelcome;
};
const linkOf = async (email: string) =>
  (await accounts.mailsTo(email)).findLast(({ kind }) => kind === 'verify')?.token;

describe('welcome credits', () => {
  it('are given with the verification of the address, and not at sign-up', async () => {
    const email = newEmail();
    const unverified = await accounts.signUp(email, false);
    expect(await isWelcome(workspaceOf(unverified))).toBe(false);
    const verify = { token: (await linkOf(email)) ?? '', password: '', sessionToken: unverified.token, client: CLIENT };
    await accounts.service.peer.call(Rpc.verify, verify, anonymous());
    expect(await isWelcome(workspaceOf(unverified))).toBe(true);
    const events = await accounts.servers.database.sql<{ payload: Buffer }>(
      "SELECT payload FROM identity.outbox WHERE subject = 'event.workspace.changed'",
    );
    const changes = events.map(({ payload }) => WorkspaceChanged.decode(payload).snapshot);
    expect(changes.filter((one) => one?.workspaceId === workspaceOf(unverified))).toEqual([
      expect.objectContaining({ isWelcome: true, version: 2, state: 'active' }),
    ]);
  });

  it('are given once for one mailbox, however often it is verified under other tags', async () => {
    const box = crypto.randomUUID();
    const first = await accounts.signUp(`${box}@example.com`);
    const second = await accounts.signUp(`${box}+2@example.com`);
    expect([await isWelcome(workspaceOf(first)), await isWelcome(workspaceOf(second))]).toEqual([true, false]);
  });

  it('are given to one of two people who sign up for an address, the one who verifies it', async () => {
    const email = newEmail();
    const stranger = await accounts.signUp(email, false);
    const other = await accounts.signUp(email, false);
    const verify = { token: (await linkOf(email)) ?? '', password: PASSWORD, sessionToken: '', client: CLIENT };
    await accounts.service.peer.call(Rpc.verify, verify, anonymous());
    const welcomed = [await isWelcome(workspaceOf(stranger)), await isWelcome(workspaceOf(other))];
    expect(welcomed.filter(Boolean)).toHaveLength(1);
  });

  it('are in every workspace that the operator makes', async () => {
    const request = { name: 'x', plan: 'free', idempotencyKey: '' };
    const { workspace } = await accounts.service.peer.call(Identity.createWorkspace, request, anonymous());
    expect(await isWelcome(workspace?.id ?? '')).toBe(true);
  });
});

describe('an alert of credits', () => {
  it('is mailed once to the owner of the workspace, with what is left', async () => {
    const email = newEmail();
    const owner = await accounts.signUp(email);
    const { servers } = accounts;
    const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
    await bus.prepare();
    const alert = {
      id: `credits-low:${workspaceOf(owner)}::80`,
      workspaceId: workspaceOf(owner),
      of: 'allowance' as const,
      percent: 80,

      remaining: 24_000,
      resetsAt: new Date('2027-01-31T10:00:00Z'),
      at: new Date(),
    };
    // Another id: the bus drops an event that it had already.
    for (const id of ['one', 'other'])
      await bus.publish(events.creditsLow.subject, [outgoingEvent(events.creditsLow, id, alert)]);
    const alerts = async () => (await accounts.mailsTo(email)).filter(({ kind }) => kind === 'credits_low');
    await until('the mail', async () => (await alerts()).length > 0);
    expect(await alerts()).toEqual([
      expect.objectContaining({ used: '80 % of the allowance', left: '24,000', resetsAt: '2027-01-31' }),
    ]);
  });
});

describe('an unpaid renewal', () => {
  it('is mailed once to the owner of the workspace, and so is the end of the plan', async () => {
    const email = newEmail();
    const workspaceId = workspaceOf(await accounts.signUp(email));
    const { servers } = accounts;
    const bus = servers.own(await Bus.connect(servers.nats.url, 'test', createLogger('test', 'silent')));
    await bus.prepare();
    const unpaid = {
      id: `renewal-unpaid:${workspaceId}:1`,
      workspaceId,
      plan: 'starter',
      amountMinor: 224_200,
      currency: 'INR',

      hasEnded: false,
      endsAt: new Date('2027-01-31T10:00:00Z'),
      at: new Date(),
    };
    for (const id of [`${unpaid.id}-one`, `${unpaid.id}-other`])
      await bus.publish(events.renewalUnpaid.subject, [outgoingEvent(events.renewalUnpaid, id, unpaid)]);
    const ended = { ...unpaid, id: `${unpaid.id}:ended`, hasEnded: true };
    await bus.publish(events.renewalUnpaid.subject, [outgoingEvent(events.renewalUnpaid, ended.id, ended)]);
    const mails = async () =>
      (await accounts.mailsTo(email)).filter(({ kind }) => kind === 'renewal_unpaid' || kind === 'plan_ended');
    await until('the mails', async () => (await mails()).length > 1);
    const byKind = (await mails()).toSorted((a, b) => b.kind.localeCompare(a.kind));
    expect(byKind).toEqual([
      expect.objectContaining({
        kind: 'renewal_unpaid',
        plan: 'starter',
        amount: 'INR 2,242.00',
        endsAt: '2027-01-31',
      }),
      expect.objectContaining({ kind: 'plan_ended' }),
    ]);
  });
});
