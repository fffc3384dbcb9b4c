import { Parser } from 'htmlparser2';

export interface HomePage {
  /** Absolute URLs of its links, without duplicates, in order. */
  readonly links: readonly string[];
  readonly feeds: readonly string[];
  /** `link rel=sitemap`. */
  readonly sitemaps: readonly string[];
}

const FEED_TYPES = /^application\/(?:rss|atom|rdf)\+xml$/i;
const MAX_LINKS = 50_000;
const MAX_FEEDS = 10;

/** Returns the links, feeds and sitemaps of a page. Takes constant time per tag. */
export function readHome(html: string, pageUrl: string): HomePage {
  const found = { links: new Set<string>(), feeds: new Set<string>(), sitemaps: new Set<string>() };
  let base = pageUrl;
  const add = (into: Set<string>, href: string | undefined, most: number): void => {
    if (href === undefined || into.size >= most || href.length > 8_192) return;
    const url = URL.parse(href.trim(), base);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') return;
    url.hash = '';
    into.add(url.href);
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const { href, rel = '', type = '' } = attributes;
      const words = rel.toLowerCase().split(/\s+/);
      if (name === 'base' && href !== undefined && base === pageUrl) base = URL.parse(href, pageUrl)?.href ?? pageUrl;
      else if (name === 'a' || name === 'area') add(found.links, href, MAX_LINKS);
      else if (name === 'link' && words.includes('alternate') && FEED_TYPES.test(type.trim()))
        add(found.feeds, href, MAX_FEEDS);
      else if (name === 'link' && words.includes('sitemap')) add(found.sitemaps, href, MAX_FEEDS);
    },
  });
  parser.end(html);
  return { links: [...found.links], feeds: [...found.feeds], sitemaps: [...found.sitemaps] };
}
