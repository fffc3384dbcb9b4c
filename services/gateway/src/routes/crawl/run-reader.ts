import { isId } from '@tidemark/contracts';
import { ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { Page, RunPage } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { GRACE_MS, type Slice } from '../scrape/job-reader.ts';

/** How long a read waits for a page that is on its way to the archive. */
const PAGE_WAIT_MS = 2_000;

/** A page with what the crawl knows of it. */
export interface CrawledPage {
  readonly page: Page;
  readonly known: RunPage;
}

export interface CrawledPages {
  readonly pages: readonly CrawledPage[];
  /** The number of the last of them. */
  readonly last: number;
  /** Whether there may be more, now or later. */
  readonly isMore: boolean;
}

export const isOver = ({ status }: Run): boolean => status === 'done' || status === 'error' || status === 'cancelled';

export function gotRun(run: Run | undefined): Run {
  if (run === undefined) throw new AppError('internal', 'crawl answered without a run');
  return run;
}

/** @throws AppError not_found for what is no id of a crawl */
export function checkedCrawlId(id: string): string {
  if (!isId('run', id)) throw new AppError('not_found', 'there is no such crawl');
  return id;
}

/** Runs as crawl tells them, with their pages from the archive. */
export class RunReader {
  readonly #crawl: Peer;
  readonly #archive: Peer;

  constructor(crawl: Peer, archive: Peer) {
    this.#crawl = crawl;
    this.#archive = archive;
  }

  /** @throws AppError not_found */
  async find(id: string, call: CallContext): Promise<Run> {
    return gotRun(
      (await this.#crawl.call(Rpc.getRun, { id: checkedCrawlId(id), withLog: false, withConfig: false }, call)).run,
    );
  }

  /** Pages of a run that have ended, in the order in which they did. */
  async pages(run: Run, { after, limit }: Slice, bodies: readonly string[], call: CallContext): Promise<CrawledPages> {
    const { pages: ended } = await this.#crawl.call(Rpc.listEnded, { id: run.id, after, limit: limit + 1 }, call);
    const shown = ended.slice(0, limit);
    const pages = await this.#archived(run.id, shown, bodies, call);
    const gap = shown.findIndex(({ pageId }, at) => pages[at]?.row?.id !== pageId);
    // A page that is not there yet is asked for again, with those after it.
    const known = gap === -1 ? shown : shown.slice(0, gap);
    const isMore = ended.length > limit || !isOver(run) || known.length < shown.length;
    return {
      pages: known.flatMap((each, at) => {
        const page = pages[at];
        return page === undefined ? [] : [{ page, known: each }];
      }),
      last: known.at(-1)?.number ?? after,
      isMore,
    };
  }

  /** One page by its address. @throws AppError not_found */
  async page(run: Run, url: string, bodies: readonly string[], call: CallContext): Promise<CrawledPage> {
    const { page: known } = await this.#crawl.call(Rpc.findPage, { id: run.id, url }, call);
    const [page] = known === undefined ? [] : await this.#archived(run.id, [known], bodies, call);
    if (known === undefined || page === undefined) throw new AppError('not_found', 'the crawl has no such page');
    return { page, known };
  }

  /** @throws AppError not_found */
  async screenshot(jobId: string, pageId: string, call: CallContext): Promise<Buffer> {
    const request = { jobId, pageId, kind: 'screenshot', waitMs: PAGE_WAIT_MS };
    const options = { deadlineMs: PAGE_WAIT_MS + GRACE_MS };
    return (await this.#archive.call(ArchiveRpc.readAttachment, request, call, options)).body;
  }

  async #archived(
    jobId: string,
    known: readonly RunPage[],
    bodies: readonly string[],
    call: CallContext,
  ): Promise<Page[]> {
    if (known.length === 0) return [];
    const ids = known.map(({ pageId }) => pageId);
    const request = {
      jobId,
      cursor: '',
      limit: ids.length,
      bodies: [...bodies],
      expect: ids.length,
      waitMs: PAGE_WAIT_MS,
      ids,
    };
    const options = { deadlineMs: PAGE_WAIT_MS + GRACE_MS };
    return (await this.#archive.call(ArchiveRpc.listPages, request, call, options)).pages;
  }
}
