import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { DueStatus } from '../domain/project.ts';
import type { Schedule } from '../schedule/due-times.ts';

/** Seconds a start may take before another takes it over: longer than the call it makes. */
const LEASE_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 600;
/** Days what became of due runs is remembered. */
const REMEMBER_DAYS = 90;
/** Due runs forgotten by one statement. */
const FORGOTTEN_AT_ONCE = 10_000;

/** A run that is due and ours to start. */
export interface DueClaim {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly dueAt: Date;
  readonly runId: string;
  readonly attempts: number;
}

/** A project whose time has come. */
export interface DueProject extends Schedule {
  readonly id: string;
  readonly due: Date;
}

/** What follows from that. */
export interface DueDecision {
  readonly runId: string;
  readonly next: Date | undefined;
  readonly missed: number;
}

interface ClaimRow {
  readonly project_id: string;
  readonly workspace_id: string;
  readonly due_at: Date;
  readonly run_id: string;
  readonly attempts: number;
}

const toClaim = ({ project_id, workspace_id, due_at, run_id, attempts }: ClaimRow): DueClaim => ({
  projectId: project_id,
  workspaceId: workspace_id,
  dueAt: due_at,
  runId: run_id,
  attempts,
});

/** Which runs are due, and who starts them: each is claimed once under its project and time, and every later move is fenced by its owner. */
export class DueStore {
  readonly #pool: pg.Pool;
  readonly #owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  /** Claims runs that are due at `now` and sets when each project is due next, in one transaction. Others pass over what we hold. */
  async claim(now: Date, limit: number, decide: (project: DueProject) => DueDecision): Promise<DueClaim[]> {
    return inTransaction(this.#pool, async (client) => {
      const { rows } = await client.query<DueProject>({
        name: 'due-projects',
        text: `
          SELECT id, schedule, timezone, next_due AS due FROM projects WHERE next_due <= $1
          ORDER BY next_due LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
        values: [now, limit],
      });
      if (rows.length === 0) return [];
      const decided = rows.map((project) => ({ id: project.id, due: project.due, ...decide(project) }));
      const claimed = await client.query<ClaimRow>({
        name: 'claim-due',
        text: `
          WITH decided AS (
            SELECT * FROM unnest($2::text[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::int[])
              AS d(id, due, run_id, next_due, missed)
          ), moved AS (
            UPDATE projects p SET next_due = d.next_due FROM decided d WHERE p.id = d.id RETURNING p.id, p.workspace_id
          )
          INSERT INTO due_runs (project_id, due_at, workspace_id, run_id, missed, owner, lease_until)
          SELECT d.id, d.due, m.workspace_id, d.run_id, d.missed, $1, now() + make_interval(secs => $7)
          FROM decided d JOIN moved m USING (id)
          ON CONFLICT DO NOTHING RETURNING project_id, workspace_id, due_at, run_id, attempts`,
        values: [
          this.#owner,
          decided.map(({ id }) => id),
          decided.map(({ due }) => due),
          decided.map(({ runId }) => runId),
          decided.map(({ next }) => next ?? null),
          decided.map(({ missed }) => missed),
          LEASE_SECONDS,
        ],
      });
      return claimed.rows.map(toClaim);
    });
  }

  /** Takes over runs somebody was to start and has not been heard of since. */
  async takeOver(limit: number): Promise<DueClaim[]> {
    const { rows } = await this.#pool.query<ClaimRow>({
      name: 'take-over-due',
      text: `
        UPDATE due_runs d SET owner = $1, lease_until = now() + make_interval(secs => $3), attempts = attempts + 1
        FROM (
          SELECT project_id, due_at FROM due_runs WHERE status = 'starting' AND lease_until < now()
          ORDER BY lease_until LIMIT $2 FOR UPDATE SKIP LOCKED
        ) o WHERE d.project_id = o.project_id AND d.due_at = o.due_at
        RETURNING d.project_id, d.workspace_id, d.due_at, d.run_id, d.attempts`,
      values: [this.#owner, limit, LEASE_SECONDS],
    });
    return rows.map(toClaim);
  }

  /** Notes what became of a due run of ours. */
  async settle({ projectId, dueAt }: DueClaim, status: DueStatus, why: string): Promise<void> {
    await this.#pool.query({
      name: 'settle-due',
      text: `
        UPDATE due_runs SET status = $4, why = $5
        WHERE project_id = $1 AND due_at = $2 AND owner = $3 AND status = 'starting'`,
      values: [projectId, dueAt, this.#owner, status, why],
    });
  }

  /** Leaves a due run of ours to whoever looks after a while: longer with every attempt. */
  async postpone({ projectId, dueAt, attempts }: DueClaim, why: string): Promise<void> {
    const seconds = Math.min(2 ** Math.min(attempts, 10), LONGEST_WAIT_SECONDS);
    await this.#pool.query({
      name: 'postpone-due',
      text: `
        UPDATE due_runs SET lease_until = now() + make_interval(secs => $4), why = $5
        WHERE project_id = $1 AND due_at = $2 AND owner = $3 AND status = 'starting'`,
      values: [projectId, dueAt, this.#owner, seconds, why],
    });
  }

  /** Forgets what became of some old due runs; the last of each project stays. @returns whether there were any */
  async forgetSome(): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'forget-due',
      text: `
        DELETE FROM due_runs d USING (
          SELECT project_id, due_at FROM due_runs o WHERE status <> 'starting' AND due_at < now() - make_interval(days => $1)
            AND EXISTS (SELECT FROM due_runs n WHERE n.project_id = o.project_id AND n.due_at > o.due_at)
          ORDER BY due_at LIMIT $2
        ) o WHERE d.project_id = o.project_id AND d.due_at = o.due_at`,
      values: [REMEMBER_DAYS, FORGOTTEN_AT_ONCE],
    });
    return (rowCount ?? 0) > 0;
  }
}
