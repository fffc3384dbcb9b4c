/** What a crawl needs from a page to continue. */
export interface PageGraph {
  /** Absolute URLs the page links to, once each, in order, without nofollow links. */
  readonly links: readonly string[];
  readonly canonical: string;
  readonly nofollow: boolean;
  readonly noindex: boolean;
  /** Keys of the blocks of its main content, four bytes each. */
  readonly blockKeys?: Uint8Array;
}

/** The links of a reading, and the parts of its head that restrict them. */
export interface LinksAndHead {
  readonly links: readonly { readonly url: string; readonly rel?: string | undefined }[];
  readonly head: {
    readonly canonical?: string | undefined;
    readonly robots?: string | undefined;
    readonly xRobotsTag?: readonly string[] | undefined;
  };
}

const LINKS_CAP = 5_000;
/** Characters of all links together: the event of a page must fit into a bus message. */
const CHARS_CAP = 1_000_000;

/**
 * Returns the links that a crawler may follow: none if the head or the X-Robots-Tag header forbids it (`nofollow`,
 * `none`).
 */
export function pageGraphOf({ links, head }: LinksAndHead): PageGraph {
  const { canonical = '', robots = '', xRobotsTag = [] } = head;
  const directives = [...robots.toLowerCase().split(/[\s,]+/), ...xRobotsTag];
  const forbids = (what: string): boolean => directives.includes(what) || directives.includes('none');
  const nofollow = forbids('nofollow');
  const urls = nofollow
    ? []
    : links.filter(({ rel = '' }) => !/\bnofollow\b/i.test(rel)).map(({ url }) => withoutFragment(url));
  return { links: firstOf(new Set(urls)), canonical, nofollow, noindex: forbids('noindex') };
}

/** Returns the first links within the limits. */
function firstOf(urls: ReadonlySet<string>): string[] {
  const first: string[] = [];
  let chars = 0;
  for (const url of urls) {
    chars += url.length;
    if (first.length >= LINKS_CAP || chars > CHARS_CAP) break;
    first.push(url);
  }
  return first;
}

const withoutFragment = (url: string): string => {
  const at = url.indexOf('#');
  return at === -1 ? url : url.slice(0, at);
};
