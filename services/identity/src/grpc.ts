import { type Caller, newId } from '@tidemark/contracts';
import { type Key, IdentityServiceService as Rpc, type Workspace } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { makeAuthenticate } from './authenticate.ts';
import type { makeCreateKey } from './create-key.ts';
import { refuseRestrictedKey } from './refuse-restricted-key.ts';
import type { ApiKeyRecord, KeyStore, WorkspaceRecord } from './store/key-store.ts';

const toWorkspace = ({ id, name, plan, maxRpm, createdAt }: WorkspaceRecord): Workspace => ({
  id,
  name,
  plan,
  maxRpm: maxRpm ?? undefined,
  createdAt,
});

const toKey = ({ id, name, scopes, projects, rpm, createdAt, expiresAt, lastUsedAt, lastFour }: ApiKeyRecord): Key => ({
  id,
  name,
  scopes,
  projects,
  rpm: rpm ?? undefined,
  createdAt,
  expiresAt: expiresAt ?? undefined,
  lastUsedAt: lastUsedAt ?? undefined,
  lastFour,
});

/** Returns the caller, whose key is not restricted to projects. @throws AppError forbidden */
function administratorOf(ctx: HandlerContext): Caller {
  const caller = callerOf(ctx);
  refuseRestrictedKey(caller);
  return caller;
}

/** Implements the gRPC service: translates requests, calls the use case, translates results. */
export function identityGrpc(deps: {
  keys: KeyStore;
  authenticate: ReturnType<typeof makeAuthenticate>;
  createKey: ReturnType<typeof makeCreateKey>;
  plans: readonly string[];
  now: () => Date;
}): BoundMethod[] {
  const { keys, authenticate, createKey, plans, now } = deps;

  return [
    handle(Rpc.authenticate, async ({ secret }) => {
      const { key, workspace } = await authenticate(secret);
      return { key: toKey(key), workspace: toWorkspace(workspace) };
    }),
    handle(Rpc.createWorkspace, async ({ name, plan, idempotencyKey }) => {
      if (!plans.includes(plan))
        throw new AppError('validation', `plan "${plan}" does not exist; expected one of ${plans.join(', ')}`);
      return {
        workspace: toWorkspace(
          await keys.createWorkspace({ id: newId('ws'), name, plan, idempotencyKey: idempotencyKey || null }),
        ),
      };
    }),
    handle(Rpc.getWorkspace, async (_, ctx) => {
      const workspace = await keys.findWorkspace(callerOf(ctx).workspaceId);
      if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
      return { workspace: toWorkspace(workspace) };
    }),
    handle(Rpc.updateWorkspace, async ({ maxRpm }, ctx) => {
      const { workspaceId } = administratorOf(ctx);
      const workspace =
        maxRpm === undefined
          ? await keys.findWorkspace(workspaceId)
          : await keys.setMaxRpm(workspaceId, maxRpm === 0 ? null : maxRpm);
      if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
      return { workspace: toWorkspace(workspace) };
    }),
    handle(Rpc.createKey, async ({ name, scopes, projects, expiresInDays, rpm }, ctx) => {
      const { key, secret } = await createKey(callerOf(ctx), { name, scopes, projects, expiresInDays, rpm });
      return { key: toKey(key), secret };
    }),
    handle(Rpc.listKeys, async ({ cursor, limit }, ctx) => {
      const found = await keys.list(administratorOf(ctx).workspaceId, cursor, limit + 1);
      const page = found.slice(0, limit);
      return { keys: page.map(toKey), nextCursor: found.length > limit ? (page.at(-1)?.id ?? '') : '' };
    }),
    handle(Rpc.revokeKey, async ({ id }, ctx) => {
      const { workspaceId } = administratorOf(ctx);
      if (!(await keys.revoke(workspaceId, id, now()))) throw new AppError('not_found', 'key not found');
      return {};
    }),
  ];
}
