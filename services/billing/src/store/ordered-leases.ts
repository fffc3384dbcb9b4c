import { inTransaction } from '@tidemark/service';
import { anyOf, column, nullable, type Params, type RowOf, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { BALANCE, LIMIT_PERIOD } from './buckets.ts';
import type { LeaseItem } from './lease-item.ts';
import type { PlanStore } from './plan-store.ts';
import { schema, tables } from './tables.ts';

/** The first day of the current month, UTC. */
const MONTH = sql`date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

type Workspaces = Params<{ readonly workspaces: readonly string[] }>;

/** The accounts of the workspaces and of their payers. */
const isInvolved = ({ workspaces }: Workspaces) =>
  sql`workspace_id = ANY (${workspaces}::text[] || ARRAY(SELECT payer_id FROM accounts WHERE workspace_id = ANY(${workspaces}) AND payer_id IS NOT NULL))`;

const LOCK_PAYERS = schema.prepareText(
  'lock-payers',
  { id: column('text'), is_over: column('bool') },
  (values: Workspaces) => sql`
    SELECT workspace_id AS id, coalesce(period_end <= now(), false) AS is_over FROM accounts
    WHERE ${isInvolved(values)} ORDER BY workspace_id FOR UPDATE`,
);

const ACCOUNT_COLUMNS = {
  id: column('text'),
  payer_id: nullable('text'),
  /** Null: no credit limit, and for sub-accounts. */
  balance: nullable('int8'),
  reserved: column('int8'),
  cap: column('int8'),
  spent: column('int8'),
};

type AccountRow = RowOf<typeof ACCOUNT_COLUMNS>;

const READ_PAYERS = schema.prepareText(
  'read-payers',
  ACCOUNT_COLUMNS,
  (values: Workspaces) => sql`
    SELECT a.workspace_id AS id, a.payer_id, ${BALANCE} AS balance, a.reserved, a.cap,
      CASE WHEN a.cap = 0 THEN 0 ELSE (
        SELECT coalesce(sum(u.credits), 0) FROM usage_days u WHERE u.workspace_id = a.workspace_id AND u.day >= ${MONTH}) END AS spent
    FROM accounts a WHERE ${isInvolved(values)}`,
);

/** What the spend limits of workspaces still allow. */
const READ_LIMITS = schema.prepareText(
  'read-limits',
  { workspace_id: column('text'), subject_id: column('text'), left: column('int8') },
  ({ workspaces }: Workspaces) => sql`
    SELECT s.workspace_id, s.subject_id, s.credits - CASE WHEN s.used_since = ${LIMIT_PERIOD} THEN s.used ELSE 0 END - coalesce(r.credits, 0) AS left
    FROM spend_limits s JOIN accounts USING (workspace_id) LEFT JOIN (
      SELECT workspace_id, of.id, sum(credits) AS credits FROM leases CROSS JOIN LATERAL (VALUES (actor_id), (project_id)) AS of(id)
      WHERE workspace_id = ANY(${workspaces}::text[]) GROUP BY 1, 2
    ) r ON r.workspace_id = s.workspace_id AND r.id = s.subject_id
    WHERE s.workspace_id = ANY(${workspaces}::text[])`,
);

/** Leases to create: the values at each position of the lists. */
interface LeaseValues {
  readonly ids: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly payerIds: readonly (string | null)[];
  readonly credits: readonly number[];
  readonly actorIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly leaseSeconds: number;
}

const RESERVE = schema.prepareText(
  'lease-in-order',
  {},
  ({ ids, workspaceIds, payerIds, credits, actorIds, projectIds, leaseSeconds }: Params<LeaseValues>) => sql`
    WITH requested AS (
      SELECT * FROM unnest(${ids}::text[], ${workspaceIds}::text[], ${payerIds}::text[], ${credits}::int[], ${actorIds}::text[], ${projectIds}::text[])
        AS r(id, workspace_id, payer_id, credits, actor_id, project_id)
    ), created AS (
      INSERT INTO leases (id, workspace_id, credits, actor_id, project_id, expires_at)
      SELECT id, workspace_id, credits, actor_id, project_id, now() + make_interval(secs => ${leaseSeconds}) FROM requested
    )
    UPDATE accounts a SET reserved = a.reserved + c.credits
    FROM (
      SELECT x.id, sum(r.credits) AS credits FROM requested r CROSS JOIN LATERAL (VALUES (r.workspace_id), (r.payer_id)) AS x(id)
      WHERE x.id IS NOT NULL GROUP BY x.id
    ) c WHERE a.workspace_id = c.id`,
);

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
    const locked = await LOCK_PAYERS.rows(db, { workspaces });
    const over = locked.filter((row) => row.is_over).map(({ id }) => id);
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
  const rows = await READ_PAYERS.rows(db, { workspaces });
  return new Map(rows.map((row) => [row.id, row]));
}

async function readLeases(db: pg.PoolClient, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await selectRows(db, tables.selectFrom('leases').select(['id', 'credits']).where('id', '=', anyOf(ids)));
  return new Map(rows.map(({ id, credits }) => [id, credits]));
}

const limitKey = (workspaceId: string, subjectId: string): string => `${workspaceId} ${subjectId}`;

/** Reads what the spend limits of workspaces still allow. */
async function readLimits(db: pg.PoolClient, workspaces: readonly string[]): Promise<Room> {
  const rows = await READ_LIMITS.rows(db, { workspaces });
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
  await RESERVE.change(db, {
    ids: leased.map(({ id }) => id),
    workspaceIds: leased.map(({ workspaceId }) => workspaceId),
    payerIds: leased.map(({ workspaceId }) => accounts.get(workspaceId)?.payer_id ?? null),
    credits: leased.map(({ id }) => granted.get(id)?.granted ?? 0),
    actorIds: leased.map(({ actorId = '' }) => actorId),
    projectIds: leased.map(({ projectId = '' }) => projectId),
    leaseSeconds,
  });
}
