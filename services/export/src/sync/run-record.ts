import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import type { RunRecord, Sync } from '../domain/sync.ts';
import type { SourceContext } from '../download/peers.ts';
import { readSitemapState } from './sitemap-rows.ts';
import { SyncNotReady } from './sync-failure.ts';

/** Longest wait of a sync for the change record of its run, ms. Its pages are then written without it. */
const MAX_WAIT_MS = 15 * 60_000;

/** Reads the record of a run. @throws SyncNotReady while it is being built */
export async function readRunRecord(sync: Sync, context: SourceContext, now: Date): Promise<RunRecord> {
  if (sync.dataset === 'sitemap') return readSitemapState(sync, context);
  const { sourceId, projectId, createdAt, dataset } = sync;
  const { peers, call, signal } = context;
  const request = { projectId, runId: sourceId, after: 0, limit: 1, unreviewed: false };
  const { record } = await peers.diff.call(Rpc.getRecord, request, call, { signal }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return { record: undefined };
    throw error;
  });
  if (record?.status === 'made') return { isWholeSite: record.coverage?.verdict === true, warning: undefined };
  const isFailed = record?.status === 'failed';
  if (!isFailed && now.getTime() - createdAt.getTime() < MAX_WAIT_MS)
    throw new SyncNotReady('the record is being built');
  if (dataset === 'changes')
    throw new AppError(
      isFailed ? 'validation' : 'unavailable',
      `the change record of the run ${isFailed ? `could not be built: ${record?.error}` : 'was not built in time'}`,
    );
  return { isWholeSite: false, warning: 'the run has no change record: no row was marked as deleted' };
}
