import type { Caller } from '@tidemark/contracts';
import { readSettings } from '@tidemark/project-config';
import { ChangeDigestText } from '@tidemark/results';
import { anyOf, type RowOfQuery, selectRow, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import type { Coverage } from '../coverage/run-coverage.ts';
import type { RecordState } from '../domain/record-state.ts';
import type { SelectorBreak } from '../selectors/find-breaks.ts';
import type { StoredConfig } from './record-store.ts';
import { tables } from './tables.ts';

/** A record as returned to clients. */
export interface RecordView {
  readonly runId: string;
  readonly projectId: string;
  readonly status: RecordState;
  readonly error: string;
  readonly baselineRunId: string;
  readonly madeAt: Date | undefined;
  readonly counts: Readonly<Record<string, number>>;
  readonly coverage: Coverage | undefined;
  readonly moved: number;
  readonly entries: number;
  readonly breaks: readonly SelectorBreak[];
  /** Digest by a model, as JSON. */
  readonly digest: ChangeDigestText | undefined;
}

/** Status and counts of a record. */
export type RecordSummary = Pick<RecordView, 'runId' | 'status' | 'counts'>;

const RECORDS = tables
  .selectFrom('records')
  .select(['run_id', 'project_id', 'status', 'error', 'baseline_run_id', 'made_at', 'counts', 'coverage'])
  .select(['moved', 'entries', 'breaks', 'digest']);

/** Read access to records. */
export class RecordReader {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find({ workspaceId }: Caller, projectId: string, runId: string): Promise<RecordView | undefined> {
    const query = RECORDS.where('workspace_id', '=', workspaceId)
      .where('project_id', '=', projectId)
      .where('run_id', '=', runId);
    const row = await selectRow(this.#pool, query);
    return row && toView(row);
  }

  /** Returns the stored settings of a run with a record; none without a record. */
  async configOf({ workspaceId }: Caller, projectId: string, runId: string): Promise<StoredConfig> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('records')
        .select('config')
        .where('workspace_id', '=', workspaceId)
        .where('project_id', '=', projectId)
        .where('run_id', '=', runId),
    );
    return readSettings(JSON.parse(row?.config ?? '{}'));
  }

  /** Returns status and counts of the records of these runs, in no order. Counts are empty until a record is made. */
  async counts({ workspaceId }: Caller, projectId: string, runIds: readonly string[]): Promise<RecordSummary[]> {
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom('records')
        .select(['run_id', 'status', 'counts'])
        .where('workspace_id', '=', workspaceId)
        .where('project_id', '=', projectId)
        .where('run_id', '=', anyOf(runIds)),
    );
    return rows.map(({ run_id: runId, status, counts }) => ({
      runId,
      status,
      counts: status === 'made' ? JSON.parse(counts) : {},
    }));
  }
}

function toView(row: RowOfQuery<typeof RECORDS>): RecordView {
  const isMade = row.status === 'made';
  return {
    runId: row.run_id,
    projectId: row.project_id,
    status: row.status,
    error: row.error,
    baselineRunId: row.baseline_run_id,
    madeAt: row.made_at ?? undefined,
    counts: JSON.parse(row.counts),
    coverage: isMade ? JSON.parse(row.coverage) : undefined,
    moved: row.moved,
    entries: row.entries,
    breaks: JSON.parse(row.breaks),
    digest: row.digest === null ? undefined : ChangeDigestText.parse(JSON.parse(row.digest)),
  };
}
