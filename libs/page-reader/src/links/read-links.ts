import { collapseSpaces, type Element, Flag, type Page, visibleLine, walk } from '../tree/page-tree.ts';
import { CHARS_CAP, LINK_CAP, TEXT_CAP } from './thresholds.ts';
import type { UrlResolver } from './url-resolver.ts';

/** A link of the page. The URL is absolute. */
export interface PageLink {
  url: string;
  text: string;
  rel?: string;
  kind: LinkKind;
}

export type LinkKind = 'internal' | 'external' | 'asset' | 'contact';

const ASSET =
  /\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|zip|gz|tgz|tar|rar|7z|dmg|exe|msi|apk|jpe?g|png|gif|webp|avif|svg|ico|mp[34]|webm|mov|avi|wav|ogg|csv|epub|woff2?|css|js)$/i;

/** The links of a page; `isTruncated` if it has more than the limits allow. */
export interface PageLinks {
  readonly links: PageLink[];
  readonly isTruncated: boolean;
}

/** Returns every followable link of the body, once per URL without fragment, with the first text it has. */
export function readLinks({ indexed }: Page, urls: UrlResolver, pageUrl: string): PageLinks {
  const byUrl = new Map<string, PageLink>();
  const host = siteOf(URL.parse(pageUrl)?.hostname ?? '');
  let chars = 0;
  for (const element of indexed.anchors) {
    if (element.tag === 'label') continue;
    if (byUrl.size >= LINK_CAP || chars >= CHARS_CAP) return { links: [...byUrl.values()], isTruncated: true };
    const url = urls.link(element.attributes['href']);
    if (url) chars += addLink(byUrl, withoutFragment(url), element, host);
  }
  return { links: [...byUrl.values()], isTruncated: false };
}

/** @returns the characters added */
function addLink(byUrl: Map<string, PageLink>, url: string, element: Element, host: string): number {
  const known = byUrl.get(url);
  if (known) {
    if (known.text !== '') return 0;
    known.text = linkText(element);
    return known.text.length;
  }
  const rel = element.attributes['rel'];
  const text = linkText(element);
  const kind = kindOf(url, host);
  byUrl.set(url, rel ? { url, text, rel: collapseSpaces(rel.toLowerCase()), kind } : { url, text, kind });
  return url.length + text.length + (rel?.length ?? 0);
}

function linkText(element: Element): string {
  const text = visibleLine(element, TEXT_CAP);
  if (text !== '' || (element.flags & Flag.notRendered) !== 0) return text;
  const label =
    element.attributes['aria-label'] ??
    element.attributes['title'] ??
    element.attributes['alt'] ??
    pictureText(element);
  return collapseSpaces(label).slice(0, TEXT_CAP);
}

function pictureText(element: Element): string {
  let text = '';
  walk(element, (inner) => {
    if (text === '') text = inner.attributes['alt'] ?? '';
    return undefined;
  });
  return text;
}

function kindOf(url: string, host: string): LinkKind {
  if (!url.startsWith('http')) return 'contact';
  const found = WEB.exec(url);
  if (!found) return 'external';
  if (ASSET.test(found[2] ?? '')) return 'asset';
  return siteOf(found[1] ?? '') === host ? 'internal' : 'external';
}

/** Captures host and path of an absolute URL. */
const WEB = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(?::\d*)?([^?#]*)/;

/** Treats a host and its www name as one site. */
const siteOf = (hostname: string): string => hostname.replace(/^www\./, '');

function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  // Old script routers put the path after "#!": https://developers.google.com/search/docs/ajax-crawling
  return hash === -1 || url.startsWith('#!', hash) || url.startsWith('#/', hash) ? url : url.slice(0, hash);
}
