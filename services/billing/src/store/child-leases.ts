import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { BALANCE } from './buckets.ts';
import type { LeaseItem } from './lease-item.ts';
import type { PlanStore } from './plan-store.ts';

/** The first day of the current month, UTC. */
const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** The accounts of the sub-accounts $1 and of their payers. */
const OF_CHILDREN = `workspace_id = ANY ($1::text[] || ARRAY(SELECT payer_id FROM accounts WHERE workspace_id = ANY($1) AND payer_id IS NOT NULL))`;

interface AccountRow {
  readonly id: string;
  readonly payer_id: string | null;
  /** Null: no credit limit, and for sub-accounts. */
  readonly balance: string | null;
  readonly reserved: string;
  readonly cap: string;
  readonly spent: string;
}

/** Credits that an account may still reserve; `Infinity`: no limit. */
type Room = Map<string, number>;

/**
 * Reserves credits for work of sub-accounts: at their payer's account, up to their cap. Locks the accounts of payers and sub-accounts in
 * order of their id, as all statements of the ledger do. A lease that exists keeps its grant.
 * @returns credits granted, by id
 */
export function leaseForChildren(
  pool: pg.Pool,
  items: readonly LeaseItem[],
  { plans, leaseSeconds }: { readonly plans: PlanStore; readonly leaseSeconds: number },
): Promise<Map<string, number>> {
  const children = [...new Set(items.map(({ workspaceId }) => workspaceId))];
  return inTransaction(pool, async (db) => {
    const locked = await db.query<{ id: string; is_over: boolean }>({
      name: 'lock-payers',
      text: `SELECT workspace_id AS id, coalesce(period_end <= now(), false) AS is_over FROM accounts
        WHERE ${OF_CHILDREN} ORDER BY workspace_id FOR UPDATE`,
      values: [children],
    });
    const over = locked.rows.filter((row) => row.is_over).map(({ id }) => id);
    if (over.length > 0) await plans.beginPeriodsIn(db, over);
    // After the locks: a statement sees what was committed before it began.
    const accounts = await readAccounts(db, children);
    const held = await readLeases(
      db,
      items.map(({ id }) => id),
    );
    const granted = grantInOrder(
      accounts,
      items.filter(({ id }) => !held.has(id)),
    );
    await reserve(db, { accounts, items, granted, leaseSeconds });
    return new Map([...held, ...granted]);
  });
}

async function readAccounts(db: pg.PoolClient, children: readonly string[]): Promise<Map<string, AccountRow>> {
  const { rows } = await db.query<AccountRow>({
    name: 'read-payers',
    text: `
      SELECT a.workspace_id AS id, a.payer_id, ${BALANCE} AS balance, a.reserved, a.cap,
        CASE WHEN a.cap = 0 THEN 0 ELSE (
          SELECT coalesce(sum(u.credits), 0) FROM usage_days u WHERE u.workspace_id = a.workspace_id AND u.day >= ${MONTH}) END AS spent
      FROM accounts a WHERE ${OF_CHILDREN}`,
    values: [children],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

async function readLeases(db: pg.PoolClient, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; credits: number }>({
    name: 'read-leases',
    text: 'SELECT id, credits FROM leases WHERE id = ANY($1)',
    values: [ids],
  });
  return new Map(rows.map(({ id, credits }) => [id, credits]));
}

/** Grants items in order. An item that exceeds the remaining credits gets nothing, so that later ones can be granted. */
function grantInOrder(accounts: ReadonlyMap<string, AccountRow>, items: readonly LeaseItem[]): Map<string, number> {
  const room: Room = new Map([...accounts].map(([id, account]) => [id, roomOf(account)]));
  const granted = new Map<string, number>();
  for (const { id, workspaceId, maxCredits, minCredits } of items) {
    const payer = accounts.get(workspaceId)?.payer_id ?? '';
    const left = Math.min(room.get(workspaceId) ?? 0, room.get(payer) ?? 0);
    const credits = Math.min(maxCredits, left);
    if (credits < Math.max(minCredits, 1) || granted.has(id)) continue;
    granted.set(id, credits);
    for (const account of [workspaceId, payer]) room.set(account, (room.get(account) ?? 0) - credits);
  }
  return granted;
}

function roomOf({ payer_id, balance, reserved, cap, spent }: AccountRow): number {
  if (payer_id !== null)
    return Number(cap) === 0 ? Number.POSITIVE_INFINITY : Number(cap) - Number(spent) - Number(reserved);
  return balance === null ? Number.POSITIVE_INFINITY : Number(balance) - Number(reserved);
}

interface Grants {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  readonly items: readonly LeaseItem[];
  readonly granted: ReadonlyMap<string, number>;
  readonly leaseSeconds: number;
}

async function reserve(db: pg.PoolClient, { accounts, items, granted, leaseSeconds }: Grants): Promise<void> {
  const leased = [...new Map(items.filter(({ id }) => granted.has(id)).map((item) => [item.id, item])).values()];
  if (leased.length === 0) return;
  await db.query({
    name: 'lease-for-children',
    text: `
      WITH requested AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[]) AS r(id, workspace_id, payer_id, credits)
      ), created AS (
        INSERT INTO leases (id, workspace_id, credits, expires_at)
        SELECT id, workspace_id, credits, now() + make_interval(secs => $5) FROM requested
      )
      UPDATE accounts a SET reserved = a.reserved + c.credits
      FROM (
        SELECT x.id, sum(r.credits) AS credits FROM requested r CROSS JOIN LATERAL (VALUES (r.workspace_id), (r.payer_id)) AS x(id) GROUP BY x.id
      ) c WHERE a.workspace_id = c.id`,
    values: [
      leased.map(({ id }) => id),
      leased.map(({ workspaceId }) => workspaceId),
      leased.map(({ workspaceId }) => accounts.get(workspaceId)?.payer_id ?? ''),
      leased.map(({ id }) => granted.get(id) ?? 0),
      leaseSeconds,
    ],
  });
}
