import { actorOf, type Caller } from '@tidemark/contracts';
import {
  anyOf,
  changeRows,
  column,
  type Params,
  type RawBuilder,
  type RowOfQuery,
  selectRow,
  selectRows,
  sql,
} from '@tidemark/sql';
import type pg from 'pg';
import { CHANGED_KINDS, type Entry, type EntryKind } from '../records/entries/entry.ts';
import { alertsOfEntries, type EntryAlert } from './alert-store.ts';
import { schema, tables } from './tables.ts';

/** An entry with its review mark. */
export interface EntryView {
  readonly entry: Entry;
  readonly runId: string;
  readonly position: number;
  /** Empty: not reviewed. */
  readonly reviewedBy: string;
  readonly reviewedAt: Date | undefined;
  /** The alert rules that it meets. */
  readonly alerts: readonly EntryAlert[];
}

export interface EntryQuery {
  readonly projectId: string;
  readonly runId: string;
  /** Position of the last entry received. */
  readonly after: number;
  readonly limit: number;
  readonly kinds: readonly EntryKind[] | 'all';
  readonly unreviewed: boolean;
}

/** An entry with its project, and the time at which its record was made. */
export interface ListedEntry extends EntryView {
  readonly projectId: string;
  readonly madeAt: Date;
}

/** The place of an entry in the list over many projects. */
export interface ListedPosition {
  readonly madeAt: Date;
  readonly runId: string;
  readonly position: number;
}

export interface ListedQuery {
  readonly projectIds: readonly string[] | 'all';
  /** Records made at this time or later; undefined: all. */
  readonly since: Date | undefined;
  /** The last entry received; undefined: from the newest. */
  readonly after: ListedPosition | undefined;
  readonly limit: number;
  readonly kinds: readonly EntryKind[] | 'all';
  readonly unreviewed: boolean;
}

/** Where the entries of all records of a project are continued; newest first. */
export interface StoredPosition {
  readonly runId: string;
  readonly position: number;
}

/** An entry with what alert rules read of its page. */
export interface EntryWithStates extends EntryView {
  readonly madeAt: Date;
}

/** Which entries of a record a request names. */
export interface ReviewSelection {
  readonly projectId: string;
  readonly runId: string;
  readonly kinds: readonly EntryKind[] | 'all';
  readonly entryIds: readonly string[] | 'all';
  readonly reviewed: boolean;
}

const ENTRIES = tables
  .selectFrom('entries as e')
  .leftJoin('reviews as v', (join) =>
    join.onRef('v.project_id', '=', 'e.project_id').onRef('v.delta_key', '=', 'e.delta_key'),
  )
  .select(['e.id', 'e.entry', 'e.run_id', 'e.position', 'v.reviewed_by', 'v.reviewed_at']);

/** Entries of the records that belong to the history of their projects, or are of a re-crawl. */
const LISTED = tables
  .selectFrom('records as r')
  .innerJoin('entries as e', 'e.run_id', 'r.run_id')
  .leftJoin('reviews as v', (join) =>
    join.onRef('v.project_id', '=', 'e.project_id').onRef('v.delta_key', '=', 'e.delta_key'),
  )
  .select(['e.id', 'e.entry', 'e.run_id', 'e.position', 'v.reviewed_by', 'v.reviewed_at', 'r.project_id', 'r.made_at'])
  .where('r.entries', '>', 0)
  .where('r.status', '=', 'made')
  .where((eb) => eb.or([eb('r.is_history', '=', true), eb('r.is_recrawl', '=', true)]));

interface ReviewValues {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
  /** Null: all. */
  readonly kinds: readonly EntryKind[] | null;
  readonly entryIds: readonly string[] | null;
  readonly reviewedBy: string;
}

