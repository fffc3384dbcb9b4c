import type { StopReason } from '@tidemark/contracts';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, SUSPECT_INTERRUPTIONS } from '@tidemark/leased-work';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { column, type Expression, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { FeedsState, Run, SitemapState } from '../../domain/run/run.ts';
import { addresses, endText, type LogNote, stopNote } from '../../domain/run/run-log-text.ts';
import { writeRemainingPages } from '../pages/run-page-events.ts';
import { ENDED_COLUMNS, type EndedRow, toFinished } from '../runs/run-finished-event.ts';
import { insertLog, logOf, noteRun } from '../runs/run-log.ts';
import { toStop, Verdicts } from '../runs/run-record.ts';
import { schema } from '../tables.ts';

const DEFAULT_MINUTES = 360;
/** An owner that stops releases its leases; an instance that was slow to renew its own lease did not die. */
const wasInterrupted = (owner: Expression<string>) => sql`(owner <> ${owner} AND lease_until IS NOT NULL)`;
/** The run made no progress since its last interruption. */
const IS_SUSPECT = sql`deaths >= ${sql.lit(SUSPECT_INTERRUPTIONS)} AND done + known <= progress_at_death`;
/** A paused run whose pages have all ended needs no orchestration. */
const IS_AT_WORK = sql`(NOT (paused AND in_flight = 0) OR status NOT IN ('queued', 'running'))`;

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
    status = CASE WHEN status = 'queued' THEN 'running' ELSE status END,
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
      ${sql.raw(insertLog(`SELECT no, 'started', '', 'it was next in the queue', false FROM taken WHERE has_started`))}
    ) SELECT id FROM taken`,
);

/** The end of a run. */
export interface RunEnd {
  readonly status: 'done' | 'error';
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
    await this.#update('release-runs', 'SET lease_until = NULL, owner = NULL WHERE id = ANY($1) AND owner = $2', [ids]);
  }

  /** Marks a run as seeded with this number of addresses. */
  async setSeeded(id: string, known: number): Promise<void> {
    const note: LogNote = { what: 'seeded', why: `${addresses(known)} enqueued as seeds` };
    await this.#moveWithNote('set-seeded', 'SET seeded = true WHERE id = $1 AND owner = $2 AND NOT seeded', id, note);
  }

  async setSitemap(id: string, state: SitemapState, why?: string): Promise<void> {
    const text = 'SET sitemap = $3 WHERE id = $1 AND owner = $2';
    if (why === undefined) await this.#update('set-sitemap', text, [id], state);
    else await this.#moveWithNote('set-sitemap-noted', text, id, { what: 'sitemap', why }, state);
  }

  async setFeeds(id: string, state: FeedsState): Promise<void> {
    await this.#update('set-feeds', 'SET feeds = $3 WHERE id = $1 AND owner = $2', [id], state);
  }

  /** Stores why a run will end, which stops further offers. */
  async setStop({ id, scope }: Run, stop: StopReason): Promise<void> {
    const text = `SET stop = $3 WHERE id = $1 AND owner = $2 AND status = 'running' AND stop IS NULL`;
    const note = stopNote(stop, scope);
    if (note === undefined) await this.#update('set-stop', text, [id], stop);
    else await this.#moveWithNote('set-stop-noted', text, id, note, stop);
  }

  /** Ends a run whose pages have all ended. @returns false if it was cancelled or the lease is lost */
  async finish(id: string, { status, stop, error, hasCoverage, publishedFor }: RunEnd): Promise<boolean> {
    const totalAtEnd = `total = CASE WHEN stop IN ('finished', 'page_limit', 'site_down') THEN done ELSE greatest(total, done) END`;
    const text = `SET status = $3, stop = $4, error = $5, has_coverage = $6, finished_at = now(), lease_until = NULL, cleaned_up = true, queued = 0, in_flight = 0, ${totalAtEnd}
      WHERE id = $1 AND owner = $2 AND status = 'running'`;
    return this.#end(text, { id, publishedFor }, status, stop ?? null, error ?? null, hasCoverage);
  }

  /** Marks the cleanup of a run that was cancelled, or ended with its login, as complete. */
  async setTidied(
    id: string,
    { hasCoverage, publishedFor }: Pick<RunEnd, 'hasCoverage' | 'publishedFor'>,
  ): Promise<void> {
    const text =
      'SET cleaned_up = true, has_coverage = $3, lease_until = NULL, queued = 0, in_flight = 0 WHERE id = $1 AND owner = $2';
    await this.#end(text, { id, publishedFor }, hasCoverage);
  }

  /** Performs the last update of a run; the events of a project's run are written in its transaction. */
  async #end(
    text: string,
    { id, publishedFor }: Pick<RunEnd, 'publishedFor'> & { readonly id: string },
    ...more: unknown[]
  ): Promise<boolean> {
    const { outgoing, hasLease } = await inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<EndedRow>(`UPDATE runs ${text} RETURNING ${ENDED_COLUMNS}`, [
        id,
        this.#owner,
        ...more,
      ]);
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

  async #update(name: string, text: string, [ids]: [string | readonly string[]], ...more: unknown[]): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name,
      text: `UPDATE runs ${text}`,
      values: [ids, this.#owner, ...more],
    });
    return (rowCount ?? 0) > 0;
  }
  /** Updates a run and writes a line of its log in one statement. */
  async #moveWithNote(
    name: string,
    text: string,
    id: string,
    { what, why }: LogNote,
    ...more: unknown[]
  ): Promise<void> {
    const [whatAt, whyAt] = [`$${more.length + 3}`, `$${more.length + 4}`];
    await this.#pool.query({
      name,
      text: `WITH moved AS (UPDATE runs ${text} RETURNING no) ${logOf('moved', whatAt, whyAt)}`,
      values: [id, this.#owner, ...more, what, why],
    });
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
