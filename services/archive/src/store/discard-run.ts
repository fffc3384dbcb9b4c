import {
  anyOf,
  changeRows,
  column,
  type Database,
  nullable,
  type Params,
  selectRow,
  selectRows,
  sql,
} from '@tidemark/sql';
import { isListedToEnd } from '../domain/list-state.ts';
import { DROP_HISTORY, recordDeletedReadings } from './history-store.ts';
import { dropRecorded } from './recorded-page-store.ts';
import { schema, tables } from './tables.ts';

/** Maximum number of pages per statement. */
export const PAGES_AT_ONCE = 1_000;
const WORDS_AT_ONCE = 5_000;
/** Must exceed the delay of a page that ended with its run. */
const FINAL_CHECK_HOURS = 48;
/** The newest full run is listed soon after it has ended; before that it is unknown which pages it could not read. */
const WAIT_MINUTES = 1;

/** Verdicts of captures that can be compared with others. */
const IS_GOOD = sql`IN ('ok', 'thin')`;
/** Verdicts of pages that were read: earlier captures of them are not needed. */
const IS_READ = sql`IN ('ok', 'thin', 'cached', 'skipped')`;

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

const CLAIM = schema.prepareText(
  'take-discarded',
  {
    job_id: column('text'),
    workspace_id: column('text'),
    project_id: column('text'),
    needed_by: column('text'),
    seen_to: column('text'),
    kept: column('int4'),
    emptied: column('bool'),
    no: nullable('int8'),
  },
  () => sql`
    SELECT d.job_id, d.workspace_id, d.project_id, d.needed_by, d.seen_to, d.kept, d.emptied_at IS NOT NULL AS emptied, (
      SELECT no FROM runs WHERE id = d.job_id AND workspace_id = d.workspace_id) AS no
    FROM discarded_runs d WHERE d.due <= now() ORDER BY d.due LIMIT 1 FOR UPDATE OF d SKIP LOCKED`,
);

