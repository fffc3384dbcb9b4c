import type { Database } from './database.ts';

/**
 * Takes an advisory lock of PostgreSQL for each key, in the order of the list, and holds it until the end of the transaction. Callers that lock
 * several keys sort them, which rules out deadlocks.
 */
export async function lockUntilCommit(
  db: Database,
  keys: readonly string[],
  mode: 'exclusive' | 'shared' = 'exclusive',
): Promise<void> {
  const lock = mode === 'exclusive' ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
  const text = `SELECT ${lock}(hashtextextended(key, 0)) FROM unnest($1::text[]) AS k(key)`;
  await db.query({ name: `lock-${mode}`, text, values: [keys] });
}
