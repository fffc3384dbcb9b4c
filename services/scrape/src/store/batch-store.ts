import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import {
  Coalescer,
  inTransaction,
  type OutgoingEvent,
  outboxColumns,
  retryWhileDatabaseUnavailable,
  writeEvents,
} from '@tidemark/service';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { BatchPage, NewBatch } from '../domain/batch.ts';
import { batchEnded } from './batch-ended.ts';
import { schema } from './tables.ts';

const CLAIMED_COLUMNS = {
  capture_id: column('text'),
  url: column('text'),
  attempts: column('int4'),
  held: column('int4'),
};

/** A host of a batch. */
interface BatchHost {
  readonly jobId: string;
  readonly host: string;
}

/** Pages of batches, claimed by host. A new page has no lease and is due at once. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'batch-pages',
  table: 'batch_pages',
  key: ['capture_id'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES['scrape.batch_pages'],
  isOpen: sql`status IN ('queued', 'running')`,
  isClaimed: sql`status = 'running'`,
  mayBeClaimed: ({ jobId, host }: Params<BatchHost>) => sql`job_id = ${jobId} AND host = ${host}`,
  order: sql`capture_id`,
  onClaim: sql`status = 'running'`,
  onRelease: sql`status = 'queued'`,
  columns: CLAIMED_COLUMNS,
});
/** The first claim starts the batch, in the same statement. */
const CLAIM = schema.prepareText(
  'start-batch-and-claim-pages',
  CLAIMED_COLUMNS,
  ({ jobId, limit }: Params<BatchHost & { readonly owner: string; readonly limit: number }>) => sql`
    WITH running AS (UPDATE jobs SET status = 'running' WHERE id = ${jobId} AND status = 'queued')
    ${QUEUE.claimOf(QUEUE.pickWhere(undefined, limit))}`,
);
const RETRY = QUEUE.retry('retry-batch-page');
const POSTPONE = QUEUE.postpone('postpone-batch-page');
const HOLD = QUEUE.postpone('hold-batch-page', sql`held = held + 1`);

interface Ended {
  readonly page: BatchPage;
  readonly verdict: string;
  readonly credits: number;
  readonly messages: readonly OutgoingEvent[];
  /** True if the batch has a webhook or a destination. Its end is then an event. */
  readonly publishesEnd: boolean;
}

interface EndedRow {
  readonly capture_id: string;
  readonly job_id: string;
  /** True if it completes its batch. */
  readonly is_last: boolean;
}

/**
 * Batches and their pages. Each transition is `UPDATE … WHERE status = expected`, fenced by the owner. A completed page
 * is numbered under its job's row lock, so that a list of a running batch by number has every page once.
 */
