import type { HeldHost } from '@tidemark/contracts/crawl/v1/crawl';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../tables.ts';
import { insertLog } from './run-log.ts';

const MAX_HOSTS = 100;
const MAX_HOST_CHARS = 300;
const MAX_WHY_CHARS = 300;
/** Maximum duration of one report, seconds. */
const MAX_HOLD_SECONDS = 86_400;

/** Holds that are new or have another reason; an extended hold is already in the log. */
const BEGUN = sql`
  SELECT n.run_no, 'held', n.host,
    n.host || ' is not requested until ' || to_char(n.until AT TIME ZONE 'UTC', 'HH24:MI:SS "UTC"') || ': ' || n.why, false
  FROM noted n WHERE NOT EXISTS (SELECT FROM before b WHERE b.host = n.host AND b.why = n.why)
  ORDER BY n.host LIMIT 20`;

interface NoteHeldHostsValues {
  readonly runId: string;
  readonly hosts: readonly string[];
  readonly until: readonly (Date | undefined)[];
  readonly why: readonly string[];
  readonly maxSeconds: number;
}

const NOTE = schema.prepareText(
  'note-held-hosts',
  {},
  (v: Params<NoteHeldHostsValues>) => sql`
    WITH before AS (
      SELECT h.host, h.why FROM runs r JOIN held_hosts h ON h.run_no = r.no
      WHERE r.id = ${v.runId} AND h.host = ANY(${v.hosts}) AND h.until > now()
    ), noted AS (
      INSERT INTO held_hosts AS h (run_no, host, until, why)
      SELECT r.no, s.host, least(s.until, now() + make_interval(secs => ${v.maxSeconds})), s.why
      FROM runs r, unnest(${v.hosts}::text[], ${v.until}::timestamptz[], ${v.why}::text[]) AS s(host, until, why)
      WHERE r.id = ${v.runId} AND r.status = 'running' AND s.until > now() ORDER BY s.host
      ON CONFLICT (run_no, host) DO UPDATE SET until = excluded.until, why = excluded.why
        WHERE h.why <> excluded.why OR abs(extract(epoch FROM h.until - excluded.until)) > 1
      RETURNING h.run_no, h.host, h.until, h.why
    )
    ${insertLog(BEGUN)}`,
);

const HELD = schema.prepareText(
  'held-hosts',
  { host: column('text'), until: column('timestamptz'), why: column('text') },
  ({ runNo, limit }: Params<{ readonly runNo: bigint | string; readonly limit: number }>) => sql`
    SELECT h.host, h.until, h.why FROM held_hosts h CROSS JOIN LATERAL (
      SELECT FROM frontier f WHERE f.run_no = h.run_no AND f.host = h.host
        AND f.number IS NULL AND f.capture_id IS NOT NULL AND f.status = 'dispatched' LIMIT 1) f
    WHERE h.run_no = ${runNo} AND h.until > now() ORDER BY h.host LIMIT ${limit}`,
);

const DELETE_EXPIRED = schema.prepareText(
  'delete-expired-holds',
  {},
  () => sql`DELETE FROM held_hosts WHERE until < now()`,
);

/** Hosts that pages of runs wait for, as reported by workers. */
export class HeldHostStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Stores reported hosts of a running run; a repeated report changes nothing. */
  async record(runId: string, held: readonly HeldHost[]): Promise<void> {
    const valid = held.slice(0, MAX_HOSTS).filter(({ host, until }) => host !== '' && until !== undefined);
    if (valid.length === 0) return;
    const byHost = new Map(valid.map((each) => [each.host.slice(0, MAX_HOST_CHARS), each]));
    await NOTE.change(this.#pool, {
      runId,
      hosts: [...byHost.keys()],
      until: [...byHost.values()].map(({ until }) => until),
      why: [...byHost.values()].map(({ why }) => why.slice(0, MAX_WHY_CHARS)),
      maxSeconds: MAX_HOLD_SECONDS,
    });
  }

  /** Returns the hosts that are held at this moment and that pages of the run wait for. */
  async of(runNo: bigint): Promise<HeldHost[]> {
    const rows = await HELD.rows(this.#pool, { runNo, limit: MAX_HOSTS });
    return rows;
  }

  /** Deletes expired holds. */
  async deleteExpired(): Promise<void> {
    await DELETE_EXPIRED.change(this.#pool, {});
  }
}
