/** What a crawl goes on by. */
export interface PageGraph {
  /** Every address the page links to, absolute, once each, in order; not those marked nofollow. */
  readonly links: readonly string[];
  readonly canonical: string;
  readonly nofollow: boolean;
  readonly noindex: boolean;
}

/** What a reading says of its links, and its head of both. */
export interface LinksAndHead {
  readonly links: readonly { readonly url: string; readonly rel?: string | undefined }[];
  readonly head: {
    readonly canonical?: string | undefined;
    readonly robots?: string | undefined;
    readonly xRobotsTag?: readonly string[] | undefined;
  };
}

const LINKS_MOST = 5_000;

/** The links a crawler may follow from a page: none where its head or its answer asks for that (`nofollow`, `none`). */
export function graphOfReading({ links, head }: LinksAndHead): PageGraph {
  const { canonical = '', robots = '', xRobotsTag = [] } = head;
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
