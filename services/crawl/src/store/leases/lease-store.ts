import type { StopReason } from '@tidemark/contracts';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { type FeedsState, type Run, type SitemapState, SUSPECT_DEATHS } from '../../domain/run/run.ts';
import { addresses, endText, type LogNote, stopNote } from '../../domain/run/run-log-text.ts';
import { writeRemainingPages } from '../pages/run-page-events.ts';
import { ENDED_COLUMNS, type EndedRow, toFinished } from '../runs/run-finished-event.ts';
import { insertLog, logOf, noteRun } from '../runs/run-log.ts';
import { toStop, Verdicts } from '../runs/run-record.ts';

/** Lease duration, seconds; another instance can claim the run once the lease has expired. */
const LEASE_SECONDS = 5;
const DEFAULT_MINUTES = 360;
/** An owner that stops releases its leases; an instance that was slow to renew its own lease did not die. */
const OWNER_DIED = 'r.owner <> $1 AND r.lease_until IS NOT NULL';

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
   * expired counts as the death of its owner; the count restarts with progress. @returns their ids
   */
  async claim(limit: number): Promise<string[]> {
    if (limit <= 0) return [];
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'claim-runs',
      text: `
        WITH open AS (
          SELECT *, is_free AND (NOT (paused AND in_flight = 0) OR status NOT IN ('queued', 'running')) AS may_be_claimed FROM (
            SELECT id, workspace_id, status, created_at, paused, in_flight, owner, lease_until IS NULL OR lease_until < now() AS is_free,
              deaths >= ${SUSPECT_DEATHS} AND done + known <= progress_at_death AS is_suspect
            FROM runs WHERE NOT cleaned_up) r
        ), suspect AS (
          SELECT id FROM open WHERE is_suspect AND may_be_claimed
            AND NOT EXISTS (SELECT FROM open WHERE is_suspect AND NOT is_free AND owner = $1) ORDER BY created_at LIMIT 1
        ), busy AS (
          SELECT workspace_id, count(*) AS runs FROM open WHERE NOT is_free GROUP BY workspace_id
        ), turns AS (
          SELECT o.id, o.status <> 'queued' AS begun, o.created_at,
            coalesce(b.runs, 0) + row_number() OVER (PARTITION BY o.workspace_id ORDER BY o.created_at) AS turn,
            (SELECT w.started_at FROM runs w WHERE w.workspace_id = o.workspace_id AND w.started_at IS NOT NULL ORDER BY w.id DESC LIMIT 1) AS served_at
          FROM open o LEFT JOIN busy b USING (workspace_id)
          WHERE o.may_be_claimed AND (NOT o.is_suspect OR o.id = (SELECT id FROM suspect))
        ), chosen AS (
          SELECT id, status FROM runs WHERE id IN (SELECT id FROM turns ORDER BY begun DESC, turn, served_at NULLS FIRST, created_at LIMIT $2)
            AND (lease_until IS NULL OR lease_until < now()) FOR UPDATE SKIP LOCKED
        ), taken AS (
          UPDATE runs r SET owner = $1, lease_until = now() + make_interval(secs => $3),
            status = CASE WHEN r.status = 'queued' THEN 'running' ELSE r.status END,
            started_at = CASE WHEN r.status = 'queued' THEN now() ELSE r.started_at END,
            deaths = CASE WHEN ${OWNER_DIED} THEN CASE WHEN r.done + r.known > r.progress_at_death THEN 1 ELSE r.deaths + 1 END ELSE r.deaths END,
            progress_at_death = CASE WHEN ${OWNER_DIED} THEN r.done + r.known ELSE r.progress_at_death END,
            deadline = coalesce(r.deadline, now() + make_interval(mins => coalesce((r.scope->>'timeLimitMinutes')::int, $4)))
          FROM chosen WHERE r.id = chosen.id RETURNING r.id, r.no, chosen.status AS was
        ), logged AS (
          ${insertLog(`SELECT no, 'started', '', 'it was next in the queue', false FROM taken WHERE was = 'queued'`)}
        )
        SELECT id FROM taken`,
      values: [this.#owner, limit, LEASE_SECONDS, DEFAULT_MINUTES],
    });
    return rows.map((row) => row.id);
  }

  /** Renews leases. @returns the runs whose lease is still held by this instance */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'renew-runs',
      text: `UPDATE runs SET lease_until = now() + make_interval(secs => $3) WHERE id = ANY($1) AND owner = $2 AND NOT cleaned_up RETURNING id`,
      values: [ids, this.#owner, LEASE_SECONDS],
    });
    return new Set(rows.map((row) => row.id));
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
