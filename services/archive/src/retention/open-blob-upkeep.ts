import { type BlobMaintenance, maintainBlobs } from '@tidemark/blobs';
import { type Logger, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';

export interface BlobUpkeepDeps {
  readonly db: pg.Pool;
  readonly maintenance: BlobMaintenance;
  readonly everyMs: number;
  readonly log: Logger;
}

/** Runs the background work of the blob store at once and then periodically. */
export function openBlobUpkeep({ db, maintenance, everyMs, log }: BlobUpkeepDeps): PeriodicTask {
  const run = async (isOpen: () => boolean): Promise<void> => {
    const { imported, damaged } = await maintainBlobs({ db, maintenance }, isOpen);
    if (imported > 0) log.info({ imported }, 'body files were moved into segments');
    if (damaged.length > 0) log.error({ segments: damaged }, 'segments with damaged bodies are kept');
  };
  const task = new PeriodicTask({ everyMs, run, failed: 'blob store maintenance failed, will retry', log });
  void task.runNow();
  return task;
}
