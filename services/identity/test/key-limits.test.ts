import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ALL_PROJECTS, accessToWire, onlyProjects } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { callerIn } from '@tidemark/testkit';
import { MAX_KEYS } from '../src/store/key-store.ts';
import { type IdentityUnderTest, keyRequest, startIdentity } from './key-client.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await startIdentity();
}, 120_000);
afterAll(() => identity.servers.close());

const UNAUTHORIZED = { code: 'unauthorized', httpStatus: 401 };

describe('API key restricted to projects', () => {
  const [one, two] = ['prj_01jzzzzzzzzzzzzzzzzzzzzzz1', 'prj_01jzzzzzzzzzzzzzzzzzzzzzz2'];

  it('cannot list, create or revoke any key, nor change the workspace, even with the scope admin', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { key } = await identity.createKey(workspaceId, {
      scopes: ['admin'],
      access: accessToWire(onlyProjects([one])),
    });
    const { key: other } = await identity.createKey(workspaceId);
    const caller = callerIn(workspaceId, { keyId: key?.id ?? '', projects: [one] });
    const attempts = [
      identity.service.peer.call(Rpc.listKeys, { cursor: '', limit: 10 }, caller),
      ...[ALL_PROJECTS, onlyProjects([one]), onlyProjects([one, two])].map((access) =>
        identity.service.peer.call(Rpc.createKey, keyRequest({ access: accessToWire(access) }), caller),
      ),
      identity.service.peer.call(Rpc.revokeKey, { id: other?.id ?? '' }, caller),
      identity.service.peer.call(Rpc.updateWorkspace, { maxRpm: 1 }, caller),
    ];
    const codes = await Promise.all(attempts.map((attempt) => attempt.then(String, (error) => error.code)));
    expect(codes).toEqual(attempts.map(() => 'forbidden'));
    expect((await identity.list(workspaceId)).keys.map(({ id }) => id)).toEqual([key?.id, other?.id]);
    const read = await identity.service.peer.call(Rpc.getWorkspace, {}, caller);
    expect(read.workspace?.maxRpm).toBeUndefined();
  });

  it('may revoke itself', async () => {
    const workspaceId = await identity.makeWorkspace();
    const { key, secret } = await identity.createKey(workspaceId, { access: accessToWire(onlyProjects([one])) });
    const id = key?.id ?? '';
    await identity.service.peer.call(Rpc.revokeKey, { id }, callerIn(workspaceId, { keyId: id, projects: [one] }));
    await expect(identity.authenticate(secret)).rejects.toMatchObject(UNAUTHORIZED);
  });
});

describe('API key that creates a key', () => {
  const makerOf = async (overrides: Partial<CreateKeyRequest>) => {
    const workspaceId = await identity.makeWorkspace();
    const { key } = await identity.createKey(workspaceId, { scopes: ['admin'], ...overrides });
    return (request: Partial<CreateKeyRequest>) =>
      identity.createKey(workspaceId, request, callerIn(workspaceId, { keyId: key?.id ?? '' }));
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
    const workspaceId = await identity.makeWorkspace();
    const { key } = await identity.createKey(workspaceId, { scopes: ['admin'] });
    await identity.revoke(workspaceId, key?.id ?? '');
    await expect(
      identity.createKey(workspaceId, {}, callerIn(workspaceId, { keyId: key?.id ?? '' })),
    ).rejects.toMatchObject(UNAUTHORIZED);
  });

  it('is refused beyond the limit of keys per workspace, also in concurrent calls, until a key is revoked', async () => {
    const [workspaceId, other] = [await identity.makeWorkspace(), await identity.makeWorkspace()];
    await identity.servers.database.sql(
      `INSERT INTO identity.api_keys (id, workspace_id, name, secret_hash, last_four, scopes, all_projects, projects)
       SELECT 'key_' || n || $1, $1, 'many', sha256((n || $1)::bytea), 'abcd', '{read}', true, '{}' FROM generate_series(1, $2) n`,
      [workspaceId, MAX_KEYS - 2],
    );
    const codes = await Promise.all(
      Array.from({ length: 8 }, () =>
        identity.createKey(workspaceId).then(
          () => 'created',
          (error) => error.code,
        ),
      ),
    );
    expect(codes.sort()).toEqual([...Array(6).fill('conflict'), 'created', 'created']);
    await expect(identity.createKey(workspaceId)).rejects.toMatchObject({
      httpStatus: 409,
      message: expect.stringContaining(`at most ${MAX_KEYS} API keys`),
    });
    await identity.createKey(other);
    await identity.revoke(workspaceId, `key_1${workspaceId}`);
    await identity.createKey(workspaceId);
  });
});
