import { type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Snapshot, SnapshotDiff, SnapshotSeries } from '../domain/snapshot.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toSnapshot } from './records.ts';
import { schema } from './tables.ts';

const MAX_LISTED = 100;

/** A project has one series of snapshots, even if its URL changes; without a project, a site has one. */
const whereSeries = ({ workspaceId, projectId, site }: SnapshotSeries) =>
  projectId === '' ? { workspaceId, projectId, site } : { workspaceId, projectId };

const SAVE_DIFF = schema.prepareText(
  'save-diff',
  {},
  (diff: Params<SnapshotDiff & { readonly snapshotId: string }>) => sql`
    INSERT INTO diffs (snapshot_id, before_id, is_verdict, withheld, added, removed, updated, files_added, files_removed, files_changed, documents)
    SELECT id, ${diff.beforeId}, ${diff.isVerdict}, ${diff.withheld}, ${diff.added}, ${diff.removed}, ${diff.updated},
      ${diff.filesAdded}::text[], ${diff.filesRemoved}::text[], ${diff.filesChanged}::text[], ${diff.documents}::text[]
    FROM snapshots WHERE id = ${diff.snapshotId} FOR SHARE
    ON CONFLICT DO NOTHING`,
);

/** Stores snapshots and their differences. */
export class SnapshotStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** Returns the newest snapshot (with `id`: that snapshot) and the one before it. */
  async newest(series: SnapshotSeries, id: string | undefined): Promise<Snapshot[]> {
    const where = { ...whereSeries(series), ...(id === undefined ? {} : { id: { lte: id } }) };
    const records = await this.#db.snapshot.findMany({ where, orderBy: { id: 'desc' }, take: 2 });
    return records.map(toSnapshot);
  }

  /** Returns the newest 100 snapshots, newest first. */
  list(series: SnapshotSeries): Promise<{ id: string; takenAt: Date }[]> {
    return this.#db.snapshot.findMany({
      where: whereSeries(series),
      orderBy: { id: 'desc' },
      take: MAX_LISTED,
      select: { id: true, takenAt: true },
    });
  }

  /** Returns the id of the newest running map of the series; undefined if there is none. */
  async findRunningMap(series: SnapshotSeries): Promise<string | undefined> {
    const found = await this.#db.job.findFirst({
      where: { ...whereSeries(series), status: 'running' },
      orderBy: { id: 'desc' },
      select: { id: true },
    });
    return found?.id;
  }

  async findDiff(snapshotId: string): Promise<SnapshotDiff | undefined> {
    const found = await this.#db.diff.findUnique({ where: { snapshotId } });
    return found === null ? undefined : { ...found, withheld: found.withheld ?? undefined };
  }

  /** Stores a diff if its snapshot still exists. @returns the stored diff: the first one if two instances computed it concurrently */
  async saveDiff(snapshotId: string, diff: SnapshotDiff): Promise<SnapshotDiff> {
    await SAVE_DIFF.change(this.#pool, { ...diff, snapshotId });
    return (await this.findDiff(snapshotId)) ?? diff;
  }
}
