import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { readSettings, type Settings } from '@tidemark/project-config';
import { retryWhileDatabaseUnavailable } from '@tidemark/service';
import { changeRows, column, type Database, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { type Coverage, isHistory } from '../coverage/run-coverage.ts';
import type { RecordHead } from '../records/build/build-record.ts';
import type { SelectorBreak, SelectorStats } from '../selectors/find-breaks.ts';
import { isPending, stateAfter } from './record-transitions.ts';
import { schema, tables } from './tables.ts';

/** A claim of a record, valid until its lease expires. */
export interface RecordClaim {
  readonly run: RunFinished;
  /** Fencing token: every update names it, so that a builder with an expired lease changes nothing. */
  readonly token: string;
  readonly attempts: number;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
  /** Number of times the run's pages were not listed yet. */
  readonly notReadyCount: number;
}

/** Settings that later records need. */
export type StoredConfig = Settings;

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

/** Records of one project are claimed in run order, because each builds on the previous one. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'record',
  table: 'records',
  key: ['run_id'],
  times: { kind: 'separate', dueAt: 'due_at', leaseUntil: 'lease_until' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interruptions',
  // Several times the renewal interval of builders.
  leaseSeconds: 30,
  policy: ATTEMPT_POLICIES['diff.records'],
  mayBeClaimed: sql`NOT EXISTS (
    SELECT FROM records o WHERE o.workspace_id = records.workspace_id AND o.project_id = records.project_id
      AND o.run_id < records.run_id AND ${isPending('o')})`,
  isOpen: isPending('records'),
  columns: {
    run_finished: column('bytea'),
    attempts: column('int4'),
    interruptions: column('int4'),
    not_ready_count: column('int4'),
  },
});
const DEFER = QUEUE.postpone('defer-record', sql`not_ready_count = not_ready_count + 1`);
const RELEASE = QUEUE.postpone('release-record');
const RETRY = QUEUE.retry('retry-record');
const FAIL = QUEUE.end(
  'fail-record',
  ({ error }: Params<{ readonly error: string }>) =>
    sql`status = ${stateAfter('fail')}, error = ${error}, made_at = now()`,
);
const REMOVE = QUEUE.remove('delete-record');

interface FinishValues {
  readonly rulesVersion: number;
  readonly baseline: string;
  readonly counts: string;
  readonly coverage: string;
  readonly moved: number;
  readonly entries: number;
  readonly config: string;
  readonly scopeHash: string;
  readonly inSitemap: number;
  readonly startedAt: Date | undefined;
  readonly selectors: string;
  readonly breaks: string;
}

const FINISH = QUEUE.end(
  'finish-record',
  (values: Params<FinishValues>) => sql`
    status = ${stateAfter('finish')}, error = '', made_at = now(), rules_version = ${values.rulesVersion}, baseline_run_id = ${values.baseline},
    counts = ${values.counts}, coverage = ${values.coverage}, moved = ${values.moved}, entries = ${values.entries},
    config = ${values.config}, scope_hash = ${values.scopeHash}, in_sitemap = ${values.inSitemap},
    started_at = ${values.startedAt}, selectors = ${values.selectors}, breaks = ${values.breaks}`,
);

interface EndedRuns {
  readonly runIds: readonly string[];
  readonly workspaceIds: readonly string[];
  readonly projectIds: readonly string[];
  readonly areRecrawls: readonly boolean[];
  /** RunFinished, as proto bytes. */
  readonly messages: readonly Buffer[];
  readonly finishedAt: readonly Date[];
  readonly areHistory: readonly boolean[];
  readonly haveCoverage: readonly boolean[];
}

const ENQUEUE = schema.prepareText(
  'enqueue-records',
  {},
  (runs: Params<EndedRuns>) => sql`
    INSERT INTO records (run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at, is_history, has_coverage, due_at)
    SELECT r.run_id, r.workspace_id, r.project_id, r.is_recrawl, r.run_finished, r.finished_at, r.is_history, r.has_coverage, now()
    FROM unnest(${runs.runIds}::text[], ${runs.workspaceIds}::text[], ${runs.projectIds}::text[], ${runs.areRecrawls}::bool[],
        ${runs.messages}::bytea[], ${runs.finishedAt}::timestamptz[], ${runs.areHistory}::bool[], ${runs.haveCoverage}::bool[])
      AS r(run_id, workspace_id, project_id, is_recrawl, run_finished, finished_at, is_history, has_coverage)
    WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = r.project_id)
    ON CONFLICT DO NOTHING`,
);

interface RunValues {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
}

const BASELINE = schema.prepare('baseline-record', ({ workspaceId, projectId, runId }: Params<RunValues>) =>
  tables
    .selectFrom('records')
    .select(['run_id', 'started_at', 'scope_hash', 'in_sitemap', 'config', 'selectors', 'coverage'])
    .where('workspace_id', '=', workspaceId)
    .where('project_id', '=', projectId)
    .where('run_id', '<', runId)
    .where('status', '=', stateAfter('finish'))
    .where('has_coverage', '=', sql.lit(true))
    .orderBy('run_id', 'desc')
    .limit(sql.lit(1)),
);

