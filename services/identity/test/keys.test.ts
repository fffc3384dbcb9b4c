import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import {
  anonymous,
  callerIn,
  type Ground,
  layGround,
  newWorkspace,
  type RunningService,
  startService,
  until,
} from '@tidemark/testkit';
import fc from 'fast-check';
import { mintSecret } from '../src/domain/api-key.ts';
import { identity } from '../src/service.ts';

let ground: Ground;
let service: RunningService;
beforeAll(async () => {
  ground = await layGround();
  service = ground.own(await startService(identity, ground.env));
}, 120_000);
afterAll(() => ground.close());

async function makeWorkspace(idempotencyKey = ''): Promise<string> {
  const asked = { name: 'Harbour', plan: 'free', idempotencyKey };
  const { workspace } = await service.peer.call(Rpc.createWorkspace, asked, anonymous());
  return workspace?.id ?? '';
}

const wanted = (more: Partial<CreateKeyRequest> = {}): CreateKeyRequest => ({
  name: 'reporting',
  scopes: ['read'],
  projects: [],
  expiresInDays: undefined,
  rpm: undefined,
  ...more,
});

const createKey = (workspaceId: string, more: Partial<CreateKeyRequest> = {}, caller: Partial<Caller> = {}) =>
  service.peer.call(Rpc.createKey, wanted(more), callerIn(workspaceId, caller));
const authenticate = (secret: string) => service.peer.call(Rpc.authenticate, { secret }, anonymous());
const revoke = (workspaceId: string, id: string) => service.peer.call(Rpc.revokeKey, { id }, callerIn(workspaceId));
const list = (workspaceId: string, cursor = '', limit = 100) =>
  service.peer.call(Rpc.listKeys, { cursor, limit }, callerIn(workspaceId));
const refused = { code: 'unauthorized', httpStatus: 401 };

describe('a key', () => {
  it('stands for its workspace, scopes, projects and rate from the moment it is made', async () => {
    const workspaceId = await makeWorkspace();
    const projects = ['prj_01jzzzzzzzzzzzzzzzzzzzzzzz'];
    const { key, secret } = await createKey(workspaceId, { scopes: ['write'], projects, rpm: 7, name: 'nightly' });
    const known = await authenticate(secret);
    expect(known.workspace).toMatchObject({ id: workspaceId, plan: 'free', maxRpm: undefined });
    expect(known.key).toMatchObject({ id: key?.id, name: 'nightly', scopes: ['write'], projects, rpm: 7 });
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(known.key?.lastFour).toBe(secret.slice(-4));
  });

  it('is kept as a hash: its secret is nowhere in the database', async () => {
    const workspaceId = await makeWorkspace();
    const { secret } = await createKey(workspaceId);
    const rows = await ground.database.sql<{ row: string }>('SELECT k::text AS row FROM identity.api_keys k');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(secret) || row.includes(secret.slice(8, 40)))).toEqual([]);
  });

  it('stops working at once when it is revoked, and can be revoked once', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId);
    await revoke(workspaceId, key?.id ?? '');
    await expect(authenticate(secret)).rejects.toMatchObject(refused);
    await expect(revoke(workspaceId, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await list(workspaceId)).keys).toEqual([]);
  });

  it('stops working when it expires', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId, { expiresInDays: 1 });
    expect(key?.expiresAt?.getTime()).toBe((key?.createdAt?.getTime() ?? 0) + 86_400_000);
    await authenticate(secret);
    await ground.database.sql("UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
      key?.id,
    ]);
    await expect(authenticate(secret)).rejects.toMatchObject(refused);
  });

  it('remembers when it was last used', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId);
    expect(key?.lastUsedAt).toBeUndefined();
    await authenticate(secret);
    await until('the use is noted', async () => (await list(workspaceId)).keys[0]?.lastUsedAt !== undefined);
  });

  it('that is unknown, revoked, expired or mistyped is refused in the same words', async () => {
    const workspaceId = await makeWorkspace();
    const [revoked, expired] = [await createKey(workspaceId), await createKey(workspaceId, { expiresInDays: 1 })];
    await revoke(workspaceId, revoked.key?.id ?? '');
    await ground.database.sql('UPDATE identity.api_keys SET expires_at = created_at WHERE id = $1', [expired.key?.id]);
    const attempts = [mintSecret(), revoked.secret, expired.secret, `${mintSecret()}x`, 'service_', '', 'Bearer x'];
    const said = await Promise.all(
      attempts.map((secret) => authenticate(secret).then(String, (error) => error.message)),
    );
    expect(new Set(said).size).toBe(1);
    expect(said[0]).toMatch(/unknown, revoked or expired/);
  });
});

