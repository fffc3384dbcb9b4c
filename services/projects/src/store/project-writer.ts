import { actorOf, type Caller, events, projectLimitOf } from '@tidemark/contracts';
import { AppError, codeOf, messageOf } from '@tidemark/errors';
import {
  insertEvents,
  inTransaction,
  type OutboxColumns,
  type OutgoingEvent,
  outboxColumns,
  outgoingEvent,
  writeEvents,
} from '@tidemark/service';
import { anyOf, changeRows, type Database, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { changedKeys, type Masking, maskConfig } from '../domain/config-values.ts';
import type { NewProject } from '../domain/project.ts';
import { writeFirstResponse } from './first-response.ts';
import type { LockedProject, ProjectChange } from './project-change.ts';
import { changedEntry, createdEntry } from './project-entries.ts';
import { joinConfig, type Seals, splitConfig } from './project-record.ts';
import { schema, tables } from './tables.ts';
import { type ProjectVisibility, selectVisible } from './visible-projects.ts';

/** Lease of the adoption of a crawl's run, seconds: the time one request has to adopt it. */
export const ADOPTION_LEASE_SECONDS = 15;

export interface Idempotency {
  readonly route: string;
  readonly key: string;
  readonly requestHash: string;
  /** The request that the key is first used by. */
  readonly requestId: string;
}

const UNIQUE_VIOLATION = '23505';

/** Stored versions of the config of a project; older ones are deleted. */
const MAX_VERSIONS = 50;

interface CreateValues extends OutboxColumns {
  readonly id: string;
  readonly workspaceId: string;
  readonly seed: string;
  readonly name: string;
  readonly reference: string;
  readonly tags: readonly string[];
  readonly schedule: string;
  readonly timezone: string;
  readonly retentionDays: number;
  /** JSON. */
  readonly config: string;
  readonly secrets: Buffer | null;
  /** JSON; secrets are masked. */
  readonly maskedConfig: string;
  readonly keys: readonly string[];
  readonly createdBy: string;
  readonly nextDue: Date | undefined;
  readonly at: Date;
  readonly keptRunId: string | undefined;
  readonly route: string | undefined;
  readonly key: string | undefined;
  readonly requestHash: string | undefined;
  /** JSON. */
  readonly firstResponse: string | undefined;
}

const CREATE = schema.prepareText('create-project', {}, (value: Params<CreateValues>) => {
  const { id, workspaceId, key, at, keptRunId } = value;
  return sql`
    WITH fresh AS (
      INSERT INTO idempotency_keys (workspace_id, route, key, request_hash, project_id, first_response)
      SELECT ${workspaceId}, ${value.route}, ${key}, ${value.requestHash}, ${id}, ${value.firstResponse}::jsonb
      WHERE ${key}::text IS NOT NULL ON CONFLICT DO NOTHING RETURNING project_id
    ), made AS (
      INSERT INTO projects (id, workspace_id, seed, name, reference, tags, schedule, timezone, retention_days, config, secrets, next_due, created_at, updated_at,
        kept_run_id, adoption_lease_until)
      SELECT ${id}, ${workspaceId}, ${value.seed}, ${value.name}, ${value.reference}, ${value.tags}::text[], ${value.schedule}, ${value.timezone}, ${value.retentionDays},
        ${value.config}, ${value.secrets}, ${value.nextDue}, ${at}, ${at},
        ${keptRunId}, CASE WHEN ${keptRunId}::text IS NOT NULL THEN now() + make_interval(secs => ${sql.lit(ADOPTION_LEASE_SECONDS)}) END
      WHERE ${key}::text IS NULL OR EXISTS (SELECT FROM fresh)
      ON CONFLICT (kept_run_id) DO NOTHING RETURNING id
    ), versioned AS (
      INSERT INTO config_versions (project_id, version, config, keys, changed_by, changed_at)
      SELECT id, 1, ${value.maskedConfig}::jsonb, ${value.keys}::text[], ${value.createdBy}, ${at}::timestamptz FROM made RETURNING project_id
    )
    ${insertEvents(value, 'versioned')}`;
});

interface DeleteValues extends OutboxColumns {
  readonly id: string;
  readonly workspaceId: string;
  /** Undefined: all projects of the workspace. */
  readonly projects: readonly string[] | undefined;
}

const DELETE = schema.prepareText('delete-project', {}, (value: Params<DeleteValues>) => {
  const { id, workspaceId, projects } = value;
  return sql`
    WITH deleted AS (
      DELETE FROM projects
      WHERE id = ${id} AND workspace_id = ${workspaceId} AND (${projects}::text[] IS NULL OR id = ANY(${projects})) RETURNING id
    )
    ${insertEvents(value, 'deleted')}`;
});

const LOCKED = tables
  .selectFrom('projects')
  .select([
    'id',
    'seed',
    'name',
    'reference',
    'tags',
    'schedule',
    'timezone',
    'retention_days',
    'next_due',
    'config',
    'secrets',
  ]);

interface VersionValues {
  readonly id: string;
  /** JSON. */
  readonly config: string;
  readonly keys: readonly string[];
  readonly changedBy: string;
  readonly at: Date;
  readonly restoredFrom: number | undefined;
}

const WRITE_VERSION = schema.prepareText(
  'write-config-version',
  {},
  ({ id, config, keys, changedBy, at, restoredFrom }: Params<VersionValues>) => sql`
    INSERT INTO config_versions (project_id, version, config, keys, changed_by, changed_at, restored_from)
    SELECT id, config_version, ${config}::jsonb, ${keys}::text[], ${changedBy}, ${at}, ${restoredFrom}::int FROM projects WHERE id = ${id}`,
);

const TRIM_VERSIONS = schema.prepareText(
  'trim-config-versions',
  {},
  ({ id }: Params<{ readonly id: string }>) => sql`
    DELETE FROM config_versions WHERE project_id = ${id}
      AND version <= (SELECT config_version FROM projects WHERE id = ${id}) - ${sql.lit(MAX_VERSIONS)}`,
);

/** Waits for a statement. @throws AppError conflict if another project of the workspace has the reference */
async function refusingTakenReference<T>(reference: string, statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (codeOf(error) !== UNIQUE_VIOLATION || !messageOf(error).includes('projects_reference_key')) throw error;
    throw new AppError('conflict', `another project has the reference ${reference}`, {
      detail: [{ loc: ['body', 'reference'], msg: 'another project has this reference', type: 'conflict' }],
    });
  }
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
    const { id, workspaceId, seed, name, reference, tags, schedule, timezone, retentionDays, nextDue, at } = project;
    const { config, secrets } = splitConfig(project.config, id, this.#masking, this.#seals);
    const entry = createdEntry(project);
    const isCreated = await refusingTakenReference(
      reference,
      CREATE.changesRow(this.#pool, {
        ...outboxColumns([entry]),
        id,
        workspaceId,
        seed,
        name,
        reference,
        tags,
        schedule,
        timezone,
        retentionDays,
        config,
        secrets,
        maskedConfig: JSON.stringify(maskConfig(project.config, this.#masking)),
        keys: Object.keys(project.config).sort(),
        createdBy: project.createdBy,
        nextDue,
        at,
        keptRunId,
        route: idempotency?.route,
        key: idempotency?.key,
        requestHash: idempotency?.requestHash,
        firstResponse: idempotency && writeFirstResponse(project, idempotency.requestId, this.#masking),
      }),
    );
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
      const rows = await selectRows(
        client,
        selectVisible(caller).select('id').where('id', '=', anyOf(ids)).orderBy('id').forNoKeyUpdate(),
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
    const isDeleted = await DELETE.changesRow(this.#pool, {
      ...outboxColumns(outgoing),
      id,
      workspaceId,
      projects: projectLimitOf(access),
    });
    return isDeleted ? outgoing : undefined;
  }

  async #read(client: Database, id: string): Promise<LockedProject> {
    const row = await selectRow(client, LOCKED.where('id', '=', id));
    if (row === undefined) throw new AppError('internal', 'a locked project does not exist');
    const { retention_days: retentionDays, next_due, config, secrets, ...rest } = row;
    const nextDue = next_due ?? undefined;
    return { ...rest, retentionDays, nextDue, config: joinConfig({ id, config, secrets }, this.#seals) };
  }

  /** Stores the new config version of a locked project, secrets masked. */
  async #writeVersion(
    client: Database,
    { id, config: earlier }: LockedProject,
    { change, caller, at }: { readonly change: ProjectChange; readonly caller: Caller; readonly at: Date },
  ): Promise<void> {
    const { config = {}, restoredFrom } = change;
    await WRITE_VERSION.change(client, {
      id,
      config: JSON.stringify(maskConfig(config, this.#masking)),
      keys: changedKeys(earlier, config),
      changedBy: actorOf(caller),
      at,
      restoredFrom,
    });
    await TRIM_VERSIONS.change(client, { id });
  }

  async #write(client: Database, id: string, change: ProjectChange, at: Date): Promise<void> {
    const { name, reference, tags, seed, schedule, timezone, retentionDays, nextDue } = change;
    const settings = tables
      .updateTable('projects')
      .set({
        name,
        reference,
        tags: [...tags],
        schedule,
        timezone,
        retention_days: retentionDays,
        next_due: nextDue ?? null,
        updated_at: at,
      })
      .$if(seed !== undefined, (query) => query.set({ seed }))
      .where('id', '=', id);
    if (change.config === undefined) {
      await refusingTakenReference(reference, changeRows(client, settings));
      return;
    }
    const { config, secrets } = splitConfig(change.config, id, this.#masking, this.#seals);
    const versioned = settings.set({ config, secrets, config_version: sql`config_version + 1` });
    await refusingTakenReference(reference, changeRows(client, versioned));
  }
}