/** The row that a claim holds, and its fence. */
const held = ({ run, token }: RecordClaim) => ({ run_id: run.runId, owner: token });

/** Allows the transaction of a record to be idle while pages are compared or verified. */
export async function allowIdleTransaction(client: Database): Promise<void> {
  await changeRows(client, sql`SET LOCAL idle_in_transaction_session_timeout = '5min'`);
}

/** Queue and results of records. */
export class RecordStore {
  readonly policy = QUEUE.policy;
  readonly #pool: pg.Pool;
  readonly #newToken: () => string;

  constructor(pool: pg.Pool, newToken: () => string) {
    this.#pool = pool;
    this.#newToken = newToken;
  }

  /** Enqueues records of finished runs, except of deleted projects. Idempotent: a run has one record. */
  async enqueue(runs: readonly RunFinished[]): Promise<void> {
    const values = {
      runIds: runs.map(({ runId }) => runId),
      workspaceIds: runs.map(({ workspaceId }) => workspaceId),
      projectIds: runs.map(({ projectId }) => projectId),
      areRecrawls: runs.map(({ trigger }) => trigger === 'recrawl'),
      messages: runs.map((run) => Buffer.from(RunFinished.encode(run).finish())),
      finishedAt: runs.map(({ finishedAt }) => finishedAt ?? new Date()),
      areHistory: runs.map(({ trigger, status }) => isHistory({ isRecrawl: trigger === 'recrawl', status })),
      haveCoverage: runs.map(({ hasCoverage }) => hasCoverage),
    };
    await retryWhileDatabaseUnavailable(() => ENQUEUE.change(this.#pool, values), 20_000);
  }

  /** Claims the next due record. */
  async claim(): Promise<RecordClaim | undefined> {
    const token = this.#newToken();
    const [row] = await QUEUE.claim(this.#pool, { owner: token, limit: 1 });
    if (row === undefined) return undefined;
    return {
      run: RunFinished.decode(row.run_finished),
      token,
      attempts: row.attempts,
      interruptions: row.interruptions,
      notReadyCount: row.not_ready_count,
    };
  }

  /** @returns false if the lease was lost */
  async renewLease({ run: { runId }, token }: RecordClaim): Promise<boolean> {
    return (await QUEUE.renew(this.#pool, { owner: token, keys: [runId] })).has(runId);
  }

  /** Defers a record until the archive has listed its run; does not count as an attempt. */
  async deferUntilListed(claim: RecordClaim, seconds: number): Promise<void> {
    await DEFER.changesRow(this.#pool, { ...held(claim), seconds });
  }

  /** Releases a record at shutdown: it is due at once, and the attempt is not counted. */
  async release(claim: RecordClaim): Promise<void> {
    await RELEASE.changesRow(this.#pool, { ...held(claim), seconds: 0 });
  }

  /** Schedules another attempt. */
  async scheduleRetry(claim: RecordClaim, seconds: number): Promise<void> {
    await RETRY.changesRow(this.#pool, { ...held(claim), seconds });
  }

  /** Marks a record failed. The project's next record is compared with the state before it. */
  async fail(claim: RecordClaim, reason: string): Promise<void> {
    await FAIL.changesRow(this.#pool, { ...held(claim), error: reason.slice(0, 500) });
  }

  /** Deletes a record whose run no longer exists. */
  async delete(claim: RecordClaim): Promise<void> {
    await REMOVE.changesRow(this.#pool, held(claim));
  }

  /**
   * Finishes a record in the transaction that wrote it. @returns false if the lease was lost: the transaction must be
   * rolled back
   */
  finish(client: Database, token: string, { head, metadata }: FinishedRecord): Promise<boolean> {
    return FINISH.changesRow(client, {
      run_id: head.runId,
      owner: token,
      rulesVersion: head.rulesVersion,
      baseline: head.baseline ?? '',
      counts: JSON.stringify(head.counts),
      coverage: JSON.stringify(head.coverage),
      moved: head.moved,
      entries: head.entries,
      config: JSON.stringify(metadata.config),
      scopeHash: metadata.scopeHash,
      inSitemap: metadata.inSitemap,
      startedAt: metadata.startedAt,
      selectors: JSON.stringify(metadata.selectors),
      breaks: JSON.stringify(metadata.breaks),
    });
  }

  /** Returns the record of the last full run before this one that read pages: its state is what this one is compared with. */
  async baselineOf({ workspaceId, projectId, runId }: RunFinished): Promise<BaselineRecord | undefined> {
    const row = await BASELINE.row(this.#pool, { workspaceId, projectId, runId });
    if (row === undefined) return undefined;
    const coverage: Partial<Coverage> = JSON.parse(row.coverage);
    return {
      runId: row.run_id,
      startedAt: row.started_at ?? undefined,
      scopeHash: row.scope_hash,
      isComplete: coverage.complete ?? false,
      inSitemap: row.in_sitemap,
      config: readSettings(JSON.parse(row.config)),
      selectors: JSON.parse(row.selectors),
    };
  }
}
