import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';
import { type Coverage, isHistory } from '../coverage/run-coverage.ts';
import type { RecordHead } from '../record/build-record.ts';
import type { SelectorBreak, SelectorStats } from '../selectors/find-breaks.ts';

/** Must be several times the renewal interval of builders. */
const LEASE_SECONDS = 30;

/** A claim of a record, valid until its lease expires. */
export interface RecordClaim {
  readonly run: RunFinished;
  /** Fencing token: every update names it, so that a builder with an expired lease changes nothing. */
  readonly token: string;
  readonly attempts: number;
  /** Number of times the run's pages were not listed yet. */
  readonly notReadyCount: number;
}

/** Settings that later records need. */
export type StoredConfig = Readonly<Record<string, unknown>>;

/** Data of the baseline's record that the next record needs. */
export interface BaselineRecord {
  readonly runId: string;
  readonly startedAt: Date | undefined;
  readonly scopeHash: string;
  readonly isComplete: boolean;
  readonly inSitemap: number;
  readonly config: StoredConfig;
  readonly selectors: readonly SelectorStats[];
}

/** Stored with a finished record. */
export interface RunMetadata {
  readonly config: StoredConfig;
  readonly scopeHash: string;
  readonly inSitemap: number;
  readonly startedAt: Date | undefined;
  readonly selectors: readonly SelectorStats[];
  readonly breaks: readonly SelectorBreak[];
}

export interface FinishedRecord {
  readonly head: RecordHead;
  readonly metadata: RunMetadata;
}

/** Queue and results of records. */
export class RecordStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Enqueues records of finished runs, except of deleted projects. Idempotent: a run has one record. */
  async enqueue(runs: readonly RunFinished[]): Promise<void> {
    const values = [
      runs.map(({ runId }) => runId),
      runs.map(({ workspaceId }) => workspaceId),
      runs.map(({ projectId }) => projectId),
      runs.map(({ trigger }) => trigger === 'recrawl'),
      runs.map((run) => Buffer.from(RunFinished.encode(run).finish())),
      runs.map(({ finishedAt }) => finishedAt ?? new Date()),
      runs.map(({ trigger, status }) => isHistory({ isRecrawl: trigger === 'recrawl', status })),
      runs.map(({ hasCoverage }) => hasCoverage),
    ];
    const text = `
      INSERT INTO records (run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at, is_history, has_coverage, due_at)
      SELECT r.*, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::bytea[], $6::timestamptz[], $7::bool[], $8::bool[])
        AS r(run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at, is_history, has_coverage)
      WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)
      ON CONFLICT DO NOTHING`;
    await retryWhileDatabaseUnavailable(() => this.#pool.query({ name: 'enqueue-records', text, values }), 20_000);
  }

  /**
   * Claims the next due record. Records of one project are claimed in run order, because each builds on the previous
   * one.
   */
  async claim(): Promise<RecordClaim | undefined> {
    const token = this.#newToken();
    const { rows } = await this.#pool.query<{ run_finished: Buffer; attempts: number; not_ready_count: number }>({
      name: 'claim-record',
      text: `
        UPDATE records SET owner = $1, lease_until = now() + make_interval(secs => $2), attempts = attempts + 1
        WHERE run_id = (
          SELECT run_id FROM records r WHERE due_at <= now() AND (lease_until IS NULL OR lease_until < now()) AND NOT EXISTS (
            SELECT FROM records o WHERE o.workspace_id = r.workspace_id AND o.project_id = r.project_id AND o.run_id < r.run_id AND o.status = 'pending')
          ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING run_finished, attempts, not_ready_count`,
      values: [token, LEASE_SECONDS],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    return {
      run: RunFinished.decode(row.run_finished),
      token,
      attempts: row.attempts,
      notReadyCount: row.not_ready_count,
    };
  }

  /** @returns false if the lease was lost */
  async renewLease({ run: { runId }, token }: RecordClaim): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'renew-record',
      text: 'UPDATE records SET lease_until = now() + make_interval(secs => $3) WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL',
      values: [runId, token, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Defers a record until the archive has listed its run; does not count as an attempt. */
  async deferUntilListed({ run: { runId }, token }: RecordClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'defer-record',
      text: `
        UPDATE records SET owner = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3), attempts = attempts - 1, not_ready_count = not_ready_count + 1
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, seconds],
    });
  }

  /** Schedules another attempt. */
  async scheduleRetry({ run: { runId }, token }: RecordClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'retry-record',
      text: `
        UPDATE records SET owner = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3)
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, seconds],
    });
  }

  /** Marks a record failed. The project's next record is compared with the state before it. */
  async fail({ run: { runId }, token }: RecordClaim, reason: string): Promise<void> {
    await this.#pool.query({
      name: 'fail-record',
      text: `
        UPDATE records SET status = 'failed', error = $3, owner = NULL, lease_until = NULL, due_at = NULL, made_at = now()
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, reason.slice(0, 500)],
    });
  }

  /** Deletes a record whose run no longer exists. */
  async delete({ run: { runId }, token }: RecordClaim): Promise<void> {
    await this.#pool.query({
      name: 'delete-record',
      text: 'DELETE FROM records WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL',
      values: [runId, token],
    });
  }

  /**
   * Finishes a record in the transaction that wrote it. @returns false if the lease was lost: the transaction must be
   * rolled back
   */
  async finish(client: pg.PoolClient, token: string, { head, metadata }: FinishedRecord): Promise<boolean> {
    const { rowCount } = await client.query({
      name: 'finish-record',
      text: `
        UPDATE records SET status = 'made', error = '', owner = NULL, lease_until = NULL, due_at = NULL, made_at = now(),
          rules_version = $3, baseline_run_id = $4, counts = $5, coverage = $6, moved = $7, entries = $8,
          config = $9, scope_hash = $10, in_sitemap = $11, started_at = $12, selectors = $13, breaks = $14
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [
        head.runId,
        token,
        head.rulesVersion,
        head.baseline ?? '',
        JSON.stringify(head.counts),
        JSON.stringify(head.coverage),
        head.moved,
        head.entries,
        JSON.stringify(metadata.config),
        metadata.scopeHash,
        metadata.inSitemap,
        metadata.startedAt,
        JSON.stringify(metadata.selectors),
        JSON.stringify(metadata.breaks),
      ],
    });
    return rowCount === 1;
  }

  /** Returns the record of the last full run before this one that read pages: its state is what this one is compared with. */
  async baselineOf({ workspaceId, projectId, runId }: RunFinished): Promise<BaselineRecord | undefined> {
    const { rows } = await this.#pool.query<{
      run_id: string;
      started_at: Date | null;
      scope_hash: string;
      in_sitemap: number;
      config: string;
      selectors: string;
      coverage: string;
    }>({
      name: 'baseline-record',
      text: `
        SELECT run_id, started_at, scope_hash, in_sitemap, config, selectors, coverage FROM records
        WHERE workspace_id = $1 AND project_id = $2 AND run_id < $3 AND status = 'made' AND has_coverage
        ORDER BY run_id DESC LIMIT 1`,
      values: [workspaceId, projectId, runId],
    });
    const [row] = rows;
    if (row === undefined) return undefined;
    const coverage: Partial<Coverage> = JSON.parse(row.coverage);
    return {
      runId: row.run_id,
      startedAt: row.started_at ?? undefined,
      scopeHash: row.scope_hash,
      isComplete: coverage.complete ?? false,
      inSitemap: row.in_sitemap,
      config: JSON.parse(row.config),
      selectors: JSON.parse(row.selectors),
    };
  }
}
