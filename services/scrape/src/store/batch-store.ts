import { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import {
  Coalescer,
  inTransaction,
  type OutboxColumns,
  type OutgoingEvent,
  outboxColumns,
  retryWhileDatabaseUnavailable,
  writeEvents,
} from '@tidemark/service';
import { column, literals, nullable, type Params, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import type { BatchPage, NewBatch } from '../domain/batch.ts';
import { JOB_TRANSITIONS } from '../domain/job-state.ts';
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
    WITH running AS (UPDATE jobs SET status = ${sql.lit(JOB_TRANSITIONS.start.to)} WHERE id = ${jobId} AND status IN (${literals(JOB_TRANSITIONS.start.from)}))
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

interface CreateValues {
  readonly id: string;
  readonly workspaceId: string;
  /** Of its first page. */
  readonly url: string;
  /** JSON. */
  readonly options: string;
  readonly requestId: string;
  /** JSON. */
  readonly trace: string;
  readonly total: number;
  readonly concurrency: number;
  readonly delayMs: number;
  readonly route: string | null;
  readonly key: string | null;
  readonly requestHash: string | null;
  readonly sealedUrl: Uint8Array | null;
  readonly sealedSecret: Uint8Array | null;
  readonly createdAt: Date;
  readonly webhookEvents: readonly string[];
  readonly webhookMetadata: string;
  readonly duplicates: number;
  readonly actorId: string;
  readonly destinationId: string | null;
  /** Pages: the values at each position of the lists. */
  readonly captureIds: readonly string[];
  readonly urls: readonly string[];
  readonly hosts: readonly string[];
  readonly places: readonly number[];
  /** JSON. */
  readonly inputs: readonly string[];
}

const CREATE = schema.prepareText(
  'create-batch',
  {},
  (v: Params<CreateValues>) => sql`
    WITH fresh AS (
      INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, job_id)
      SELECT ${v.workspaceId}, ${v.route}, ${v.key}, ${v.requestHash}, ${v.id} WHERE ${v.key}::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING job_id
    ), made AS (
      INSERT INTO jobs (id, workspace_id, capture_id, kind, status, url, options, request_id, trace, total, concurrency, delay_ms, webhook_url,
        webhook_secret, created_at, webhook_events, webhook_metadata, duplicates, actor_id, destination_id)
      SELECT ${v.id}, ${v.workspaceId}, ${v.id}, 'batch', 'queued', ${v.url}, ${v.options}::jsonb, ${v.requestId}, ${v.trace}::jsonb, ${v.total}::int,
        ${v.concurrency}::int, ${v.delayMs}::int, ${v.sealedUrl}::bytea, ${v.sealedSecret}::bytea, ${v.createdAt}::timestamptz,
        ${v.webhookEvents}::text[], ${v.webhookMetadata}, ${v.duplicates}::int, ${v.actorId}, ${v.destinationId}
      WHERE ${v.key}::text IS NULL OR EXISTS (SELECT FROM fresh) RETURNING id
    )
    INSERT INTO batch_pages (capture_id, job_id, workspace_id, url, host, status, place, inputs)
    SELECT p.capture_id, made.id, ${v.workspaceId}, p.url, p.host, 'queued', p.place, ARRAY(SELECT jsonb_array_elements_text(p.inputs)::int)
    FROM made, unnest(${v.captureIds}::text[], ${v.urls}::text[], ${v.hosts}::text[], ${v.places}::int[], ${v.inputs}::jsonb[])
      AS p(capture_id, url, host, place, inputs)`,
);

const WAITING = schema.prepareText(
  'batch-waiting',
  { left: column('int4'), next: nullable('int4') },
  ({ jobId, host }: Params<BatchHost>) => sql`
    SELECT count(*)::int AS left, (extract(epoch FROM min(lease_until) - now()) * 1000)::int AS next
    FROM batch_pages WHERE job_id = ${jobId} AND host = ${host} AND status IN ('queued', 'running')`,
);

interface EndValues extends OutboxColumns {
  readonly owner: string;
  /** Pages: the values at each position of the lists. */
  readonly jobIds: readonly string[];
  readonly captureIds: readonly string[];
  readonly verdicts: readonly string[];
  readonly credits: readonly number[];
  /** The page of each event. */
  readonly causes: readonly string[];
}

const RUNNING = sql.lit(JOB_TRANSITIONS.start.to);
const DONE = sql.lit(JOB_TRANSITIONS.finish.to);

/** `is_last`: the page completes its batch. */
const END = schema.prepareText(
  'end-batch-pages',
  { capture_id: column('text'), job_id: column('text'), is_last: column('bool') },
  (v: Params<EndValues>) => sql`
    WITH locked AS (
      SELECT id, last_number FROM jobs WHERE id = ANY(${v.jobIds}::text[]) ORDER BY id FOR UPDATE
    ), numbered AS (
      SELECT f.*, l.last_number + row_number() OVER (PARTITION BY f.job_id ORDER BY f.capture_id) AS number
      FROM unnest(${v.captureIds}::text[], ${v.jobIds}::text[], ${v.verdicts}::text[], ${v.credits}::int[]) AS f(capture_id, job_id, verdict, credits)
      JOIN locked l ON l.id = f.job_id
    ), ended AS (
      UPDATE batch_pages p SET status = 'done', verdict = n.verdict, credits = n.credits, number = n.number, lease_until = NULL
      FROM numbered n WHERE p.capture_id = n.capture_id AND p.status = 'running' AND p.owner = ${v.owner}
      RETURNING p.capture_id, p.job_id, p.credits, p.number
    ), counted AS (
      UPDATE jobs j SET pages = j.pages + e.pages, credits = j.credits + e.credits, last_number = e.last_number,
        status = CASE WHEN j.status = ${RUNNING} AND j.pages + e.pages >= j.total THEN ${DONE} ELSE j.status END,
        finished_at = CASE WHEN j.status = ${RUNNING} AND j.pages + e.pages >= j.total THEN now() ELSE j.finished_at END
      FROM (SELECT job_id, count(*) AS pages, sum(credits) AS credits, max(number) AS last_number FROM ended GROUP BY job_id) e
      WHERE j.id = e.job_id RETURNING j.id, j.status = ${DONE} AS is_last
    ), written AS (
      INSERT INTO outbox (id, subject, payload, trace, awaiting)
      SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
      FROM unnest(${v.causes}::text[], ${v.ids}::text[], ${v.subjects}::text[], ${v.payloads}::bytea[], ${v.traces}::jsonb[], ${v.awaiting}::text[])
        AS o(capture_id, id, subject, payload, trace, awaiting)
      JOIN ended ON ended.capture_id = o.capture_id
      ON CONFLICT DO NOTHING
    )
    SELECT e.capture_id, e.job_id, c.is_last FROM ended e JOIN counted c ON c.id = e.job_id`,
);

const CANCEL_PAGES = schema.prepareText(
  'cancel-batch-pages',
  { capture_id: column('text'), was: stateOf<'queued' | 'running'>() },
  ({ jobId }: Params<{ readonly jobId: string }>) => sql`
    UPDATE batch_pages p SET status = 'cancelled', lease_until = NULL
    FROM (SELECT capture_id, status AS was FROM batch_pages WHERE job_id = ${jobId} AND status IN ('queued', 'running') FOR UPDATE) o
    WHERE p.capture_id = o.capture_id RETURNING p.capture_id, o.was`,
);

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
    return CREATE.changesRow(this.#pool, {
      id: batch.id,
      workspaceId: batch.workspaceId,
      url: pages[0]?.url ?? '',
      options: JSON.stringify(CaptureOptions.toJSON(batch.options)),
      requestId: batch.requestId,
      trace: JSON.stringify(trace),
      total: pages.length,
      concurrency: batch.concurrency,
      delayMs: batch.delayMs,
      route: idempotency?.route ?? null,
      key: idempotency?.key ?? null,
      requestHash: idempotency?.requestHash ?? null,
      sealedUrl: batch.sealedUrl ?? null,
      sealedSecret: batch.sealedSecret ?? null,
      createdAt: batch.createdAt,
      webhookEvents: batch.webhookEvents,
      webhookMetadata: batch.webhookMetadataJson ?? '',
      duplicates: pages.reduce((sum, { inputs }) => sum + inputs.length - 1, 0),
      actorId: batch.actorId,
      destinationId: batch.destinationId ?? null,
      captureIds: pages.map(({ captureId }) => captureId),
      urls: pages.map(({ url }) => url),
      hosts: pages.map(({ host }) => host),
      places: pages.map(({ inputs: [first = 0] }) => first),
      inputs: pages.map(({ inputs }) => JSON.stringify(inputs)),
    });
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
    const row = await WAITING.row(this.#pool, { jobId, host });
    return { left: row?.left ?? 0, nextInMs: Math.max(0, row?.next ?? 0) };
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

  #writeEnds(client: pg.Pool | pg.PoolClient, ended: readonly Ended[]) {
    const events = ended.flatMap(({ page, messages }) => messages.map((message) => ({ id: page.captureId, message })));
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns(events.map(({ message }) => message));
    return END.rows(client, {
      owner: this.#owner,
      jobIds: ended.map(({ page }) => page.jobId),
      captureIds: ended.map(({ page }) => page.captureId),
      verdicts: ended.map(({ verdict }) => verdict),
      credits: ended.map(({ credits }) => credits),
      causes: events.map(({ id }) => id),
      ids,
      subjects,
      payloads,
      traces,
      awaiting,
    });
  }

  /**
   * Cancels the unfinished pages.
   * @returns the captures that were running
   */
  async cancelPages(jobId: string): Promise<string[]> {
    const rows = await CANCEL_PAGES.rows(this.#pool, { jobId });
    return rows.filter(({ was }) => was === 'running').map((row) => row.capture_id);
  }
}
