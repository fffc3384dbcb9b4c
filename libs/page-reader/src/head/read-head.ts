import type { UrlResolver } from '../links/url-resolver.ts';
import { collapseSpaces, type Element, type Page, rawText } from '../tree/page-tree.ts';
import { bylineOf, dateOf } from './byline.ts';
import { type JsonObject, mainNode, readJsonLd, textOf } from './json-ld.ts';
import { HEADLINE_CHARS, META_CAP, TITLE_PART_CHARS } from './thresholds.ts';

/** The metadata a page declares. JSON-safe. */
export interface HeadData {
  /** The document's title as it stands in `title`; that of Open Graph or the first heading where it has none. */
  title?: string;
  /** The page's own title: the heading that the document's title repeats, or that title without the site's name. */
  headline?: string;
  description?: string;
  canonical?: string;
  robots?: string;
  language?: string;
  hreflang: { lang: string; url: string }[];
  og: Record<string, string>;
  twitter: Record<string, string>;
  jsonLd: JsonObject[];
  favicon?: string;
  feeds: { url: string; title?: string; type: string }[];
  author?: string;
  publishedAt?: string;
  modifiedAt?: string;
  siteName?: string;
  /** The software that generated the page. */
  generator?: string;
}

const MODIFIED_METAS = ['datemodified', 'dcterms.modified', 'dc.date.modified', 'last-modified', 'lastmod', 'revised'];

/** Head elements by name. Some pages close the head early, so elements of the body are included. */
interface HeadElements {
  metas: Map<string, string>;
  links: Element[];
  title: string;
}

/**
 * Reads titles, descriptions, URLs and structured data:
 * https://html.spec.whatwg.org/multipage/semantics.html#the-head-element
 */
export function readHead(page: Page, urls: UrlResolver): HeadData {
  const elements = gather(page);
  const jsonLd = readJsonLd(page.indexed.scripts);
  const { metas } = elements;
  const node = mainNode(jsonLd);
  const headline = headlineOf(page, elements, textOf(node, 'headline'));
  const byRel = (rel: string): Element | undefined => elements.links.find((link) => relsOf(link).includes(rel));
  return {
    ...defined({
      title: elements.title || metas.get('og:title') || metas.get('twitter:title') || headline,
      headline,
      description: metas.get('description') ?? metas.get('og:description') ?? metas.get('twitter:description'),
      canonical: urls.resource(byRel('canonical')?.attributes['href']),
      robots: metas.get('robots'),
      language: languageOf(page, metas),
      favicon: urls.resource((byRel('icon') ?? byRel('apple-touch-icon'))?.attributes['href']),
      author: bylineOf(page, metas, node),
      publishedAt: dateOf(page, metas, node),
      modifiedAt: isoDate(
        metas.get('article:modified_time') ??
          metas.get('og:updated_time') ??
          textOf(node, 'dateModified') ??
          MODIFIED_METAS.map((name) => metas.get(name)).find((value) => value !== undefined),
      ),
      generator: metas.get('generator'),
      siteName: metas.get('og:site_name') ?? metas.get('application-name'),
    }),
    hreflang: elements.links.flatMap((link) => alternate(link, urls)),
    og: prefixed(metas, 'og:'),
    twitter: prefixed(metas, 'twitter:'),
    jsonLd,
    feeds: elements.links.flatMap((link) => feed(link, urls)),
  };
}

function gather({ indexed }: Page): HeadElements {
  const metas = new Map<string, string>();
  for (const element of indexed.metas) if (!isInSvg(element)) addMeta(metas, element);
  const links = indexed.links.filter((element) => !isInSvg(element)).slice(0, META_CAP);
  const titled = indexed.titles.find((element) => !isInSvg(element) && rawText(element, 2_000).trim() !== '');
  return { metas, links, title: titled ? collapseSpaces(rawText(titled, 2_000)) : '' };
}

