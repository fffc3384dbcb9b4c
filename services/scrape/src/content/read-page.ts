import type { PageEvidence } from '../domain/verdict-evidence.ts';
import { Addresses } from './address.ts';
import { chooseMain, looksLikeForum } from './choose-main.ts';
import { dropChrome, type PageKind } from './chrome.ts';
import { toCleanHtml } from './clean-html.ts';
import { cleanMain } from './clean-main.ts';
import type { ContentOptions, Removed } from './content-options.ts';
import { countWords } from './count-words.ts';
import { readEvidence } from './evidence.ts';
import { type HeadData, readHead } from './head.ts';
import { typesOf } from './json-ld.ts';
import { type PageLink, readLinks } from './links.ts';
import { toMarkdown } from './markdown.ts';
import { measurePage } from './measure.ts';
import { parsePage } from './parse-page.ts';
import { toText } from './plain-text.ts';
import { type Element, Mark, type Page } from './tree.ts';

export type { PageEvidence } from '../domain/verdict-evidence.ts';
export { type ContentOptions, type Removed, USUAL_CONTENT } from './content-options.ts';
export { decodeBody } from './decode-body.ts';
export type { HeadData } from './head.ts';
export type { PageLink } from './links.ts';

export type ReadWant = 'markdown' | 'text' | 'cleanHtml' | 'links';

export interface ReadRequest {
  html: string;
  /** Where the page landed: the base of its links. */
  url: string;
  content: ContentOptions;
  wants: ReadonlySet<ReadWant>;
  contentType?: string;
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
  /** By name; null where nothing matched. */
  fields?: Record<string, unknown>;
  /** What the filters left out, where it was to be explained. */
  removed?: Removed[];
  evidence: PageEvidence;
}

/** Reads one page: parsed once, measured once, and every asked-for form written from the same tree. Never throws on content. */
export function readPage(request: ReadRequest): PageReading {
  const { url, wants } = request;
  const { onlyMainContent } = request.content;
  const page = parsePage(asHtml(request));
  measurePage(page);
  const addresses = new Addresses(page, url);
  const head = readHead(page, addresses);
  const { main, contentWords } = mainOf(page, head, url);
  const roots = [onlyMainContent ? main : page.body];
  const textSkip = onlyMainContent ? Mark.unseen | Mark.dropped | Mark.asideInText : Mark.unseen;
  const skip = onlyMainContent ? Mark.unseen | Mark.dropped : Mark.unseen;
  const text = toText(roots, textSkip);
  const words = countWords(text);
  const mainWords = onlyMainContent ? words : countWords(toText([main], textSkip | Mark.dropped));
  const evidence = readEvidence({ page, head, main, contentWords, mainWords, htmlChars: request.html.length });
  return {
    ...(head.title ? { title: head.title } : {}),
    ...(head.language ? { language: head.language } : {}),
    words,
    ...(evidence.shape ? { shape: evidence.shape } : {}),
    head,
    ...(wants.has('markdown') ? { markdown: toMarkdown({ addresses, skip, roots }, page.body) } : {}),
    ...(wants.has('text') ? { text } : {}),
    ...(wants.has('cleanHtml') ? { cleanHtml: toCleanHtml(roots, skip, addresses) } : {}),
    ...(wants.has('links') ? { links: readLinks(page.body, addresses, url) } : {}),
    evidence,
  };
}

/** Plain text is shown by browsers inside one pre element: https://html.spec.whatwg.org/multipage/document-lifecycle.html#read-text */
function asHtml(request: ReadRequest): string {
  if (!request.contentType || !/^\s*text\/(?:plain|markdown|csv)\b/i.test(request.contentType)) return request.html;
  return `<pre>${request.html.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre>`;
}

function mainOf(page: Page, head: HeadData, url: string): { main: Element; contentWords: number } {
  const kind = kindOf(page, head, url);
  dropChrome(page.body, kind);
  const choice = chooseMain(page.body);
  cleanMain(choice.root, kind);
  return { main: choice.root, contentWords: choice.contentWords };
}

function kindOf(page: Page, head: HeadData, url: string): PageKind {
  const types = head.jsonLd.flatMap(typesOf);
  if (looksLikeForum(page.body, url, head.generator ?? '', types)) return 'forum';
  if (types.includes('Product') || head.og['type'] === 'product') return 'product';
  const proseShare = page.body.words === 0 ? 0 : 1 - page.body.linkWords / page.body.words;
  return proseShare < 0.45 || types.includes('CollectionPage') || types.includes('ItemList') ? 'listing' : 'article';
}
