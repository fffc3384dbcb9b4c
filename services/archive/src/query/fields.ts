import { AVAILABILITIES, PRODUCT_SOURCES } from '@tidemark/contracts';
import { ERROR_CODES, VERDICTS } from '@tidemark/results';

/** How the values of a field are written and compared. */
export type FieldKind =
  /** One of a set of words: compared as a whole. */
  | 'word'
  /** Text for people: contains, or a glob over all of it. */
  | 'text'
  /** A URL: like text; a pattern with a leading slash applies to path and query. */
  | 'url'
  /** A whole number. */
  | 'number'
  | 'decimal'
  | 'boolean'
  | 'date'
  /** A list of texts: one element must match. */
  | 'list';

export interface Field {
  /** As on the wire. */
  readonly name: string;
  readonly kind: FieldKind;
  /** SQL expression of the field. */
  readonly sql: string;
  /** All possible values, if they are known. */
  readonly oneOf?: readonly string[];
  /** A value that means absent, besides NULL and the empty list. */
  readonly none?: string;
}
const FOUND_VIA = ['seed', 'sitemap', 'list', 'feed', 'link', 'redirect', 'canonical'];

const word = (name: string, sql: string, oneOf?: readonly string[]): Field =>
  oneOf === undefined ? { name, kind: 'word', sql } : { name, kind: 'word', sql, oneOf };
const text = (name: string, sql: string): Field => ({ name, kind: 'text', sql });
const number = (name: string, sql: string, none?: string): Field =>
  none === undefined ? { name, kind: 'number', sql } : { name, kind: 'number', sql, none };
const decimal = (name: string, sql: string): Field => ({ name, kind: 'decimal', sql });
const boolean = (name: string, sql: string): Field => ({ name, kind: 'boolean', sql });
const list = (name: string, sql: string): Field => ({ name, kind: 'list', sql });

/** Every field of the query language. `p` is the page of a run. */
export const FIELDS: readonly Field[] = [
  { name: 'url', kind: 'url', sql: 'p.url' },
  { name: 'askedUrl', kind: 'url', sql: 'p.asked_url' },
  word('origin', `substring(p.url from '^[a-z]+://([^/?#]*)')`),
  number('httpStatus', 'p.http_status', '0'),
  word('verdict', 'p.verdict', VERDICTS),
  word('errorCode', 'p.error_code', ERROR_CODES),
  word('shape', 'p.shape', ['listing', 'table', 'form', 'empty']),
  list('warnings', 'p.warnings'),
  list('signals', 'p.signals'),
  text('reason', 'p.reason'),
  word('method', 'p.method', ['http', 'browser']),
  word('tier', 'p.tier'),
  word('climbedTo', 'p.climbed_to'),
  number('credits', 'p.credits'),
  word('billedAs', 'p.billed_as'),
  number('words', 'p.words'),
  word('language', 'p.language'),
  text('title', 'p.title'),
  word('widget', 'p.widget'),
  word('solved', 'p.solved'),
  word('exit', 'p.exit'),
  number('exitBytes', 'p.exit_bytes'),
  list('redirects', 'p.redirects'),
  word('charset', 'p.charset'),
  { name: 'crawledAt', kind: 'date', sql: 'p.crawled_at' },
  number('tookMs', 'p.took_ms'),
  list('formats', 'p.formats'),
  boolean('screenshot', 'p.screenshot'),
  word('foundVia', 'p.found_via', FOUND_VIA),
  { name: 'firstReferer', kind: 'url', sql: 'p.first_referer' },
  boolean('inSitemap', 'p.in_sitemap'),
  number('depth', 'p.depth'),
  number('inLinks', 'p.in_links'),
  boolean('orphan', 'p.orphan'),
  boolean('unlisted', 'p.unlisted'),
  decimal('product.price', 'p.product_price'),
  decimal('product.priceHigh', 'p.product_price_high'),
  decimal('product.regularPrice', 'p.product_regular_price'),
  word('product.currency', 'p.product_currency'),
  word('product.availability', 'p.product_availability', Object.keys(AVAILABILITIES)),
  boolean('product.inStock', 'p.product_in_stock'),
  word('product.sku', 'p.product_sku'),
  word('product.gtin', 'p.product_gtin'),
  text('product.brand', 'p.product_brand'),
  word('product.source', 'p.product_source', Object.keys(PRODUCT_SOURCES)),
  list('product.conflict', 'p.product_conflict'),
];

/** Aliases of fields. */
const ALIASES: Readonly<Record<string, string>> = {
  status: 'httpStatus',
  lang: 'language',
  host: 'origin',
  path: 'url',
  referer: 'firstReferer',
  warning: 'warnings',
  signal: 'signals',
  format: 'formats',
};

const byName = new Map(FIELDS.map((field) => [field.name.toLowerCase(), field]));
for (const [alias, name] of Object.entries(ALIASES)) {
  const field = byName.get(name.toLowerCase());
  if (field !== undefined) byName.set(alias, field);
}

/** Finds a field by its name or alias, case-insensitively. */
export const fieldNamed = (name: string): Field | undefined => byName.get(name.toLowerCase());
