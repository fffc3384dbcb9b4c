import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { Peer } from '@tidemark/service';

const DEADLINE_MS = 3_000;

/** Asks a run which of its pages still wait to be fetched. @throws AppError unavailable where it can't be asked */
export function makeStillOpen(crawl: Peer) {
  return async (runId: string, workspaceId: string, captureIds: readonly string[]): Promise<readonly string[]> => {
    const caller = { workspaceId, keyId: '', scope: 'read', projects: [] } as const;
    const asked = { runId, captureIds: [...captureIds] };
    const answer = await crawl.call(Rpc.stillOpen, asked, { caller, requestId: '' }, { deadlineMs: DEADLINE_MS });
    return answer.captureIds;
  };
}
