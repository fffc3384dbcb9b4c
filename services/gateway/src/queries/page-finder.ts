import {
  type ArchivedPage,
  type GetPageResponse,
  type ProjectRun,
  ArchiveServiceService as Rpc,
} from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as CrawlRpc, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage, PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { projectIdOf } from './run-project.ts';
import type { CrawledPage } from './run-reader.ts';

/** Longest time the archive waits for pages of a run that has ended, and of one that is running, ms: their events are on the way. */
const WAIT_MS = { ended: 2_000, running: 300 };

/** Reference to a run of a project in a request to the archive, with the number of pages that had ended when the run was read. */
export const projectRunOf = (run: Run): ProjectRun => {
  const { id, status, done: pages } = run;
  const hasEnded = status !== 'queued' && status !== 'running';
  return {
    runId: id,
    projectId: projectIdOf(run),
    expected: { pages, hasEnded, waitMs: hasEnded ? WAIT_MS.ended : WAIT_MS.running },
  };
};

export function requirePage({ page, known }: Partial<ArchivedPage>): CrawledPage {
  if (page === undefined || known === undefined)
    throw new AppError('internal', 'the archive returned an incomplete page');
  return { page, known };
}

interface PageQuery {
  readonly bodies: readonly string[];
  /** Maximum number of other readings of the URL. */
  readonly versions: number;
  /** Also the extracted fields of those readings. */
  readonly withVersionFields?: boolean;
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
    return (await this.#find(run, url, call)).pageId;
  }

  /** Returns a page that crawl has recorded, once the archive has listed it. @throws AppError not_found */
  async page(run: Run, url: string, query: PageQuery, call: CallContext): Promise<GetPageResponse> {
    const { pageId, number } = await this.#find(run, url, call);
    const { expected, ...of } = projectRunOf(run);
    const expectedPages = expected && { ...expected, pages: Math.max(expected.pages, number), waitMs: WAIT_MS.ended };
    const request = {
      run: { ...of, expected: expectedPages },
      pageId,
      bodies: [...query.bodies],
      versions: query.versions,
      withVersionFields: query.withVersionFields,
    };
    return this.#archive.call(Rpc.getPage, request, call);
  }

  async #find(run: Run, url: string, call: CallContext): Promise<RunPage> {
    const { page } = await this.#crawl.call(CrawlRpc.findPage, { id: run.id, url }, call);
    if (page === undefined) throw new AppError('not_found', 'the run has no such page');
    return page;
  }

  /** @throws AppError not_found */
  async row(run: Run, url: string, call: CallContext): Promise<WireRow> {
    const { page } = await this.page(run, url, { bodies: [], versions: 0 }, call);
    const { row } = requirePage(page ?? {}).page;
    if (row === undefined) throw new AppError('internal', 'a page has no row');
    return row;
  }
}
