import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, param, returning, sql } from '@tidemark/leased-work';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { StoredPart } from '../destinations/driver.ts';
import type { Sync } from '../domain/sync.ts';
import { type SyncRecord, toSync } from './sync-row.ts';

/** Syncs of one workspace that run at a time. */
const MAX_PER_WORKSPACE = 2;

/** Of waiting full runs, a table without the rows of each run needs the newest only. */
const SKIP_OLDER = `
  UPDATE syncs o SET status = 'skipped', ended_at = now(), warnings = ARRAY['a newer run was written instead']
  WHERE o.status = 'queued' AND o.trigger <> 'manual' AND o.mode <> 'append' AND o.is_full_run AND EXISTS (
    SELECT FROM syncs n WHERE n.destination_id = o.destination_id AND n.project_id = o.project_id AND n.dataset = o.dataset
      AND n.is_full_run AND n.status = 'queued' AND n.run_at > o.run_at)`;

/** None of a suspended workspace is claimed. `lease_until` of a queued sync is the time at which it is due. */
const QUEUE = new LeasedQueue({
  name: 'syncs',
  table: 'syncs',
  key: ['id'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'claims',
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES['export.syncs'],
  isOpen: sql`status IN ('queued', 'running')`,
  isClaimed: sql`status = 'running'`,
  mayBeClaimed: sql`id <> ALL(${param('except')}::text[])
    AND NOT EXISTS (SELECT FROM workspace_states w WHERE w.workspace_id = syncs.workspace_id AND w.state <> 'active')`,
  onClaim: sql`status = 'running', started_at = coalesce(started_at, now())`,
  onRelease: sql`status = 'queued'`,
  returning: returning<SyncRecord>('*'),
});
/** One sync at a time per destination: an interrupted one before queued ones, older runs before newer. */
const CLAIM = QUEUE.claimStatement(
  'claim-syncs',
  QUEUE.fairPick(
    {
      workspace: 'workspace_id',
      order: sql`lease_until`,
      ties: [sql`lease_until`],
      maxPerWorkspace: MAX_PER_WORKSPACE,
      oneEach: { column: 'destination_id', order: sql`status DESC, run_at, id` },
      isStillHeld: sql`(status = 'running' AND id = ANY(${param('except')}::text[]))`,
    },
    sql`${param('limit')}`,
  ),
);
const RETRY = QUEUE.retry('release-sync');
const POSTPONE = QUEUE.postpone('postpone-sync');

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
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('tidemark:syncs', 0))`);
      await client.query({ name: 'skip-older-syncs', text: SKIP_OLDER });
      const rows = await CLAIM.rows(client, { owner: this.#owner, limit, except });
      return rows.map(toSync);
    });
  }

  /** Renews leases of this instance. @returns the ids that it still owns; the others were cancelled, deleted or reassigned */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'renew-syncs',
      text: `
        UPDATE syncs s SET lease_until = now() + make_interval(secs => $3), read = greatest(s.read, r.read)
        FROM unnest($1::text[], $4::int[]) AS r(id, read)
        WHERE s.id = r.id AND s.owner = $2 AND s.status = 'running' RETURNING s.id`,
      values: [ids, this.#owner, QUEUE.leaseSeconds, ids.map((id) => this.#progress.get(id) ?? 0)],
    });
    return new Set(rows.map(({ id }) => id));
  }

  /** Releases a sync after a failed attempt: any instance makes the next one after `seconds`. */
  async retry(id: string, seconds: number): Promise<void> {
    await RETRY.changes(this.#pool, { id, owner: this.#owner, seconds });
  }

  /** Releases a sync whose attempt could not start, or is stopped by a shutdown, and is not counted. */
  async postpone(id: string, seconds: number): Promise<void> {
    await POSTPONE.changes(this.#pool, { id, owner: this.#owner, seconds });
  }

  /** Makes the waiting syncs of a run due. */
  async makeDue(sourceIds: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'make-syncs-due',
      text: `UPDATE syncs SET lease_until = now() - interval '1 second' WHERE source_id = ANY($1) AND status = 'queued' AND error IS NULL`,
      values: [sourceIds],
    });
  }

  reportProgress(id: string, rows: number): void {
    this.#progress.set(id, rows);
  }

  /** Discards the progress of a sync that is no longer processed here. */
  discardProgress(id: string): void {
    this.#progress.delete(id);
  }

  async partsOf(syncId: string): Promise<StoredPart[]> {
    const { rows } = await this.#pool.query<StoredPart & { readonly bytes: string }>({
      name: 'sync-parts',
      text: 'SELECT number, name, rows, skipped, bytes, sha256, last FROM sync_parts WHERE sync_id = $1 ORDER BY number',
      values: [syncId],
    });
    return rows.map((row) => ({ ...row, bytes: Number(row.bytes) }));
  }

  /** Records a stored part. @returns false if the sync is no longer held by this instance */
  async recordPart(syncId: string, { number, name, rows, skipped, bytes, sha256, last }: StoredPart): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'record-sync-part',
      text: `
        INSERT INTO sync_parts (sync_id, number, name, rows, bytes, sha256, last, skipped)
        SELECT id, $3, $4, $5, $6, $7, $8, $9 FROM syncs WHERE id = $1 AND owner = $2 AND status = 'running' FOR SHARE
        ON CONFLICT (sync_id, number) DO UPDATE SET name = excluded.name, rows = excluded.rows, bytes = excluded.bytes,
          sha256 = excluded.sha256, last = excluded.last, skipped = excluded.skipped`,
      values: [syncId, this.#owner, number, name, rows, bytes, sha256, last, skipped],
    });
    return (rowCount ?? 0) > 0;
  }
}
