import { shareOf } from '../shared/random.ts';
import { timeOf } from './document.ts';
import { editedIn } from './edits.ts';
import type { SitePlan } from './plan.ts';
import { SPECIALS } from './special-kinds.ts';

export const SITEMAP_INDEX = '/sitemap.xml';
const NESTED_INDEX = '/sitemaps/more.xml';
/** A file that the index names and the server refuses. */
export const REFUSED_FILE = '/sitemaps/refused.xml';

interface Entry {
  readonly path: string;
  readonly lastmod: string;
}

/** One file of the sitemap tree. */
export interface SitemapFile {
  readonly path: string;
  readonly isGzip: boolean;
  readonly xml: string;
}

/** Returns whether a sitemap lists a special page. */
export const isSpecialListed = (plan: SitePlan, { kind, no }: { kind: keyof typeof SPECIALS; no: number }): boolean =>
  shareOf(plan.options.seed, 'listed', kind, no) < SPECIALS[kind].listed;

/** Returns every URL that the sitemaps list in a generation. */
export function listedEntries(plan: SitePlan, generation: number): Entry[] {
  const specials = plan.specials
    .filter((page) => isSpecialListed(plan, page))
    .map(({ path }) => ({ path, lastmod: timeOf(1).toISOString() }));
  const tree = plan
    .ids(generation)
    .filter((id) => plan.isListed(id))
    .map((id) => ({ path: plan.pathOf(id), lastmod: timeOf(editedIn(plan, id, generation)).toISOString() }));
  return [...tree, ...specials];
}

const xmlOf = (root: 'urlset' | 'sitemapindex', entries: readonly string[]): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</${root}>\n`;

const indexOf = (origin: string, paths: readonly string[]): string =>
  xmlOf(
    'sitemapindex',
    paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`),
  );

/** Returns the sitemap tree of a generation: an index, a nested index, and files of which every second is compressed. */
export function sitemapFiles(plan: SitePlan, generation: number, origin: string): SitemapFile[] {
  const entries = listedEntries(plan, generation);
  const count = Math.max(1, plan.options.sitemaps);
  const size = Math.ceil(entries.length / count);
  const files = Array.from({ length: count }, (_, at): SitemapFile => {
    const isGzip = at % 2 === 1;
    const urls = entries
      .slice(at * size, (at + 1) * size)
      .map(({ path, lastmod }) => `<url><loc>${origin}${path}</loc><lastmod>${lastmod}</lastmod></url>`);
    return { path: `/sitemaps/part-${at}.xml${isGzip ? '.gz' : ''}`, isGzip, xml: xmlOf('urlset', urls) };
  });
  const paths = files.map(({ path }) => path);
  const nestedFrom = Math.ceil((paths.length * 2) / 3);
  const nested = paths.slice(nestedFrom);
  const top = [...paths.slice(0, nestedFrom), REFUSED_FILE];
  if (nested.length > 0) top.push(NESTED_INDEX);
  return [
    { path: SITEMAP_INDEX, isGzip: false, xml: indexOf(origin, top) },
    { path: NESTED_INDEX, isGzip: false, xml: indexOf(origin, nested) },
    ...files,
  ];
}
