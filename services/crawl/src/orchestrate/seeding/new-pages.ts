import { type NewPage, RANK, type Run } from '../../domain/run/run.ts';
import type { FoundVia } from '../../domain/scope/scope-rules.ts';

/** Pages added to the frontier in one statement. */
export const BATCH_PAGES = 500;

/** Returns the rank of pages that sitemaps and feeds declare: before links, or after all of them. */
export const rankOfDeclared = ({ scope }: Run): number =>
  scope.crawlMode === 'links_first' ? RANK.sitemapLast : RANK.sitemap;

type PageIdentity = Pick<NewPage, 'key' | 'url' | 'host'>;

export const toNewPage = (page: PageIdentity, foundVia: FoundVia, depth: number, rank: number): NewPage => ({
  ...page,
  depth,
  rank,
  foundVia,
  referer: undefined,
});

/** Returns the pages without duplicates of a key; the first occurrence stays. */
export const unique = (pages: readonly NewPage[]): NewPage[] =>
  [...new Map(pages.toReversed().map((page) => [page.key.toString('latin1'), page])).values()].reverse();

export function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += BATCH_PAGES) yield items.slice(from, from + BATCH_PAGES);
}
