import { type HeldHost, CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { Peer } from '@tidemark/service';

const DEADLINE_MS = 3_000;

/** What a run is asked, and told of the hosts its pages wait for. */
export interface StillOpenQuestion {
  readonly runId: string;
  readonly workspaceId: string;
  readonly captureIds: readonly string[];
  readonly held: readonly HeldHost[];
}

/** Which of these pages still wait to be fetched: the rest have ended, or were called off. */
export type StillOpen = (question: StillOpenQuestion) => Promise<readonly string[]>;

/** Asks a run which of its pages still wait to be fetched. @throws AppError unavailable where it can't be asked */
export function makeStillOpen(crawl: Peer): StillOpen {
  return async ({ runId, workspaceId, captureIds, held }) => {
    const caller = { workspaceId, keyId: '', scope: 'read', projects: [] } as const;
    const asked = { runId, captureIds: [...captureIds], held: [...held] };
    const answer = await crawl.call(Rpc.stillOpen, asked, { caller, requestId: '' }, { deadlineMs: DEADLINE_MS });
    return answer.captureIds;
  };
}
