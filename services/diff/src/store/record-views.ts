import type { Caller } from '@tidemark/contracts';
import type pg from 'pg';
import type { Coverage } from '../coverage/run-coverage.ts';
import type { SelectorBreak } from '../selectors/find-breaks.ts';
import type { StoredConfig } from './record-store.ts';

/** A record as returned to clients. */
export interface RecordView {
  readonly runId: string;
  readonly projectId: string;
  readonly status: string;
  readonly error: string;
  readonly baselineRunId: string;
  readonly madeAt: Date | undefined;
  readonly counts: Readonly<Record<string, number>>;
  readonly coverage: Coverage | undefined;
  readonly moved: number;
  readonly entries: number;
  readonly breaks: readonly SelectorBreak[];
  /** Digest by a model, as JSON. */
  readonly digestJson: string | undefined;
}

/** Status and counts of a record. */
export type RecordSummary = Pick<RecordView, 'runId' | 'status' | 'counts'>;

interface RecordRow {
  readonly run_id: string;
  readonly project_id: string;
  readonly status: string;
  readonly error: string;
  readonly baseline_run_id: string;
  readonly made_at: Date | null;
  readonly counts: string;
  readonly coverage: string;
  readonly moved: number;
  readonly entries: number;
  readonly breaks: string;
  readonly digest: string | null;
}

const COLUMNS =
  'run_id, project_id, status, error, baseline_run_id, made_at, counts, coverage, moved, entries, breaks, digest';

/** Read access to records. */
export class RecordReader {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Finds the record of a run; with an empty `runId`, the newest that replaced the known state: not that of a failed or cancelled run. */
  async find({ workspaceId }: Caller, projectId: string, runId: string): Promise<RecordView | undefined> {
    const { rows } = await this.#pool.query<RecordRow>({
      name: 'find-record',
      text: `
        SELECT ${COLUMNS} FROM records WHERE workspace_id = $1 AND project_id = $2
          AND CASE WHEN $3 = '' THEN status = 'made' AND is_history ELSE run_id = $3 END
        ORDER BY run_id DESC LIMIT 1`,
      values: [workspaceId, projectId, runId],
    });
    const [row] = rows;
    return row === undefined ? undefined : toView(row);
  }

  /** Returns the stored settings of a run with a record; none without a record. */
  async configOf({ workspaceId }: Caller, projectId: string, runId: string): Promise<StoredConfig> {
    const { rows } = await this.#pool.query<{ config: string }>({
      name: 'find-record-config',
      text: 'SELECT config FROM records WHERE workspace_id = $1 AND project_id = $2 AND run_id = $3',
      values: [workspaceId, projectId, runId],
    });
    return JSON.parse(rows[0]?.config ?? '{}');
  }

  /** Returns status and counts of the records of these runs, in no order. Counts are empty until a record is made. */
  async counts({ workspaceId }: Caller, projectId: string, runIds: readonly string[]): Promise<RecordSummary[]> {
    const { rows } = await this.#pool.query<Pick<RecordRow, 'run_id' | 'status' | 'counts'>>({
      name: 'count-records',
      text: 'SELECT run_id, status, counts FROM records WHERE workspace_id = $1 AND project_id = $2 AND run_id = ANY($3)',
      values: [workspaceId, projectId, runIds],
    });
    return rows.map(({ run_id: runId, status, counts }) => ({
      runId,
      status: toStatus(status),
      counts: status === 'made' ? JSON.parse(counts) : {},
    }));
  }
}

const toStatus = (status: string): string => (status === 'pending' ? 'making' : status);

function toView(row: RecordRow): RecordView {
  const isMade = row.status === 'made';
  return {
    runId: row.run_id,
    projectId: row.project_id,
    status: toStatus(row.status),
    error: row.error,
    baselineRunId: row.baseline_run_id,
    madeAt: row.made_at ?? undefined,
    counts: JSON.parse(row.counts),
    coverage: isMade ? JSON.parse(row.coverage) : undefined,
    moved: row.moved,
    entries: row.entries,
    breaks: JSON.parse(row.breaks),
    digestJson: row.digest ?? undefined,
  };
}
