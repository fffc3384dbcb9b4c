import { type Params, type RawBuilder, sql } from '@tidemark/sql';
import { LIMIT_PERIOD } from './buckets.ts';
import { schema } from './tables.ts';

/** Adds the accounts that pay for the workspaces of `due` to those that are locked. Accounts are locked in order of their id. */
export const LOCKED = sql`
  SELECT workspace_id, payer_id, allowance, allowance_left, welcome_left, purchased_left, period_start, has_limits FROM accounts
  WHERE workspace_id = ANY (ARRAY(
    SELECT workspace_id FROM due
    UNION SELECT payer_id FROM accounts WHERE payer_id IS NOT NULL AND workspace_id IN (SELECT workspace_id FROM due)))
  ORDER BY workspace_id FOR UPDATE`;

/** The workspace of a row `l` and the workspace that pays for it. */
export const WITH_PAYER = sql`CROSS JOIN LATERAL (VALUES (l.workspace_id), (l.payer_id)) AS of(id)`;

/** The part of a charge, from `after - credits` to `after` of the batch, that lies between two bounds. */
const part = (low: RawBuilder<unknown>, high: RawBuilder<unknown>) =>
  sql`greatest(least(after, ${high}) - greatest(after - credits, ${low}), 0)`;

/** Charges: the values at each position of the lists. */
interface Charges {
  readonly refs: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly kinds: readonly string[];
  readonly credits: readonly number[];
  readonly pages: readonly number[];
  readonly times: readonly Date[];
  readonly actorIds: readonly string[];
  readonly projectIds: readonly string[];
}

/**
 * Charges a batch and releases its leases. Credits are taken from the allowance, then from the welcome credits, then from purchased ones; the
 * rest is overage. Plans without a credit limit have no buckets to take from. A charge that is in the ledger already changes nothing.
 * A duplicate that is committed while the statement waits for its locks can move a charge of the batch to a later bucket; the sums
 * of the ledger and the account stay equal.
 */
export const SETTLE = schema.prepareText(
  'settle',
  {},
  ({ refs, workspaceIds, kinds, credits, pages, times, actorIds, projectIds }: Params<Charges>) => sql`
  WITH due AS (
    SELECT DISTINCT ON (workspace_id, kind, ref) *
    FROM unnest(${refs}::text[], ${workspaceIds}::text[], ${kinds}::text[], ${credits}::int[], ${pages}::int[], ${times}::timestamptz[],
      ${actorIds}::text[], ${projectIds}::text[])
      WITH ORDINALITY AS s(ref, workspace_id, kind, credits, pages, at, actor_id, project_id, n)
  ), locked AS (${LOCKED}), fresh AS (
    SELECT s.*, l.payer_id, coalesce(l.payer_id, l.workspace_id) AS account_id,
      sum(s.credits) OVER (PARTITION BY coalesce(l.payer_id, l.workspace_id) ORDER BY s.n) AS after
    FROM due s JOIN locked l USING (workspace_id)
    WHERE NOT EXISTS (SELECT 1 FROM ledger e WHERE e.workspace_id = s.workspace_id AND e.kind = s.kind AND e.ref = s.ref)
  ), taken AS (
    SELECT f.*,
      CASE WHEN p.allowance IS NULL THEN 0 ELSE ${part(sql`0`, sql`b.allowance`)} END AS allowance,
      CASE WHEN p.allowance IS NULL THEN 0 ELSE ${part(sql`b.allowance`, sql`b.welcome`)} END AS welcome,
      CASE WHEN p.allowance IS NULL THEN 0 ELSE ${part(sql`b.welcome`, sql`b.purchased`)} END AS purchased,
      CASE WHEN p.allowance IS NULL THEN 0 ELSE ${part(sql`b.purchased`, sql`after`)} END AS overage
    FROM fresh f LEFT JOIN locked p ON p.workspace_id = f.account_id
    CROSS JOIN LATERAL (SELECT p.allowance_left AS allowance, p.allowance_left + p.welcome_left AS welcome,
      p.allowance_left + p.welcome_left + greatest(p.purchased_left, 0) AS purchased) b
  ), entry AS (
    INSERT INTO ledger (workspace_id, kind, ref, credits, created_at, payer_id, actor_id, project_id, allowance, welcome, purchased, overage)
    SELECT workspace_id, kind, ref, -credits, at, payer_id, actor_id, project_id, -allowance, -welcome, -purchased, -overage FROM taken
    ON CONFLICT (workspace_id, kind, ref) DO NOTHING
    RETURNING workspace_id, kind, ref, coalesce(payer_id, workspace_id) AS account_id, allowance, welcome, purchased, overage
  ), released AS (
    DELETE FROM leases l USING due s JOIN locked USING (workspace_id)
    WHERE l.id = s.ref AND l.workspace_id = s.workspace_id RETURNING l.workspace_id, l.credits
  ), usage AS (
    INSERT INTO usage_days AS u (workspace_id, day, kind, actor_id, project_id, pages, credits)
    SELECT s.workspace_id, (s.at AT TIME ZONE 'UTC')::date, s.kind, s.actor_id, s.project_id, sum(s.pages), sum(s.credits)
    FROM due s JOIN entry e USING (workspace_id, kind, ref) GROUP BY 1, 2, 3, 4, 5
    ON CONFLICT (workspace_id, day, kind, actor_id, project_id)
    DO UPDATE SET pages = u.pages + excluded.pages, credits = u.credits + excluded.credits
  ), limited AS (
    UPDATE spend_limits x SET used = CASE WHEN x.used_since = c.since THEN x.used ELSE 0 END + c.credits, used_since = c.since
    FROM (
      SELECT s.workspace_id, of.id, ${LIMIT_PERIOD} AS since, sum(s.credits) AS credits
      FROM due s JOIN entry e USING (workspace_id, kind, ref) JOIN locked l USING (workspace_id)
      CROSS JOIN LATERAL (VALUES (s.actor_id), (s.project_id)) AS of(id) WHERE l.has_limits GROUP BY 1, 2, 3
    ) c WHERE x.workspace_id = c.workspace_id AND x.subject_id = c.id
  ), change AS (
    SELECT id, sum(allowance) AS allowance, sum(welcome) AS welcome, sum(purchased) AS purchased, sum(overage) AS overage, sum(released) AS released
    FROM (
      SELECT account_id AS id, allowance, welcome, purchased, overage, 0 AS released FROM entry
      UNION ALL
      SELECT of.id, 0, 0, 0, 0, x.credits FROM released x JOIN locked l USING (workspace_id) ${WITH_PAYER} WHERE of.id IS NOT NULL
    ) c GROUP BY id
  )
  UPDATE accounts a SET allowance_left = a.allowance_left + c.allowance, welcome_left = a.welcome_left + c.welcome,
    purchased_left = a.purchased_left + c.purchased, overage_used = a.overage_used - c.overage, reserved = a.reserved - c.released
  FROM change c WHERE a.workspace_id = c.id`,
);
