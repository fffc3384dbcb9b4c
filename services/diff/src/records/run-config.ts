import { CrawlServiceService as Crawl } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

/** The configuration of a run, by its keys in the REST interface. */
export type RunConfig = Readonly<Record<string, unknown>>;

/** Returns the configuration of a run, without its secrets; undefined: the run was deleted. */
export async function loadRunConfig(crawl: Peer, runId: string, call: CallContext): Promise<RunConfig | undefined> {
  try {
    const { configJson } = await crawl.call(Crawl.getRun, { id: runId, withLog: false, withConfig: true }, call);
    return JSON.parse(configJson === '' ? '{}' : configJson);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
