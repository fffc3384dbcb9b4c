import { type Element, findFirst, type Page } from '../tree/page-tree.ts';
import type { DataImages } from './data-images.ts';
import { URL_CHARS } from './thresholds.ts';

/** Schemes of URLs in output. All others (javascript, data, blob, file) are dropped. */
const SHOWN_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Most URLs are already in the form that parsing returns. Parsing costs more than everything else done to a link. */
const PLAIN_PATH = /^\/(?!\/)[\w/.~%?=&+,:;@!$()*#-]*$/;
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}\/[\w/.~%?=&+,:;@!$()*#-]*$/;
/** Parts that parsing would change: dot segments and internationalised names. */
const NORMALISED = /\/\.|%2e|xn--/i;

/** Resolves a page's URLs against its base and caches them per spelling. */
export class UrlResolver {
  readonly base: string;
  /** Set if `data:` images are kept. */
  dataImages: DataImages | undefined;
  readonly #known = new Map<string, string | undefined>();

  /** Origin of the base if it is an http(s) URL without credentials. */
  readonly #origin: string | undefined;

  constructor(page: Page, url: string) {
    this.base = baseOf(page, url);
    const base = URL.parse(this.base);
    const isWeb = base?.protocol === 'http:' || base?.protocol === 'https:';
    this.#origin = base && isWeb && base.username === '' && base.password === '' ? base.origin : undefined;
  }

  /** Returns the absolute URL of a link; undefined if it is empty, invalid or of another scheme. */
  link(href: string | undefined): string | undefined {
    if (href === undefined) return undefined;
    const known = this.#known.get(href);
    if (known !== undefined || this.#known.has(href)) return known;
    const resolved = this.#resolve(href);
    this.#known.set(href, resolved);
    return resolved;
  }

  /** Returns the absolute URL of something fetched over http, such as an image. */
  resource(href: string | undefined): string | undefined {
    const resolved = this.link(href);
    return resolved?.startsWith('http') ? resolved : undefined;
  }

  /** Returns the URL without parsing it: an absolute path, or an absolute URL in normal form. */
  #plain(href: string): string | undefined {
    if (NORMALISED.test(href)) return undefined;
    const origin = this.#origin;
    if (origin === undefined) return undefined;
    if (PLAIN_PATH.test(href)) return origin + href;
    const isOwn = href.startsWith(origin) && PLAIN_PATH.test(href.slice(origin.length));
    return isOwn || PLAIN_URL.test(href) ? href : undefined;
  }

  #resolve(href: string): string | undefined {
    const trimmed = href.trim();
    if (trimmed === '' || trimmed.length > URL_CHARS) return undefined;
    const plain = this.#plain(trimmed);
    if (plain !== undefined) return plain;
    const parsed = URL.parse(trimmed, this.base);
    return parsed && SHOWN_SCHEMES.has(parsed.protocol) ? parsed.href : undefined;
  }
}

/** https://html.spec.whatwg.org/multipage/urls-and-fetching.html#document-base-url */
function baseOf(page: Page, url: string): string {
  const isBase = (element: Element): boolean => element.tag === 'base' && element.attributes['href'] !== undefined;
  const declared = findFirst(page.head, isBase) ?? page.body.children.find((c) => typeof c !== 'string' && isBase(c));
  const href = declared && typeof declared !== 'string' ? declared.attributes['href'] : undefined;
  const base = href ? URL.parse(href.trim(), url) : null;
  return base && (base.protocol === 'http:' || base.protocol === 'https:') ? base.href : url;
}
