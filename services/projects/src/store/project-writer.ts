import { actorOf, type Caller, events, projectLimitOf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { inTransaction, type OutgoingEvent, outboxColumns, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { changedKeys, type Masking, maskConfig } from '../domain/config-values.ts';
import type { NewProject } from '../domain/project.ts';
import { writeFirstResponse } from './first-response.ts';
import type { LockedProject, ProjectChange } from './project-change.ts';
import { changedEntry, createdEntry } from './project-entries.ts';
import { joinConfig, type Seals, splitConfig } from './project-record.ts';
import type { ProjectVisibility } from './project-store.ts';

/** Lease of the adoption of a crawl's run, seconds: the time one request has to adopt it. */
export const ADOPTION_LEASE_SECONDS = 15;

export interface Idempotency {
  readonly route: string;
  readonly key: string;
  readonly requestHash: string;
  /** The request that the key is first used by. */
  readonly requestId: string;
}

/** Stored versions of the config of a project; older ones are deleted. */
const MAX_VERSIONS = 50;

interface LockedRow {
  readonly id: string;
  readonly seed: string;
  readonly name: string;
  readonly schedule: string;
  readonly timezone: string;
  readonly retention_days: number;
  readonly next_due: Date | null;
  readonly config: unknown;
  readonly secrets: Buffer | null;
}

export interface ProjectWriterDeps {
  readonly pool: pg.Pool;
  readonly seals: Seals;
  readonly masking: Masking;
  /** Sends events whose rows are committed. */
  readonly send: (events: readonly OutgoingEvent[]) => void;
}

/** Inserts, updates and deletes projects, with their entries in the audit log. */
export class ProjectWriter {
  readonly #pool: pg.Pool;
  readonly #seals: Seals;
  readonly #masking: Masking;
  readonly #send: ProjectWriterDeps['send'];

  constructor({ pool, seals, masking, send }: ProjectWriterDeps) {
    this.#pool = pool;
    this.#seals = seals;
    this.#masking = masking;
    this.#send = send;
  }

  /**
   * Inserts a project, with the idempotency key and the crawl's run it is made of, in one statement.
   * @returns false if the key was used by an earlier request, or if the run has a project already
   */
  async create(project: NewProject, idempotency?: Idempotency, keptRunId?: string): Promise<boolean> {
    const { id, workspaceId, seed, name, schedule, timezone, retentionDays, nextDue, at } = project;
    const { config, secrets } = splitConfig(project.config, id, this.#masking, this.#seals);
    const entry = createdEntry(project);
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns([entry]);
    const { rowCount } = await this.#pool.query({
      name: 'create-project',
      text: `
        WITH fresh AS (
          INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, project_id, first_response)
          SELECT $2, $12, $13, $14, $1, $17::jsonb WHERE $13::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING project_id
        ), made AS (
        INSERT INTO projects (id, workspace_id, seed, name, schedule, timezone, retention_days, config, secrets, next_due, created_at, updated_at,
          kept_run_id, adoption_lease_until)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11,
          $15, CASE WHEN $15::text IS NOT NULL THEN now() + make_interval(secs => $16) END
        WHERE $13::text IS NULL OR EXISTS (SELECT FROM fresh)
        ON CONFLICT (kept_run_id) DO NOTHING RETURNING id
        ), versioned AS (
        INSERT INTO config_versions (project_id, version, config, keys, changed_by, changed_at)
        SELECT id, 1, $18::jsonb, $19::text[], $20, $11::timestamptz FROM made RETURNING project_id
        )
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM versioned, unnest($21::text[], $22::text[], $23::bytea[], $24::jsonb[], $25::text[]) AS o(id, subject, payload, trace, awaiting)`,
      values: [
        id,
        workspaceId,
        seed,
        name,
        schedule,
        timezone,
        retentionDays,
        config,
        secrets,
        nextDue ?? null,
        at,
        idempotency?.route ?? null,
        idempotency?.key ?? null,
        idempotency?.requestHash ?? null,
        keptRunId ?? null,
        ADOPTION_LEASE_SECONDS,
        idempotency === undefined ? null : writeFirstResponse(project, idempotency.requestId, this.#masking),

        JSON.stringify(maskConfig(project.config, this.#masking)),
        Object.keys(project.config).sort(),
        project.createdBy,
        ids,
        subjects,
        payloads,
        traces,
        awaiting,
      ],
    });
    const isCreated = (rowCount ?? 0) > 0;
    if (isCreated) this.#send([entry]);
    return isCreated;
  }

  /**
   * Changes projects under row locks: all of them, or none if one is not visible. `decide` returns undefined for no change.
   * @returns false if one is not visible
   */
  async change(
    caller: Caller,
    ids: readonly string[],
    at: Date,
    decide: (project: LockedProject) => ProjectChange | undefined,
  ): Promise<boolean> {
    const outgoing: OutgoingEvent[] = [];
    const isVisible = await inTransaction(this.#pool, async (client) => {
      // Locked in one order, so that concurrent requests do not deadlock.
      const { rows } = await client.query<{ id: string }>(
        `SELECT id FROM projects
         WHERE id = ANY($1) AND workspace_id = $2 AND ($3::text[] IS NULL OR id = ANY($3)) ORDER BY id FOR NO KEY UPDATE`,
        [ids, caller.workspaceId, projectLimitOf(caller.access)],
      );
      if (rows.length < new Set(ids).size) return false;
      // One by one: all configs together could be large.
      for (const { id } of rows) {
        const project = await this.#read(client, id);
        const change = decide(project);
        if (change === undefined) continue;
        await this.#write(client, id, change, at);
        outgoing.push(changedEntry(project, change, { caller, at }));
        if (change.config !== undefined) await this.#writeVersion(client, project, { change, caller, at });
      }
      await writeEvents(client, outgoing);
      return true;
    });
    this.#send(outgoing);
    return isVisible;
  }

  /**
   * Deletes a project and writes its event, with `more` events, in one transaction.
   * @returns the events to send; undefined if there is no such project
   */
  async delete(
    { workspaceId, access }: ProjectVisibility,
    id: string,
    more: readonly OutgoingEvent[] = [],
  ): Promise<OutgoingEvent[] | undefined> {
    const outgoing = [outgoingEvent(events.projectDeleted, `deleted:${id}`, { projectId: id, workspaceId }), ...more];
    const { ids, subjects, payloads, traces, awaiting } = outboxColumns(outgoing);
    const { rowCount } = await this.#pool.query({
      name: 'delete-project',
      text: `
        WITH deleted AS (
          DELETE FROM projects WHERE id = $1 AND workspace_id = $2 AND ($3::text[] IS NULL OR id = ANY($3)) RETURNING id
        )
        INSERT INTO outbox (id, subject, payload, trace, awaiting)
        SELECT o.id, o.subject, o.payload, o.trace, o.awaiting::text[]
        FROM deleted, unnest($4::text[], $5::text[], $6::bytea[], $7::jsonb[], $8::text[]) AS o(id, subject, payload, trace, awaiting)`,
      values: [id, workspaceId, projectLimitOf(access), ids, subjects, payloads, traces, awaiting],
    });
    return (rowCount ?? 0) > 0 ? outgoing : undefined;
  }

  async #read(client: pg.PoolClient, id: string): Promise<LockedProject> {
    const { rows } = await client.query<LockedRow>({
      name: 'read-locked',
      text: 'SELECT id, seed, name, schedule, timezone, retention_days, next_due, config, secrets FROM projects WHERE id = $1',
      values: [id],
    });
    const [row] = rows;
    if (row === undefined) throw new AppError('internal', 'a locked project does not exist');
    const { retention_days: retentionDays, next_due, config, secrets, ...rest } = row;
    const nextDue = next_due ?? undefined;
    return { ...rest, retentionDays, nextDue, config: joinConfig({ id, config, secrets }, this.#seals) };
  }

  /** Stores the new config version of a locked project, secrets masked. */
  async #writeVersion(
    client: pg.PoolClient,
    { id, config: earlier }: LockedProject,
    { change, caller, at }: { readonly change: ProjectChange; readonly caller: Caller; readonly at: Date },
  ): Promise<void> {
    const { config = {}, restoredFrom = null } = change;
    const masked = JSON.stringify(maskConfig(config, this.#masking));
    await client.query({
      name: 'write-config-version',
      text: `
        INSERT INTO config_versions (project_id, version, config, keys, changed_by, changed_at, restored_from)
        SELECT id, config_version, $2::jsonb, $3::text[], $4, $5, $6::int FROM projects WHERE id = $1`,
      values: [id, masked, changedKeys(earlier, config), actorOf(caller), at, restoredFrom],
    });
    await client.query({
      name: 'trim-config-versions',
      text: `
        DELETE FROM config_versions WHERE project_id = $1
          AND version <= (SELECT config_version FROM projects WHERE id = $1) - ${MAX_VERSIONS}`,
      values: [id],
    });
  }

  async #write(client: pg.PoolClient, id: string, change: ProjectChange, at: Date): Promise<void> {
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