/** Locks one discarded run that is due. */
export async function claimDiscarded(client: Database): Promise<DiscardedRun | undefined> {
  const row = await CLAIM.row(client, {});
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
export async function nextBatchOf(client: Database, run: DiscardedRun): Promise<DiscardBatch | undefined> {
  const newest = run.neededBy === '' ? undefined : await newestOf(client, run);
  if (newest === 'waits') {
    await changeRows(
      client,
      tables
        .updateTable('discarded_runs')
        .set({ due: sql<Date>`now() + make_interval(mins => ${WAIT_MINUTES})` })
        .where('job_id', '=', run.jobId),
    );
    return undefined;
  }
  const { workspaceId, jobId, seenTo } = run;
  if (newest === undefined) {
    const rest = await selectRows(
      client,
      tables
        .selectFrom('pages')
        .select(['id', sql<boolean>`false`.as('stays')])
        .where('workspace_id', '=', workspaceId)
        .where('job_id', '=', jobId)
        .where('id', '>', seenTo)
        .orderBy('id')
        .limit(PAGES_AT_ONCE),
    );
    return { projectId: run.projectId, seen: rest };
  }
  const { no: newestNo, projectId } = newest;
  return { projectId, seen: await NEEDED.rows(client, { workspaceId, jobId, seenTo, newestNo, projectId }) };
}

interface NeededValues {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly seenTo: string;
  readonly newestNo: string;
  readonly projectId: string;
}

/**
 * Pages, and which of them stay: the newest good capture of a URL that the newest full run of the project could not read. Other captures are
 * looked up by run of the project: a well-known URL has captures in every workspace.
 */
const NEEDED = schema.prepareText(
  'needed-of-discarded',
  { id: column('text'), stays: column('bool') },
  ({ workspaceId, jobId, seenTo, newestNo, projectId }: Params<NeededValues>) => sql`
    SELECT p.id, (p.verdict ${IS_GOOD}
      AND EXISTS (SELECT FROM run_pages n WHERE n.url_key = p.url_key AND n.run_no = ${newestNo} AND n.verdict NOT ${IS_READ})
      AND NOT EXISTS (
        SELECT FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_pages WHERE url_key = p.url_key AND run_no = r.no OFFSET 0) g
        WHERE r.workspace_id = ${workspaceId} AND r.project_id = ${projectId} AND g.verdict ${IS_GOOD}
          AND (g.crawled_at, g.page_id) > (p.crawled_at, p.id))) AS stays
    FROM pages p WHERE p.workspace_id = ${workspaceId} AND p.job_id = ${jobId} AND p.id > ${seenTo}
    ORDER BY p.id LIMIT ${sql.lit(PAGES_AT_ONCE)}`,
);

/** Returns the newest full run; `waits` if it is not listed to its end. */
async function newestOf(client: Database, { workspaceId, neededBy }: DiscardedRun) {
  const row = await selectRow(
    client,
    tables
      .selectFrom('runs')
      .select(['no', 'project_id', 'state'])
      .where('id', '=', neededBy)
      .where('workspace_id', '=', workspaceId),
  );
  // If the newest run is discarded, that event sets another `needed_by` here.
  if (row === undefined || !isListedToEnd(row)) return 'waits' as const;
  return { no: row.no, projectId: row.project_id };
}

/** Pages of a run: the values at each position of the lists. */
interface ListedPages {
  readonly no: string;
  readonly ids: readonly string[];
  readonly urlKeys: readonly Buffer[];
}

const DELETE_LISTED = schema.prepareText(
  'discard-run-pages',
  {},
  ({ no, ids, urlKeys }: Params<ListedPages>) => sql`
    DELETE FROM run_pages WHERE ctid = ANY(ARRAY(
      SELECT t.ctid FROM unnest(${ids}::text[], ${urlKeys}::bytea[]) AS k(id, url_key) CROSS JOIN LATERAL (
        SELECT ctid FROM run_pages WHERE url_key = k.url_key AND run_no = ${no} AND page_id = k.id LIMIT 1) t))`,
);

/** Deletes a batch of the rows of a run. */
const deleteBatchOf = (table: 'run_words' | 'run_pages') =>
  schema.prepareText(
    `forget-${table}`,
    {},
    ({ no }: Params<{ readonly no: string }>) => sql`
      DELETE FROM ${sql.table(table)} WHERE run_no = ${no}
        AND number = ANY (ARRAY(SELECT number FROM ${sql.table(table)} WHERE run_no = ${no} LIMIT ${sql.lit(WORDS_AT_ONCE)}))`,
  );
const DELETE_WORDS = deleteBatchOf('run_words');
const DELETE_PAGES = deleteBatchOf('run_pages');

/** Deletes the pages that are not kept. @returns their rows */
export async function deleteUnneeded(
  client: Database,
  run: DiscardedRun,
  { seen, projectId }: DiscardBatch,
): Promise<DeletedRow[]> {
  const ids = seen.flatMap(({ id, stays }) => (stays ? [] : [id]));
  const rows = await selectRows(
    client,
    tables.deleteFrom('pages').where('id', '=', anyOf(ids)).returning(['id', 'url_key', 'row']),
  );
  if (run.no === undefined) return rows;
  const listed = {
    no: run.no,
    ids: rows.map(({ id }) => id),
    urlKeys: rows.map(({ url_key: key }) => key ?? Buffer.alloc(0)),
  };
  await recordDeletedReadings(client, { ...listed, workspaceId: run.workspaceId, projectId });
  await DELETE_LISTED.change(client, listed);
  // A discarded run is not searched.
  await DELETE_WORDS.change(client, { no: run.no });
  return rows;
}

/**
 * Stores the progress of a discarded run. It is processed once more after its end, because a late page event arrives without its run.
 * A run with kept pages stays in the table.
 */
export async function recordProgress(
  client: Database,
  run: DiscardedRun,
  { projectId, seen }: DiscardBatch,
): Promise<void> {
  const kept = run.kept + seen.filter(({ stays }) => stays).length;
  const last = seen.at(-1);
  const row = tables.updateTable('discarded_runs').set({ kept, project_id: projectId }).where('job_id', '=', run.jobId);
  if (seen.length === PAGES_AT_ONCE && last !== undefined) {
    await changeRows(client, row.set({ seen_to: last.id }));
    return;
  }
  if (await dropRecorded(client, run.jobId)) return;
  if (kept === 0 && run.no !== undefined && (await deleteRun(client, run.no, projectId))) return;
  if (kept === 0 && run.wasEmptied) {
    await changeRows(client, tables.deleteFrom('discarded_runs').where('job_id', '=', run.jobId));
    return;
  }
  await changeRows(
    client,
    row.set({
      emptied_at: sql<Date>`coalesce(emptied_at, now())`,
      seen_to: '',
      due: sql<Date | null>`CASE WHEN emptied_at IS NULL THEN now() + make_interval(hours => ${FINAL_CHECK_HOURS}) END`,
    }),
  );
}

/** Deletes a run without pages, and its list. @returns true if the list has more rows than one statement deletes */
async function deleteRun(client: Database, no: string, projectId: string): Promise<boolean> {
  for (const deleteBatch of [DELETE_WORDS, DELETE_PAGES])
    if ((await deleteBatch.change(client, { no })) === WORDS_AT_ONCE) return true;
  await changeRows(client, tables.deleteFrom('runs').where('no', '=', no));
  await DROP_HISTORY.change(client, { projectId });
  return false;
}
