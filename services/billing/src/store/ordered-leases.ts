import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import { BALANCE, LIMIT_PERIOD } from './buckets.ts';
import type { LeaseItem } from './lease-item.ts';
import type { PlanStore } from './plan-store.ts';

/** The first day of the current month, UTC. */
const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** The accounts of the workspaces $1 and of their payers. */
const INVOLVED = `workspace_id = ANY ($1::text[] || ARRAY(SELECT payer_id FROM accounts WHERE workspace_id = ANY($1) AND payer_id IS NOT NULL))`;

interface AccountRow {
  readonly id: string;
  readonly payer_id: string | null;
  /** Null: no credit limit, and for sub-accounts. */
  readonly balance: string | null;
  readonly reserved: string;
  readonly cap: string;
  readonly spent: string;
}

/** What an item was granted, and whose spend limit refused it. */
export interface OrderedGrant {
  readonly granted: number;
  readonly refusedBy?: string | undefined;
}

/** Credits that an account or spend limit still allows to reserve, by id of the account or key of the limit; `Infinity`: no limit. */
type Room = Map<string, number>;

/**
 * Reserves credits for work of sub-accounts and of workspaces with spend limits: at the payer's account, up to the cap of the sub-account and
 * to the limits of the key, person and project. Locks the accounts of workspaces and payers in order of their id, as all statements of the
 * ledger do. A lease that exists keeps its grant.
 * @returns grants, by id
 */
export function leaseInOrder(
  pool: pg.Pool,
  items: readonly LeaseItem[],
  { plans, leaseSeconds }: { readonly plans: PlanStore; readonly leaseSeconds: number },
): Promise<Map<string, OrderedGrant>> {
  const workspaces = [...new Set(items.map(({ workspaceId }) => workspaceId))];
  return inTransaction(pool, async (db) => {
    const locked = await db.query<{ id: string; is_over: boolean }>({
      name: 'lock-payers',
      text: `SELECT workspace_id AS id, coalesce(period_end <= now(), false) AS is_over FROM accounts
        WHERE ${INVOLVED} ORDER BY workspace_id FOR UPDATE`,
      values: [workspaces],
    });
    const over = locked.rows.filter((row) => row.is_over).map(({ id }) => id);
    if (over.length > 0) await plans.beginPeriodsIn(db, over);
    // After the locks: a statement sees what was committed before it began.
    const accounts = await readAccounts(db, workspaces);
    const held = await readLeases(
      db,
      items.map(({ id }) => id),
    );
    const room: Room = new Map([...accounts].map(([id, account]) => [id, roomOf(account)]));
    for (const [key, left] of await readLimits(db, workspaces)) room.set(key, left);
    const granted = grantInOrder(
      { accounts, room },
      items.filter(({ id }) => !held.has(id)),
    );
    await reserve(db, { accounts, items, granted, leaseSeconds });
    return new Map([...[...held].map(([id, credits]) => [id, { granted: credits }] as const), ...granted]);
  });
}

