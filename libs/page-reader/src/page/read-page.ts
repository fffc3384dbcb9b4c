import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { type CutOptions, cutPage } from '../blocks/cut-page.ts';
import { findDoubts } from '../evidence/find-doubts.ts';
import { readEvidence } from '../evidence/read-evidence.ts';
import { readFields } from '../fields/read-fields.ts';
import { applyFilters, type FilterResult } from '../filters/apply-filters.ts';
import { listRemovedParts, OUTSIDE_INCLUDED, OUTSIDE_MAIN } from '../filters/removed-parts.ts';
import { detectLanguage } from '../head/detect-language.ts';
import { type HeadData, readHead } from '../head/read-head.ts';
import { DataImages } from '../links/data-images.ts';
import { type PageLink, readLinks } from '../links/read-links.ts';
import { UrlResolver } from '../links/url-resolver.ts';
import { findMain } from '../main/find-main.ts';
import { blockKeysOf, markSiteBlocks, type SiteBlocks } from '../main/site-blocks.ts';
import { titleHeadingOf } from '../markdown/title-heading.ts';
import { toMarkdown } from '../markdown/write-markdown.ts';
import type { ContentOptions, RemovedPart } from '../options/content-options.ts';
import { toCleanHtml } from '../output/write-clean-html.ts';
import { toText } from '../output/write-text.ts';
import type { Product } from '../product/product.ts';
import { readProduct } from '../product/read-product.ts';
import { CssSearch } from '../selectors/css-search.ts';
import { countWords } from '../tree/count-words.ts';
import { measurePage } from '../tree/measure-page.ts';
import { type Element, Flag, inheritsFlag, type Page } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';
import type { PageEvidence } from '../verdict/page-evidence.ts';

export type OutputFormat = 'markdown' | 'text' | 'cleanHtml' | 'links';

export interface ReadRequest {
  html: string;
  /** URL after redirects; base of its links. */
  url: string;
  content: ContentOptions;
  outputs: ReadonlySet<OutputFormat>;
  contentType?: string;
  /** Lists omitted parts in detail, for a preview of a single page. */
  detailedRemovals?: boolean;
  /** Cuts the page into blocks for comparisons; absent: no blocks. */
  cut?: CutOptions;
  /** Leaves out one rule of the main content (`drops` in `main/content-rules.ts`), to measure its effect. */
  withoutRule?: string;
  /** Set for pages of runs: leaves out what repeats over the site, and returns keys of the page's blocks. */
  site?: SiteBlocks;
}

export interface PageReading {
  title?: string;
  language?: string;
  words: number;
  shape?: 'listing' | 'table' | 'form' | 'empty';
  head: HeadData;
  markdown?: string;
  text?: string;
  cleanHtml?: string;
  links?: PageLink[];
  /** By name. A field without a match is null. */
  fields?: Record<string, unknown>;
  /** Undefined: the page is not about a product. */
  product?: Product;
  /** Parts the filters omitted, if `content.explain` is set. */
  removed?: RemovedPart[];
  /** Present if `cut` was requested. */
  blocks?: PageBlocks;
  /** The include selectors that match an element. */
  matchedIncludes: readonly string[];
  /** Keys of the blocks of the main content, if `site` is set. */
  blockKeys?: Uint8Array;
  /** Requests that could not be fulfilled, such as a selector that matches nothing. */
  notes: string[];
  /** Visible words of the whole page, banners included. */
  pageWords: number;
  evidence: PageEvidence;
}

/**
 * Reads one page: parses and measures it once and writes every requested output from the same tree. Never throws on
 * content.
 */
