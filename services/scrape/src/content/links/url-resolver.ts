import { type Element, findFirst, type Page } from '../tree/page-tree.ts';
import type { DataImages } from './data-images.ts';

/** Schemes a captured page may point to; everything else (javascript, data, blob, file) is dropped. */
const SHOWN_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Addresses that URL parsing leaves as they are, which most are: it costs more than all else that is done to a link. */
const PLAIN_PATH = /^\/(?!\/)[\w/.~%?=&+,:;@!$()*#-]*$/;
const PLAIN_URL = /^https?:\/\/(?:[a-z0-9-]+\.)+[a-z]{2,}\/[\w/.~%?=&+,:;@!$()*#-]*$/;
/** Parts that it may not leave so: dot segments, and names of other scripts. */
const NORMALISED = /\/\.|%2e|xn--/i;

/** Resolves a page's addresses against its base, each spelling once. */
export class UrlResolver {
  readonly base: string;
  /** Where pictures held in the page itself are wanted. */
  dataImages: DataImages | undefined;
  readonly #known = new Map<string, string | undefined>();

  /** Of the base, where it is a web address that names no user. */
  readonly #origin: string | undefined;

  constructor(page: Page, url: string) {
    this.base = baseOf(page, url);
    const base = URL.parse(this.base);
    const isWeb = base?.protocol === 'http:' || base?.protocol === 'https:';
    this.#origin = base && isWeb && base.username === '' && base.password === '' ? base.origin : undefined;
  }

  /** The absolute address of a link, or undefined where it is empty, broken or of a scheme that is not shown. */
  link(href: string | undefined): string | undefined {
    if (href === undefined) return undefined;
    const known = this.#known.get(href);
    if (known !== undefined || this.#known.has(href)) return known;
    const resolved = this.#resolve(href);
    this.#known.set(href, resolved);
    return resolved;
  }

  /** The absolute address of something fetched over http, such as a picture. */
  resource(href: string | undefined): string | undefined {
    const resolved = this.link(href);
    return resolved?.startsWith('http') ? resolved : undefined;
  }

  /** The address where it needs no parsing: a plain path, or an absolute address written as it would be resolved to. */
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
    if (trimmed === '' || trimmed.length > 8_192) return undefined;
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