async function readAccounts(db: pg.PoolClient, workspaces: readonly string[]): Promise<Map<string, AccountRow>> {
  const { rows } = await db.query<AccountRow>({
    name: 'read-payers',
    text: `
      SELECT a.workspace_id AS id, a.payer_id, ${BALANCE} AS balance, a.reserved, a.cap,
        CASE WHEN a.cap = 0 THEN 0 ELSE (
          SELECT coalesce(sum(u.credits), 0) FROM usage_days u WHERE u.workspace_id = a.workspace_id AND u.day >= ${MONTH}) END AS spent
      FROM accounts a WHERE ${INVOLVED}`,
    values: [workspaces],
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

const limitKey = (workspaceId: string, subjectId: string): string => `${workspaceId} ${subjectId}`;

/** Reads what the spend limits of workspaces still allow. */
async function readLimits(db: pg.PoolClient, workspaces: readonly string[]): Promise<Room> {
  const { rows } = await db.query<{ workspace_id: string; subject_id: string; left: string }>({
    name: 'read-limits',
    text: `
      SELECT s.workspace_id, s.subject_id, s.credits - CASE WHEN s.used_since = ${LIMIT_PERIOD} THEN s.used ELSE 0 END - coalesce(r.credits, 0) AS left
      FROM spend_limits s JOIN accounts USING (workspace_id) LEFT JOIN (
        SELECT workspace_id, of.id, sum(credits) AS credits FROM leases CROSS JOIN LATERAL (VALUES (actor_id), (project_id)) AS of(id)
        WHERE workspace_id = ANY($1) GROUP BY 1, 2
      ) r ON r.workspace_id = s.workspace_id AND r.id = s.subject_id
      WHERE s.workspace_id = ANY($1)`,
    values: [workspaces],
  });
  return new Map(rows.map((row) => [limitKey(row.workspace_id, row.subject_id), Number(row.left)]));
}

/** Grants items in order. An item that exceeds the remaining credits gets nothing, so that later ones can be granted. */
function grantInOrder(
  { accounts, room }: { readonly accounts: ReadonlyMap<string, AccountRow>; readonly room: Room },
  items: readonly LeaseItem[],
): Map<string, OrderedGrant> {
  const grants = new Map<string, OrderedGrant>();
  for (const item of items) {
    const { id, workspaceId, maxCredits } = item;
    if (grants.has(id)) continue;
    const least = Math.max(item.minCredits, 1);
    const payer = accounts.get(workspaceId)?.payer_id ?? workspaceId;
    const limited = [item.actorId, item.projectId].flatMap((subject) => {
      const key = limitKey(workspaceId, subject ?? '');
      return subject !== undefined && room.has(key) ? [{ subject, key }] : [];
    });
    const keys = new Set([workspaceId, payer, ...limited.map(({ key }) => key)]);
    const credits = Math.min(maxCredits, ...[...keys].map((key) => room.get(key) ?? 0));
    if (credits < least) {
      const refusedBy = limited.find(({ key }) => (room.get(key) ?? 0) < least)?.subject;
      grants.set(id, { granted: 0, refusedBy });
      continue;
    }
    grants.set(id, { granted: credits });
    for (const key of keys) room.set(key, (room.get(key) ?? 0) - credits);
  }
  return grants;
}

function roomOf({ payer_id, balance, reserved, cap, spent }: AccountRow): number {
  if (payer_id !== null)
    return Number(cap) === 0 ? Number.POSITIVE_INFINITY : Number(cap) - Number(spent) - Number(reserved);
  return balance === null ? Number.POSITIVE_INFINITY : Number(balance) - Number(reserved);
}

interface Grants {
  readonly accounts: ReadonlyMap<string, AccountRow>;
  readonly items: readonly LeaseItem[];
  readonly granted: ReadonlyMap<string, OrderedGrant>;
  readonly leaseSeconds: number;
}

async function reserve(db: pg.PoolClient, { accounts, items, granted, leaseSeconds }: Grants): Promise<void> {
  const leased = [
    ...new Map(items.filter(({ id }) => (granted.get(id)?.granted ?? 0) > 0).map((item) => [item.id, item])).values(),
  ];
  if (leased.length === 0) return;
  await db.query({
    name: 'lease-in-order',
    text: `
      WITH requested AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int[], $6::text[], $7::text[])
          AS r(id, workspace_id, payer_id, credits, actor_id, project_id)
      ), created AS (
        INSERT INTO leases (id, workspace_id, credits, actor_id, project_id, expires_at)
        SELECT id, workspace_id, credits, actor_id, project_id, now() + make_interval(secs => $5) FROM requested
      )
      UPDATE accounts a SET reserved = a.reserved + c.credits
      FROM (
        SELECT x.id, sum(r.credits) AS credits FROM requested r CROSS JOIN LATERAL (VALUES (r.workspace_id), (r.payer_id)) AS x(id)
        WHERE x.id IS NOT NULL GROUP BY x.id
      ) c WHERE a.workspace_id = c.id`,
    values: [
      leased.map(({ id }) => id),
      leased.map(({ workspaceId }) => workspaceId),
      leased.map(({ workspaceId }) => accounts.get(workspaceId)?.payer_id ?? null),
      leased.map(({ id }) => granted.get(id)?.granted ?? 0),
      leaseSeconds,
      leased.map(({ actorId = '' }) => actorId),
      leased.map(({ projectId = '' }) => projectId),
    ],
  });
}
