import type pg from 'pg';
import { isListedToEnd, type ListState } from '../domain/list-state.ts';
import { dropRecorded } from './recorded-page-store.ts';

/** Maximum number of pages per statement. */
export const PAGES_AT_ONCE = 1_000;
const WORDS_AT_ONCE = 5_000;
/** Must exceed the delay of a page that ended with its run. */
const FINAL_CHECK_HOURS = 48;
/** The newest full run is listed soon after it has ended; before that it is unknown which pages it could not read. */
const WAIT_MINUTES = 1;

/** Verdicts of captures that can be compared with others. */
const IS_GOOD = `IN ('ok', 'thin')`;
/** Verdicts of pages that were read: earlier captures of them are not needed. */
const IS_READ = `IN ('ok', 'thin', 'cached', 'skipped')`;

export interface DeletedRow {
  readonly row: Buffer;
}

/** A discarded run and the progress of its deletion. */
export interface DiscardedRun {
  readonly jobId: string;
  readonly workspaceId: string;
  /** Empty: a run without a project, or one of which no event arrived. */
  readonly projectId: string;
  readonly neededBy: string;
  readonly seenTo: string;
  readonly kept: number;
  readonly wasEmptied: boolean;
  /** Number of its row in `runs`; undefined without one. */
  readonly no: string | undefined;
}

/** The next pages of a discarded run. */
export interface DiscardBatch {
  /** The project whose newest full run decides which of these pages are kept. */
  readonly projectId: string;
  readonly seen: readonly { readonly id: string; readonly stays: boolean }[];
}

interface ClaimedRow {
  readonly job_id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly needed_by: string;
  readonly seen_to: string;
  readonly kept: number;
  readonly emptied: boolean;
  readonly no: string | null;
}

/** Locks one discarded run that is due. */
export async function claimDiscarded(client: pg.PoolClient): Promise<DiscardedRun | undefined> {
  const { rows } = await client.query<ClaimedRow>({
    name: 'take-discarded',
    text: `
      SELECT d.job_id, d.workspace_id, d.project_id, d.needed_by, d.seen_to, d.kept, d.emptied_at IS NOT NULL AS emptied, (
        SELECT no FROM runs WHERE id = d.job_id AND workspace_id = d.workspace_id) AS no
      FROM discarded_runs d WHERE d.due <= now() ORDER BY d.due LIMIT 1 FOR UPDATE OF d SKIP LOCKED`,
  });
  const [row] = rows;
  if (row === undefined) return undefined;
  return {
    jobId: row.job_id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    neededBy: row.needed_by,
    seenTo: row.seen_to,
    kept: row.seen_to === '' ? 0 : row.kept,
    wasEmptied: row.emptied,
    no: row.no ?? undefined,
  };
}

/** Returns the next pages of the run, and which of them are kept. @returns undefined if that is not known yet: the run is postponed */
export async function nextBatchOf(client: pg.PoolClient, run: DiscardedRun): Promise<DiscardBatch | undefined> {
  const newest = run.neededBy === '' ? undefined : await newestOf(client, run);
  if (newest === 'waits') {
    await client.query({
      name: 'wait-discarded',
      text: `UPDATE discarded_runs SET due = now() + make_interval(mins => ${WAIT_MINUTES}) WHERE job_id = $1`,
      values: [run.jobId],
    });
    return undefined;
  }
  const projectId = newest?.projectId ?? run.projectId;
  const { rows } = await client.query<{ id: string; stays: boolean }>({
    name: newest === undefined ? 'rest-of-discarded' : 'needed-of-discarded',
    text: `
      SELECT p.id, ${newest === undefined ? 'false' : STAYS} AS stays FROM pages p
      WHERE p.workspace_id = $1 AND p.job_id = $2 AND p.id > $3 ORDER BY p.id LIMIT $4`,
    values: [
      run.workspaceId,
      run.jobId,
      run.seenTo,
      PAGES_AT_ONCE,
      ...(newest === undefined ? [] : [newest.no, projectId]),
    ],
  });
  return { projectId, seen: rows };
}

/**
 * The newest good capture of a URL that the newest full run ($5) of the project ($6) could not read. Other captures are looked up by run of
 * the project: a well-known URL has captures in every workspace.
 */
const STAYS = `(p.verdict ${IS_GOOD}
  AND EXISTS (SELECT FROM run_pages n WHERE n.url_key = p.url_key AND n.run_no = $5 AND n.verdict NOT ${IS_READ})
  AND NOT EXISTS (
    SELECT FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_pages WHERE url_key = p.url_key AND run_no = r.no OFFSET 0) g
    WHERE r.workspace_id = $1 AND r.project_id = $6 AND g.verdict ${IS_GOOD} AND (g.crawled_at, g.page_id) > (p.crawled_at, p.id)))`;

