import { isId } from '@tidemark/contracts';
import type { WorkspaceSnapshot } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import {
  type AdministeredWorkspace,
  AdministrationStore,
  type WorkspaceFilter,
} from '../store/administration-store.ts';
import { type AuditAction, writeAudit } from '../store/audit-log.ts';
import { MemberStore } from '../store/member-store.ts';
import { publishSnapshot, readSnapshot } from '../store/workspace-snapshot.ts';

export type { AdministeredWorkspace, WorkspaceFilter } from '../store/administration-store.ts';

const MAX_REASON_CHARS = 300;

/** What the operator of an installation does with workspaces. Events are rows of the outbox, which the service sends. */
export interface WorkspaceAdministration {
  /** Returns up to `limit` workspaces after the id `after`, oldest first. */
  readonly list: (
    filter: WorkspaceFilter,
    page: { readonly after: string | undefined; readonly limit: number },
  ) => Promise<AdministeredWorkspace[]>;
  /** @throws AppError not_found */
  readonly find: (id: string) => Promise<AdministeredWorkspace>;
  /** Returns what other services store of a workspace. @throws AppError not_found */
  readonly snapshot: (id: string) => Promise<WorkspaceSnapshot>;
  /**
   * Suspends a workspace with its sub-accounts: keys and members are refused with the reason, work in progress is cancelled, and schedules
   * start no run. Of a suspended workspace the reason is replaced. @throws AppError not_found, validation
   */
  readonly suspend: (id: string, reason: string) => Promise<AdministeredWorkspace>;
  /**
   * Ends a suspension by the operator; one by the workspace that pays stays. Cancelled work is not started again.
   * @throws AppError not_found, conflict if the operator has not suspended it
   */
  readonly resume: (id: string) => Promise<AdministeredWorkspace>;
}

export function makeAdministerWorkspaces({
  pool,
  now,
}: {
  readonly pool: pg.Pool;
  readonly now: () => Date;
}): WorkspaceAdministration {
  const store = new AdministrationStore(pool);
  const members = new MemberStore(pool);

  /** Writes the entry and the event of each workspace that changed. */
  const record = async (
    db: pg.PoolClient,
    ids: readonly string[],
    { action, detail }: { readonly action: AuditAction; readonly detail?: { readonly reason: string } },
  ): Promise<void> => {
    for (const id of ids) {
      await writeAudit(db, { workspaceId: id, actorId: '', action, subjectId: id, ...(detail && { detail }) });
      await publishSnapshot(db, id, { at: now() });
    }
  };

  const locked = async (db: pg.PoolClient, id: string): Promise<AdministeredWorkspace> => {
    if (!isId('ws', id) || !(await members.lockWorkspace(db, id))) throw noSuchWorkspace(id);
    return required(await store.find(id, db), id);
  };

  return {
    list: (filter, { after, limit }) => store.list(filter, after, limit),
    find: async (id) => required(await store.find(id), id),
    snapshot: async (id) => required(await readSnapshot(pool, id), id),
    suspend(id, reason) {
      const text = reason.trim();
      if (text === '' || text.length > MAX_REASON_CHARS)
        throw new AppError(
          'validation',
          `reason: expected a text of 1 to ${MAX_REASON_CHARS} characters, which members are shown`,
        );
      return inTransaction(pool, async (db) => {
        await locked(db, id);
        const changed = await store.suspend(db, id, text);
        await record(db, changed, { action: 'workspace.suspended', detail: { reason: text } });
        return required(await store.find(id, db), id);
      });
    },
    resume: (id) =>
      inTransaction(pool, async (db) => {
        const workspace = await locked(db, id);
        if (workspace.operatorSuspendedAt === null)
          throw new AppError('conflict', `the operator has not suspended the workspace ${id}`);
        const changed = await store.resume(db, workspace);
        await record(db, changed, { action: 'workspace.resumed' });
        return required(await store.find(id, db), id);
      }),
  };
}

function required<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined) throw noSuchWorkspace(id);
  return found;
}

const noSuchWorkspace = (id: string) =>
  new AppError('not_found', `there is no workspace ${id}; expected an id such as ws_01j…, which the list shows`);
