import { openBlobs } from '@tidemark/blobs';
import { events, newId, work } from '@tidemark/contracts';
import { PageBodies, type PageRow } from '@tidemark/contracts/page/v1/page';
import { PageCaptured, type RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { type PageOrder, PageWork } from '@tidemark/contracts/scrape/v1/work';
import { Bus, createLogger } from '@tidemark/service';
import { until } from '@tidemark/testkit';
import type { ScrapeServers } from './scrape-servers.ts';

export type RunPageClient = Awaited<ReturnType<typeof openRunPageClient>>;

/** A page of a run, as offered to scrape. */
type Order = Partial<PageOrder> & {
  readonly url: string;
  readonly runId?: string;
  readonly repeatedBlocks?: Buffer;
};

/** A run as scrape sees it: offers pages and receives their results. */
export async function openRunPageClient(servers: ScrapeServers) {
  const bus = servers.own(await Bus.connect(servers.nats.url, 'crawl', createLogger('test', 'silent')));
  const blobs = openBlobs(servers.serviceEnv['BLOB_URL'] ?? '');
  const ended = new Map<string, RunPageEnded>();
  bus.consume(events.runPageEnded, 'crawl', async (batch) => {
    for (const { event } of batch) ended.set(event.captureId, event);
  });
  return {
    url: (path: string): string => new URL(path, servers.site.origin).href,
    /**
     * Captures a page of a run of the workspace.
     * @returns the event that the run receives
     */
    async runPage(
      workspaceId: string,
      options: CaptureOptions,
      { runId = newId('run'), repeatedBlocks = Buffer.alloc(0), ...order }: Order,
    ) {
      const captureId = newId('cap');
      const page = { captureId, credits: 5, ...order };
      const { host } = servers.site;
      const piece = { runId, workspaceId, options, host, concurrency: 2, repeatedBlocks, pages: [page] };
      await bus.offer(work.page, captureId, PageWork.fromPartial(piece));
      return until('the page to end', () => ended.get(captureId));
    },
    /** Returns the page row of the captured event. */
    async rowOf({ captureId }: Pick<RunPageEnded, 'captureId'>): Promise<PageRow> {
      const [event] = await servers.database.sql<{ payload: Buffer }>(
        'SELECT payload FROM scrape.outbox WHERE id = $1',
        [`page:${captureId}`],
      );
      const { row } = PageCaptured.decode(event?.payload ?? Buffer.alloc(0));
      if (row === undefined) throw new Error('no event of this page in the outbox');
      return row;
    },
    /** Returns the stored bodies of a row. */
    bodiesOf: async ({ content }: PageRow): Promise<PageBodies> =>
      PageBodies.decode(await blobs.get(content?.sha256 ?? '')),
  };
}
