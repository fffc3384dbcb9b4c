import type { StopReason } from '@tidemark/contracts';
import type { LogEvent } from '@tidemark/contracts/crawl/v1/crawl';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, SUSPECT_INTERRUPTIONS } from '@tidemark/leased-work';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { column, type Expression, literals, type Params, type RawBuilder, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { FeedsState, Run, SitemapState } from '../../domain/run/run.ts';
import { endText, type LogNote, stopNote, urlCount } from '../../domain/run/run-log-text.ts';
import { type EndedStatus, OPEN_STATES, RUN_TRANSITIONS } from '../../domain/run/run-state.ts';
import { writeRemainingPages } from '../pages/run-page-events.ts';
import { ENDED_COLUMNS, type EndedRow, RETURN_ENDED, toFinished } from '../runs/run-finished-event.ts';
import { insertLog, logOf, noteRun } from '../runs/run-log.ts';
import { toStop, Verdicts } from '../runs/run-record.ts';
import { schema } from '../tables.ts';

const DEFAULT_MINUTES = 360;
/** An owner that stops releases its leases; an instance that was slow to renew its own lease did not die. */
const wasInterrupted = (owner: Expression<string>) => sql`(owner <> ${owner} AND lease_until IS NOT NULL)`;
/** The run made no progress since its last interruption. */
const IS_SUSPECT = sql`deaths >= ${sql.lit(SUSPECT_INTERRUPTIONS)} AND done + known <= progress_at_death`;
/** A paused run whose pages have all ended needs no orchestration. */
const IS_AT_WORK = sql`(NOT (paused AND in_flight = 0) OR status NOT IN (${literals(OPEN_STATES)}))`;

interface ByOwner {
  readonly owner: string;
}

/** Runs that need orchestration. `deaths` counts the interruptions in a row without progress. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'runs',
  table: 'runs',
  key: ['id'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'due' },
  fence: fencedBy('owner'),
  interruptions: {
    column: 'deaths',
    next: ({ owner }: Params<ByOwner>) =>
      sql`CASE WHEN ${wasInterrupted(owner)} THEN CASE WHEN done + known > progress_at_death THEN 1 ELSE deaths + 1 END ELSE deaths END`,
  },
  // Another instance can claim the run once the lease has expired.
  leaseSeconds: 5,
  policy: ATTEMPT_POLICIES['crawl.runs'],
  isOpen: sql`NOT cleaned_up`,
  // One suspect at a time, and none while this instance holds one.
  mayBeClaimed: ({ owner }: Params<ByOwner>) => sql`${IS_AT_WORK} AND (NOT (${IS_SUSPECT}) OR id = (
    SELECT id FROM runs WHERE NOT cleaned_up AND ${IS_SUSPECT} AND ${IS_AT_WORK} AND (lease_until IS NULL OR lease_until < now())
      AND NOT EXISTS (SELECT FROM runs WHERE NOT cleaned_up AND ${IS_SUSPECT} AND lease_until >= now() AND owner = ${owner})
    ORDER BY created_at LIMIT 1))`,
  onClaim: ({ owner }: Params<ByOwner>) => sql`
    status = CASE WHEN status = ${sql.lit(RUN_TRANSITIONS.start.from[0])} THEN ${sql.lit(RUN_TRANSITIONS.start.to)} ELSE status END,
    started_at = CASE WHEN status = 'queued' THEN now() ELSE started_at END,
    progress_at_death = CASE WHEN ${wasInterrupted(owner)} THEN done + known ELSE progress_at_death END,
    deadline = coalesce(deadline, now() + make_interval(mins => coalesce((scope->>'timeLimitMinutes')::int, ${sql.lit(DEFAULT_MINUTES)})))`,
  // `started_at` is stored in milliseconds.
  columns: { id: column('text'), no: column('int8'), has_started: column('bool') },
  returning: sql`id, no, started_at = now()::timestamptz(3) AS has_started`,
});
/** Runs that have begun come first, then workspaces take turns: one whose last run started longest ago is next. */
const pick = (limit: Expression<number>) =>
  QUEUE.fairPick(
    {
      workspace: 'workspace_id',
      order: sql`created_at`,
      first: sql`status <> 'queued'`,
      ties: [
        sql`(SELECT w.started_at FROM runs w WHERE w.workspace_id = free.workspace_id AND w.started_at IS NOT NULL ORDER BY w.id DESC LIMIT 1)`,
        sql`created_at`,
      ],
    },
    limit,
  );
const CLAIM = schema.prepareText(
  'claim-and-log-runs',
  { id: column('text') },
  ({ limit }: Params<ByOwner & { readonly limit: number }>) => sql`
    WITH taken AS (${QUEUE.claimOf(pick(limit))}), logged AS (
      ${insertLog(sql`SELECT no, 'started', '', 'it was next in the queue', false FROM taken WHERE has_started`)}
    ) SELECT id FROM taken`,
);

/** A run of this instance. */
interface OwnRun {
  readonly id: string;
  readonly owner: string;
}
interface Noted extends OwnRun {
  readonly what: LogEvent;
  readonly why: string;
}
interface SitemapValues extends OwnRun {
  readonly state: SitemapState;
}
interface StopValues extends OwnRun {
  readonly stop: StopReason;
}
interface FinishValues extends OwnRun {
  readonly status: EndedStatus;
  readonly stop: StopReason | null;
  readonly error: string | null;
  readonly hasCoverage: boolean;
}

const IS_RUNNING = sql`status = ${sql.lit(RUN_TRANSITIONS.start.to)}`;
const ofOwn = ({ id, owner }: Params<OwnRun>) => sql`WHERE id = ${id} AND owner = ${owner}`;
/** Updates a run and writes a line of its log in one statement. */
const withNote = (update: RawBuilder<unknown>, { what, why }: Params<Noted>) =>
  sql`WITH moved AS (UPDATE runs ${update} RETURNING no) ${logOf('moved', what, why)}`;
const setSitemap = (values: Params<SitemapValues>) => sql`SET sitemap = ${values.state} ${ofOwn(values)}`;
const setStop = (values: Params<StopValues>) =>
  sql`SET stop = ${values.stop} ${ofOwn(values)} AND ${IS_RUNNING} AND stop IS NULL`;

const RELEASE = schema.prepareText(
  'release-runs',
  {},
  ({ ids, owner }: Params<ByOwner & { readonly ids: readonly string[] }>) =>
    sql`UPDATE runs SET lease_until = NULL, owner = NULL WHERE id = ANY(${ids}) AND owner = ${owner}`,
);
const SEED = schema.prepareText('set-seeded', {}, (values: Params<Noted>) =>
  withNote(sql`SET seeded = true ${ofOwn(values)} AND NOT seeded`, values),
);
const SET_SITEMAP = schema.prepareText(
  'set-sitemap',
  {},
  (values: Params<SitemapValues>) => sql`UPDATE runs ${setSitemap(values)}`,
);
const SET_SITEMAP_AND_NOTE = schema.prepareText('set-sitemap-noted', {}, (values: Params<SitemapValues & Noted>) =>
  withNote(setSitemap(values), values),
);
const SET_FEEDS = schema.prepareText(
  'set-feeds',
  {},
  (values: Params<OwnRun & { readonly state: FeedsState }>) =>
    sql`UPDATE runs SET feeds = ${values.state} ${ofOwn(values)}`,
);
const SET_STOP = schema.prepareText(
  'set-stop',
  {},
  (values: Params<StopValues>) => sql`UPDATE runs ${setStop(values)}`,
);
const SET_STOP_AND_NOTE = schema.prepareText('set-stop-noted', {}, (values: Params<StopValues & Noted>) =>
  withNote(setStop(values), values),
);
const FINISH = schema.prepareText(
  'finish-run',
  ENDED_COLUMNS,
  (values: Params<FinishValues>) => sql`
    UPDATE runs SET status = ${values.status}, stop = ${values.stop}, error = ${values.error}, has_coverage = ${values.hasCoverage},
      finished_at = now(), lease_until = NULL, cleaned_up = true, queued = 0, in_flight = 0,
      total = CASE WHEN stop IN ('finished', 'page_limit', 'site_down') THEN done ELSE greatest(total, done) END
    ${ofOwn(values)} AND ${IS_RUNNING} RETURNING ${RETURN_ENDED}`,
);
const TIDY = schema.prepareText(
  'tidy-run',
  ENDED_COLUMNS,
  (values: Params<OwnRun & { readonly hasCoverage: boolean }>) => sql`
    UPDATE runs SET cleaned_up = true, has_coverage = ${values.hasCoverage}, lease_until = NULL, queued = 0, in_flight = 0 ${ofOwn(values)}
    RETURNING ${RETURN_ENDED}`,
);

/** The end of a run. */
export interface RunEnd {
  readonly status: EndedStatus;
  /** Undefined after an internal error. */
  readonly stop: StopReason | undefined;
  /** As in Run. */
  readonly hasCoverage: boolean;
  readonly error: string | undefined;
  /** The project its pages have been published for with their link counts. */
  readonly publishedFor: string | undefined;
}

/** Leases of runs, and the updates that only the lease holder makes: each is fenced by `owner`. */
export class LeaseStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;
  readonly #sendEvents: (outgoing: readonly OutgoingEvent[]) => void;

  /** `sendEvents` sends events whose rows are committed. */
  constructor(pool: pg.Pool, owner: string, sendEvents: (outgoing: readonly OutgoingEvent[]) => void) {
    this.#pool = pool;
    this.#owner = owner;
    this.#sendEvents = sendEvents;
  }

  /**
   * Claims up to `limit` runs whose lease is free: running ones first, then queued ones, fairly per workspace. A lease of another instance that
   * expired is an interruption; the count restarts with progress. @returns their ids
   */
  async claim(limit: number): Promise<string[]> {
    if (limit <= 0) return [];
    return (await CLAIM.rows(this.#pool, { owner: this.#owner, limit })).map(({ id }) => id);
  }

  /** Renews leases. @returns the runs whose lease is still held by this instance */
  renew(ids: readonly string[]): Promise<Set<string>> {
    return QUEUE.renew(this.#pool, { keys: ids, owner: this.#owner });
  }

  /** Releases leases held by this instance. */
  async release(ids: readonly string[]): Promise<void> {
    await RELEASE.change(this.#pool, { ids, owner: this.#owner });
  }

  /** Marks a run as seeded with this number of URLs. */
  async setSeeded(id: string, known: number): Promise<void> {
    const note: LogNote = { what: 'seeded', why: `${urlCount(known)} enqueued as seeds` };
    await SEED.change(this.#pool, { id, owner: this.#owner, ...note });
  }

  async setSitemap(id: string, state: SitemapState, why?: string): Promise<void> {
    const values = { id, owner: this.#owner, state };
    if (why === undefined) await SET_SITEMAP.change(this.#pool, values);
    else await SET_SITEMAP_AND_NOTE.change(this.#pool, { ...values, what: 'sitemap', why });
  }

  async setFeeds(id: string, state: FeedsState): Promise<void> {
    await SET_FEEDS.change(this.#pool, { id, owner: this.#owner, state });
  }

  /** Stores why a run will end, which stops further offers. */
  async setStop({ id, scope }: Run, stop: StopReason): Promise<void> {
    const note = stopNote(stop, scope);
    const values = { id, owner: this.#owner, stop };
    if (note === undefined) await SET_STOP.change(this.#pool, values);
    else await SET_STOP_AND_NOTE.change(this.#pool, { ...values, what: note.what, why: note.why });
  }

  /** Ends a run whose pages have all ended. @returns false if it was cancelled or the lease is lost */
  finish(id: string, { status, stop, error, hasCoverage, publishedFor }: RunEnd): Promise<boolean> {
    const values = { id, owner: this.#owner, status, stop: stop ?? null, error: error ?? null, hasCoverage };
    return this.#end((client) => FINISH.rows(client, values), publishedFor);
  }

  /** Marks the cleanup of a run that was cancelled, or ended with its login, as complete. */
  async setTidied(
    id: string,
    { hasCoverage, publishedFor }: Pick<RunEnd, 'hasCoverage' | 'publishedFor'>,
  ): Promise<void> {
    await this.#end((client) => TIDY.rows(client, { id, owner: this.#owner, hasCoverage }), publishedFor);
  }

  /** Performs the last update of a run; the events of a project's run are written in its transaction. */
  async #end(
    update: (client: pg.PoolClient) => Promise<EndedRow[]>,
    publishedFor: string | undefined,
  ): Promise<boolean> {
    const { outgoing, hasLease } = await inTransaction(this.#pool, async (client) => {
      const rows = await update(client);
      const finished = rows.flatMap(toFinished);
      // The run may have been adopted after its pages had been published.
      const unpublished = rows.flatMap((row) => toPublish(row, publishedFor));
      for (const run of unpublished) {
        finished.push(...(await writeRemainingPages(client, { run, occasion: 'final', after: 0 })));
      }
      await writeEvents(client, finished);
      for (const row of rows) await noteRun(client, row.no, [endNote(row)]);
      return { outgoing: finished, hasLease: rows.length > 0 };
    });
    this.#sendEvents(outgoing);
    return hasLease;
  }
}

function toPublish({ no, id, workspace_id, project_id, sitemap }: EndedRow, publishedFor: string | undefined) {
  if (project_id === null || project_id === publishedFor) return [];
  return [{ no, id, workspaceId: workspace_id, projectId: project_id, sitemap }];
}

function endNote({ status, done, verdicts, stop, error }: EndedRow): LogNote {
  const words = endText(done, Verdicts.parse(verdicts), status === 'error' ? undefined : toStop(stop));
  return status === 'error' ? { what: 'failed', why: `${error ?? ''}; ${words}` } : { what: 'finished', why: words };
}
