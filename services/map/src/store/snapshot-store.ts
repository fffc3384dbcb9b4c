import type pg from 'pg';
import type { Snapshot, SnapshotDiff, SnapshotLine } from '../domain/snapshot.ts';
import type { PrismaClient } from '../generated/prisma/client.ts';
import { toSnapshot } from './job-record.ts';

const MAX_LISTED = 100;

/** A project's snapshots belong together whatever its address; else those of one site do. */
const lineOf = ({ workspaceId, projectId, site }: SnapshotLine) =>
  projectId === '' ? { workspaceId, projectId, site } : { workspaceId, projectId };

/** Stored trees of sites, and what differs between them. */
export class SnapshotStore {
  readonly #pool: pg.Pool;
  readonly #db: PrismaClient;

  constructor(pool: pg.Pool, db: PrismaClient) {
    this.#pool = pool;
    this.#db = db;
  }

  /** The newest snapshot, and the one before it; with `id`, that one and the one before it. */
  async newest(line: SnapshotLine, id: string): Promise<Snapshot[]> {
    const where = { ...lineOf(line), ...(id === '' ? {} : { id: { lte: id } }) };
    const records = await this.#db.snapshot.findMany({ where, orderBy: { id: 'desc' }, take: 2 });
    return records.map(toSnapshot);
  }

  /** Those that are kept, newest first. */
  kept(line: SnapshotLine): Promise<{ id: string; takenAt: Date }[]> {
    return this.#db.snapshot.findMany({
      where: lineOf(line),
      orderBy: { id: 'desc' },
      take: MAX_LISTED,
      select: { id: true, takenAt: true },
    });
  }

  /** A map under way that is to be the next one. */
  async running(line: SnapshotLine): Promise<string> {
    const found = await this.#db.job.findFirst({
      where: { ...lineOf(line), status: 'running' },
      orderBy: { id: 'desc' },
      select: { id: true },
    });
    return found?.id ?? '';
  }

  async findDiff(snapshotId: string): Promise<SnapshotDiff | undefined> {
    const found = await this.#db.diff.findUnique({ where: { snapshotId } });
    return found === null ? undefined : { ...found, withheld: found.withheld ?? undefined };
  }

  /** Keeps a diff while its snapshot is kept. @returns the one that is kept: the first of two that were worked out at once */
  async keepDiff(snapshotId: string, diff: SnapshotDiff): Promise<SnapshotDiff> {
    await this.#pool.query({
      name: 'keep-diff',
      text: `
        INSERT INTO diffs (snapshot_id, before_id, is_verdict, withheld, added, removed, updated, files_added, files_removed, files_changed, documents)
        SELECT id, $2, $3, $4, $5, $6, $7, $8::text[], $9::text[], $10::text[], $11::text[] FROM snapshots WHERE id = $1 FOR SHARE
        ON CONFLICT DO NOTHING`,
      values: [
        ...[snapshotId, diff.beforeId, diff.isVerdict, diff.withheld ?? null, diff.added, diff.removed, diff.updated],
        ...[[...diff.filesAdded], [...diff.filesRemoved], [...diff.filesChanged], [...diff.documents]],
      ],
    });
    return (await this.findDiff(snapshotId)) ?? diff;
  }
}
