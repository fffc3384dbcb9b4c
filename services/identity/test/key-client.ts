import { randomBytes } from 'node:crypto';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { type CreateKeyRequest, IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import type { CallContext } from '@tidemark/service';
import {
  anonymous,
  callerIn,
  operatorIn,
  type RunningService,
  startService,
  startTestServers,
} from '@tidemark/testkit';
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
  access: accessToWire(ALL_PROJECTS),
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
  /** Creates a key, by default as the operator. */
  createKey: (
    workspaceId: string,
    overrides: Partial<CreateKeyRequest> = {},
    call: CallContext = operatorIn(workspaceId),
  ) => peer.call(Rpc.createKey, keyRequest(overrides), call),
  authenticate: (secret: string) => peer.call(Rpc.authenticate, { secret }, anonymous()),
  revoke: (workspaceId: string, id: string) => peer.call(Rpc.revokeKey, { id }, callerIn(workspaceId)),
  list: (workspaceId: string, cursor = '', limit = 100) =>
    peer.call(Rpc.listKeys, { cursor, limit }, callerIn(workspaceId)),
});
