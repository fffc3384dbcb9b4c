import {
  type ArchivedPage,
  type GetPageResponse,
  type ProjectRun,
  ArchiveServiceService as Rpc,
} from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as CrawlRpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { CrawledPage } from '../crawl/run-reader.ts';
import type { PageLinks } from '../scrape/page-row.ts';

/** Longest time the archive waits for pages of a run that has ended, and of one that goes on, ms: their events are on the way. */
const WAIT_MS = { ended: 2_000, running: 300 };

/** A run of a project as the archive is asked about it, with the pages that had ended when it was read. */
export const projectRunOf = ({ id, projectId, status, done: pages }: Run): ProjectRun => {
  const hasEnded = status !== 'queued' && status !== 'running';
  return {
    runId: id,
    projectId,
    expected: { pages, hasEnded, waitMs: hasEnded ? WAIT_MS.ended : WAIT_MS.running },
  };
};

export function gotPage({ page, known }: Partial<ArchivedPage>): CrawledPage {
  if (page === undefined || known === undefined) throw new AppError('internal', 'the archive told of half a page');
  return { page, known };
}

/** Where what is kept beside a page of a project can be read. */
export const projectPageLinks = (baseUrl: string, { id, projectId }: Run): PageLinks => ({
  screenshotOf: ({ askedUrl }) =>
    `${baseUrl}/projects/${projectId}/pages/screenshot?run_id=${id}&url=${encodeURIComponent(askedUrl)}`,
});

interface PageWanted {
  readonly bodies: readonly string[];
  /** Other readings of the address, at most. */
  readonly versions: number;
}

/** Stored pages of a project's run by their address. */
export class PageFinder {
  readonly #crawl: Peer;
  readonly #archive: Peer;

  constructor(crawl: Peer, archive: Peer) {
    this.#crawl = crawl;
    this.#archive = archive;
  }

  /** The page's id. @throws AppError not_found */
  async idOf(run: Run, url: string, call: CallContext): Promise<string> {
    const { page } = await this.#crawl.call(CrawlRpc.findPage, { id: run.id, url }, call);
    if (page === undefined) throw new AppError('not_found', 'the run has no such page');
    return page.pageId;
  }

  /** @throws AppError not_found */
  async page(run: Run, url: string, wanted: PageWanted, call: CallContext): Promise<GetPageResponse> {
    const pageId = await this.idOf(run, url, call);
    const asked = { run: projectRunOf(run), pageId, bodies: [...wanted.bodies], versions: wanted.versions };
    return this.#archive.call(Rpc.getPage, asked, call);
  }

  /** @throws AppError not_found */
  async row(run: Run, url: string, call: CallContext): Promise<WireRow> {
    const { page } = await this.page(run, url, { bodies: [], versions: 0 }, call);
    const { row } = gotPage(page ?? {}).page;
    if (row === undefined) throw new AppError('internal', 'a page came without its row');
    return row;
  }
}