/** Changes the marks of the selected entries, the rows of `found`, and counts both. */
const prepareReview = (name: string, change: (values: Params<ReviewValues>) => RawBuilder<unknown>) =>
  schema.prepareText(
    name,
    { matched: column('int4'), changed: column('int4') },
    (values: Params<ReviewValues>) => sql`
      WITH found AS MATERIALIZED (
        SELECT delta_key FROM entries
        WHERE run_id = ${values.runId} AND workspace_id = ${values.workspaceId} AND project_id = ${values.projectId}
          AND coalesce(kind = ANY(${values.kinds}::text[]), true) AND coalesce(id = ANY(${values.entryIds}::text[]), true)
      ), changed AS (${change(values)} RETURNING 1)
      SELECT (SELECT count(*)::int FROM found) AS matched, (SELECT count(*)::int FROM changed) AS changed`,
  );
const REVIEW = prepareReview(
  'review-entries',
  ({ projectId, reviewedBy }) => sql`
    INSERT INTO reviews (project_id, delta_key, reviewed_by)
    SELECT DISTINCT ${projectId}::text, delta_key, ${reviewedBy}::text FROM found ON CONFLICT DO NOTHING`,
);
const UNREVIEW = prepareReview(
  'unreview-entries',
  ({ projectId }) =>
    sql`DELETE FROM reviews r USING found WHERE r.project_id = ${projectId} AND r.delta_key = found.delta_key`,
);