export function readPage(request: ReadRequest): PageReading {
  const { url, outputs, content } = request;
  const page = parsePage(asHtml(request), { keepsAllAttributes: usesSelectors(request) });
  measurePage(page);
  const urls = new UrlResolver(page, url);
  if (!content.removeBase64Images) urls.dataImages = new DataImages();
  const head = readHead(page, urls);
  const product = readProduct({ page, head, url });
  const css = new CssSearch(page);
  const fields = readFields(content.fields, { page, urls, css, language: head.language });
  const filtered = applyFilters(page, content, css);
  const omitted = [filtered.banners, filtered.excluded];
  const { root: main, contentWords } = findMain({ page, head, url, omitted, withoutRule: request.withoutRule });
  const whole = contentScopeOf(page, main, content, filtered);
  const wholeText = toText(whole.roots, whole.textSkip);
  const site = whole.isMain ? request.site : undefined;
  const blockKeys = site && blockKeysOf(main);
  const titled = content.omitTitleHeading ? omitTitleHeading(whole, head, page) : whole;
  const scope = site ? omitSiteBlocks(titled, main, site) : titled;
  const text = scope === whole ? wholeText : toText(scope.roots, scope.textSkip);
  const words = countWords(text);
  // The verdict of a page does not depend on other pages.
  const mainText = scope.isMain ? wholeText : toText(unlessOmitted(main), MAIN_TEXT);
  const mainWords = mainText === text ? words : countWords(mainText);
  // A choice that the caller made is not doubted.
  const doubts = scope.isMain ? findDoubts({ page, head, text: wholeText, words: mainWords }) : [];
  const evidence = readEvidence({ page, head, main, contentWords, mainWords, htmlChars: request.html.length, doubts });
  const found = outputs.has('links') ? readLinks(page, urls, url) : undefined;
  const language = head.language ?? detectLanguage(wholeText);
  const reading = {
    ...partsOf({ title: head.title, language, shape: evidence.shape, links: found?.links, fields, product, blockKeys }),
    words,
    head,
    ...writeOutputs(outputs, { page, scope, urls, text }),
    ...(content.explain ? { removed: removedPartsOf(page, scope, request, filtered) } : {}),
    matchedIncludes: filtered.matchedIncludes,
    notes: found?.isTruncated ? [...css.notes, TRUNCATED_LINKS] : css.notes,
    pageWords: Math.round(page.body.words),
    evidence,
  };
  if (request.cut === undefined) return reading;
  const included = filtered.included?.matches;
  const dropsBoilerplate = content.onlyMainContent;
  const shownRoots = whole.roots.length === 0 ? [] : whole.kept;
  const shown = { roots: new Set(shownRoots), skip: whole.skip, textSkip: scope.textSkip, isMain: whole.isMain };
  return { ...reading, blocks: cutPage({ page, urls, head, css, shown, included, dropsBoilerplate }, request.cut) };
}

type Optional = 'title' | 'language' | 'shape' | 'links' | 'fields' | 'product' | 'blockKeys';

/** Returns what the page has of the parts that a page may lack. */
const partsOf = ({
  title,
  language,
  shape,
  links,
  fields = {},
  product,
  blockKeys,
}: { readonly [Part in Optional]: PageReading[Part] | undefined }): Pick<PageReading, Optional> => ({
  ...(title ? { title } : {}),
  ...(language ? { language } : {}),
  ...(shape ? { shape } : {}),
  ...(links ? { links } : {}),
  ...(Object.keys(fields).length > 0 ? { fields } : {}),
  ...(product ? { product } : {}),
  ...(blockKeys ? { blockKeys } : {}),
});

/** Writes the requested outputs. `text`: of the scope, which is always read. */
function writeOutputs(
  outputs: ReadRequest['outputs'],
  {
    page,
    scope,
    urls,
    text,
  }: { readonly page: Page; readonly scope: ContentScope; readonly urls: UrlResolver; readonly text: string },
): Pick<PageReading, 'markdown' | 'text' | 'cleanHtml'> {
  return {
    ...(outputs.has('markdown')
      ? { markdown: toMarkdown({ roots: scope.roots, skip: scope.markdownSkip, urls }, page) }
      : {}),
    ...(outputs.has('text') ? { text } : {}),
    ...(outputs.has('cleanHtml') ? { cleanHtml: toCleanHtml(scope.roots, scope.skip, urls) } : {}),
  };
}

/** Note of a page that has more links than are returned. */
const TRUNCATED_LINKS = 'truncated links';

