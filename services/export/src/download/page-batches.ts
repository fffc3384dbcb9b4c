import {
  type ArchivedPage,
  ArchiveServiceService as ArchiveRpc,
  type QueryPagesResponse,
} from '@tidemark/contracts/archive/v1/archive';
import { CrawlServiceService as CrawlRpc } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import pLimit from 'p-limit';
import type { OpenDataset, SourceContext } from './peers.ts';
import type { RunToExport } from './run-to-export.ts';

export interface PageSelection {
  readonly bodies: readonly string[];
  /** Only pages that have this body. */
  readonly withBody: string | undefined;
  /** Undefined: every page. */
  readonly q?: string | undefined;
  readonly after: number;
}

/** The first batch is small: the first byte of the file does not wait for a thousand documents. */
const FIRST_BATCH = 50;
const BATCH = 200;
/** Longest time the archive waits for pages of a run that has ended, and of one that is running, ms: their events are on the way. */
const WAIT_MS = { ended: 5_000, running: 300 };
/** A batch with bodies reads a thousand documents. */
const BATCH_DEADLINE_MS = 60_000;
const FOUND_AT_ONCE = 8;

/** Opens the pages of a run in the order in which they ended. */
export async function openPages(
  { run, hasEnded }: RunToExport,
  selection: PageSelection,
  context: SourceContext,
): Promise<OpenDataset<ArchivedPage>> {
  const { projectId } = run;
  if (projectId === undefined) return openCrawlPages(run.id, hasEnded, selection, context);
  const waitMs = hasEnded ? WAIT_MS.ended : WAIT_MS.running;
  const expected = { pages: run.done, hasEnded, waitMs };
  const read = (after: number, limit: number): Promise<QueryPagesResponse> => {
    const request = {
      run: { runId: run.id, projectId, expected },

      q: selection.q,
      after,
      limit,
      bodies: [...selection.bodies],
      withBody: selection.withBody,
    };
    const options = { deadlineMs: BATCH_DEADLINE_MS, signal: context.signal };
    return context.peers.archive.call(ArchiveRpc.queryPages, request, context.call, options);
  };
  const first = await read(selection.after, FIRST_BATCH);
  const batches = queryOn(first, read, hasEnded ? first.total : undefined);
  return { batches, rows: hasEnded ? first.total : undefined, isComplete: hasEnded };
}

/**
 * Continues a query until its end. An unfinished run ends with the pages that are listed now.
 * @param total pages that the query has at least; undefined: not known
 * @throws AppError conflict if it ends with fewer: the run is being deleted, and a mirror would take the missing pages for deleted ones
 */
async function* queryOn(
  first: QueryPagesResponse,
  read: (after: number, limit: number) => Promise<QueryPagesResponse>,
  total = 0,
): AsyncGenerator<readonly ArchivedPage[]> {
  let count = 0;
  for (let response = first; ; ) {
    const { pages, last, isMore } = response;
    count += pages.length;
    if (pages.length > 0) yield pages;
    if (!isMore || pages.length === 0) break;
    response = await read(last, BATCH);
  }
  if (count < total)
    throw new AppError(
      'conflict',
      `the run has ${total} pages and ${count} of them could be read; it may be in deletion: list the runs of the project and repeat the request`,
    );
}

/** Opens the pages of a crawl without a project, which the archive does not index. */
async function openCrawlPages(
  runId: string,
  hasEnded: boolean,
  { q, after, bodies, withBody }: PageSelection,
  context: SourceContext,
): Promise<OpenDataset<ArchivedPage>> {
  if (q !== undefined)
    throw new AppError(
      'validation',
      'q is supported for runs of a project; the pages of a crawl without a project are not indexed',
    );
  async function* batches(): AsyncGenerator<readonly ArchivedPage[]> {
    for (let from = after, limit = FIRST_BATCH; ; limit = BATCH) {
      const request = { id: runId, after: from, limit };
      const { pages: known } = await context.peers.crawl.call(CrawlRpc.listEnded, request, context.call);
      if (known.length === 0) return;
      const pages = await archived(runId, known, bodies, context);
      const listed = pages.filter(
        ({ page }) => withBody === undefined || page?.row?.formats.includes(withBody) === true,
      );
      if (listed.length > 0) yield listed;
      if (pages.length === 0) return;
      from = pages.at(-1)?.known?.number ?? from;
    }
  }
  return { batches: batches(), rows: undefined, isComplete: hasEnded };
}

/** Opens the pages of these URLs in their order. @returns also the number of URLs that the run does not have */
export async function openPagesByUrl(
  { run, hasEnded }: RunToExport,
  urls: readonly string[],
  { bodies, withBody }: Pick<PageSelection, 'bodies' | 'withBody'>,
  context: SourceContext,
): Promise<OpenDataset<ArchivedPage> & { readonly unknownUrls: number }> {
  const limit = pLimit(FOUND_AT_ONCE);
  const found = await limit.map([...urls], async (url) => {
    try {
      return (await context.peers.crawl.call(CrawlRpc.findPage, { id: run.id, url }, context.call)).page;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  });
  // Two spellings of one URL are one page.
  const known = [
    ...new Map(found.flatMap((page) => (page === undefined ? [] : [[page.pageId, page] as const]))).values(),
  ];
  async function* batches(): AsyncGenerator<readonly ArchivedPage[]> {
    for (let from = 0; from < known.length; from += FIRST_BATCH) {
      const pages = await archived(run.id, known.slice(from, from + FIRST_BATCH), bodies, context);
      yield pages.filter(({ page }) => withBody === undefined || page?.row?.formats.includes(withBody) === true);
    }
  }
  const unknownUrls = found.filter((page) => page === undefined).length;
  return { batches: batches(), rows: undefined, isComplete: hasEnded, unknownUrls };
}

/** Reads stored pages by id. Pages from the first that the archive lacks are left out. */
async function archived(
  jobId: string,
  known: readonly RunPage[],
  bodies: readonly string[],
  { peers, call, signal }: SourceContext,
): Promise<ArchivedPage[]> {
  const ids = known.map(({ pageId }) => pageId);
  const request = {
    jobId,
    cursor: '',
    limit: ids.length,
    bodies: [...bodies],
    expect: ids.length,
    waitMs: WAIT_MS.ended,
    ids,
  };
  const options = { deadlineMs: BATCH_DEADLINE_MS, signal };
  const { pages } = await peers.archive.call(ArchiveRpc.listPages, request, call, options);
  const byId = new Map(pages.map((page) => [page.row?.id, page]));
  return known.flatMap((each) => {
    const page = byId.get(each.pageId);
    return page === undefined ? [] : [{ page, known: each }];
  });
}
