import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { inTransaction } from '@tidemark/service';
import { column, type Params, type RowOf, sql } from '@tidemark/sql';
import type pg from 'pg';
import { DUE_TRANSITIONS, type FinishedDueStatus } from '../domain/due-state.ts';
import { schema, tables } from '../store/tables.ts';
import type { Schedule } from './due-times.ts';

const STARTING = sql.lit(DUE_TRANSITIONS.claim.to);
/** Retention of finished due runs, days. */
const RETENTION_DAYS = 90;
/** Due runs deleted by one statement. */
const DELETE_BATCH = 10_000;

/** A due run that this instance has claimed. */
export interface DueClaim {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly dueAt: Date;
  readonly runId: string;
  readonly attempts: number;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
}

/** A project that is due. */
export interface DueProject extends Schedule {
  readonly id: string;
  readonly due: Date;
}

/** What to store for a due project. */
export interface DueDecision {
  readonly runId: string;
  readonly next: Date | undefined;
  readonly missed: number;
}

const COLUMNS = {
  project_id: column('text'),
  workspace_id: column('text'),
  due_at: column('timestamptz'),
  run_id: column('text'),
  attempts: column('int4'),
  interruptions: column('int4'),
};
type ClaimRow = RowOf<typeof COLUMNS>;

/** The runs whose start another instance did not complete. A due run is inserted as a claim of the instance that finds it due. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'due-run',
  table: 'due_runs',
  key: ['project_id', 'due_at'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interruptions',
  // Exceeds the deadlines of the calls that a start makes.
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES['projects.due_runs'],
  isOpen: sql`status = ${STARTING}`,
  isClaimed: sql`status = ${STARTING} AND owner IS NOT NULL`,
  columns: COLUMNS,
});
const FINISH = QUEUE.update(
  'finish-due',
  ({ status, why }: Params<{ readonly status: FinishedDueStatus; readonly why: string }>) =>
    sql`status = ${status}, why = ${why}, owner = NULL`,
);
const RETRY = QUEUE.retry('retry-due', ({ why }: Params<{ readonly why: string }>) => sql`why = ${why}`);

const DUE_PROJECTS = schema.prepare(
  'due-projects',
  ({ now, limit }: Params<{ readonly now: Date; readonly limit: number }>) =>
    tables
      .selectFrom('projects')
      .select(['id', 'schedule', 'timezone', 'next_due as due'])
      .$narrowType<{ due: Date }>()
      .where('next_due', '<=', now)
      .orderBy('next_due')
      .limit(limit)
      .forNoKeyUpdate()
      .skipLocked(),
);

/** Decisions: the values at each position of the lists. */
interface Decisions {
  readonly owner: string;
  readonly ids: readonly string[];
  readonly dues: readonly Date[];
  readonly runIds: readonly string[];
  readonly nextDues: readonly (Date | null)[];
  readonly missed: readonly number[];
}

const CLAIM_DUE = schema.prepareText(
  'claim-due',
  COLUMNS,
  ({ owner, ids, dues, runIds, nextDues, missed }: Params<Decisions>) => sql`
    WITH decided AS (
      SELECT * FROM unnest(${ids}::text[], ${dues}::timestamptz[], ${runIds}::text[], ${nextDues}::timestamptz[], ${missed}::int[])
        AS d(id, due, run_id, next_due, missed)
    ), moved AS (
      UPDATE projects p SET next_due = d.next_due FROM decided d WHERE p.id = d.id RETURNING p.id, p.workspace_id
    )
    INSERT INTO due_runs (project_id, due_at, workspace_id, run_id, missed, owner, lease_until)
    SELECT d.id, d.due, m.workspace_id, d.run_id, d.missed, ${owner}, now() + make_interval(secs => ${sql.lit(QUEUE.leaseSeconds)})
    FROM decided d JOIN moved m USING (id)
    ON CONFLICT DO NOTHING RETURNING project_id, workspace_id, due_at, run_id, attempts, interruptions`,
);

const DELETE_OLD = schema.prepareText(
  'delete-old-due',
  {},
  () => sql`
    DELETE FROM due_runs d USING (
      SELECT project_id, due_at FROM due_runs o
      WHERE status <> ${STARTING} AND due_at < now() - make_interval(days => ${sql.lit(RETENTION_DAYS)})
        AND EXISTS (SELECT FROM due_runs n WHERE n.project_id = o.project_id AND n.due_at > o.due_at)
      ORDER BY due_at LIMIT ${sql.lit(DELETE_BATCH)}
    ) o WHERE d.project_id = o.project_id AND d.due_at = o.due_at`,
);

const toClaim = ({ project_id, workspace_id, due_at, run_id, attempts, interruptions }: ClaimRow): DueClaim => ({
  projectId: project_id,
  workspaceId: workspace_id,
  dueAt: due_at,
  runId: run_id,
  attempts,
  interruptions,
});

/** Due runs in PostgreSQL. Each is claimed once by project and due time; every later update is fenced by the claim's owner. */
export class DueRunStore {
  readonly policy = QUEUE.policy;
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /** Claims runs that are due at `now` and sets the next due time of their projects, in one transaction. Skips locked projects. */
  async claim(now: Date, limit: number, decide: (project: DueProject) => DueDecision): Promise<DueClaim[]> {
    return inTransaction(this.#pool, async (client) => {
      const rows = await DUE_PROJECTS.rows(client, { now, limit });
      if (rows.length === 0) return [];
      const decided = rows.map((project) => ({ id: project.id, due: project.due, ...decide(project) }));
      const claimed = await CLAIM_DUE.rows(client, {
        owner: this.#owner,
        ids: decided.map(({ id }) => id),
        dues: decided.map(({ due }) => due),
        runIds: decided.map(({ runId }) => runId),
        nextDues: decided.map(({ next }) => next ?? null),
        missed: decided.map(({ missed }) => missed),
      });
      return claimed.map(toClaim);
    });
  }

  /** Claims due runs whose claim has expired. */
  async claimExpired(limit: number): Promise<DueClaim[]> {
    return (await QUEUE.claim(this.#pool, { owner: this.#owner, limit })).map(toClaim);
  }

  /** Stores the result of a due run that this instance has claimed. */
  async finish({ projectId, dueAt }: DueClaim, status: FinishedDueStatus, why: string): Promise<void> {
    await FINISH.changesRow(this.#pool, { project_id: projectId, due_at: dueAt, owner: this.#owner, status, why });
  }

  /** Releases a claimed due run for another attempt. */
  async retry({ projectId, dueAt }: DueClaim, seconds: number, why: string): Promise<void> {
    await RETRY.changesRow(this.#pool, { project_id: projectId, due_at: dueAt, owner: this.#owner, seconds, why });
  }

  /** Deletes a batch of old due runs; the newest of each project is kept. @returns false if there were none */
  deleteOldBatch(): Promise<boolean> {
    return DELETE_OLD.changesRow(this.#pool, {});
  }
}
