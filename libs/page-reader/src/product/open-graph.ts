import type { Page } from '../tree/page-tree.ts';
import { declaredAmount } from './amounts.ts';
import { declaredAvailability } from './availability.ts';
import { declaredCurrency, type Locale } from './currencies.ts';
import { validBrand, validGtin, validSku } from './identifiers.ts';
import type { ProductData } from './product.ts';
import { METAS_CAP } from './thresholds.ts';

/** https://ogp.me/#types, and the types of shops and catalogues; `product.group` is a list. */
const PRODUCT_TYPE = /(?:^|[.:])(?:product|product\.item|item|book)$/i;

/** Metadata of a page by name, in lower case. */
export type Metas = ReadonlyMap<string, string>;

/** True if the metadata declare a product. */
export const isOpenGraphProduct = (metas: Metas): boolean =>
  PRODUCT_TYPE.test(metas.get('og:type') ?? '') || PRICE_NAMES.some((name) => metas.has(name));

const PRICE_NAMES = [
  'product:sale_price:amount',
  'product:price:amount',
  'og:price:amount',
  'product:price',
  'og:price',
];
const CURRENCY_NAMES = ['product:sale_price:currency', 'product:price:currency', 'og:price:currency'];
const REGULAR_NAMES = ['product:original_price:amount', 'og:price:standard_amount', 'product:price:amount'];

/** Reads the metadata of a product: https://developers.facebook.com/docs/marketing-api/catalog/guides/microdata-tags */
export function openGraphProduct(metas: Metas, locale: Locale): ProductData {
  const first = (names: readonly string[]): string | undefined =>
    names.map((name) => metas.get(name)).find((value) => value !== undefined);
  const currency = declaredCurrency(first(CURRENCY_NAMES), locale);
  const price = declaredAmount(first(PRICE_NAMES), currency);
  const regularPrice = declaredAmount(first(REGULAR_NAMES), currency);
  return {
    name: metas.get('og:title'),
    price: price === 0 ? undefined : price,
    regularPrice: price !== undefined && regularPrice !== undefined && regularPrice > price ? regularPrice : undefined,
    currency,
    availability: declaredAvailability(first(['product:availability', 'og:availability'])),
    sku: validSku(first(['product:retailer_item_id', 'product:sku', 'product:retailer_part_no'])),
    gtin: validGtin(first(['product:gtin', 'product:ean', 'product:upc', 'product:isbn', 'books:isbn', 'book:isbn'])),
    brand: validBrand(first(['product:brand', 'og:brand'])),
  };
}

const META_NAME = /^(?:og|product|books?):/;

/** Returns the metadata that can describe a product. */
export function productMetas({ indexed }: Page): Metas {
  const metas = new Map<string, string>();
  for (const { attributes } of indexed.metas.slice(0, METAS_CAP)) {
    const name = (attributes['property'] ?? attributes['name'])?.toLowerCase();
    const content = attributes['content']?.trim();
    if (name !== undefined && content && META_NAME.test(name) && !metas.has(name))
      metas.set(name, content.slice(0, 500));
  }
  return metas;
}
