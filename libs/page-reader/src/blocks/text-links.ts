import type { UrlResolver } from '../links/url-resolver.ts';
import type { Element } from '../tree/page-tree.ts';
import { comparisonUrl } from './comparison-url.ts';
import { normalizeText } from './normalize-text.ts';
import { TEXT_CAP, TEXT_LINKS_LINKS_CAP } from './thresholds.ts';

/** A link of the current text: its target, and where its text starts and ends. */
interface TextLink {
  readonly url: string;
  readonly from: number;
  /** Undefined: the rest of the block. */
  to: number | undefined;
}

/** The links of the text that becomes the next block, each target once. */
export class TextLinks {
  readonly #urls: UrlResolver;
  readonly #compared = new Map<string, string | undefined>();
  #links: TextLink[] = [];

  constructor(urls: UrlResolver) {
    this.#urls = urls;
  }

  /** Target of the last link. */
  get current(): string | undefined {
    return this.#links.at(-1)?.url;
  }

  clear(): void {
    this.#links = [];
  }

  /** Adds a link whose text starts at `from`. Returns undefined for links that are not compared. */
  open({ attributes: { href } }: Element, from: number): TextLink | undefined {
    // Skips links to the same page.
    if (href === undefined || (href.startsWith('#') && !href.startsWith('#!') && !href.startsWith('#/')))
      return undefined;
    if (this.#links.length >= TEXT_LINKS_LINKS_CAP) return undefined;
    const url = this.#urlOf(href);
    if (url === undefined || this.#links.some((link) => link.url === url)) return undefined;
    const link: TextLink = { url, from, to: undefined };
    this.#links.push(link);
    return link;
  }

  /** Returns targets and texts; a link with the text of the whole block has an empty one. */
  of(raw: string, text: string): { readonly links: string[]; readonly linkTexts: string[] } {
    return {
      links: this.#links.map(({ url }) => url),
      linkTexts: this.#links.map(({ from, to }) => {
        const linked = normalizeText(raw.slice(from, to));
        return linked === text ? '' : linked.slice(0, TEXT_CAP);
      }),
    };
  }

  #urlOf(href: string): string | undefined {
    const known = this.#compared.get(href);
    if (known !== undefined || this.#compared.has(href)) return known;
    const absolute = this.#urls.link(href);
    const url = absolute && comparisonUrl(absolute);
    this.#compared.set(href, url);
    return url;
  }
}
