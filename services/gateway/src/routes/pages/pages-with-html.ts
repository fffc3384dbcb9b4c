import { ArchiveServiceService as Rpc } from '@tidemark/contracts/archive/v1/archive';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { PageRow as WireRow } from '@tidemark/contracts/page/v1/page';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type PageFinder, projectRunOf } from './page-finder.ts';

export const MAX_PAGES = 100;
/** How far a run is looked through for pages with stored html; where only the home page's is stored, that is found first. */
export const LOOK_AT_ONCE = 1_000;
export const MAX_LOOKS = 3;

export interface PagesWithHtml {
  readonly rows: readonly WireRow[];
  /** Pages met that have none. */
  readonly without: number;
}

const hasHtml = ({ formats }: WireRow): boolean => formats.includes('rawHtml');

/** Pages of a run whose html is stored, the home page first. */
export async function pagesWithHtml(
  { archive, finder }: { readonly archive: Peer; readonly finder: Pick<PageFinder, 'row'> },
  run: Run,
  call: CallContext,
): Promise<PagesWithHtml> {
  const home = await homeOf(finder, run, call);
  const rows: WireRow[] = [];
  let without = 0;
  const meet = (row: WireRow): void => {
    if (rows.length >= MAX_PAGES) return;
    if (hasHtml(row)) rows.push(row);
    else without += 1;
  };
  if (home !== undefined) meet(home);
  for (let looks = 0, after = 0; looks < MAX_LOOKS && rows.length < MAX_PAGES; looks += 1) {
    const slice = { after, limit: LOOK_AT_ONCE, bodies: [] };
    const asked = { run: projectRunOf(run), q: '', verdict: '', flag: '', ...slice };
    const { pages, last, isMore } = await archive.call(Rpc.queryPages, asked, call);
    for (const { page } of pages) if (page?.row !== undefined && page.row.id !== home?.id) meet(page.row);
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
