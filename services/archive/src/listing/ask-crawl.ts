import { CrawlServiceService as Rpc, type Run, type RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import type { CallContext, Peer } from '@tidemark/service';
import type { ListedRun } from '../domain/listed-run.ts';

const DEADLINE_MS = 10_000;

/** What the archive asks of crawl. */
export interface AskCrawl {
  /** Pages of a run that have ended, in that order, from after a number on. @throws AppError */
  ended(run: ListedRun, after: number, limit: number): Promise<RunPage[]>;
  /** A run as its caller may see it. @throws AppError not_found */
  find(id: string, call: CallContext): Promise<Run | undefined>;
}

export const askCrawl = (crawl: Peer): AskCrawl => ({
  async ended({ id, workspaceId }, after, limit) {
    const caller = { workspaceId, keyId: '', scope: 'read' as const, projects: [] };
    const call = { caller, requestId: '' };
    return (await crawl.call(Rpc.listEnded, { id, after, limit }, call, { deadlineMs: DEADLINE_MS })).pages;
  },
  async find(id, call) {
    const asked = { id, withLog: false, withConfig: false };
    return (await crawl.call(Rpc.getRun, asked, call, { deadlineMs: DEADLINE_MS })).run;
  },
});
