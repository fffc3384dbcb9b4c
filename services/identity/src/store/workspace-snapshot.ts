import { events } from '@tidemark/contracts';
import type { WorkspaceSnapshot, WorkspaceStanding } from '@tidemark/contracts/identity/v1/identity';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import { type RowOfQuery, selectRow, selectRows, sql } from '@tidemark/sql';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

const SNAPSHOT = [
  'id',
  'version',
  'parent_id as parentId',
  'plan',
  'cap',
  sql<boolean>`welcome_of IS NOT NULL`.as('isWelcome'),
  sql<boolean>`(suspended_at IS NOT NULL OR operator_suspended_at IS NOT NULL)`.as('isSuspended'),
  'last_suspended_at as lastSuspendedAt',
] as const;
const SNAPSHOTS = tables.selectFrom('workspaces').select(SNAPSHOT);
type SnapshotRow = RowOfQuery<typeof SNAPSHOTS>;

const toSnapshot = (row: SnapshotRow, state: WorkspaceStanding): WorkspaceSnapshot => ({
  workspaceId: row.id,
  version: Number(row.version),
  state,
  parentId: row.parentId ?? undefined,
  plan: row.plan,
  cap: Number(row.cap) || undefined,
  isWelcome: row.isWelcome,
  suspendedAt: row.lastSuspendedAt ?? undefined,
});

/** Returns the snapshot of a workspace that other services store; undefined if it does not exist. */
export async function readSnapshot(db: Queryable, workspaceId: string): Promise<WorkspaceSnapshot | undefined> {
  const row = await selectRow(db, SNAPSHOTS.where('id', '=', workspaceId));
  return row && toSnapshot(row, row.isSuspended ? 'suspended' : 'active');
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
  const rows = await selectRows(
    db,
    tables
      .updateTable('workspaces')
      .set({ version: sql`version + 1` })
      .where('id', '=', workspaceId)
      .returning(SNAPSHOT),
  );
  const outgoing = rows.map((row) => {
    const snapshot = toSnapshot(row, isDeleted ? 'deleted' : row.isSuspended ? 'suspended' : 'active');
    return outgoingEvent(events.workspaceChanged, `workspace:${row.id}:${row.version}`, { snapshot, at });
  });
  await writeEvents(db, outgoing);
  return outgoing;
}