export class BatchStore {
  readonly policy = QUEUE.policy;
  readonly #pool: pg.Pool;
  readonly #owner: string;
  readonly #ends: Coalescer<Ended, readonly OutgoingEvent[] | undefined>;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
    this.#ends = new Coalescer((ended) => retryWhileDatabaseUnavailable(() => this.#endMany(ended), 20_000));
  }

  /**
   * Inserts a batch with all its pages.
   * @returns false if its idempotency key belongs to an earlier request
   */
  async create({ batch, pages, trace, idempotency }: NewBatch): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'create-batch',
      text: `
        WITH fresh AS (
          INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, job_id)
          SELECT $2, $10, $11, $12, $1 WHERE $11::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING job_id
        ), made AS (
          INSERT INTO jobs (id, workspace_id, capture_id, kind, status, url, options, request_id, trace, total, concurrency, delay_ms, webhook_url, webhook_secret, created_at,
            webhook_events, webhook_metadata, duplicates, actor_id, destination_id)
          SELECT $1, $2, $1, 'batch', 'queued', $3, $4, $5, $6, $7, $8, $9, $13, $14, $15, $19::text[], $20, $21, $24, $25
          WHERE $11::text IS NULL OR EXISTS (SELECT FROM fresh) RETURNING id
        )
        INSERT INTO batch_pages (capture_id, job_id, workspace_id, url, host, status, place, inputs)
        SELECT p.capture_id, made.id, $2, p.url, p.host, 'queued', p.place, ARRAY(SELECT jsonb_array_elements_text(p.inputs)::int)
        FROM made, unnest($16::text[], $17::text[], $18::text[], $22::int[], $23::jsonb[]) AS p(capture_id, url, host, place, inputs)`,
      values: [
        batch.id,
        batch.workspaceId,
        pages[0]?.url ?? '',
        JSON.stringify(CaptureOptions.toJSON(batch.options)),
        batch.requestId,
        JSON.stringify(trace),
        pages.length,
        batch.concurrency,
        batch.delayMs,
        idempotency?.route ?? null,
        idempotency?.key ?? null,
        idempotency?.requestHash ?? null,
        batch.sealedUrl ?? null,
        batch.sealedSecret ?? null,
        batch.createdAt,
        pages.map(({ captureId }) => captureId),
        pages.map(({ url }) => url),
        pages.map(({ host }) => host),
        batch.webhookEvents,
        batch.webhookMetadataJson,
        pages.reduce((sum, { inputs }) => sum + inputs.length - 1, 0),
        pages.map(({ inputs: [first = 0] }) => first),
        pages.map(({ inputs }) => JSON.stringify(inputs)),
        batch.actorId,
        batch.destinationId ?? null,
      ],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Claims pages of a host that are queued, or whose lease has expired. The first claim starts the batch. */
  async claim(jobId: string, host: string, limit: number): Promise<BatchPage[]> {
    const rows = await CLAIM.rows(this.#pool, { owner: this.#owner, limit, jobId, host });
    return rows
      .map(({ capture_id: captureId, url, attempts, held }) => ({ captureId, url, attempts, held, jobId, host }))
      .sort((a, b) => (a.captureId < b.captureId ? -1 : 1));
  }

  /** Returns the number of unfinished pages of a host, and the milliseconds until the next can be claimed. */
  async waiting(jobId: string, host: string): Promise<{ left: number; nextInMs: number }> {
    const { rows } = await this.#pool.query<{ left: number; next: number | null }>({
      name: 'batch-waiting',
      text: `
        SELECT count(*)::int AS left, (extract(epoch FROM min(lease_until) - now()) * 1000)::int AS next
        FROM batch_pages WHERE job_id = $1 AND host = $2 AND status IN ('queued', 'running')`,
      values: [jobId, host],
    });
    return { left: rows[0]?.left ?? 0, nextInMs: Math.max(0, rows[0]?.next ?? 0) };
  }

  /**
   * Renews the leases of pages.
   * @returns those still held by this instance; the others were cancelled or reassigned
   */
  renew(captureIds: readonly string[]): Promise<Set<string>> {
    return QUEUE.renew(this.#pool, { owner: this.#owner, keys: captureIds });
  }

  /** Returns a page to the queue after a failed attempt. */
  async retry(captureId: string, seconds: number): Promise<void> {
    await RETRY.changesRow(this.#pool, { capture_id: captureId, owner: this.#owner, seconds });
  }

  /** Returns a page to the queue whose host is held for so long; the attempt is not counted. */
  async hold(captureId: string, seconds: number): Promise<void> {
    await HOLD.changesRow(this.#pool, { capture_id: captureId, owner: this.#owner, seconds });
  }

  /** Returns a page to the queue for some seconds: its host is held, or a shutdown interrupted its attempt, which is not counted. */
  async postpone(captureId: string, seconds: number): Promise<void> {
    await POSTPONE.changesRow(this.#pool, { capture_id: captureId, owner: this.#owner, seconds });
  }

  /**
   * Completes a page of this instance, and the batch with its last page.
   * @returns the events that were written; undefined if the page is no longer held by this instance
   */
  end(ended: Ended): Promise<readonly OutgoingEvent[] | undefined> {
    return this.#ends.add(ended);
  }

  async #endMany(ended: readonly Ended[]): Promise<(readonly OutgoingEvent[] | undefined)[]> {
    const hasEnds = ended.some(({ publishesEnd }) => publishesEnd);
    // Only the end of a batch with a webhook or a destination is an event, which needs a transaction around the two statements.
    const { rows, ends } = hasEnds
      ? await inTransaction(this.#pool, (client) => this.#endWithEvents(client, ended))
      : { rows: await this.#writeEnds(this.#pool, ended), ends: [] };
    const done = new Set(rows.map((row) => row.capture_id));
    const unsent = [...ends];
    return ended.map(({ page, messages }) =>
      done.has(page.captureId) ? [...messages, ...unsent.splice(0)] : undefined,
    );
  }

  async #endWithEvents(client: pg.PoolClient, ended: readonly Ended[]) {
    const rows = await this.#writeEnds(client, ended);
    const ends: OutgoingEvent[] = [];
    for (const jobId of new Set(rows.filter((row) => row.is_last).map((row) => row.job_id))) {
      ends.push(...(await batchEnded(client, jobId)));
    }
    await writeEvents(client, ends);
    return { rows, ends };
  }

  async #writeEnds(client: pg.Pool | pg.PoolClient, ended: readonly Ended[]): Promise<EndedRow[]> {
    const events = ended.flatMap(({ page, messages }) => messages.map((message) => ({ id: page.captureId, message })));
    const outbox = outboxColumns(events.map(({ message }) => message));
    const { rows } = await client.query<EndedRow>({
      name: 'end-batch-pages',
      text: `
        WITH locked AS (
          SELECT id, last_number FROM jobs WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE
        ), numbered AS (
          SELECT f.*, l.last_number + row_number() OVER (PARTITION BY f.job_id ORDER BY f.capture_id) AS number
          FROM unnest($2::text[], $1::text[], $3::text[], $4::int[]) AS f(capture_id, job_id, verdict, credits) JOIN locked l ON l.id = f.job_id
        ), ended AS (
          UPDATE batch_pages p SET status = 'done', verdict = n.verdict, credits = n.credits, number = n.number, lease_until = NULL
          FROM numbered n WHERE p.capture_id = n.capture_id AND p.status = 'running' AND p.owner = $5
          RETURNING p.capture_id, p.job_id, p.credits, p.number
        ), counted AS (
          UPDATE jobs j SET pages = j.pages + e.pages, credits = j.credits + e.credits, last_number = e.last_number,
            status = CASE WHEN j.status = 'running' AND j.pages + e.pages >= j.total THEN 'done' ELSE j.status END,
            finished_at = CASE WHEN j.status = 'running' AND j.pages + e.pages >= j.total THEN now() ELSE j.finished_at END
          FROM (SELECT job_id, count(*) AS pages, sum(credits) AS credits, max(number) AS last_number FROM ended GROUP BY job_id) e
          WHERE j.id = e.job_id RETURNING j.id, j.status = 'done' AS is_last
        ), written AS (
          INSERT INTO outbox (id, subject, payload, trace, awaiting)
          SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
          FROM unnest($6::text[], $7::text[], $8::text[], $9::bytea[], $10::jsonb[], $11::text[]) AS o(capture_id, id, subject, payload, trace, awaiting)
          JOIN ended ON ended.capture_id = o.capture_id
          ON CONFLICT DO NOTHING
        )
        SELECT e.capture_id, e.job_id, c.is_last FROM ended e JOIN counted c ON c.id = e.job_id`,
      values: [
        ended.map(({ page }) => page.jobId),
        ended.map(({ page }) => page.captureId),
        ended.map(({ verdict }) => verdict),
        ended.map(({ credits }) => credits),
        this.#owner,
        events.map(({ id }) => id),
        outbox.ids,
        outbox.subjects,
        outbox.payloads,
        outbox.traces,
        outbox.awaiting,
      ],
    });
    return rows;
  }

  /**
   * Cancels the unfinished pages.
   * @returns the captures that were running
   */
  async cancelPages(jobId: string): Promise<string[]> {
    const { rows } = await this.#pool.query<{ capture_id: string; was: string }>({
      name: 'cancel-batch-pages',
      text: `
        UPDATE batch_pages p SET status = 'cancelled', lease_until = NULL
        FROM (SELECT capture_id, status AS was FROM batch_pages WHERE job_id = $1 AND status IN ('queued', 'running') FOR UPDATE) o
        WHERE p.capture_id = o.capture_id RETURNING p.capture_id, o.was`,
      values: [jobId],
    });
    return rows.filter(({ was }) => was === 'running').map((row) => row.capture_id);
  }
}
