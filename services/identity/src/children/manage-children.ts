import { actedBy, actorOf, type Caller, isId, newId, ownWorkspaceOf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { requireRole, roleOfCaller } from '../accounts/manage-members.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { ActorRecord, ChildChange, ChildRecord, ChildRequest, ChildStore } from '../store/child-store.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { publishSnapshot } from '../store/workspace-snapshot.ts';
import type { WorkspaceStore, WorkspaceView } from '../store/workspace-store.ts';

export interface ChildrenDeps {
  readonly pool: pg.Pool;
  readonly children: ChildStore;
  readonly members: MemberStore;
  readonly workspaces: WorkspaceStore;
  /** Returns how many sub-accounts a plan allows. */
  readonly allowedBy: (plan: string) => number;
  readonly send: SendEvents;
  readonly now: () => Date;
}

export interface NewChild {
  readonly name: string;
  readonly cap: number;
  /** Empty: none. */
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

/** The sub-accounts of a page, how many there are, and how many the plan allows. */
export interface ChildList {
  readonly found: ChildRecord[];
  readonly used: number;
  readonly allowed: number;
}

/** The use cases of sub-accounts. Each acts for the parent, which is the caller's workspace. */
export interface Children {
  readonly create: CreateChild;
  readonly update: UpdateChild;
  /** Returns the sub-accounts of the caller's workspace. */
  readonly list: (
    caller: Caller,
    page: { readonly cursor: string | undefined; readonly limit: number },
  ) => Promise<ChildList>;
  /** Returns a sub-account, and the keys and people that acted in it. @throws AppError not_found */
  readonly read: (
    caller: Caller,
    id: string,
  ) => Promise<{ readonly child: ChildRecord; readonly actors: ActorRecord[] }>;
  /** Returns the workspace that the caller enters, and records the calls. @throws AppError not_found */
  readonly enter: (caller: Caller, entry: { readonly id: string; readonly calls: number }) => Promise<WorkspaceView>;
}

/** Makes the use cases of sub-accounts. */
export function makeChildren({ pool, children, members, workspaces, allowedBy, send, now }: ChildrenDeps): Children {
  const requireAdmin = async (caller: Caller, what: string, db?: pg.PoolClient) =>
    requireRole(await roleOfCaller({ members }, caller, db), 'admin', what);
  return {
    create: makeCreateChild({ pool, children, members, workspaces, allowedBy, now, requireAdmin }),
    update: makeUpdateChild({ pool, children, members, send, now, requireAdmin }),
    async list(caller, { cursor, limit }) {
      requireRole(await roleOfCaller({ members }, caller), 'viewer', 'the list of sub-accounts');
      const workspace = await ownWorkspace({ workspaces }, caller);
      const allowed = workspace.parentId === null ? allowedBy(workspace.plan) : 0;
      const found = await children.list(workspace.id, cursor, limit + 1);
      return { found, used: await children.count(workspace.id), allowed };
    },
    async read(caller, id) {
      requireRole(await roleOfCaller({ members }, caller), 'viewer', 'a sub-account');
      const child = await findChild({ children }, caller.workspaceId, id);
      return { child, actors: await children.actors(id) };
    },
    async enter(caller, { id, calls }) {
      const parentId = ownWorkspaceOf(caller);
      await findChild({ children }, parentId, id);
      if (calls > 0) await children.recordActing(id, actorOf(caller), calls);
      const workspace = await workspaces.find(id);
      if (workspace === undefined) throw noSuchChild();
      return workspace;
    },
  };
}

type RequireAdmin = (caller: Caller, what: string, db?: pg.PoolClient) => Promise<void>;

/** Creates a sub-account, or returns the one of its idempotency key. Creations follow each other under the lock of the parent. @throws AppError forbidden, plan_limit, conflict */
export type CreateChild = (caller: Caller, request: NewChild) => Promise<{ child: ChildRecord; replayed: boolean }>;

function makeCreateChild({
  pool,
  children,
  members,
  workspaces,
  allowedBy,
  now,
  requireAdmin,
}: Omit<ChildrenDeps, 'send'> & { readonly requireAdmin: RequireAdmin }): CreateChild {
  return (caller, request) =>
    inTransaction(pool, async (db) => {
      if (!(await members.lockWorkspace(db, caller.workspaceId)))
        throw new AppError('not_found', 'workspace not found');
      await requireAdmin(caller, 'the creation of a sub-account', db);
      const parent = await ownWorkspace({ workspaces }, caller, db);
      const replay = await findReplay(db, parent.id, request);
      if (replay !== undefined) return { child: replay, replayed: true };
      await requireRoom(db, parent);
      const id = newId('ws');
      const child = await children.create(db, { id, parentId: parent.id, name: request.name, cap: request.cap });
      if (child === undefined) throw noSuchChild();
      const { idempotencyKey: key, requestHash, name, cap } = request;
      if (key !== '') await children.recordRequest(db, parent.id, key, { requestHash, childId: id, name, cap });
      await writeAudit(db, { ...actedBy(caller), action: 'child.created', subjectId: id, detail: { name, cap } });
      return { child, replayed: false };
    });

  /** @throws AppError forbidden for a sub-account, plan_limit */
  async function requireRoom(db: pg.PoolClient, { id, parentId, plan }: WorkspaceView): Promise<void> {
    if (parentId !== null) throw new AppError('forbidden', 'a sub-account can not have sub-accounts');
    const allowed = allowedBy(plan);
    const used = await children.count(id, db);
    if (used >= allowed)
      throw new AppError(
        'plan_limit',
        `the plan ${plan} allows ${allowed} sub-accounts, and the workspace has ${used}; suspended ones count`,
      );
  }

  /** Returns the sub-account as the first response of an idempotency key showed it. @throws AppError conflict for another body */
  async function findReplay(db: pg.PoolClient, parentId: string, request: NewChild): Promise<ChildRecord | undefined> {
    const first =
      request.idempotencyKey === '' ? undefined : await children.findRequest(db, parentId, request.idempotencyKey);
    if (first === undefined) return undefined;
    requireSameRequest(first, request);
    const child = await children.find(parentId, first.childId, db);
    const { childId: id, name, cap } = first;
    return { id, name, cap, suspendedAt: null, createdAt: child?.createdAt ?? now() };
  }
}

function requireSameRequest({ requestHash }: ChildRequest, request: NewChild): void {
  if (requestHash === request.requestHash) return;
  throw new AppError(
    'conflict',
    'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
  );
}

/**
 * Changes a sub-account. A suspension is published in the same transaction: other services then cancel its work. Lifting one restarts
 * nothing. @throws AppError forbidden, not_found
 */
export type UpdateChild = (caller: Caller, id: string, change: ChildChange) => Promise<ChildRecord>;

function makeUpdateChild({
  pool,
  children,
  members,
  send,
  now,
  requireAdmin,
}: Omit<ChildrenDeps, 'workspaces' | 'allowedBy'> & { readonly requireAdmin: RequireAdmin }): UpdateChild {
  return async (caller, id, change) => {
    const { workspaceId: parentId } = caller;
    const { child, outgoing } = await inTransaction(pool, async (db) => {
      if (!isId('ws', id) || !(await members.lockWorkspace(db, parentId))) throw noSuchChild();
      await requireAdmin(caller, 'the change of a sub-account', db);
      const changed = await children.update(db, { parentId, id }, change);
      if (changed === undefined) throw noSuchChild();
      await recordChange(db, caller, { id, change });
      return { child: changed, outgoing: await publishSnapshot(db, id, { at: now() }) };
    });
    send(outgoing);
    return child;
  };
}

/** Writes a change to the audit logs of the parent and of the sub-account. */
async function recordChange(
  db: pg.PoolClient,
  caller: Caller,
  { id, change: { name, cap, suspended } }: { readonly id: string; readonly change: ChildChange },
): Promise<void> {
  for (const workspaceId of [caller.workspaceId, id]) {
    const entry = { workspaceId, actorId: actorOf(caller), subjectId: id };
    if (name !== undefined || cap !== undefined)
      await writeAudit(db, { ...entry, action: 'child.changed', detail: { name, cap } });
    if (suspended !== undefined)
      await writeAudit(db, { ...entry, action: suspended ? 'child.suspended' : 'child.lifted' });
  }
}

async function ownWorkspace(
  { workspaces }: Pick<ChildrenDeps, 'workspaces'>,
  { workspaceId }: Caller,
  db?: pg.PoolClient,
): Promise<WorkspaceView> {
  const workspace = await workspaces.find(workspaceId, db);
  if (workspace === undefined) throw new AppError('not_found', 'workspace not found');
  return workspace;
}

async function findChild(
  { children }: Pick<ChildrenDeps, 'children'>,
  parentId: string,
  id: string,
): Promise<ChildRecord> {
  const child = isId('ws', id) ? await children.find(parentId, id) : undefined;
  if (child === undefined) throw noSuchChild();
  return child;
}

const noSuchChild = () => new AppError('not_found', 'sub-account not found');
