import { events } from '@tidemark/contracts';
import type { WorkspaceChanged } from '@tidemark/contracts/identity/v1/events';
import { ATTEMPT_POLICIES, LeasedQueue, unfenced } from '@tidemark/leased-work';
import { column, nullable, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Bus } from './bus.ts';
import type { ReceivedEvent } from './event-consumer.ts';
import type { Logger } from './logger.ts';
import { PeriodicTask } from './periodic-task.ts';
import { schema, tables } from './tables.ts';

const SWEEP_EVERY_MS = 1_000;
/**
 * Seconds to the next sweep of a workspace, by the number of sweeps so far. Requests that were authenticated before the change arrive for a few
 * seconds; then work and data can only come from requests that took long, or from events that were delayed.
 */
const NEXT_SECONDS = [...Array<number>(10).fill(1), 5, 30, 300, 3_600, 86_400];
const SWEEP_BATCH = 100;

/** A workspace whose work is to be cancelled. */
export interface StoppedWorkspace {
  readonly workspaceId: string;
  /** Only work that began before; undefined: all work. */
  readonly before: Date | undefined;
}

export interface WorkspaceStatesDeps {
  readonly pool: pg.Pool;
  readonly bus: Pick<Bus, 'consume'>;
  /** Name of the service as a consumer. */
  readonly consumer: string;
  /** Cancels the unfinished work of workspaces. Must be safe to repeat. */
  readonly stopWork?: (workspaces: readonly StoppedWorkspace[]) => Promise<void>;
  /** Deletes the data of a deleted workspace. Must be safe to repeat. */
  readonly deleteData?: (workspaceId: string, isOpen: () => boolean) => Promise<void>;
  readonly log: Logger;
}

/** A claim is also the time of the next sweep: one that is interrupted is repeated then. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'workspace-states',
  table: 'workspace_states',
  key: ['workspace_id'],
  times: { kind: 'shared', at: 'due', whenNull: 'never_due' },
  fence: unfenced('stopping work and deleting data are safe to repeat'),
  leaseSeconds: 1,
  claimedUntil: ({ nextSeconds }: Params<{ readonly nextSeconds: readonly number[] }>) =>
    sql`CASE WHEN state = 'active' THEN NULL ELSE now() + make_interval(secs => (${nextSeconds}::int[])[sweeps + 1]) END`,
  onClaim: sql`sweeps = sweeps + 1`,
  policy: ATTEMPT_POLICIES['all.workspace_states'],
  columns: { workspace_id: column('text'), state: column('text'), suspended_at: nullable('timestamptz') },
});

const STATE = schema.prepare('workspace-state', ({ workspaceId }: Params<{ readonly workspaceId: string }>) =>
  tables.selectFrom('workspace_states').select('state').where('workspace_id', '=', workspaceId),
);

interface StateLists {
  readonly workspaceIds: readonly string[];
  readonly versions: readonly number[];
  readonly states: readonly string[];
  readonly suspendedAt: readonly (Date | null)[];
}

const STORE = schema.prepareText(
  'store-workspace-states',
  {},
  ({ workspaceIds, versions, states, suspendedAt }: Params<StateLists>) => sql`
    INSERT INTO workspace_states AS s (workspace_id, version, state, suspended_at, due)
    SELECT workspace_id, version, state, suspended_at, now()
    FROM unnest(${workspaceIds}::text[], ${versions}::bigint[], ${states}::text[], ${suspendedAt}::timestamptz[])
      AS f(workspace_id, version, state, suspended_at)
    WHERE state <> 'active' OR suspended_at IS NOT NULL
    ON CONFLICT (workspace_id) DO UPDATE SET version = EXCLUDED.version, state = EXCLUDED.state, suspended_at = EXCLUDED.suspended_at,
      sweeps = 0, due = now()
    WHERE s.version < EXCLUDED.version`,
);

/**
 * Follows the states of workspaces: cancels the work of suspended and deleted ones and deletes the data of deleted ones, several times, because
 * work and data of earlier requests may still arrive. A row is written before its event is confirmed, so that no change is lost.
 *
 * Needs a table `workspace_states(workspace_id text primary key, version bigint, state text, suspended_at timestamptz, sweeps int, due timestamptz)`.
 */
export class WorkspaceStates {
  readonly #deps: WorkspaceStatesDeps;
  readonly #task: PeriodicTask;

  constructor(deps: WorkspaceStatesDeps) {
    this.#deps = deps;
    this.#task = new PeriodicTask({
      everyMs: SWEEP_EVERY_MS,
      run: (isOpen) => this.#sweep(isOpen),
      failed: 'work or data of stopped workspaces could not be removed, will retry',
      log: deps.log,
    });
    deps.bus.consume(events.workspaceChanged, deps.consumer, (batch) => this.#store(batch));
  }

  /** Returns whether work of a workspace may start: it is neither suspended nor deleted. */
  async isActive(workspaceId: string): Promise<boolean> {
    const row = await STATE.row(this.#deps.pool, { workspaceId });
    return row === undefined || row.state === 'active';
  }

  close(): Promise<void> {
    return this.#task.close();
  }

  async #store(batch: readonly ReceivedEvent<WorkspaceChanged>[]): Promise<void> {
    const latest = new Map<string, NonNullable<WorkspaceChanged['snapshot']>>();
    for (const { snapshot } of batch.map(({ event }) => event))
      if (snapshot !== undefined && snapshot.version > (latest.get(snapshot.workspaceId)?.version ?? 0))
        latest.set(snapshot.workspaceId, snapshot);
    const snapshot = [...latest.values()];
    await STORE.change(this.#deps.pool, {
      workspaceIds: snapshot.map(({ workspaceId }) => workspaceId),
      versions: snapshot.map(({ version }) => version),
      states: snapshot.map(({ state }) => state),
      suspendedAt: snapshot.map(({ suspendedAt }) => suspendedAt ?? null),
    });
    void this.#task.runNow();
  }

  async #sweep(isOpen: () => boolean): Promise<void> {
    const rows = await QUEUE.claim(this.#deps.pool, { limit: SWEEP_BATCH, nextSeconds: NEXT_SECONDS });
    if (rows.length === 0) return;
    await this.#deps.stopWork?.(
      rows.map(({ workspace_id: workspaceId, state, suspended_at }) => ({
        workspaceId,
        before: state === 'active' ? (suspended_at ?? undefined) : undefined,
      })),
    );
    for (const { workspace_id } of rows.filter(({ state }) => state === 'deleted'))
      if (isOpen()) await this.#deps.deleteData?.(workspace_id, isOpen);
  }
}