/** True inside an svg, whose parts have titles of their own. */
function isInSvg(element: Element): boolean {
  for (let up = element.parent; up; up = up.parent) if (up.tag === 'svg') return true;
  return false;
}

function addMeta(metas: Map<string, string>, element: Element): void {
  const { name, property, itemprop, content } = element.attributes;
  if (content === undefined || metas.size >= META_CAP) return;
  const value = collapseSpaces(content);
  for (const key of [name, property, itemprop, element.attributes['http-equiv']]) {
    const lower = key?.toLowerCase().trim();
    if (lower && value !== '' && !metas.has(lower)) metas.set(lower, value.slice(0, 5_000));
  }
}

const relsOf = (link: Element): string[] => (link.attributes['rel'] ?? '').toLowerCase().split(/\s+/);

function alternate(link: Element, urls: UrlResolver): { lang: string; url: string }[] {
  const lang = link.attributes['hreflang'];
  const url = urls.resource(link.attributes['href']);
  return lang && url && relsOf(link).includes('alternate') ? [{ lang, url }] : [];
}

function feed(link: Element, urls: UrlResolver): { url: string; title?: string; type: string }[] {
  const type = (link.attributes['type'] ?? '').toLowerCase();
  const url = urls.resource(link.attributes['href']);
  if (!url || !/^application\/(?:rss\+xml|atom\+xml|feed\+json)/.test(type)) return [];
  const title = link.attributes['title'];
  return [{ url, ...(title ? { title } : {}), type }];
}

function languageOf(page: Page, metas: Map<string, string>): string | undefined {
  const declared =
    page.root.attributes['lang'] ??
    page.body.attributes['lang'] ??
    metas.get('content-language') ??
    metas.get('og:locale');
  const tag = declared?.split(/[,;]/)[0]?.trim().replaceAll('_', '-');
  return tag && /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(tag) ? tag.toLowerCase() : undefined;
}

function prefixed(metas: Map<string, string>, prefix: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const [key, value] of metas) if (key.startsWith(prefix)) found.push([key.slice(prefix.length), value]);
  return Object.fromEntries(found);
}

/**
 * Returns the page's own title: the heading that the document title repeats, or the document title without the site's
 * name.
 */
function headlineOf(page: Page, elements: HeadElements, declared: string | undefined): string | undefined {
  const { metas, title } = elements;
  const heading = page.indexed.headings[0];
  const h1 = heading ? collapseSpaces(rawText(heading, 400)) : '';
  const social = metas.get('og:title') ?? metas.get('twitter:title') ?? '';
  if (h1.length > HEADLINE_CHARS && (title.includes(h1) || social.includes(h1))) return h1;
  const bare = withoutSiteName(social || title, metas.get('og:site_name') ?? '');
  return bare || declared || title || h1 || undefined;
}

/** Removes the site's name from "Story | Site" and "Site - Story" if the rest is long enough for a title. */
function withoutSiteName(title: string, siteName: string): string {
  const parts = title.split(/\s+[|\-–—·•»:«/\\]+\s+/);
  if (parts.length < 2) return title;
  const site = siteName.toLowerCase();
  const last = parts.at(-1) ?? '';
  const first = parts[0] ?? '';
  if (site !== '' && last.toLowerCase() === site)
    return title.slice(0, title.length - last.length).replace(/\s+[|\-–—·•»:«/\\]+\s+$/, '');
  if (site !== '' && first.toLowerCase() === site)
    return title.slice(first.length).replace(/^\s+[|\-–—·•»:«/\\]+\s+/, '');
  const pipe = title.search(/\s+[|»·•]\s+/);
  return pipe > TITLE_PART_CHARS ? title.slice(0, pipe) : title;
}

function isoDate(text: string | undefined): string | undefined {
  if (!text || !/\d{4}/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) || at < 0 ? undefined : new Date(at).toISOString();
}

function defined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> };
function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}