/** Returns the newest full run; `waits` if it is not listed to its end. */
async function newestOf(client: pg.PoolClient, { workspaceId, neededBy }: DiscardedRun) {
  const { rows } = await client.query<{ no: string; project_id: string; state: ListState }>({
    name: 'newest-full-run',
    text: 'SELECT no, project_id, state FROM runs WHERE id = $2 AND workspace_id = $1',
    values: [workspaceId, neededBy],
  });
  const [row] = rows;
  // If the newest run is discarded, that event sets another `needed_by` here.
  if (row === undefined || !isListedToEnd(row)) return 'waits' as const;
  return { no: row.no, projectId: row.project_id };
}

/** Deletes the pages that are not kept. @returns their rows */
export async function deleteUnneeded(
  client: pg.PoolClient,
  run: DiscardedRun,
  { seen }: DiscardBatch,
): Promise<DeletedRow[]> {
  const ids = seen.flatMap(({ id, stays }) => (stays ? [] : [id]));
  const { rows } = await client.query<DeletedRow & { id: string; url_key: Buffer | null }>({
    name: 'discard-pages',
    text: 'DELETE FROM pages WHERE id = ANY($1) RETURNING id, url_key, row',
    values: [ids],
  });
  if (run.no === undefined) return rows;
  await client.query({
    name: 'discard-run-pages',
    text: `
      DELETE FROM run_pages WHERE ctid = ANY(ARRAY(
        SELECT t.ctid FROM unnest($2::text[], $3::bytea[]) AS k(id, url_key) CROSS JOIN LATERAL (
          SELECT ctid FROM run_pages WHERE url_key = k.url_key AND run_no = $1 AND page_id = k.id LIMIT 1) t))`,
    values: [run.no, rows.map(({ id }) => id), rows.map(({ url_key: key }) => key ?? Buffer.alloc(0))],
  });
  // A discarded run is not searched.
  await client.query({
    name: 'discard-run-words',
    text: `
      DELETE FROM run_words WHERE run_no = $1 AND number = ANY (ARRAY(SELECT number FROM run_words WHERE run_no = $1 LIMIT ${WORDS_AT_ONCE}))`,
    values: [run.no],
  });
  return rows;
}

/**
 * Stores the progress of a discarded run. It is processed once more after its end, because a late page event arrives without its run.
 * A run with kept pages stays in the table.
 */
export async function recordProgress(
  client: pg.PoolClient,
  run: DiscardedRun,
  { projectId, seen }: DiscardBatch,
): Promise<void> {
  const kept = run.kept + seen.filter(({ stays }) => stays).length;
  const last = seen.at(-1);
  if (seen.length === PAGES_AT_ONCE && last !== undefined) {
    await client.query({
      name: 'seen-discarded',
      text: 'UPDATE discarded_runs SET seen_to = $2, kept = $3, project_id = $4 WHERE job_id = $1',
      values: [run.jobId, last.id, kept, projectId],
    });
    return;
  }
  if (await dropRecorded(client, run.jobId)) return;
  if (kept === 0 && run.no !== undefined && (await deleteRun(client, run.no))) return;
  const isDeleted = kept === 0 && run.wasEmptied;
  await client.query({
    name: isDeleted ? 'forget-discarded' : 'empty-discarded',
    text: isDeleted
      ? 'DELETE FROM discarded_runs WHERE job_id = $1'
      : `UPDATE discarded_runs SET emptied_at = coalesce(emptied_at, now()), seen_to = '', kept = $2, project_id = $3,
           due = CASE WHEN emptied_at IS NULL THEN now() + make_interval(hours => ${FINAL_CHECK_HOURS}) END WHERE job_id = $1`,
    values: isDeleted ? [run.jobId] : [run.jobId, kept, projectId],
  });
}

/** Deletes a run without pages, and its list. @returns true if the list has more rows than one statement deletes */
async function deleteRun(client: pg.PoolClient, no: string): Promise<boolean> {
  for (const table of ['run_words', 'run_pages'] as const) {
    const { rowCount } = await client.query({
      name: `forget-${table}`,
      text: `DELETE FROM ${table} WHERE run_no = $1 AND number = ANY (ARRAY(SELECT number FROM ${table} WHERE run_no = $1 LIMIT ${WORDS_AT_ONCE}))`,
      values: [no],
    });
    if (rowCount === WORDS_AT_ONCE) return true;
  }
  await client.query({ name: 'forget-run', text: 'DELETE FROM runs WHERE no = $1', values: [no] });
  return false;
}
