/** Sources of a product, in the order in which they are trusted. */
export const PRODUCT_SOURCES = ['json_ld', 'microdata', 'rdfa', 'open_graph', 'page'] as const;
export type ProductSource = (typeof PRODUCT_SOURCES)[number];

/** https://schema.org/ItemAvailability */
export const AVAILABILITIES = [
  'InStock',
  'InStoreOnly',
  'LimitedAvailability',
  'OnlineOnly',
  'OutOfStock',
  'SoldOut',
  'Discontinued',
  'PreOrder',
  'PreSale',
  'BackOrder',
  'MadeToOrder',
  'Reserved',
] as const;
export type Availability = (typeof AVAILABILITIES)[number];

/** Values that a page states more than once. */
export const CONFLICTS = ['price', 'currency', 'availability'] as const;
export type ProductConflict = (typeof CONFLICTS)[number];

/** Values of a product from one source. An absent value is unknown. */
export interface ProductData {
  readonly name?: string | undefined;
  /** The price to be paid; of several offers the lowest. At most 15 significant digits, so that the number is exact. */
  readonly price?: number | undefined;
  /** The highest price, where offers or a range have several. */
  readonly priceHigh?: number | undefined;
  /** The price before a reduction: crossed out, recommended or "was". */
  readonly regularPrice?: number | undefined;
  /** ISO 4217 */
  readonly currency?: string | undefined;
  readonly availability?: Availability | undefined;
  readonly sku?: string | undefined;
  /** 8, 12, 13 or 14 digits with a valid check digit. */
  readonly gtin?: string | undefined;
  readonly brand?: string | undefined;
}

/** The product of a page. */
export interface Product extends Omit<ProductData, 'name'> {
  /** Undefined: unknown, or neither, as of a product to be ordered in advance. */
  readonly inStock?: boolean | undefined;
  /** Where the price is from; without a price, where the availability or the first other value is from. */
  readonly source: ProductSource;
  /** Values on which sources differ. */
  readonly conflict: readonly ProductConflict[];
}

const IN_STOCK: ReadonlySet<Availability> = new Set(['InStock', 'InStoreOnly', 'LimitedAvailability', 'OnlineOnly']);
const OUT_OF_STOCK: ReadonlySet<Availability> = new Set(['OutOfStock', 'SoldOut', 'Discontinued']);

/** Returns whether the product can be had now; undefined where the availability states neither. */
export function isInStock(availability: Availability | undefined): boolean | undefined {
  if (availability === undefined) return undefined;
  if (IN_STOCK.has(availability)) return true;
  return OUT_OF_STOCK.has(availability) ? false : undefined;
}
