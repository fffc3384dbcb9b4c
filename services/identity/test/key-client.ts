import { randomBytes } from 'node:crypto';
import type { Caller } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { anonymous, callerIn, type RunningService, startService, startTestServers } from '@tidemark/testkit';
import { identity } from '../src/service.ts';

/** Starts identity with test servers. Its methods call it as the operator or as a key. */
export async function startIdentity() {
  const servers = await startTestServers();
  const service = servers.own(
    await startService(identity, { ...servers.env, SEALING_KEYS: randomBytes(32).toString('base64') }),
  );
  return { servers, service, ...keyClient(service) };
}

export type IdentityUnderTest = Awaited<ReturnType<typeof startIdentity>>;

export const keyRequest = (overrides: Partial<CreateKeyRequest>): CreateKeyRequest => ({
  name: 'reporting',
  scopes: ['read'],
  projects: [],
  expiresInDays: undefined,
  rpm: undefined,
  ...overrides,
});

const keyClient = ({ peer }: RunningService) => ({
  async makeWorkspace(idempotencyKey = ''): Promise<string> {
    const request = { name: 'Harbour', plan: 'free', idempotencyKey };
    const { workspace } = await peer.call(Rpc.createWorkspace, request, anonymous());
    return workspace?.id ?? '';
  },
  /** Creates a key, by default as an operator, who has no key. */
  createKey: (workspaceId: string, overrides: Partial<CreateKeyRequest> = {}, caller: Partial<Caller> = {}) =>
    peer.call(Rpc.createKey, keyRequest(overrides), callerIn(workspaceId, { keyId: '', ...caller })),
  authenticate: (secret: string) => peer.call(Rpc.authenticate, { secret }, anonymous()),
  revoke: (workspaceId: string, id: string) => peer.call(Rpc.revokeKey, { id }, callerIn(workspaceId)),
  list: (workspaceId: string, cursor = '', limit = 100) =>
    peer.call(Rpc.listKeys, { cursor, limit }, callerIn(workspaceId)),
});
