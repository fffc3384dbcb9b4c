import { accessFromWire, accessToWire, type Caller, newId, type ProjectAccess } from '@tidemark/contracts';
import {
  type Key,
  IdentityServiceService as Rpc,
  type ProjectAccess as WireAccess,
  type WorkspaceSnapshot,
} from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { Authenticate } from '../access/authenticate.ts';
import type { CreateKey } from '../access/create-key.ts';
import type { GrantAccess } from '../access/grant-access.ts';
import { refuseRestrictedKey } from '../access/refuse-restricted-key.ts';
import type { RevokeKey } from '../access/revoke-key.ts';
import type { UpdateWorkspace } from '../accounts/update-workspace.ts';
import { toWireWorkspace } from '../accounts/wire.ts';
import type { ApiKeyRecord, KeyStore } from '../store/key-store.ts';

const toKey = ({
  id,
  name,
  scopes,
  access,
  rpm,
  createdAt,
  expiresAt,
  lastUsedAt,
  lastFour,
  createdBy,
  isGrant,
}: ApiKeyRecord): Key => ({
  id,
  name,
  scopes,
  access: accessToWire(access),
  rpm: rpm ?? undefined,
  createdAt,
  expiresAt: expiresAt ?? undefined,
  lastUsedAt: lastUsedAt ?? undefined,
  lastFour,
  createdBy,
  isGrant,
});

/** @throws AppError validation without access, or with an empty list of projects */
function requireAccess(wire: WireAccess | undefined): ProjectAccess {
  const access = accessFromWire(wire);
  if (access !== undefined) return access;
  throw new AppError('validation', 'access: expected all projects, or a list of at least one');
}

/** Returns the caller, whose key is not restricted to projects. @throws AppError forbidden */
function administratorOf(ctx: HandlerContext): Caller {
  const caller = callerOf(ctx);
  refuseRestrictedKey(caller);
  return caller;
}

interface MethodDeps {
  readonly keys: KeyStore;
  readonly authenticate: Authenticate;
  readonly createKey: CreateKey;
  readonly grantAccess: GrantAccess;
  readonly revokeKey: RevokeKey;
  readonly updateWorkspace: UpdateWorkspace;
  readonly plans: readonly string[];
  readonly snapshotOf: (workspaceId: string) => Promise<WorkspaceSnapshot | undefined>;
}

/** Binds the methods of workspaces and keys: translates requests, calls the use case, translates results. */
export const identityMethods = (deps: MethodDeps): BoundMethod[] => [...workspaceMethods(deps), ...keyMethods(deps)];

function workspaceMethods({ keys, updateWorkspace, plans, snapshotOf }: MethodDeps): BoundMethod[] {
  return [
    handle(Rpc.createWorkspace, async ({ name, plan, idempotencyKey }) => {
      if (!plans.includes(plan))
        throw new AppError('validation', `plan "${plan}" does not exist; expected one of ${plans.join(', ')}`);
      return {
        workspace: toWireWorkspace(
          await keys.createWorkspace({ id: newId('ws'), name, plan, idempotencyKey: idempotencyKey || null }),
        ),
      };
    }),
    handle(Rpc.getWorkspace, async (_, ctx) => {
      const workspace = await keys.findWorkspace(callerOf(ctx).workspaceId);
      if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
      return { workspace: toWireWorkspace(workspace) };
    }),
    handle(Rpc.updateWorkspace, async ({ maxRpm, name, requireSecondFactor }, ctx) => {
      const change = { name, requireSecondFactor, ...(maxRpm === undefined ? {} : { maxRpm: maxRpm || null }) };
      return { workspace: toWireWorkspace(await updateWorkspace(callerOf(ctx), change)) };
    }),
    handle(Rpc.describeAccount, async ({ workspaceId }) => {
      const snapshot = await snapshotOf(workspaceId);
      if (snapshot === undefined) throw new AppError('not_found', 'workspace not found');
      return { snapshot };
    }),
  ];
}

function keyMethods({ keys, authenticate, createKey, grantAccess, revokeKey }: MethodDeps): BoundMethod[] {
  return [
    handle(Rpc.authenticate, async ({ secret }) => {
      const { key, workspace } = await authenticate(secret);
      return { key: toKey(key), workspace: toWireWorkspace(workspace) };
    }),
    handle(Rpc.createKey, async ({ name, scopes, access: wire, expiresInDays, rpm }, ctx) => {
      const access = requireAccess(wire);
      const { key, secret } = await createKey(callerOf(ctx), { name, scopes, access, expiresInDays, rpm });
      return { key: toKey(key), secret };
    }),
    handle(Rpc.grantAccess, async ({ clientName, scope }, ctx) => {
      const { key, secret } = await grantAccess(callerOf(ctx), { clientName, scope });
      return { key: toKey(key), secret };
    }),
    handle(Rpc.listKeys, async ({ cursor, limit }, ctx) => {
      const found = await keys.list(administratorOf(ctx).workspaceId, cursor, limit + 1);
      const page = found.slice(0, limit);
      return { keys: page.map(toKey), nextCursor: found.length > limit ? page.at(-1)?.id : undefined };
    }),
    handle(Rpc.revokeKey, async ({ id }, ctx) => {
      await revokeKey(callerOf(ctx), id);
      return {};
    }),
  ];
}
