import { events } from '@tidemark/contracts';
import type { WorkspaceSnapshot, WorkspaceStanding } from '@tidemark/contracts/identity/v1/identity';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type { Queryable } from './queryable.ts';

interface SnapshotRow {
  readonly id: string;
  readonly version: string;
  readonly parentId: string | null;
  readonly plan: string;
  readonly cap: string;
  readonly isWelcome: boolean;
  readonly isSuspended: boolean;
  readonly lastSuspendedAt: Date | null;
}

const COLUMNS = `id, version, parent_id AS "parentId", plan, cap, welcome_of IS NOT NULL AS "isWelcome", suspended_at IS NOT NULL AS "isSuspended",
  last_suspended_at AS "lastSuspendedAt"`;

const toSnapshot = (row: SnapshotRow, state: WorkspaceStanding): WorkspaceSnapshot => ({
  workspaceId: row.id,
  version: Number(row.version),
  state,
  parentId: row.parentId ?? '',
  plan: row.plan,
  cap: Number(row.cap),
  isWelcome: row.isWelcome,
  suspendedAt: row.lastSuspendedAt ?? undefined,
});

/** Returns the snapshot of a workspace that other services store; undefined if it does not exist. */
export async function readSnapshot(db: Queryable, workspaceId: string): Promise<WorkspaceSnapshot | undefined> {
  const { rows } = await db.query<SnapshotRow>({
    name: 'workspace-snapshot',
    text: `SELECT ${COLUMNS} FROM workspaces WHERE id = $1`,
    values: [workspaceId],
  });
  return rows[0] && toSnapshot(rows[0], rows[0].isSuspended ? 'suspended' : 'active');
}

/**
 * Raises the version of a workspace and writes the event of its snapshot. Called in the transaction of the change, after it.
 * @returns the events, to be sent after the commit
 */
export async function publishSnapshot(
  db: Queryable,
  workspaceId: string,
  { at, isDeleted = false }: { readonly at: Date; readonly isDeleted?: boolean },
): Promise<OutgoingEvent[]> {
  const { rows } = await db.query<SnapshotRow>({
    name: 'raise-version',
    text: `UPDATE workspaces SET version = version + 1 WHERE id = $1 RETURNING ${COLUMNS}`,
    values: [workspaceId],
  });
  const outgoing = rows.map((row) => {
    const snapshot = toSnapshot(row, isDeleted ? 'deleted' : row.isSuspended ? 'suspended' : 'active');
    return outgoingEvent(events.workspaceChanged, `workspace:${row.id}:${row.version}`, { snapshot, at });
  });
  await writeEvents(db, outgoing);
  return outgoing;
}