/** What the content is written from, and what is omitted. */
interface ContentScope {
  readonly roots: readonly Element[];
  /** Elements of the page that the roots represent. */
  readonly kept: readonly Element[];
  readonly skip: number;
  readonly markdownSkip: number;
  readonly textSkip: number;
  readonly isMain: boolean;
}

/** Marks the blocks that repeat over the site, and leaves them out. */
function omitSiteBlocks(scope: ContentScope, main: Element, site: SiteBlocks): ContentScope {
  if (!markSiteBlocks(main, site)) return scope;
  return {
    ...scope,
    skip: scope.skip | Flag.siteBlock,
    markdownSkip: scope.markdownSkip | Flag.siteBlock,
    textSkip: scope.textSkip | Flag.siteBlock,
  };
}

/** Marks the heading that repeats the page's title, which the row has as a value, and leaves it out of the texts. */
function omitTitleHeading(scope: ContentScope, head: HeadData, page: Page): ContentScope {
  const { roots, skip, isMain } = scope;
  const heading = isMain && declaresTitle(page, head) ? titleHeadingOf(roots, head.headline, skip) : undefined;
  if (heading === undefined) return scope;
  heading.flags |= Flag.titleHeading;
  return {
    ...scope,
    markdownSkip: scope.markdownSkip | Flag.titleHeading,
    textSkip: scope.textSkip | Flag.titleHeading,
  };
}

/** A page without a declared title has only its heading. */
const declaresTitle = ({ indexed }: Page, { og, twitter }: HeadData): boolean =>
  indexed.titles.length > 0 || og['title'] !== undefined || twitter['title'] !== undefined;

const WHOLE_PAGE = Flag.notRendered | Flag.excluded;
const MAIN_CONTENT = WHOLE_PAGE | Flag.boilerplate;
const MAIN_TEXT = MAIN_CONTENT | Flag.caption;

/** Returns the masks of what each output omits. */
const skipping = (skip: number, textSkip = skip) => ({ skip, markdownSkip: skip, textSkip });

function contentScopeOf(page: Page, main: Element, content: ContentOptions, { included }: FilterResult): ContentScope {
  if (included) return { roots: included.roots, kept: included.matches, ...skipping(WHOLE_PAGE), isMain: false };
  if (content.onlyMainContent)
    return { roots: unlessOmitted(main), kept: [main], ...skipping(MAIN_CONTENT, MAIN_TEXT), isMain: true };
  return { roots: unlessOmitted(page.body), kept: [page.body], ...skipping(WHOLE_PAGE), isMain: false };
}

const unlessOmitted = (root: Element): Element[] =>
  (root.flags & Flag.notRendered) === 0 && inheritsFlag(root, WHOLE_PAGE) ? [] : [root];

const removedPartsOf = (
  page: Page,
  scope: ContentScope,
  { content, detailedRemovals }: ReadRequest,
  filtered: FilterResult,
): RemovedPart[] =>
  listRemovedParts({
    body: page.body,
    kept: scope.kept,
    skip: scope.skip,
    outside: filtered.included ? OUTSIDE_INCLUDED : OUTSIDE_MAIN,
    banners: filtered.banners,
    excluded: filtered.excluded,
    dataImages: content.removeBase64Images,
    isDetailed: detailedRemovals ?? false,
  });

/** True if selectors may refer to attributes that the reader does not use. */
const usesSelectors = ({ content, cut }: ReadRequest): boolean =>
  content.includeSelectors.length > 0 ||
  content.excludeSelectors.length > 0 ||
  Object.keys(content.fields).length > 0 ||
  (cut !== undefined && cut.volatileSelectors.length > 0);

/**
 * Browsers show plain text inside one pre element:
 * https://html.spec.whatwg.org/multipage/document-lifecycle.html#read-text
 */
function asHtml(request: ReadRequest): string {
  if (!request.contentType || !/^\s*text\/(?:plain|markdown|csv)\b/i.test(request.contentType)) return request.html;
  return `<pre>${request.html.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
}
