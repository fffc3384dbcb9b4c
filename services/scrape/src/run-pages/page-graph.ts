import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { z } from 'zod';

/** What a crawl goes on by. */
export interface PageGraph {
  /** Every address the page links to, absolute, once each, in order; not those marked nofollow. */
  readonly links: readonly string[];
  readonly canonical: string;
  readonly nofollow: boolean;
  readonly noindex: boolean;
}

const LINKS_MOST = 5_000;
const Links = z.array(z.object({ url: z.string(), rel: z.string().optional() }));
const Head = z.object({
  canonical: z.string().optional(),
  robots: z.string().optional(),
  xRobotsTag: z.array(z.string()).optional(),
});

const NOTHING: PageGraph = { links: [], canonical: '', nofollow: false, noindex: false };

/** Reads the links and what the head says of them out of a page's bodies. */
export function graphOf(bodies: Uint8Array | undefined): PageGraph {
  if (bodies === undefined || bodies.length === 0) return NOTHING;
  const { linksJson, headJson } = PageBodies.decode(bodies);
  const links = linksJson === undefined ? [] : Links.parse(JSON.parse(linksJson));
  const {
    canonical = '',
    robots = '',
    xRobotsTag = [],
  } = headJson === undefined ? {} : Head.parse(JSON.parse(headJson));
  const says = [...robots.toLowerCase().split(/[\s,]+/), ...xRobotsTag];
  const asks = (what: string): boolean => says.includes(what) || says.includes('none');
  const nofollow = asks('nofollow');
  const urls = nofollow ? [] : links.filter(({ rel = '' }) => !/\bnofollow\b/i.test(rel)).map(({ url }) => bare(url));
  return { links: [...new Set(urls)].slice(0, LINKS_MOST), canonical, nofollow, noindex: asks('noindex') };
}

const bare = (url: string): string => {
  const at = url.indexOf('#');
  return at === -1 ? url : url.slice(0, at);
};
