import type { LogEvent, LogLine } from '@tidemark/contracts/crawl/v1/crawl';
import { column, type Expression, type Params, type RawBuilder, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { LogNote } from '../../domain/run/run-log-text.ts';
import { schema } from '../tables.ts';

/** Lines returned per run: four kinds have at most 102 lines each, the others two. */
const MAX_LINES = 500;
/** Lines of one kind per run; further lines share one subject. */
const MAX_LINES_PER_KIND = 80;
const BATCH_NOTES = 20;

/**
 * Returns SQL that writes lines into logs, as a part of the statement they describe. Of lines with the same kind and subject the first and the last
 * are kept. `source`: a query of run_no, what, subject, why, once.
 */
export const insertLog = (source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  INSERT INTO run_log AS g (run_no, what, subject, is_last, why)
  SELECT d.run_no, d.what, d.subject,
    EXISTS (SELECT FROM run_log f WHERE f.run_no = d.run_no AND f.what = d.what AND f.subject = d.subject AND NOT f.is_last), left(d.why, 500)
  FROM (
    SELECT DISTINCT ON (l.run_no, l.what, k.subject) l.run_no, l.what, k.subject, l.why, l.place
    FROM (SELECT *, row_number() OVER () AS place FROM (${source}) AS s (run_no, what, subject, why, once)) l CROSS JOIN LATERAL (
      SELECT CASE WHEN (SELECT count(*) FROM run_log c WHERE c.run_no = l.run_no AND c.what = l.what) < ${sql.lit(MAX_LINES_PER_KIND)}
        THEN left(l.subject, 200) ELSE '' END AS subject) k
    WHERE NOT (l.once AND EXISTS (
      SELECT FROM run_log f WHERE f.run_no = l.run_no AND f.what = l.what AND f.subject = left(l.subject, 200)))
    ORDER BY l.run_no, l.what, k.subject, l.place DESC
  ) d ORDER BY d.place
  ON CONFLICT (run_no, what, subject, is_last)
    DO UPDATE SET at = clock_timestamp(), why = excluded.why, times = g.times + 1, seq = excluded.seq`;

/** Returns SQL that writes one line for each row of a CTE with a column `no`. */
export const logOf = (part: string, what: Expression<string>, why: Expression<string>): RawBuilder<unknown> =>
  insertLog(sql`SELECT no, ${what}::text, '', ${why}::text, false FROM ${sql.ref(part)}`);

/** Writes a line with constant words for each row of a CTE with a column `no`. */
export const logWords = (part: string, what: LogEvent, why: string): RawBuilder<unknown> =>
  logOf(part, sql.lit(what), sql.lit(why));

interface NoteRunValues {
  readonly runNo: bigint | string;
  readonly what: readonly string[];
  readonly subjects: readonly string[];
  readonly why: readonly string[];
  readonly once: readonly boolean[];
}

const NOTE = schema.prepareText(
  'note-run',
  {},
  (v: Params<NoteRunValues>) =>
    sql`${insertLog(sql`SELECT ${v.runNo}::bigint, * FROM unnest(${v.what}::text[], ${v.subjects}::text[], ${v.why}::text[], ${v.once}::bool[])`)}`,
);

const READ = schema.prepareText(
  'read-log',
  { at: column('timestamptz'), what: stateOf<LogEvent>(), why: column('text'), times: column('int4') },
  ({ runNo, limit }: Params<{ readonly runNo: bigint | string; readonly limit: number }>) =>
    sql`SELECT at, what, why, times FROM run_log WHERE run_no = ${runNo} ORDER BY at, seq LIMIT ${limit}`,
);

/** Writes lines of one run. The transaction must have the run locked. */
export async function noteRun(
  client: pg.PoolClient | pg.Pool,
  runNo: string | bigint,
  notes: readonly LogNote[],
): Promise<void> {
  for (let from = 0; from < notes.length; from += BATCH_NOTES) {
    const batch = notes.slice(from, from + BATCH_NOTES);
    await NOTE.change(client, {
      runNo,
      what: batch.map(({ what }) => what),
      subjects: batch.map(({ subject }) => subject ?? ''),
      why: batch.map(({ why }) => why),
      once: batch.map(({ once }) => once ?? false),
    });
  }
}

/** Returns the log of a run, oldest first. */
export async function readLog(pool: pg.Pool, runNo: bigint): Promise<LogLine[]> {
  const rows = await READ.rows(pool, { runNo, limit: MAX_LINES });
  return rows.map(({ at, what, why, times }) => ({
    at,
    what,
    why: times === 1 ? why : `${why} (the last of ${times} similar lines)`,
  }));
}