/** Entries of records, and their review marks. */
export class EntryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Lists entries of one record in order. */
  async list(
    { workspaceId }: Caller,
    { projectId, runId, after, limit, kinds, unreviewed }: EntryQuery,
  ): Promise<EntryView[]> {
    let query = ENTRIES.where('e.run_id', '=', runId)
      .where('e.workspace_id', '=', workspaceId)
      .where('e.project_id', '=', projectId)
      .where('e.position', '>', after)
      .orderBy('e.position')
      .limit(limit);
    if (kinds !== 'all') query = query.where('e.kind', '=', anyOf(kinds));
    if (unreviewed) query = query.where('v.delta_key', 'is', null);
    return this.#views(await selectRows(this.#pool, query));
  }

  /** Lists entries of a project with their pageStates, the newest record first, and those of a record from its end. Those of failed and cancelled runs are left out. */
  async withStates(
    { workspaceId }: Caller,
    projectId: string,
    after: StoredPosition | undefined,
    limit: number,
  ): Promise<EntryWithStates[]> {
    let query = LISTED.select('e.page_states')
      .where('r.workspace_id', '=', workspaceId)
      .where('r.project_id', '=', projectId)
      .orderBy('r.run_id', 'desc')
      .orderBy('e.position', 'desc')
      .limit(limit);
    if (after !== undefined)
      query = query.where(
        sql<boolean>`(r.run_id < ${after.runId} OR (r.run_id = ${after.runId} AND e.position < ${after.position}))`,
      );
    return (await selectRows(this.#pool, query)).map((row) => {
      const view = toView(row, []);
      const pageStates = row.page_states === null ? {} : { pageStates: JSON.parse(row.page_states) };
      return { ...view, entry: { ...view.entry, ...pageStates }, madeAt: row.made_at ?? new Date(0) };
    });
  }

  /** Lists the newest changes of a project, newest record first. Those of a failed or cancelled run are found again by the run after it. */
  async newest({ workspaceId }: Caller, projectId: string, limit: number): Promise<EntryView[]> {
    const query = ENTRIES.where('e.workspace_id', '=', workspaceId)
      .where('e.project_id', '=', projectId)
      .where('e.kind', '=', anyOf(CHANGED_KINDS))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('records as r')
            .select('r.run_id')
            .whereRef('r.run_id', '=', 'e.run_id')
            .where((eb) => eb.or([eb('r.is_history', '=', true), eb('r.is_recrawl', '=', true)])),
        ),
      )
      .orderBy('e.run_id', 'desc')
      .orderBy('e.position')
      .limit(limit);
    return this.#views(await selectRows(this.#pool, query));
  }

  /** Lists the entries of many projects: the newest record first, and those of a record in its order. */
  async listed(
    { workspaceId }: Caller,
    { projectIds, since, after, limit, kinds, unreviewed }: ListedQuery,
  ): Promise<ListedEntry[]> {
    let query = LISTED.where('r.workspace_id', '=', workspaceId)
      .orderBy('r.made_at', 'desc')
      .orderBy('r.run_id', 'desc')
      .orderBy('e.position')
      .limit(limit);
    if (projectIds !== 'all') query = query.where('r.project_id', '=', anyOf(projectIds));
    if (since !== undefined) query = query.where('r.made_at', '>=', since);
    if (after !== undefined) {
      const { madeAt, runId, position } = after;
      query = query.where(
        sql<boolean>`(r.made_at, r.run_id) <= (${madeAt}::timestamptz, ${runId}) AND (r.run_id <> ${runId} OR e.position > ${position})`,
      );
    }
    if (kinds !== 'all') query = query.where('e.kind', '=', anyOf(kinds));
    if (unreviewed) query = query.where('v.delta_key', 'is', null);
    const rows = await selectRows(this.#pool, query);
    const alerts = await alertsOfEntries(
      this.#pool,
      rows.map(({ id }) => id),
    );
    return rows.flatMap((row) =>
      row.made_at === null
        ? []
        : [{ ...toView(row, alerts.get(row.id) ?? []), projectId: row.project_id, madeAt: row.made_at }],
    );
  }

  /** Sets or clears the review marks of entries of one record, in one statement. */
  async reviewMany(
    caller: Caller,
    { projectId, runId, kinds, entryIds, reviewed }: ReviewSelection,
  ): Promise<{ matched: number; changed: number }> {
    const statement = reviewed ? REVIEW : UNREVIEW;
    const counts = await statement.row(this.#pool, {
      workspaceId: caller.workspaceId,
      projectId,
      runId,
      kinds: kinds === 'all' ? null : kinds,
      entryIds: entryIds === 'all' ? null : entryIds,
      reviewedBy: actorOf(caller),
    });
    return counts ?? { matched: 0, changed: 0 };
  }

  /** Sets or clears the review mark of an entry. @returns undefined if the entry does not exist */
  async review(
    caller: Caller,
    {
      projectId,
      entryId,
      reviewed,
    }: { readonly projectId: string; readonly entryId: string; readonly reviewed: boolean },
  ): Promise<EntryView | undefined> {
    const { workspaceId } = caller;
    const found = tables
      .selectFrom('entries')
      .where('id', '=', entryId)
      .where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId);
    await changeRows(
      this.#pool,
      reviewed
        ? tables
            .insertInto('reviews')
            .columns(['project_id', 'delta_key', 'reviewed_by'])
            .expression(found.select(['project_id', 'delta_key', sql<string>`${actorOf(caller)}::text`.as('by')]))
            .onConflict((conflict) => conflict.doNothing())
        : tables
            .deleteFrom('reviews')
            .where('project_id', '=', projectId)
            .where('delta_key', 'in', found.select('delta_key')),
    );
    const query = ENTRIES.where('e.id', '=', entryId)
      .where('e.workspace_id', '=', workspaceId)
      .where('e.project_id', '=', projectId);
    const row = await selectRow(this.#pool, query);
    return row && (await this.#views([row]))[0];
  }

  async #views(rows: readonly EntryRow[]): Promise<EntryView[]> {
    const alerts = await alertsOfEntries(
      this.#pool,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => toView(row, alerts.get(row.id) ?? []));
  }
}

type EntryRow = RowOfQuery<typeof ENTRIES>;

const toView = (row: EntryRow, alerts: readonly EntryAlert[]): EntryView => ({
  entry: JSON.parse(row.entry),
  runId: row.run_id,
  position: row.position,
  reviewedBy: row.reviewed_by ?? '',
  reviewedAt: row.reviewed_at ?? undefined,
  alerts,
});
