import { asObject, asText, type PageRow } from '@tidemark/api';
import { attributesIn } from './formats.ts';
import { Refusal } from './refusal.ts';
import type { Settings } from './translate.ts';

/** Properties of Open Graph and their names in the metadata of Firecrawl. */
const OPEN_GRAPH = {
  title: 'ogTitle',
  description: 'ogDescription',
  url: 'ogUrl',
  image: 'ogImage',
  audio: 'ogAudio',
  video: 'ogVideo',
  locale: 'ogLocale',
  site_name: 'ogSiteName',
} as const;

const HEAD = {
  description: 'description',
  robots: 'robots',
  favicon: 'favicon',
  publishedAt: 'publishedTime',
  modifiedAt: 'modifiedTime',
} as const;

/** Returns the non-empty texts of an object under other names. */
const renamed = (values: Settings, names: Readonly<Record<string, string>>, prefix = ''): Settings =>
  Object.fromEntries(
    Object.entries(names).flatMap(([from, to]) => {
      const text = asText(values[from]) || asText(values[`${prefix}${from}`]);
      return text === '' ? [] : [[to, text]];
    }),
  );

/** Leaves out fields that are null or undefined: the types of the clients have them as optional. */
const present = (values: Settings): Settings =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

const toMetadata = (row: PageRow): Settings => {
  const head = asObject(row.head);
  return present({
    ...renamed(head, HEAD),
    ...renamed(asObject(head['og']), OPEN_GRAPH, 'og:'),
    title: row.title,
    language: row.language,
    url: row.url,
    sourceURL: row.askedUrl,
    statusCode: row.httpStatus,
    scrapeId: row.id,
    proxyUsed: row.exitBytes > 0 ? 'stealth' : 'basic',
    cacheState: row.verdict === 'cached' ? 'hit' : 'miss',
    creditsUsed: row.credits,
    verdict: row.verdict,
    errorCode: row.errorCode,
    ...(row.errorCode === 'OK' ? {} : { error: row.reason }),
  });
};

/** Returns whether a page has a response of the site. Firecrawl lists other pages as errors. */
export const hasResponse = ({ httpStatus, verdict }: PageRow): boolean => httpStatus !== null || verdict === 'cached';

/** A failed extraction does not fail the page. */
function warningOf({ warnings, extractError }: PageRow): string | undefined {
  const failed = extractError == null ? [] : [`the values could not be extracted: ${extractError.message}`];
  const all = [...warnings, ...failed];
  return all.length === 0 ? undefined : all.join('; ');
}

/** Converts a page to a document of Firecrawl. */
export function toDocument(row: PageRow): Settings {
  const attributes = attributesIn(row.fields);
  return present({
    // Loaders of LangChain read it inside the document.
    success: true,
    markdown: row.markdown,
    html: row.cleanHtml,
    rawHtml: row.html,
    links: row.links?.map(({ url }) => url),
    screenshot: row.screenshot,
    json: row.extracted,
    attributes: attributes.length === 0 ? undefined : attributes,
    warning: warningOf(row),
    metadata: toMetadata(row),
  });
}

/** Converts the only page of a scrape to a document. @throws Refusal if the site sent no response */
export function toScraped(row: PageRow): Settings {
  if (hasResponse(row)) return toDocument(row);
  if (row.verdict === 'robots') throw new Refusal(403, 'CRAWL_DENIAL', { message: row.reason });
  throw new Refusal(500, row.errorCode === 'TIMEOUT' ? 'SCRAPE_FETCH_TIMEOUT' : 'SCRAPE_ALL_ENGINES_FAILED', {
    message: row.reason,
    details: { url: row.askedUrl, errorCode: row.errorCode },
  });
}
