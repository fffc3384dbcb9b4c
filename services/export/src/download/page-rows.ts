import { textOrEmpty, toProductValues } from '@tidemark/contracts';
import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import type { Product } from '@tidemark/contracts/page/v1/product';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';

/** Converts a page to a row of the dataset `pages`. */
export function toPagesRow(archived: ArchivedPage, runId: string): Row {
  const { row, known, bodies } = partsOf(archived);
  const head = parseObject(bodies.headJson);
  return {
    runId,

    id: row.id,
    number: known.number,
    url: row.url,
    askedUrl: row.askedUrl,
    httpStatus: row.httpStatus === 0 ? null : row.httpStatus,

    verdict: row.verdict,
    errorCode: row.errorCode,
    shape: row.shape ?? null,

    warnings: row.warnings,
    signals: row.signals,
    reason: row.reason,

    method: row.method || null,
    tier: row.tier || null,
    climbedTo: row.climbedTo ?? null,

    credits: row.credits,
    billedAs: row.billedAs ?? null,
    words: row.words,

    language: row.language ?? null,
    title: row.title ?? null,

    widget: row.widget ?? null,
    solved: row.solved ?? null,
    exitBytes: row.exitBytes,

    redirects: row.redirects,
    charset: row.charset || null,
    crawledAt: timeOf(row.crawledAt),
    tookMs: Math.round(Object.values(row.timingsMs).reduce((sum, ms) => sum + ms, 0)),

    foundVia: known.foundVia,
    firstReferer: known.firstReferer || null,
    inSitemap: known.inSitemap,

    depth: known.depth,
    inLinks: known.inLinks ?? null,

    orphan: known.orphan ?? null,
    unlisted: known.unlisted ?? null,
    origin: hostOf(row.url),
    ...productColumns(row.product),

    description: textOf(head?.['description']),
    canonical: textOf(head?.['canonical']),

    robots: textOf(head?.['robots']),
    fields: parseObject(bodies.fieldsJson),

    extracted: parseObject(bodies.extraction?.valueJson),
    head,
    formats: row.formats,
  };
}

/** The product of a page in columns of its own, which expressions and tables read. */
function productColumns(product: Product | undefined): Row {
  const values = toProductValues(product);
  return {
    productPrice: values?.price ?? null,
    productPriceHigh: values?.priceHigh ?? null,
    productRegularPrice: values?.regularPrice ?? null,
    productCurrency: values?.currency ?? null,
    productAvailability: values?.availability ?? null,
    productInStock: values?.inStock ?? null,
    productSku: values?.sku ?? null,
    productGtin: values?.gtin ?? null,
    productBrand: values?.brand ?? null,
    productSource: values?.source ?? null,
    productConflict: values?.conflict ?? [],
  };
}

/** Converts a page with markdown to a row of the dataset `markdown`. */
export function toMarkdownRow(archived: ArchivedPage, runId: string): Row {
  const { row, bodies } = partsOf(archived);
  return {
    runId,
    url: row.url,
    title: row.title ?? null,
    language: row.language ?? null,
    words: row.words,

    crawledAt: timeOf(row.crawledAt),
    markdown: textOrEmpty(bodies.markdown),
  };
}

/** Converts a page to a row of the dataset `fields`; undefined if the page has none. */
export function toFieldsRow(archived: ArchivedPage, runId: string): Row | undefined {
  const { row, bodies } = partsOf(archived);
  const fields = parseObject(bodies.fieldsJson);
  return fields === null ? undefined : { runId, url: row.url, crawledAt: timeOf(row.crawledAt), ...fields };
}

/** Returns what llms.txt contains of a page. */
export function toLlmsPage(archived: ArchivedPage) {
  const { row, bodies } = partsOf(archived);
  const head = parseObject(bodies.headJson);
  return {
    url: row.url,
    title: row.title ?? null,
    siteName: textOf(head?.['siteName']),
    description: textOf(head?.['description']),
    markdown: textOrEmpty(bodies.markdown),
  };
}

function partsOf({ page, known }: ArchivedPage) {
  if (page?.row === undefined || known === undefined)
    throw new AppError('internal', 'the archive returned an incomplete page');
  return { row: page.row, known, bodies: PageBodies.decode(page.bodies) };
}

export const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();

function parseObject(json: string | undefined): Record<string, unknown> | null {
  if (json === undefined) return null;
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const hostOf = (url: string): string => URL.parse(url)?.host ?? '';
