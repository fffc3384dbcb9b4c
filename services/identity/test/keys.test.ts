import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import {
  anonymous,
  callerIn,
  newWorkspace,
  type RunningService,
  startService,
  startTestServers,
  type TestServers,
  until,
} from '@tidemark/testkit';
import fc from 'fast-check';
import { generateSecret } from '../src/domain/api-key.ts';
import { identity } from '../src/service.ts';
import { MAX_KEYS } from '../src/store/key-store.ts';

const SEALING_KEYS = randomBytes(32).toString('base64');
let servers: TestServers;
let service: RunningService;
beforeAll(async () => {
  servers = await startTestServers();
  service = servers.own(await startService(identity, { ...servers.env, SEALING_KEYS }));
}, 120_000);
afterAll(() => servers.close());

async function makeWorkspace(idempotencyKey = ''): Promise<string> {
  const request = { name: 'Harbour', plan: 'free', idempotencyKey };
  const { workspace } = await service.peer.call(Rpc.createWorkspace, request, anonymous());
  return workspace?.id ?? '';
}

const keyRequest = (overrides: Partial<CreateKeyRequest> = {}): CreateKeyRequest => ({
  name: 'reporting',
  scopes: ['read'],
  projects: [],
  expiresInDays: undefined,
  rpm: undefined,
  ...overrides,
});

/** Creates a key, by default as an operator, who has no key. */
const createKey = (workspaceId: string, overrides: Partial<CreateKeyRequest> = {}, caller: Partial<Caller> = {}) =>
  service.peer.call(Rpc.createKey, keyRequest(overrides), callerIn(workspaceId, { keyId: '', ...caller }));
const authenticate = (secret: string) => service.peer.call(Rpc.authenticate, { secret }, anonymous());
const revoke = (workspaceId: string, id: string) => service.peer.call(Rpc.revokeKey, { id }, callerIn(workspaceId));
const list = (workspaceId: string, cursor = '', limit = 100) =>
  service.peer.call(Rpc.listKeys, { cursor, limit }, callerIn(workspaceId));
const UNAUTHORIZED = { code: 'unauthorized', httpStatus: 401 };

describe('API key', () => {
  it('authenticates with its workspace, scopes, projects and rate limit as soon as it is created', async () => {
    const workspaceId = await makeWorkspace();
    const projects = ['prj_01jzzzzzzzzzzzzzzzzzzzzzzz'];
    const { key, secret } = await createKey(workspaceId, { scopes: ['write'], projects, rpm: 7, name: 'nightly' });
    const authenticated = await authenticate(secret);
    expect(authenticated.workspace).toMatchObject({ id: workspaceId, plan: 'free', maxRpm: undefined });
    expect(authenticated.key).toMatchObject({ id: key?.id, name: 'nightly', scopes: ['write'], projects, rpm: 7 });
    expect(secret).toMatch(/^service_[0-9A-Za-z]{38}$/);
    expect(authenticated.key?.lastFour).toBe(secret.slice(-4));
  });

  it('is stored as a hash, and the database does not contain its secret', async () => {
    const workspaceId = await makeWorkspace();
    const { secret } = await createKey(workspaceId);
    const rows = await servers.database.sql<{ row: string }>('SELECT k::text AS row FROM identity.api_keys k');
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(secret) || row.includes(secret.slice(8, 40)))).toEqual([]);
  });

  it('is refused immediately after it is revoked, and can be revoked only once', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId);
    await revoke(workspaceId, key?.id ?? '');
    await expect(authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
    await expect(revoke(workspaceId, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    expect((await list(workspaceId)).keys).toEqual([]);
  });

  it('is refused after it expires', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId, { expiresInDays: 1 });
    expect(key?.expiresAt?.getTime()).toBe((key?.createdAt?.getTime() ?? 0) + 86_400_000);
    await authenticate(secret);
    await servers.database.sql("UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
      key?.id,
    ]);
    await expect(authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('reports the time of its last use', async () => {
    const workspaceId = await makeWorkspace();
    const { key, secret } = await createKey(workspaceId);
    expect(key?.lastUsedAt).toBeUndefined();
    await authenticate(secret);
    await until('the last use to be written', async () => (await list(workspaceId)).keys[0]?.lastUsedAt !== undefined);
  });

  it('is refused with the same message whether it is unknown, revoked, expired or mistyped', async () => {
    const workspaceId = await makeWorkspace();
    const [revoked, expired] = [await createKey(workspaceId), await createKey(workspaceId, { expiresInDays: 1 })];
    await revoke(workspaceId, revoked.key?.id ?? '');
    await servers.database.sql('UPDATE identity.api_keys SET expires_at = created_at WHERE id = $1', [expired.key?.id]);
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
      attempts.map((secret) => authenticate(secret).then(String, (error) => error.message)),
    );
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toMatch(/unknown, revoked or expired/);
  });
});

