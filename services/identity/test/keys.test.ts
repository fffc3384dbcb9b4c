import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessToWire, onlyProjects } from '@tidemark/contracts';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { anonymous, callerIn, newWorkspace, until } from '@tidemark/testkit';
import fc from 'fast-check';
import { generateSecret } from '../src/domain/api-key.ts';
import { type IdentityUnderTest, startIdentity } from './key-client.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await startIdentity();
}, 120_000);
afterAll(() => identity.servers.close());

const UNAUTHORIZED = { code: 'unauthorized', httpStatus: 401 };

describe('API key', () => {
  it('authenticates with its workspace, scopes, projects and rate limit as soon as it is created', async () => {
    const workspaceId = await identity.makeWorkspace();
    const access = accessToWire(onlyProjects(['prj_01jzzzzzzzzzzzzzzzzzzzzzzz']));
    const { key, secret } = await identity.createKey(workspaceId, {
      scopes: ['write'],
      access,
      rpm: 7,
      name: 'nightly',
    });
    const authenticated = await identity.authenticate(secret);
    expect(authenticated.workspace).toMatchObject({ id: workspaceId, plan: 'free', maxRpm: undefined });
    expect(authenticated.key).toMatchObject({ id: key?.id, name: 'nightly', scopes: ['write'], access, rpm: 7 });
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(authenticated.key?.lastFour).toBe(secret.slice(-4));
  });

  it('is not created without access, or with access to an empty list of projects', async () => {
    const workspaceId = await identity.makeWorkspace();
    for (const access of [undefined, { access: undefined }, accessToWire(onlyProjects([]))])
      await expect(identity.createKey(workspaceId, { access })).rejects.toMatchObject({ code: 'validation' });
    expect((await identity.list(workspaceId)).keys).toEqual([]);
    const stored = (all: boolean, projects: string) =>
      identity.servers.database.sql(
        `INSERT INTO identity.api_keys (id, workspace_id, name, secret_hash, last_four, all_projects, projects)
         VALUES ('key_x', '${workspaceId}', '', 'x', '', ${all}, '${projects}')`,
      );
    await expect(stored(false, '{}')).rejects.toThrow('api_keys_access');
    await expect(stored(true, '{prj_1}')).rejects.toThrow('api_keys_access');
  });

  it('is stored as a hash, and the database does not contain its secret', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { secret } = await identity.createKey(workspaceId);
    const rows = await identity.servers.database.sql<{ row: string }>('SELECT k::text AS row FROM identity.api_keys k');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(secret) || row.includes(secret.slice(8, 40)))).toEqual([]);
  });

  it('is refused immediately after it is revoked, and can be revoked only once', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { key, secret } = await identity.createKey(workspaceId);
    await identity.revoke(workspaceId, key?.id ?? '');
    await expect(identity.authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(identity.revoke(workspaceId, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await identity.list(workspaceId)).keys).toEqual([]);
  });

  it('is refused after it expires', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { key, secret } = await identity.createKey(workspaceId, { expiresInDays: 1 });
    expect(key?.expiresAt?.getTime()).toBe((key?.createdAt?.getTime() ?? 0) + 86_400_000);
    await identity.authenticate(secret);
    await identity.servers.database.sql(
      "UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1",
      [key?.id],
    );
    await expect(identity.authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('reports the time of its last use', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { key, secret } = await identity.createKey(workspaceId);
    expect(key?.lastUsedAt).toBeUndefined();
    await identity.authenticate(secret);
    await until(
      'the last use of the key to be written',
      async () => (await identity.list(workspaceId)).keys[0]?.lastUsedAt !== undefined,
    );
  });

  it('is refused with the same message whether it is unknown, revoked, expired or mistyped', async () => {
    const workspaceId = await identity.makeWorkspace();
    const [revoked, expired] = [
      await identity.createKey(workspaceId),
      await identity.createKey(workspaceId, { expiresInDays: 1 }),
    ];
    await identity.revoke(workspaceId, revoked.key?.id ?? '');
    await identity.servers.database.sql('UPDATE identity.api_keys SET expires_at = created_at WHERE id = $1', [
      expired.key?.id,
    ]);
    const attempts = [
      generateSecret(),
      revoked.secret,
      expired.secret,
      `${generateSecret()}x`,
      'service_',
      '',
      'Bearer x',
    ];
    const messages = await Promise.all(
      attempts.map((secret) => identity.authenticate(secret).then(String, (error) => error.message)),
    );
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toMatch(/unknown, revoked or expired/);
  });
});

describe('workspace', () => {
  it('cannot list or revoke the keys of another workspace', async () => {
    const [workspace, other] = [await identity.makeWorkspace(), await identity.makeWorkspace()];
    const { key, secret } = await identity.createKey(other);
    expect((await identity.list(workspace)).keys).toEqual([]);
    await expect(identity.revoke(workspace, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await identity.authenticate(secret);
  });

  it('is created once by 20 concurrent requests with one idempotency key', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => identity.makeWorkspace('first-start')));
    expect(new Set(ids).size).toBe(1);
    expect(await identity.makeWorkspace('another')).not.toBe(ids[0]);
  });

  it('is not created with a plan that does not exist', async () => {
    const request = { name: 'x', plan: 'platinum', idempotencyKey: '' };
    await expect(identity.service.peer.call(Rpc.createWorkspace, request, anonymous())).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('platinum'),
    });
  });

  it('has a rate limit that an update sets, leaves unchanged when absent, and removes when 0', async () => {
    const caller = callerIn(await identity.makeWorkspace());
    const setTo = async (maxRpm: number | undefined) =>
      (await identity.service.peer.call(Rpc.updateWorkspace, { maxRpm }, caller)).workspace?.maxRpm;
    expect(await setTo(30)).toBe(30);
    expect(await setTo(undefined)).toBe(30);
    expect((await identity.service.peer.call(Rpc.getWorkspace, {}, caller)).workspace?.maxRpm).toBe(30);
    expect(await setTo(0)).toBeUndefined();
  });

  it('is answered with not_found by every call if it does not exist', async () => {
    const caller = callerIn(newWorkspace());
    const notFound = { code: 'not_found' };
    await expect(identity.service.peer.call(Rpc.getWorkspace, {}, caller)).rejects.toMatchObject(notFound);
    await expect(identity.service.peer.call(Rpc.updateWorkspace, { maxRpm: 5 }, caller)).rejects.toMatchObject(
      notFound,
    );
    await expect(identity.createKey(newWorkspace())).rejects.toMatchObject(notFound);
  });
});

describe('ListKeys', () => {
  it('returns each key once for any page size, also if a key is revoked between two pages', async () => {
    const total = 23;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(total - 1), async (limit, revoked) => {
        const workspaceId = await identity.makeWorkspace();
        const created: string[] = [];
        for (let i = 0; i < total; i += 1) created.push((await identity.createKey(workspaceId)).key?.id ?? '');
        const seen: string[] = [];
        for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
          const response = await identity.list(workspaceId, cursor, limit);
          expect(response.keys.length).toBeLessThanOrEqual(limit);
          seen.push(...response.keys.map((key) => key.id));
          cursor = response.nextCursor ?? '';
          if (page === 0) await identity.revoke(workspaceId, created[revoked] ?? '');
        }
        // The first page may have listed the key before it was revoked.
        expect(seen.filter((id) => id !== created[revoked])).toEqual(created.filter((id) => id !== created[revoked]));
        expect(new Set(seen).size).toBe(seen.length);
      }),
      { numRuns: 5 },
    );
  });
});
