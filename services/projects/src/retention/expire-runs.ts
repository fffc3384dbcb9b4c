import { newId, onOwnBehalf } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { type Logger, type Peer, repeatUntilDone } from '@tidemark/service';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import type { ExpiringProject, ExpiryStore } from './expiry-store.ts';

const DAY_MS = 86_400_000;
/** Projects claimed at once: all are done well before the claim's lease expires. */
const CLAIM_BATCH = 40;
const CONCURRENT_CALLS = 4;
const DEADLINE_MS = 9_000;

export interface ExpireRunsDeps {
  readonly expiries: ExpiryStore;
  readonly crawl: Peer;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Deletes runs that ended before the retention of their project, through crawl. Any number of instances may run at once. */
export type ExpireRuns = (isRunning: () => boolean) => Promise<boolean>;

export function makeExpireRuns(deps: ExpireRunsDeps): ExpireRuns {
  const { expiries } = deps;
  const expireBatch = async (): Promise<boolean> => {
    const claimed = await expiries.claim(CLAIM_BATCH);
    if (claimed.length === 0) return false;
    const results = await mapConcurrently(claimed, CONCURRENT_CALLS, (project) => expireRunsOf(deps, project));
    const idsWith = (result: boolean) =>
      claimed.filter((_, index) => results[index] === result).map(({ projectId }) => projectId);
    await expiries.finish(idsWith(true), idsWith(false));
    return true;
  };
  /** Processes all due projects, until `isRunning` returns false. */
  return (isRunning) => repeatUntilDone(expireBatch, isRunning);
}

/** @returns false if the call failed */
async function expireRunsOf(
  { crawl, now, log }: ExpireRunsDeps,
  { projectId, workspaceId, retentionDays }: ExpiringProject,
): Promise<boolean> {
  const caller = onOwnBehalf('projects', workspaceId);
  const context = { caller, requestId: newId('req') };
  const before = new Date(now().getTime() - retentionDays * DAY_MS);
  try {
    await crawl.call(Rpc.expireRuns, { projectId, before }, context, { deadlineMs: DEADLINE_MS });
    return true;
  } catch (error) {
    log.warn({ err: error, project: projectId }, 'old runs of a project could not be deleted, will retry');
    return false;
  }
}
