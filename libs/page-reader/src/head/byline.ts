import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, findFirst, NO_ATTRIBUTES, type Page, visibleLine } from '../tree/page-tree.ts';
import { type JsonObject, textOf } from './json-ld.ts';
import { BYLINE_WORDS, DATE_LINE_WORDS, LINKED_NAME_WORDS, NAME_CHARS } from './thresholds.ts';

const AUTHOR_METAS = [
  'author',
  'article:author',
  'dc.creator',
  'dcterms.creator',
  'parsely-author',
  'sailthru.author',
  'byl',
  'cxenseparse:author',
  'citation_author',
  'twitter:creator',
];
const DATE_METAS = [
  'article:published_time',
  'og:article:published_time',
  'datepublished',
  'parsely-pub-date',
  'sailthru.date',
  'publish-date',
  'publishdate',
  'pubdate',
  'dc.date.issued',
  'dcterms.created',
  'dc.date',
  'date',
  'article.published',
  'citation_publication_date',
  'cxenseparse:recs:publishtime',
  'og:published_time',
];

/** Returns the author of the page: from structured data, then meta tags, then a byline. */
export function bylineOf(
  page: Page,
  metas: ReadonlyMap<string, string>,
  node: JsonObject | undefined,
): string | undefined {
  const meta = firstOf(metas, AUTHOR_METAS);
  const described = textOf(node, 'author') ?? textOf(node, 'creator');
  // Some publishers put their own name in the author property. Then the meta tag is more reliable.
  const isSite = described !== undefined && [textOf(node, 'publisher'), metas.get('og:site_name')].includes(described);
  const named = isSite ? (meta ?? described) : (described ?? meta);
  if (named && isName(named)) return cleanName(named);
  const marked = findFirst(page.body, isByline);
  const text = marked ? cleanName(visibleLine(marked, 200)) : '';
  return text !== '' && isName(text) && text.length < NAME_CHARS ? text : undefined;
}

function isByline(element: Element): boolean {
  if (element.attributes === NO_ATTRIBUTES) return false;
  const { rel, itemprop, class: className, href } = element.attributes;
  if (element.words === 0 || element.words > BYLINE_WORDS) return false;
  if (rel?.includes('author') || itemprop?.includes('author')) return true;
  if (
    element.tag === 'a' &&
    element.words < LINKED_NAME_WORDS &&
    /\/(?:authors?|contributors?)\/[\w%.-]+/i.test(href ?? '')
  )
    return true;
  if (className === undefined || (element.hints & Hint.mayByline) === 0) return false;
  return /\b(?:byline|author(?:[-_]name)?|p-author|username)\b/i.test(className);
}

const isName = (text: string): boolean =>
  !/^https?:|^@|^[\d\s.,-]*$|^(?:admin|administrator|author|null|undefined|unknown)$/i.test(text);

const cleanName = (text: string): string =>
  collapseSpaces(text)
    .replace(/^(?:written\s+)?by[:\s]+/i, '')
    .replace(/[\s,|·•]+$/, '');

/** Returns the publication date as an ISO 8601 instant. */
export function dateOf(
  page: Page,
  metas: ReadonlyMap<string, string>,
  node: JsonObject | undefined,
): string | undefined {
  const named = firstDate([
    textOf(node, 'datePublished'),
    ...DATE_METAS.map((name) => metas.get(name)),
    textOf(node, 'uploadDate'),
    textOf(node, 'dateCreated'),
  ]);
  if (named) return named;
  const marked = page.indexed.times.find((element) => element.attributes['datetime'] !== undefined);
  const stamped = page.indexed.microdata.find((element) => element.attributes['itemprop'] === 'datePublished');
  return firstDate([
    stamped?.attributes['content'],
    stamped?.attributes['datetime'],
    marked?.attributes['datetime'],
    stamped ? visibleLine(stamped, 60) : undefined,
    visibleDate(page),
  ]);
}

function visibleDate(page: Page): string | undefined {
  const holder = findFirst(
    page.body,
    (element) =>
      element.words > 0 &&
      element.words < DATE_LINE_WORDS &&
      (element.hints & Hint.mayDate) !== 0 &&
      /\b(?:date|published|pubdate|timestamp|posted)\b/i.test(
        `${element.attributes['class'] ?? ''} ${element.attributes['id'] ?? ''}`,
      ),
  );
  return holder
    ? visibleLine(holder, 80).replace(/^[^\d]*?(?=\d|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))/i, '')
    : undefined;
}

function firstDate(candidates: readonly (string | undefined)[]): string | undefined {
  for (const candidate of candidates) {
    const at = candidate && /\d{4}/.test(candidate) ? Date.parse(candidate) : Number.NaN;
    if (!Number.isNaN(at) && at > 0) return new Date(at).toISOString();
  }
  return undefined;
}

const firstOf = (metas: ReadonlyMap<string, string>, names: readonly string[]): string | undefined =>
  names.map((name) => metas.get(name)).find((value) => value !== undefined);
