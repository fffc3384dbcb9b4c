import { sql } from '@tidemark/sql';

/**
 * Credits that a workspace may still use, apart from those reserved for work in progress: an expression over a row of `accounts`. NULL: no
 * limit, because the plan has none or its overage has no cap.
 */
export const BALANCE = sql<
  string | null
>`(allowance_left + welcome_left + purchased_left + overage_room - overage_used)`;

/** Begin of the period of the spend limits of a workspace, as an expression over a row of `accounts`: the calendar month (UTC) without periods. */
export const LIMIT_PERIOD = sql<Date>`coalesce(period_start, date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC')`;

/** Credits that may still be reserved; NULL: no limit. */
export const AVAILABLE = sql<string | null>`(${BALANCE} - reserved)`;
