import { ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { Page, RunPage } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedId } from '../requests/checked-id.ts';
import { ATTACHMENT_WAIT_MS, GRACE_MS, type Slice } from './job-reader.ts';

/** Maximum wait for a page that the archive has not received yet, ms. */
const PAGE_WAIT_MS = 2_000;

/** A page with its crawl record. */
export interface CrawledPage {
  readonly page: Page;
  readonly known: RunPage;
}

export interface CrawledPages {
  readonly pages: readonly CrawledPage[];
  /** Number of the last returned page. */
  readonly last: number;
  /** Whether there are, or will be, more pages. */
  readonly isMore: boolean;
}

export const isOver = ({ status }: Run): boolean => status === 'done' || status === 'error' || status === 'cancelled';

export function requireRun(run: Run | undefined): Run {
  if (run === undefined) throw new AppError('internal', 'crawl returned no run');
  return run;
}

/** Returns the id of a crawl. @throws AppError not_found if it is not well-formed */
export const checkedCrawlId = (id: string): string => checkedId('run', id, 'crawl');

/** Reads runs from crawl and their pages from the archive. */
export class RunReader {
  readonly #crawl: Peer;
  readonly #archive: Peer;

  constructor(crawl: Peer, archive: Peer) {
    this.#crawl = crawl;
    this.#archive = archive;
  }

  /** @throws AppError not_found */
  async find(id: string, call: CallContext): Promise<Run> {
    return requireRun(
      (await this.#crawl.call(Rpc.getRun, { id: checkedCrawlId(id), withLog: false, withConfig: false }, call)).run,
    );
  }

  /** Returns completed pages of a run, in order of completion. */
  async pages(run: Run, { after, limit }: Slice, bodies: readonly string[], call: CallContext): Promise<CrawledPages> {
    const { pages: ended } = await this.#crawl.call(Rpc.listEnded, { id: run.id, after, limit: limit + 1 }, call);
    const shown = ended.slice(0, limit);
    const pages = await this.#archived(run.id, shown, bodies, call);
    const gap = shown.findIndex(({ pageId }, at) => pages[at]?.row?.id !== pageId);
    // A page that the archive lacks, and all pages after it, are left to the next request.
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

  /** Returns one page by URL. @throws AppError not_found */
  async page(run: Run, url: string, bodies: readonly string[], call: CallContext): Promise<CrawledPage> {
    const { page: known } = await this.#crawl.call(Rpc.findPage, { id: run.id, url }, call);
    const [page] = known === undefined ? [] : await this.#archived(run.id, [known], bodies, call);
    if (known === undefined || page === undefined) throw new AppError('not_found', 'the crawl has no such page');
    return { page, known };
  }

  /** @throws AppError not_found */
  async screenshot(jobId: string, pageId: string, call: CallContext): Promise<Buffer> {
    const request = { jobId, pageId, kind: 'screenshot' as const, waitMs: ATTACHMENT_WAIT_MS };
    const options = { deadlineMs: ATTACHMENT_WAIT_MS + GRACE_MS };
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
