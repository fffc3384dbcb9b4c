import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { type CreateKeyRequest, IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import type { CallContext } from '@tidemark/service';
import { anonymous, callerIn } from '@tidemark/testkit';
import { type AccountServers, newEmail, type SignedIn, startAccounts } from './account-servers.ts';
import { keyRequest } from './key-client.ts';
import { memberCalls, userId, workspaceOf } from './member-calls.ts';

let accounts: AccountServers;
beforeAll(async () => {
  accounts = await startAccounts({ ACCOUNT_MAILS: 'off' });
}, 120_000);
afterAll(() => accounts.close());

const NOT_FOUND = { code: 'not_found' };
const UNAUTHORIZED = { code: 'unauthorized' };
const { invite, accept, setRole, remove, join } = memberCalls(() => accounts);
const authenticate = (secret: string) => accounts.service.peer.call(Identity.authenticate, { secret }, anonymous());
const revoke = (id: string, { call }: SignedIn) => accounts.service.peer.call(Identity.revokeKey, { id }, call);
const sql = (text: string, values: unknown[] = []) => accounts.servers.database.sql(text, values);

/** A key with its secret, and calls in its name. */
interface MadeKey {
  readonly id: string;
  readonly secret: string;
  readonly call: CallContext;
}
async function makeKey(
  maker: Pick<MadeKey, 'call'>,
  workspaceId: string,
  more: Partial<CreateKeyRequest> = {},
): Promise<MadeKey> {
  const request = keyRequest({ scopes: ['admin'], ...more });
  const { key, secret } = await accounts.service.peer.call(Identity.createKey, request, maker.call);
  const id = key?.id ?? '';
  return { id, secret, call: callerIn(workspaceId, { keyId: id }) };
}
/** Makes a key of a person, a key of that key, and an invitation of the second key. */
async function chainOf(person: SignedIn) {
  const first = await makeKey(person, workspaceOf(person));
  const second = await makeKey(first, workspaceOf(person));
  const { token } = await invite(second, newEmail(), 'viewer');
  return { first, second, token };
}

describe('the revocation of a key', () => {
  it('ends the keys and open invitations that it made, also through other keys, with an audit entry and an event each', async () => {
    const owner = await accounts.signUp(newEmail());
    const { first, second, token } = await chainOf(owner);
    const other = await makeKey(owner, workspaceOf(owner));
    await revoke(first.id, owner);
    await expect(authenticate(second.secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accept(token)).rejects.toMatchObject(NOT_FOUND);
    await authenticate(other.secret);
    const audited = await sql(
      `SELECT action, subject_id, actor_id, detail FROM identity.audit
       WHERE workspace_id = $1 AND action IN ('key.revoked', 'invite.revoked') ORDER BY id`,
      [workspaceOf(owner)],
    );
    const by = { actor_id: userId(owner) };
    expect(audited).toEqual([
      { ...by, action: 'key.revoked', subject_id: first.id, detail: {} },
      { ...by, action: 'key.revoked', subject_id: second.id, detail: { key: first.id } },
      { ...by, action: 'invite.revoked', subject_id: expect.stringMatching(/^ivt_/), detail: { key: first.id } },
    ]);
    const events = await sql("SELECT id FROM identity.outbox WHERE subject = 'event.access.removed' AND id LIKE $1", [
      `removed:${workspaceOf(owner)}:%`,
    ]);
    expect(events).toHaveLength(2);
  });

  it('ends keys in sub-accounts that the key made', async () => {
    const owner = await accounts.signUp(newEmail());
    const key = await makeKey(owner, workspaceOf(owner));
    const child = `ws_${newEmail()}`;
    await sql("INSERT INTO identity.workspaces (id, name, plan, parent_id) VALUES ($1, 'Child', 'free', $2)", [
      child,
      workspaceOf(owner),
    ]);
    await sql(
      `INSERT INTO identity.api_keys (id, workspace_id, name, secret_hash, last_four, created_by, all_projects)
       VALUES ($1, $2, 'k', convert_to($1, 'UTF8'), 'last', $3, true)`,
      [`key_of_${child}`, child, key.id],
    );
    await revoke(key.id, owner);
    expect(
      await sql('SELECT id FROM identity.api_keys WHERE workspace_id = $1 AND revoked_at IS NULL', [child]),
    ).toEqual([]);
  });

  it('leaves no key that the revoked key creates at the same time', async () => {
    const owner = await accounts.signUp(newEmail());
    for (let turn = 0; turn < 5; turn += 1) {
      const key = await makeKey(owner, workspaceOf(owner));
      const child = await makeKey(key, workspaceOf(owner));
      const made = Array.from({ length: 8 }, (_, index) => makeKey(index % 2 === 0 ? key : child, workspaceOf(owner)));
      await Promise.allSettled([...made, revoke(key.id, owner)]);
      const [living] = await sql(
        'SELECT count(*)::int AS count FROM identity.api_keys WHERE workspace_id = $1 AND revoked_at IS NULL',
        [workspaceOf(owner)],
      );
      expect(living).toEqual({ count: 0 });
    }
  });
});

describe('the removal of a member', () => {
  it('with the keys ends those that the keys of the member made, and their invitations', async () => {
    const owner = await accounts.signUp(newEmail());
    const admin = await join(owner, 'admin');
    const { first, second, token } = await chainOf(admin);
    await remove(owner, userId(admin), true);
    for (const { secret } of [first, second]) await expect(authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accept(token)).rejects.toMatchObject(NOT_FOUND);
  });

  it('without the keys leaves those keys and what they gave, and ends the invitations of the member', async () => {
    const owner = await accounts.signUp(newEmail());
    const admin = await join(owner, 'admin');
    const { first, second, token } = await chainOf(admin);
    const { token: own } = await invite(admin, newEmail(), 'viewer');
    await remove(owner, userId(admin));
    for (const { secret } of [first, second]) await authenticate(secret);
    await expect(accept(own)).rejects.toMatchObject(NOT_FOUND);
    await accept(token);
  });
});

describe('a lower role', () => {
  it('ends the keys of the member above it with what they gave, and leaves those within it', async () => {
    const owner = await accounts.signUp(newEmail());
    const admin = await join(owner, 'admin');
    const { first, second, token } = await chainOf(admin);
    const reader = await makeKey(admin, workspaceOf(owner), { scopes: ['read'] });
    await setRole(owner, userId(admin), 'member');
    for (const { secret } of [first, second]) await expect(authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(accept(token)).rejects.toMatchObject(NOT_FOUND);
    await authenticate(reader.secret);
  });
});

describe('a key with an expiry or a rate limit of its own', () => {
  it('invites no person and raises no role, because a membership has neither', async () => {
    const owner = await accounts.signUp(newEmail());
    const member = await join(owner, 'viewer');
    for (const limit of [{ expiresInDays: 1 }, { rpm: 50 }]) {
      const key = await makeKey(owner, workspaceOf(owner), limit);
      await expect(invite(key, newEmail(), 'admin')).rejects.toMatchObject({ code: 'forbidden' });
      const request = { userId: userId(member), role: 'admin' as const };
      await expect(accounts.service.peer.call(Rpc.updateMember, request, key.call)).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
  });

  it('is refused once it is revoked, also where the gateway still accepts it', async () => {
    const owner = await accounts.signUp(newEmail());
    const key = await makeKey(owner, workspaceOf(owner));
    await revoke(key.id, owner);
    await expect(invite(key, newEmail())).rejects.toMatchObject(UNAUTHORIZED);
    await expect(makeKey(key, workspaceOf(owner))).rejects.toMatchObject(UNAUTHORIZED);
  });
});
