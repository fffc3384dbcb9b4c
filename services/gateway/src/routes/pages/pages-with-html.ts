import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type PageFinder, projectRunOf } from '../../queries/page-finder.ts';

export const MAX_PAGES = 100;
/** Bounds of the scan for pages with stored html. The home page, often the only one, is read first. */
export const PAGES_PER_QUERY = 1_000;
export const MAX_QUERIES = 3;

export interface PagesWithHtml {
  readonly rows: readonly WireRow[];
  /** Number of scanned pages without stored html. */
  readonly without: number;
}

const hasHtml = ({ formats }: WireRow): boolean => formats.includes('rawHtml');

/** Returns pages of a run with stored html, the home page first. */
export async function pagesWithHtml(
  { archive, finder }: { readonly archive: Peer; readonly finder: Pick<PageFinder, 'row'> },
  run: Run,
  call: CallContext,
): Promise<PagesWithHtml> {
  const home = await homeOf(finder, run, call);
  const rows: WireRow[] = [];
  let without = 0;
  const add = (row: WireRow): void => {
    if (rows.length >= MAX_PAGES) return;
    if (hasHtml(row)) rows.push(row);
    else without += 1;
  };
  if (home !== undefined) add(home);
  for (let queries = 0, after = 0; queries < MAX_QUERIES && rows.length < MAX_PAGES; queries += 1) {
    const slice = { after, limit: PAGES_PER_QUERY, bodies: [] };
    const request = { run: projectRunOf(run), q: '', ...slice };
    const { pages, last, isMore } = await archive.call(Rpc.queryPages, request, call);
    for (const { page } of pages) if (page?.row !== undefined && page.row.id !== home?.id) add(page.row);
    if (!isMore || last <= after) break;
    after = last;
  }
  return { rows, without };
}

async function homeOf(finder: Pick<PageFinder, 'row'>, run: Run, call: CallContext): Promise<WireRow | undefined> {
  try {
    return await finder.row(run, run.seed, call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
