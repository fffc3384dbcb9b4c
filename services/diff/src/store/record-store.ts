import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { whileDatabaseAway } from '@tidemark/service';
import type pg from 'pg';
import type { Coverage } from '../coverage/run-coverage.ts';
import type { RecordHead } from '../record/build-record.ts';
import type { SelectorBreak, SelectorStats } from '../selectors/find-breaks.ts';

/** Longer than a maker that lives goes without renewing its lease. */
const LEASE_SECONDS = 30;

/** A record somebody makes: theirs until the lease they renew runs out and another claims it. */
export interface RecordClaim {
  readonly run: RunFinished;
  /** Of this claim alone: every move names it, so that a maker whose lease ran out changes nothing. */
  readonly token: string;
  readonly attempts: number;
  /** How often rows of the run were still on their way. */
  readonly notReadyCount: number;
}

/** What later records need of a run's configuration. */
export type StoredConfig = Readonly<Record<string, unknown>>;

/** What the record of an earlier full run says to the next. */
export interface BaselineRecord {
  readonly runId: string;
  readonly startedAt: Date | undefined;
  readonly scopeHash: string;
  readonly isComplete: boolean;
  readonly inSitemap: number;
  readonly config: StoredConfig;
  readonly selectors: readonly SelectorStats[];
}

/** What a finished record is kept with, beside its head. */
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

/** Records of runs: which are to be made, by whom, and what became of them. */
export class RecordStore {
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Notes runs that have ended, unless their project is gone. Safe to repeat: a run has one record. */
  async enqueue(runs: readonly RunFinished[]): Promise<void> {
    const values = [
      runs.map(({ runId }) => runId),
      runs.map(({ workspaceId }) => workspaceId),
      runs.map(({ projectId }) => projectId),
      runs.map(({ trigger }) => trigger === 'recrawl'),
      runs.map((run) => Buffer.from(RunFinished.encode(run).finish())),
      runs.map(({ finishedAt }) => finishedAt ?? new Date()),
    ];
    const text = `
      INSERT INTO records (run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at, due_at)
      SELECT r.*, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::bytea[], $6::timestamptz[])
        AS r(run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at)
      WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)
      ON CONFLICT DO NOTHING`;
    await whileDatabaseAway(() => this.#pool.query({ name: 'enqueue-records', text, values }), 20_000);
  }

  /** Takes the next record that is due. Of one project the oldest run comes first, since each builds on the one before. */
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

  /** @returns false where it is another's by now */
  async renewLease({ run: { runId }, token }: RecordClaim): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'renew-record',
      text: 'UPDATE records SET lease_until = now() + make_interval(secs => $3) WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL',
      values: [runId, token, LEASE_SECONDS],
    });
    return rowCount === 1;
  }

  /** Leaves a record until more of its run is there: that was no attempt. */
  async deferUntilListed({ run: { runId }, token }: RecordClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'defer-record',
      text: `
        UPDATE records SET owner = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3), attempts = attempts - 1, not_ready_count = not_ready_count + 1
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, seconds],
    });
  }

  /** Leaves a record that could not be made to be tried later. */
  async scheduleRetry({ run: { runId }, token }: RecordClaim, seconds: number): Promise<void> {
    await this.#pool.query({
      name: 'retry-record',
      text: `
        UPDATE records SET owner = NULL, lease_until = NULL, due_at = now() + make_interval(secs => $3)
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, seconds],
    });
  }

  /** Gives a record up: the next one of the project is compared with what was known before. */
  async fail({ run: { runId }, token }: RecordClaim, reason: string): Promise<void> {
    await this.#pool.query({
      name: 'fail-record',
      text: `
        UPDATE records SET status = 'failed', error = $3, owner = NULL, lease_until = NULL, due_at = NULL, made_at = now()
        WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL`,
      values: [runId, token, reason.slice(0, 500)],
    });
  }

  /** Forgets a record that is to be of a run that is gone. */
  async delete({ run: { runId }, token }: RecordClaim): Promise<void> {
    await this.#pool.query({
      name: 'delete-record',
      text: 'DELETE FROM records WHERE run_id = $1 AND owner = $2 AND due_at IS NOT NULL',
      values: [runId, token],
    });
  }

  /** Ends a record in the transaction that wrote it. @returns false where it is another's by now: nothing of it may stay */
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

  /** The record of the last full run before this one. */
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
        WHERE workspace_id = $1 AND project_id = $2 AND run_id < $3 AND status = 'made' AND NOT is_recrawl
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
