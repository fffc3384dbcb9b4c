import {
  type ArchivedPage,
  type GetPageResponse,
  ArchiveServiceService as Rpc,
} from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as CrawlRpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { CrawledPage } from './run-reader.ts';

/** Returns the reference of a run for archive calls. */
export const projectRunOf = ({ id, projectId }: Run) => ({ runId: id, projectId });

export function requirePage({ page, known }: Partial<ArchivedPage>): CrawledPage {
  if (page === undefined || known === undefined)
    throw new AppError('internal', 'the archive returned an incomplete page');
  return { page, known };
}

interface PageQuery {
  readonly bodies: readonly string[];
  /** Maximum number of other readings of the URL. */
  readonly versions: number;
}

/** Finds stored pages of a project's run by URL. */
export class PageFinder {
  readonly #crawl: Peer;
  readonly #archive: Peer;

  constructor(crawl: Peer, archive: Peer) {
    this.#crawl = crawl;
    this.#archive = archive;
  }

  /** Returns the id of a page. @throws AppError not_found */
  async idOf(run: Run, url: string, call: CallContext): Promise<string> {
    const { page } = await this.#crawl.call(CrawlRpc.findPage, { id: run.id, url }, call);
    if (page === undefined) throw new AppError('not_found', 'the run has no such page');
    return page.pageId;
  }

  /** @throws AppError not_found */
  async page(run: Run, url: string, query: PageQuery, call: CallContext): Promise<GetPageResponse> {
    const pageId = await this.idOf(run, url, call);
    const request = { run: projectRunOf(run), pageId, bodies: [...query.bodies], versions: query.versions };
    return this.#archive.call(Rpc.getPage, request, call);
  }

  /** @throws AppError not_found */
  async row(run: Run, url: string, call: CallContext): Promise<WireRow> {
    const { page } = await this.page(run, url, { bodies: [], versions: 0 }, call);
    const { row } = requirePage(page ?? {}).page;
    if (row === undefined) throw new AppError('internal', 'a page has no row');
    return row;
  }
}
