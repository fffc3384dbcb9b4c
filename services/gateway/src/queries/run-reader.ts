import { ArchiveServiceService as ArchiveRpc } from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as Rpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { Page, RunPage } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { checkedId } from '../requests/checked-id.ts';
import { ATTACHMENT_WAIT_MS, GRACE_MS, type Slice } from './job-reader.ts';

/** Maximum wait for a page that the archive has not received yet, ms. */
const PAGE_WAIT_MS = 2_000;
/** Pages whose numbers are read at once. */
const NUMBERED = 1_000;
/** Pages that are read at once with their bodies; the first time few, so that the first byte does not wait for many. */
const FIRST_BATCH = 16;
const BATCH = 64;
/** Longest time for a batch: a page may have megabytes. */
const BATCH_DEADLINE_MS = 60_000;
/** Times that a batch whose first page the archive lacks is read. */
const ATTEMPTS = 3;

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
    // A page that the archive lacks, and all pages after it, are left to the next request.
    const found = upToGap(shown, pages);
    const isMore = ended.length > limit || !isOver(run) || found.length < shown.length;
    return { pages: found, last: found.at(-1)?.known.number ?? after, isMore };
  }

  /**
   * Yields the completed pages of a run after `after`, in order of completion, up to the last that has ended now.
   * @throws AppError unavailable if the archive lacks a page of a run that has ended
   */
  async *allPages(
    run: Run,
    after: number,
    bodies: readonly string[],
    call: CallContext,
  ): AsyncGenerator<readonly CrawledPage[], void, undefined> {
    let size = FIRST_BATCH;
    for (let last = after; ; ) {
      const request = { id: run.id, after: last, limit: NUMBERED };
      const { pages: ended } = await this.#crawl.call(Rpc.listEnded, request, call);
      for (let from = 0; from < ended.length; size = BATCH) {
        const pages = await this.#batch(run, ended.slice(from, from + size), bodies, call);
        if (pages.length === 0) return;
        yield pages;
        from += pages.length;
      }
      if (ended.length < NUMBERED) return;
      last = ended.at(-1)?.number ?? last;
    }
  }

  /** Returns the first of these pages that fit into one response; none if the run continues and the archive lacks the first. */
  async #batch(
    run: Run,
    ended: readonly RunPage[],
    bodies: readonly string[],
    call: CallContext,
  ): Promise<CrawledPage[]> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const pages = await this.#archived(run.id, ended, bodies, call, BATCH_DEADLINE_MS);
      const found = upToGap(ended, pages);
      if (found.length > 0) return found;
      if (!isOver(run)) return [];
    }
    throw new AppError('unavailable', 'the archive lacks a page of the crawl; try again shortly', {
      retryAfterSeconds: 2,
    });
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
    deadlineMs = PAGE_WAIT_MS + GRACE_MS,
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
    return (await this.#archive.call(ArchiveRpc.listPages, request, call, { deadlineMs })).pages;
  }
}

/** Pairs pages with their crawl records, up to the first that was not found. */
function upToGap(known: readonly RunPage[], pages: readonly Page[]): CrawledPage[] {
  const gap = known.findIndex(({ pageId }, at) => pages[at]?.row?.id !== pageId);
  return known.slice(0, gap === -1 ? known.length : gap).flatMap((each, at) => {
    const page = pages[at];
    return page === undefined ? [] : [{ page, known: each }];
  });
}