describe('workspace', () => {
  it('cannot list or revoke the keys of another workspace', async () => {
    const [workspace, other] = [await makeWorkspace(), await makeWorkspace()];
    const { key, secret } = await createKey(other);
    expect((await list(workspace)).keys).toEqual([]);
    await expect(revoke(workspace, key?.id ?? '')).rejects.toMatchObject({ code: 'not_found' });
    await authenticate(secret);
  });

  it('is created once by 20 concurrent requests with one idempotency key', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => makeWorkspace('first-start')));
    expect(new Set(ids).size).toBe(1);
    expect(await makeWorkspace('another')).not.toBe(ids[0]);
  });

  it('is not created with a plan that does not exist', async () => {
    const request = { name: 'x', plan: 'platinum', idempotencyKey: '' };
    await expect(service.peer.call(Rpc.createWorkspace, request, anonymous())).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('platinum'),
    });
  });

  it('has a rate limit that an update sets, leaves unchanged when absent, and removes when 0', async () => {
    const caller = callerIn(await makeWorkspace());
    const setTo = async (maxRpm: number | undefined) =>
      (await service.peer.call(Rpc.updateWorkspace, { maxRpm }, caller)).workspace?.maxRpm;
    expect(await setTo(30)).toBe(30);
    expect(await setTo(undefined)).toBe(30);
    expect((await service.peer.call(Rpc.getWorkspace, {}, caller)).workspace?.maxRpm).toBe(30);
    expect(await setTo(0)).toBeUndefined();
  });

  it('is answered with not_found by every call if it does not exist', async () => {
    const caller = callerIn(newWorkspace());
    const notFound = { code: 'not_found' };
    await expect(service.peer.call(Rpc.getWorkspace, {}, caller)).rejects.toMatchObject(notFound);
    await expect(service.peer.call(Rpc.updateWorkspace, { maxRpm: 5 }, caller)).rejects.toMatchObject(notFound);
    await expect(createKey(newWorkspace())).rejects.toMatchObject(notFound);
  });
});

describe('API key restricted to projects', () => {
  const [one, two] = ['prj_01jzzzzzzzzzzzzzzzzzzzzzz1', 'prj_01jzzzzzzzzzzzzzzzzzzzzzz2'];

  it('cannot list, create or revoke any key, nor change the workspace, even with the scope admin', async () => {
    const workspaceId = await makeWorkspace();
    const { key } = await createKey(workspaceId, { scopes: ['admin'], projects: [one] });
    const { key: other } = await createKey(workspaceId);
    const caller = callerIn(workspaceId, { keyId: key?.id ?? '', projects: [one] });
    const attempts = [
      service.peer.call(Rpc.listKeys, { cursor: '', limit: 10 }, caller),
      ...[[], [one], [one, two]].map((projects) => service.peer.call(Rpc.createKey, keyRequest({ projects }), caller)),
      service.peer.call(Rpc.revokeKey, { id: other?.id ?? '' }, caller),
      service.peer.call(Rpc.revokeKey, { id: key?.id ?? '' }, caller),
      service.peer.call(Rpc.updateWorkspace, { maxRpm: 1 }, caller),
    ];
    const codes = await Promise.all(attempts.map((attempt) => attempt.then(String, (error) => error.code)));
    expect(codes).toEqual(attempts.map(() => 'forbidden'));
    expect((await list(workspaceId)).keys.map(({ id }) => id)).toEqual([key?.id, other?.id]);
    const read = await service.peer.call(Rpc.getWorkspace, {}, caller);
    expect(read.workspace?.maxRpm).toBeUndefined();
  });
});

