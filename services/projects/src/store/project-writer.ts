import { facts } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type Outgoing, outboxColumns, outgoing } from '@tidemark/service';
import type pg from 'pg';
import type { ConfigValues, Masking } from '../domain/config-values.ts';
import type { Keeping, NewProject } from '../domain/project.ts';
import { ADOPT_SECONDS } from '../keep/adoption-store.ts';
import { joinConfig, type Seals, splitConfig } from './project-record.ts';
import type { Reach } from './project-store.ts';

export interface Idempotency {
  readonly route: string;
  readonly key: string;
  readonly requestHash: string;
}

/** A project while it is locked. */
export interface Locked extends Keeping {
  readonly id: string;
  readonly name: string;
  readonly config: ConfigValues;
  readonly nextDue: Date | undefined;
}

/** What a locked project becomes. */
export interface Change extends Keeping {
  readonly name: string;
  readonly nextDue: Date | undefined;
  /** Undefined: the same as before, and so is its version. */
  readonly config: ConfigValues | undefined;
}

interface LockedRow {
  readonly id: string;
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly retention_days: number;
  readonly next_due: Date | null;
  readonly config: unknown;
  readonly secrets: Buffer | null;
}

/** Projects as the callers that may see them change them, each change whole. */
export class ProjectWriter {
  readonly #pool: pg.Pool;
  readonly #seals: Seals;
  readonly #masking: Masking;

  constructor(pool: pg.Pool, seals: Seals, masking: Masking) {
    this.#pool = pool;
    this.#seals = seals;
    this.#masking = masking;
  }

  /** @returns false where its idempotency key belongs to an earlier request, or the run it is made of was made one of already */
  async create(project: NewProject, idempotency?: Idempotency, keptRunId?: string): Promise<boolean> {
    const { id, workspaceId, seed, name, schedule, timezone, retentionDays, nextDue, at } = project;
    const { config, secrets } = splitConfig(project.config, id, this.#masking, this.#seals);
    const { rowCount } = await this.#pool.query({
      name: 'create-project',
      text: `
        WITH fresh AS (
          INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, project_id)
          SELECT $2, $12, $13, $14, $1 WHERE $13::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING project_id
        )
        INSERT INTO projects (id, workspace_id, seed, name, schedule, timezone, retention_days, config, secrets, next_due, created_at, updated_at,
          kept_run_id, adopt_after)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11,
          $15, CASE WHEN $15::text IS NOT NULL THEN now() + make_interval(secs => $16) END
        WHERE $13::text IS NULL OR EXISTS (SELECT FROM fresh)
        ON CONFLICT (kept_run_id) DO NOTHING`,
      values: [
        ...[id, workspaceId, seed, name, schedule, timezone, retentionDays, config, secrets, nextDue ?? null, at],
        ...[idempotency?.route ?? null, idempotency?.key ?? null, idempotency?.requestHash ?? null],
        ...[keptRunId ?? null, ADOPT_SECONDS],
      ],
    });
    return (rowCount ?? 0) > 0;
  }

  /**
   * Changes projects under their locks, all of them or, where one can't be seen, none; `decide` leaves one as it is by undefined.
   * @returns whether they could all be seen
   */
  async change(
    reach: Reach,
    ids: readonly string[],
    at: Date,
    decide: (project: Locked) => Change | undefined,
  ): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      // In one order, so that two who lock the same projects wait for each other and not both.
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM projects
         WHERE id = ANY($1) AND workspace_id = $2 AND ($3::text[] = '{}' OR id = ANY($3)) ORDER BY id FOR NO KEY UPDATE`,
        [ids, reach.workspaceId, reach.projects],
      );
      if (rows.length < new Set(ids).size) return false;
      // One after the other: all of their configs together could be large.
      for (const { id } of rows) {
        const change = decide(await this.#read(client, id));
        if (change !== undefined) await this.#write(client, id, change, at);
      }
      return true;
    });
  }

  /** The project goes and is told in one transaction. @returns the fact to send; undefined where there is no such project */
  async delete({ workspaceId, projects }: Reach, id: string): Promise<Outgoing | undefined> {
    const told = outgoing(facts.projectDeleted, `deleted:${id}`, { projectId: id, workspaceId });
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns([told]);
    const { rowCount } = await this.#pool.query({
      name: 'delete-project',
      text: `
        WITH gone AS (
          DELETE FROM projects WHERE id = $1 AND workspace_id = $2 AND ($3::text[] = '{}' OR id = ANY($3)) RETURNING id
        )
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM gone, unnest($4::text[], $5::text[], $6::bytea[], $7::jsonb[], $8::text[]) AS o(id, subject, payload, trace, awaiting)`,
      values: [id, workspaceId, projects, ids, subjects, payloads, traces, awaiting],
    });
    return (rowCount ?? 0) > 0 ? told : undefined;
  }

  async #read(client: pg.PoolClient, id: string): Promise<Locked> {
    const { rows } = await client.query<LockedRow>({
      name: 'read-locked',
      text: 'SELECT id, name, schedule, timezone, retention_days, next_due, config, secrets FROM projects WHERE id = $1',
      values: [id],
    });
    const [row] = rows;
    if (row === undefined) throw new AppError('internal', 'a locked project has gone');
    const { retention_days: retentionDays, next_due, config, secrets, ...kept } = row;
    const nextDue = next_due ?? undefined;
    return { ...kept, retentionDays, nextDue, config: joinConfig({ id, config, secrets }, this.#seals) };
  }

  async #write(client: pg.PoolClient, id: string, change: Change, at: Date): Promise<void> {
    const { name, schedule, timezone, retentionDays, nextDue } = change;
    const isNew = change.config !== undefined;
    const { config, secrets } = splitConfig(change.config ?? {}, id, this.#masking, this.#seals);
    await client.query({
      name: 'write-project',
      text: `
        UPDATE projects SET name = $2, schedule = $3, timezone = $4, retention_days = $5, next_due = $6, updated_at = $7,
          config = CASE WHEN $8 THEN $9::jsonb ELSE config END, secrets = CASE WHEN $8 THEN $10::bytea ELSE secrets END,
          config_version = config_version + CASE WHEN $8 THEN 1 ELSE 0 END
        WHERE id = $1`,
      values: [id, name, schedule, timezone, retentionDays, nextDue ?? null, at, isNew, config, secrets],
    });
  }
}
