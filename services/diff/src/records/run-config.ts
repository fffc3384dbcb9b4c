import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { fromConfigMessage, type Settings } from '@tidemark/project-config';
import type { CallContext, Peer } from '@tidemark/service';

/** Returns the configuration of a run, without its secrets; undefined: the run was deleted. */
export async function loadRunConfig(crawl: Peer, runId: string, call: CallContext): Promise<Settings | undefined> {
  try {
    const { config } = await crawl.call(Crawl.getRun, { id: runId, withLog: false, withConfig: true }, call);
    return fromConfigMessage(config);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