describe('API key that creates a key', () => {
  const makerOf = async (overrides: Partial<CreateKeyRequest>) => {
    const workspaceId = await makeWorkspace();
    const { key } = await createKey(workspaceId, { scopes: ['admin'], ...overrides });
    return (request: Partial<CreateKeyRequest>) => createKey(workspaceId, request, { keyId: key?.id ?? '' });
  };

  it.each([
    ['scopes', 'a higher scope', { scopes: ['write'] }, { scopes: ['admin'] }],
    ['rpm', 'a higher rate limit', { rpm: 10 }, { rpm: 11 }],
    ['rpm', 'no rate limit while it has one', { rpm: 10 }, {}],
    ['expires_in_days', 'a later expiry', { expiresInDays: 5 }, { expiresInDays: 6 }],
    ['expires_in_days', 'no expiry while it has one', { expiresInDays: 5 }, {}],
  ])('is refused with an error that names %s if it requests %s', async (field, _, own, request) => {
    const create = await makerOf(own);
    await expect(create(request)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining(`${field}: `),
      detail: [{ loc: ['body', field], type: 'exceeds_own_key' }],
    });
  });

  it('is refused with one error that names every field that exceeds its own', async () => {
    const create = await makerOf({ rpm: 10, expiresInDays: 5 });
    await expect(create({})).rejects.toMatchObject({
      detail: [{ loc: ['body', 'rpm'] }, { loc: ['body', 'expires_in_days'] }],
    });
  });

  it('creates a key with at most its own scope, rate limit and expiry', async () => {
    const create = await makerOf({ rpm: 10, expiresInDays: 5 });
    const { key } = await create({ scopes: ['admin'], rpm: 10, expiresInDays: 4 });
    expect(key).toMatchObject({ scopes: ['admin'], rpm: 10 });
  });

  it('is refused if it was revoked or has expired in the meantime', async () => {
    const workspaceId = await makeWorkspace();
    const { key } = await createKey(workspaceId, { scopes: ['admin'] });
    await revoke(workspaceId, key?.id ?? '');
    await expect(createKey(workspaceId, {}, { keyId: key?.id ?? '' })).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('is refused beyond the limit of keys per workspace, also in concurrent calls, until a key is revoked', async () => {
    const [workspaceId, other] = [await makeWorkspace(), await makeWorkspace()];
    await servers.database.sql(
      `INSERT INTO identity.api_keys (id, workspace_id, name, secret_hash, last_four, scopes, projects)
       SELECT 'key_' || n || $1, $1, 'many', sha256((n || $1)::bytea), 'abcd', '{read}', '{}' FROM generate_series(1, $2) n`,
      [workspaceId, MAX_KEYS - 2],
    );
    const codes = await Promise.all(
      Array.from({ length: 8 }, () =>
        createKey(workspaceId).then(
          () => 'created',
          (error) => error.code,
        ),
      ),
    );
    expect(codes.sort()).toEqual([...Array(6).fill('conflict'), 'created', 'created']);
    await expect(createKey(workspaceId)).rejects.toMatchObject({
      httpStatus: 409,
      message: expect.stringContaining(`at most ${MAX_KEYS} API keys`),
    });
    await createKey(other);
    await revoke(workspaceId, `key_1${workspaceId}`);
    await createKey(workspaceId);
  });
});

describe('ListKeys', () => {
  it('returns each key once for any page size, also if a key is revoked between two pages', async () => {
    const total = 23;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), fc.nat(total - 1), async (limit, revoked) => {
        const workspaceId = await makeWorkspace();
        const created: string[] = [];
        for (let i = 0; i < total; i += 1) created.push((await createKey(workspaceId)).key?.id ?? '');
        const seen: string[] = [];
        for (let cursor = '', page = 0; page === 0 || cursor !== ''; page += 1) {
          const response = await list(workspaceId, cursor, limit);
          expect(response.keys.length).toBeLessThanOrEqual(limit);
          seen.push(...response.keys.map((key) => key.id));
          cursor = response.nextCursor;
          if (page === 0) await revoke(workspaceId, created[revoked] ?? '');
        }
        // The first page may have listed the key before it was revoked.
        expect(seen.filter((id) => id !== created[revoked])).toEqual(created.filter((id) => id !== created[revoked]));
        expect(new Set(seen).size).toBe(seen.length);
      }),
      { numRuns: 5 },
    );
  });
});