describe('a workspace', () => {
  it('never sees or revokes the keys of another', async () => {
    const [mine, theirs] = [await makeWorkspace(), await makeWorkspace()];
    const { key, secret } = await createKey(theirs);
    expect((await list(mine)).keys).toEqual([]);
    await expect(revoke(mine, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await authenticate(secret);
  });

  it('is made once under an idempotency key, however many ask at once', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => makeWorkspace('first-start')));
    expect(new Set(ids).size).toBe(1);
    expect(await makeWorkspace('another')).not.toBe(ids[0]);
  });

  it('is not made on a plan that is not sold', async () => {
    const asked = { name: 'x', plan: 'platinum', idempotencyKey: '' };
    await expect(service.peer.call(Rpc.createWorkspace, asked, anonymous())).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('platinum'),
    });
  });

  it('has a rate ceiling that is set, kept when nothing is said, and lifted by 0', async () => {
    const caller = callerIn(await makeWorkspace());
    const setTo = async (maxRpm: number | undefined) =>
      (await service.peer.call(Rpc.updateWorkspace, { maxRpm }, caller)).workspace?.maxRpm;
    expect(await setTo(30)).toBe(30);
    expect(await setTo(undefined)).toBe(30);
    expect((await service.peer.call(Rpc.getWorkspace, {}, caller)).workspace?.maxRpm).toBe(30);
    expect(await setTo(0)).toBeUndefined();
  });

  it('that is not there is not_found for every question about it', async () => {
    const nobody = callerIn(newWorkspace());
    const gone = { code: 'not_found' };
    await expect(service.peer.call(Rpc.getWorkspace, {}, nobody)).rejects.toMatchObject(gone);
    await expect(service.peer.call(Rpc.updateWorkspace, { maxRpm: 5 }, nobody)).rejects.toMatchObject(gone);
    await expect(service.peer.call(Rpc.createKey, wanted(), nobody)).rejects.toMatchObject(gone);
  });
});

describe('a key that sees only some projects', () => {
  const [one, two] = ['prj_01jzzzzzzzzzzzzzzzzzzzzzz1', 'prj_01jzzzzzzzzzzzzzzzzzzzzzz2'];

  it.each([
    ['all projects', []],
    ['another project', [two]],
    ['its own and another', [one, two]],
  ])('makes no key for %s', async (_, projects) => {
    const workspaceId = await makeWorkspace();
    await expect(createKey(workspaceId, { projects }, { projects: [one] })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect((await list(workspaceId)).keys).toEqual([]);
  });

  it('makes keys for its own', async () => {
    const { key } = await createKey(await makeWorkspace(), { projects: [one] }, { projects: [one, two] });
    expect(key?.projects).toEqual([one]);
  });
});

describe('the list of keys', () => {
  it('shows each key once, whatever the size of its pages and whatever is revoked on the way', async () => {
    const total = 23;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(total - 1), async (limit, gone) => {
        const workspaceId = await makeWorkspace();
        const made: string[] = [];
        for (let i = 0; i < total; i += 1) made.push((await createKey(workspaceId)).key?.id ?? '');
        const seen: string[] = [];
        for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
          const answer = await list(workspaceId, cursor, limit);
          expect(answer.keys.length).toBeLessThanOrEqual(limit);
          seen.push(...answer.keys.map((key) => key.id));
          cursor = answer.nextCursor;
          if (page === 0) await revoke(workspaceId, made[gone] ?? '');
        }
        // A key revoked behind the cursor was rightly shown before.
        expect(seen.filter((id) => id !== made[gone])).toEqual(made.filter((id) => id !== made[gone]));
        expect(new Set(seen).size).toBe(seen.length);
      }),
      { numRuns: 5 },
    );
  });
});
