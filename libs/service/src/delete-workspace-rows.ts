import { codeOf } from '@tidemark/errors';
import { changeRows, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';

const BATCH = 5_000;
const FOREIGN_KEY_VIOLATION = '23503';
/** Tables that outlive a workspace: its state, and events that are still to be sent. */
const KEPT = ['workspace_states', 'outbox'];

/**
 * Deletes the rows of a workspace from every table of the service's schema that has the column `workspace_id`, in batches. Rows that others
 * refer to are deleted after these. @throws Error if rows of other workspaces refer to them
 */
export async function deleteWorkspaceRows(
  pool: pg.Pool,
  workspaceId: string,
  { except = [] }: { readonly except?: readonly string[] } = {},
): Promise<void> {
  const kept = [...KEPT, ...except];
  const rows = await selectRows(
    pool,
    sql<{ readonly name: string }>`
      SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = current_schema() AND c.column_name = 'workspace_id' AND t.table_type = 'BASE TABLE' AND c.table_name <> ALL(${kept})`,
  );
  let left = rows.map(({ name }) => name);
  while (left.length > 0) {
    const blocked: string[] = [];
    for (const name of left) if (!(await emptied(pool, name, workspaceId))) blocked.push(name);
    if (blocked.length === left.length)
      throw new Error(`rows of a deleted workspace are referred to: ${blocked.join(', ')}`);
    left = blocked;
  }
}

/** Deletes the rows of one table. @returns false if rows of other tables refer to them */
async function emptied(pool: pg.Pool, table: string, workspaceId: string): Promise<boolean> {
  try {
    const batch = sql`DELETE FROM ${sql.id(table)} WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${sql.id(table)} WHERE workspace_id = ${workspaceId} LIMIT ${sql.lit(BATCH)}))`;
    while ((await changeRows(pool, batch)) >= BATCH);
    return true;
  } catch (error) {
    if (codeOf(error) !== FOREIGN_KEY_VIOLATION) throw error;
    return false;
  }
}
