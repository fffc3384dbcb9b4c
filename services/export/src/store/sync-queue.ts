import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { inTransaction } from '@tidemark/service';
import { anyOf, column, literals, lockUntilCommit, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { StoredPart } from '../destinations/driver.ts';
import { OPEN_STATES, SYNC_TRANSITIONS, type Sync } from '../domain/sync.ts';
import { SYNC_COLUMNS, toSync } from './sync-row.ts';
import { schema, tables } from './tables.ts';

/** Syncs of one workspace that run at a time. */
const MAX_PER_WORKSPACE = 2;

const RUNNING = sql.lit(SYNC_TRANSITIONS.claim.to);

/** Of waiting full runs, a table without the rows of each run needs the newest only. */
const SKIP_OLDER = schema.prepareText(
  'skip-older-syncs',
  {},
  () => sql`
    UPDATE syncs o SET status = ${sql.lit(SYNC_TRANSITIONS.skip.to)}, ended_at = now(), warnings = ARRAY['a newer run was written instead']
    WHERE o.status = 'queued' AND o.trigger <> 'manual' AND o.mode <> 'append' AND o.is_full_run AND EXISTS (
      SELECT FROM syncs n WHERE n.destination_id = o.destination_id AND n.project_id = o.project_id AND n.dataset = o.dataset
        AND n.is_full_run AND n.status = 'queued' AND n.run_at > o.run_at)`,
);

interface Except {
  readonly except: readonly string[];
}

/** None of a suspended workspace is claimed. `lease_until` of a queued sync is the time at which it is due. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'syncs',
  table: 'syncs',
  key: ['id'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'claims',
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES['export.syncs'],
  isOpen: sql`status IN (${literals(OPEN_STATES)})`,
  isClaimed: sql`status = ${RUNNING}`,
  mayBeClaimed: ({ except }: Params<Except>) => sql`id <> ALL(${except}::text[])
    AND NOT EXISTS (SELECT FROM workspace_states w WHERE w.workspace_id = syncs.workspace_id AND w.state <> 'active')`,
  onClaim: sql`status = ${RUNNING}, started_at = coalesce(started_at, now())`,
  onRelease: sql`status = ${sql.lit(SYNC_TRANSITIONS.release.to)}`,
  columns: SYNC_COLUMNS,
});
/** One sync at a time per destination: an interrupted one before queued ones, older runs before newer. */
const CLAIM = QUEUE.claimStatement(
  'claim-syncs-in-turn',
  ({ except, limit }: Params<Except & { readonly limit: number }>) =>
    QUEUE.fairPick(
      {
        workspace: 'workspace_id',
        order: sql`lease_until`,
        ties: [sql`lease_until`],
        maxPerWorkspace: MAX_PER_WORKSPACE,
        oneEach: { column: 'destination_id', order: sql`status DESC, run_at, id` },
        isStillHeld: sql`(status = ${RUNNING} AND id = ANY(${except}::text[]))`,
      },
      limit,
    ),
);
const RETRY = QUEUE.retry('release-sync');
const POSTPONE = QUEUE.postpone('postpone-sync');

/** The rows read so far are stored with the renewal. */
const RENEW = schema.prepareText(
  'renew-syncs-with-progress',
  { id: column('text') },
  ({
    ids,
    owner,
    read,
  }: Params<{ readonly ids: readonly string[]; readonly owner: string; readonly read: readonly number[] }>) => sql`
    UPDATE syncs s SET lease_until = now() + make_interval(secs => ${sql.lit(QUEUE.leaseSeconds)}), read = greatest(s.read, r.read)
    FROM unnest(${ids}::text[], ${read}::int[]) AS r(id, read)
    WHERE s.id = r.id AND s.owner = ${owner} AND s.status = ${RUNNING} RETURNING s.id`,
);

const MAKE_DUE = schema.prepare('make-syncs-due', ({ sourceIds }: Params<{ readonly sourceIds: readonly string[] }>) =>
  tables
    .updateTable('syncs')
    .set({ lease_until: sql<Date>`now() - interval '1 second'` })
    .where('source_id', '=', anyOf(sourceIds))
    .where('status', '=', sql.lit('queued'))
    .where('error', 'is', null),
);

const PARTS = schema.prepare('sync-parts', ({ syncId }: Params<{ readonly syncId: string }>) =>
  tables
    .selectFrom('sync_parts')
    .select(['number', 'name', 'rows', 'skipped', 'bytes', 'sha256', 'last'])
    .where('sync_id', '=', syncId)
    .orderBy('number'),
);

const RECORD_PART = schema.prepareText(
  'record-sync-part',
  {},
  (part: Params<StoredPart & { readonly syncId: string; readonly owner: string }>) => sql`
    INSERT INTO sync_parts (sync_id, number, name, rows, bytes, sha256, last, skipped)
    SELECT id, ${part.number}, ${part.name}, ${part.rows}, ${part.bytes}, ${part.sha256}, ${part.last}, ${part.skipped}
    FROM syncs WHERE id = ${part.syncId} AND owner = ${part.owner} AND status = ${RUNNING} FOR SHARE
    ON CONFLICT (sync_id, number) DO UPDATE SET name = excluded.name, rows = excluded.rows, bytes = excluded.bytes,
      sha256 = excluded.sha256, last = excluded.last, skipped = excluded.skipped`,
);

/** The syncs that wait or run, and their leases. Every update is fenced by the owner. */
export class SyncQueue {
  readonly policy = QUEUE.policy;
  readonly #pool: pg.Pool;
  /** Fencing token of this process; unique. */
  readonly #owner: string;
  /** Rows read by the syncs of this process; stored with the renewal of their leases. */
  readonly #progress = new Map<string, number>();

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.#owner = owner;
  }

  get owner(): string {
    return this.#owner;
  }

  /** Claims up to `limit` syncs that are due or whose lease has expired, except those of `except`. */
  claim(limit: number, except: readonly string[]): Promise<Sync[]> {
    return inTransaction(this.#pool, async (client) => {
      // Two instances that claim at the same time would each start a sync of one destination.
      await lockUntilCommit(client, ['tidemark:syncs']);
      await SKIP_OLDER.change(client, {});
      const rows = await CLAIM.rows(client, { owner: this.#owner, limit, except });
      return rows.map(toSync);
    });
  }

  /** Renews leases of this instance. @returns the ids that it still owns; the others were cancelled, deleted or reassigned */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const rows = await RENEW.rows(this.#pool, {
      ids,
      owner: this.#owner,
      read: ids.map((id) => this.#progress.get(id) ?? 0),
    });
    return new Set(rows.map(({ id }) => id));
  }

  /** Releases a sync after a failed attempt: any instance makes the next one after `seconds`. */
  async retry(id: string, seconds: number): Promise<void> {
    await RETRY.changesRow(this.#pool, { id, owner: this.#owner, seconds });
  }

  /** Releases a sync whose attempt could not start, or is stopped by a shutdown, and is not counted. */
  async postpone(id: string, seconds: number): Promise<void> {
    await POSTPONE.changesRow(this.#pool, { id, owner: this.#owner, seconds });
  }

  /** Makes the waiting syncs of a run due. */
  async makeDue(sourceIds: readonly string[]): Promise<void> {
    await MAKE_DUE.change(this.#pool, { sourceIds });
  }

  reportProgress(id: string, rows: number): void {
    this.#progress.set(id, rows);
  }

  /** Discards the progress of a sync that is no longer processed here. */
  discardProgress(id: string): void {
    this.#progress.delete(id);
  }

  async partsOf(syncId: string): Promise<StoredPart[]> {
    const rows = await PARTS.rows(this.#pool, { syncId });
    return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
  }

  /** Records a stored part. @returns false if the sync is no longer held by this instance */
  recordPart(syncId: string, part: StoredPart): Promise<boolean> {
    return RECORD_PART.changesRow(this.#pool, { ...part, syncId, owner: this.#owner });
  }
}
