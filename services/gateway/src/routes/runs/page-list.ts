import type { PageRow } from '@tidemark/api';
import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { CallContext } from '@tidemark/service';
import { toCrawlRow } from '../crawl/run-envelope.ts';
import type { CrawledPage, RunReader } from '../crawl/run-reader.ts';
import type { Slice } from '../scrape/job-reader.ts';
import type { PageLinks } from '../scrape/page-row.ts';
import { isWanted, type PageFilter } from './page-filter.ts';

/** How far one request looks for the pages it wants: a rare kind of page takes several. */
const MAX_LOOKED_AT = 3_000;
const LOOK_AT_ONCE = 1_000;

/** Bodies are files: where few pages are wanted of many, only theirs are read. */
const BODIES = ['head', 'fields'];

/** Where pages of a run come from, in the order in which they ended. */
export type PageSource = Pick<RunReader, 'pages' | 'withBodies'>;

export interface PageList {
  readonly rows: readonly PageRow[];
  /** The number of the last page looked at. */
  readonly last: number;
  readonly isMore: boolean;
}

interface Wish {
  readonly run: Run;
  readonly slice: Slice;
  readonly filter: PageFilter;
  readonly links: PageLinks;
}

/** The pages of a run that a filter wants, from after a number on. */
export async function listPages(reader: PageSource, wish: Wish, call: CallContext): Promise<PageList> {
  const { run, slice, filter, links } = wish;
  if (filter.v !== undefined || filter.flag !== undefined) return filtered(reader, wish, call);
  const { pages, last, isMore } = await reader.pages(run, slice, BODIES, call);
  return { rows: pages.map((each) => toCrawlRow(each, [], links)), last, isMore };
}

async function filtered(reader: PageSource, { run, slice, filter, links }: Wish, call: CallContext): Promise<PageList> {
  const wanted: CrawledPage[] = [];
  let last = slice.after;
  let isMore = true;
  for (let looked = 0; isMore && looked < MAX_LOOKED_AT && wanted.length < slice.limit; looked += LOOK_AT_ONCE) {
    const found = await reader.pages(run, { after: last, limit: LOOK_AT_ONCE }, [], call);
    for (const each of found.pages) {
      if (wanted.length === slice.limit) break;
      if (isWanted(toCrawlRow(each, [], links), filter)) wanted.push(each);
      last = each.known.number;
    }
    isMore = found.isMore || last < found.last;
    // Those that are not there yet are no reason to ask at once again.
    if (found.pages.length < LOOK_AT_ONCE) break;
  }
  const pages = await reader.withBodies(run, wanted, BODIES, call);
  return { rows: pages.map((each) => toCrawlRow(each, [], links)), last, isMore };
}
