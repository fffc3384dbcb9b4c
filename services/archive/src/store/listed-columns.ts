import { toProductValues } from '@tidemark/contracts';
import type { PageRow, RunPage } from '@tidemark/contracts/page/v1/page';
import type { Product } from '@tidemark/contracts/page/v1/product';
import { keysOf } from './blob-keys.ts';

/** Maximum text length of a field: bounds the size of a list with hostile titles. */
const TEXT_CHARS = 2_000;
const LIST_ITEMS = 20;

/** Returns text that PostgreSQL accepts: one unpaired surrogate would make it refuse the whole statement. */
const clean = (text: string): string => text.slice(0, TEXT_CHARS).toWellFormed().replaceAll('\0', '');
const some = (text: string | undefined): string | null => (text === undefined || text === '' ? null : clean(text));
const list = (texts: readonly string[]): string[] => texts.slice(0, LIST_ITEMS).map(clean);
/** Largest integer of PostgreSQL. */
const int = (value: number): number => Math.max(-2_147_483_648, Math.min(2_147_483_647, Math.round(value) || 0));

/** Returns the columns of the final details, which may change until the run has ended. */
export const linkColumns = (known: RunPage) => ({
  number: known.number,
  found_via: known.foundVia,
  first_referer: some(known.firstReferer),
  in_sitemap: known.inSitemap,
  depth: known.depth,
  in_links: known.inLinks ?? null,
  orphan: known.orphan ?? null,
  unlisted: known.unlisted ?? null,
});

/** Returns the columns of the product of a page. */
function productColumns(product: Product | undefined) {
  const values = toProductValues(product);
  return {
    product_price: values?.price ?? null,
    product_price_high: values?.priceHigh ?? null,
    product_regular_price: values?.regularPrice ?? null,
    product_currency: some(values?.currency ?? undefined),
    product_availability: values?.availability ?? null,
    product_in_stock: values?.inStock ?? null,
    product_sku: some(values?.sku ?? undefined),
    product_gtin: some(values?.gtin ?? undefined),
    product_brand: some(values?.brand ?? undefined),
    product_source: values?.source ?? null,
    product_conflict: values?.conflict ?? [],
  };
}

/** Returns the row of a page in `run_pages`, by column. */
export const listedColumns = (known: RunPage, row: PageRow) => ({
  ...linkColumns(known),
  page_id: row.id,
  url: clean(row.url),
  asked_url: clean(row.askedUrl),
  url_key: `\\x${Buffer.from(row.urlKey).toString('hex')}`,
  http_status: int(row.httpStatus),
  verdict: clean(row.verdict),
  error_code: clean(row.errorCode),
  shape: some(row.shape),
  warnings: list(row.warnings),
  signals: list(row.signals),
  reason: clean(row.reason),
  method: some(row.method),
  tier: some(row.tier),
  climbed_to: some(row.climbedTo),
  credits: int(row.credits),
  billed_as: some(row.billedAs),
  words: int(row.words),
  language: some(row.language),
  title: some(row.title),
  widget: some(row.widget),
  solved: some(row.solved),
  exit: some(row.exit),
  exit_bytes: row.exitBytes,
  redirects: list(row.redirects),
  charset: some(row.charset),
  crawled_at: (row.crawledAt ?? new Date(0)).toISOString(),
  took_ms: int(Object.values(row.timingsMs).reduce((sum, ms) => sum + ms, 0)),
  formats: list(row.formats),
  content_key: keysOf(row).content,
  text_hash: row.textHash === undefined ? null : `\\x${Buffer.from(row.textHash).toString('hex')}`,
  screenshot: row.screenshot !== undefined,
  ...productColumns(row.product),
});
