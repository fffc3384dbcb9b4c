import { collectBlobs, maintainBlobs, openBlobMaintenance, openBlobTrash } from '@tidemark/blobs';
import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import { RetentionStore } from '../store/retention-store.ts';

export interface RetentionDeps {
  readonly pool: pg.Pool;
  /** Map's own part of the blob store. */
  readonly documentsUrl: string;
  readonly snapshotDays: number;
  /** Time an unreferenced document stays in the trash, hours. Must exceed the duration of any map. */
  readonly trashHours: number;
  readonly intervalMs: number;
  readonly log: Logger;
}

/** Deletes the maps and snapshots of a deleted workspace; their documents are then collected. */
export type DeleteWorkspaceData = (workspaceId: string, isOpen: () => boolean) => Promise<void>;

export function makeDeleteWorkspaceData(pool: pg.Pool): DeleteWorkspaceData {
  const store = new RetentionStore(pool);
  return async (workspaceId, isOpen) => {
    while (isOpen() && (await store.deleteOfWorkspace(workspaceId)));
  };
}

/** Deletes expired maps and snapshots, and then documents that no row references, periodically and in small batches. */
export function openRetention(deps: RetentionDeps): { close(): Promise<void> } {
  const { pool, snapshotDays, trashHours, intervalMs, log } = deps;
  const store = new RetentionStore(pool);
  const trash = openBlobTrash(deps.documentsUrl);
  const maintenance = openBlobMaintenance(deps.documentsUrl);
  const findReferenced = (sha256s: readonly string[]) => store.findReferenced(sha256s);
  const collect = () => collectBlobs({ db: pool, trash, findReferenced, trashHours });
  const sweep = async (isOpen: () => boolean): Promise<void> => {
    await repeatUntilDone(() => store.deleteExpiredMaps(), isOpen);
    await repeatUntilDone(() => store.checkNextSnapshot(snapshotDays), isOpen);
    await repeatUntilDone(async () => (await collect()) > 0, isOpen);
    await maintainBlobs({ db: pool, maintenance }, isOpen);
  };
  const task = new PeriodicTask({ everyMs: intervalMs, run: sweep, failed: 'retention sweep failed, will retry', log });
  return {
    async close() {
      await task.close();
      await trash.close();
      await maintenance.close();
    },
  };
}
