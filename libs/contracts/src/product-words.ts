import { Availability, type Product, ProductConflict, ProductSource } from './gen/tidemark/page/v1/product.ts';

/** Availabilities by their names in schema.org: https://schema.org/ItemAvailability */
export const AVAILABILITIES = {
  InStock: Availability.AVAILABILITY_IN_STOCK,
  InStoreOnly: Availability.AVAILABILITY_IN_STORE_ONLY,
  LimitedAvailability: Availability.AVAILABILITY_LIMITED_AVAILABILITY,
  OnlineOnly: Availability.AVAILABILITY_ONLINE_ONLY,
  OutOfStock: Availability.AVAILABILITY_OUT_OF_STOCK,
  SoldOut: Availability.AVAILABILITY_SOLD_OUT,
  Discontinued: Availability.AVAILABILITY_DISCONTINUED,
  PreOrder: Availability.AVAILABILITY_PRE_ORDER,
  PreSale: Availability.AVAILABILITY_PRE_SALE,
  BackOrder: Availability.AVAILABILITY_BACK_ORDER,
  MadeToOrder: Availability.AVAILABILITY_MADE_TO_ORDER,
  Reserved: Availability.AVAILABILITY_RESERVED,
} as const;

/** Sources of a product by their words in the specification. */
export const PRODUCT_SOURCES = {
  json_ld: ProductSource.PRODUCT_SOURCE_JSON_LD,
  microdata: ProductSource.PRODUCT_SOURCE_MICRODATA,
  rdfa: ProductSource.PRODUCT_SOURCE_RDFA,
  open_graph: ProductSource.PRODUCT_SOURCE_OPEN_GRAPH,
  page: ProductSource.PRODUCT_SOURCE_PAGE,
} as const;

/** Values on which sources of a product can differ, by their words in the specification. */
export const PRODUCT_CONFLICTS = {
  price: ProductConflict.PRODUCT_CONFLICT_PRICE,
  currency: ProductConflict.PRODUCT_CONFLICT_CURRENCY,
  availability: ProductConflict.PRODUCT_CONFLICT_AVAILABILITY,
} as const;

/** A product in the words of the specification, null where a value is unknown. */
export interface ProductValues {
  readonly price: number | null;
  readonly priceHigh: number | null;
  readonly regularPrice: number | null;
  readonly currency: string | null;
  readonly availability: keyof typeof AVAILABILITIES | null;
  readonly inStock: boolean | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly brand: string | null;
  readonly source: keyof typeof PRODUCT_SOURCES;
  readonly conflict: (keyof typeof PRODUCT_CONFLICTS)[];
}

/** Converts a product to the words of the specification; null for a page without one. Unknown enum values of newer services are left out. */
export function toProductValues(product: Product | undefined): ProductValues | null {
  if (product === undefined) return null;
  return {
    price: product.price ?? null,
    priceHigh: product.priceHigh ?? null,
    regularPrice: product.regularPrice ?? null,
    currency: product.currency ?? null,
    availability: wordOf(AVAILABILITIES, product.availability) ?? null,
    inStock: product.inStock ?? null,
    sku: product.sku ?? null,
    gtin: product.gtin ?? null,
    brand: product.brand ?? null,
    source: wordOf(PRODUCT_SOURCES, product.source) ?? 'page',
    conflict: product.conflict.flatMap((value) => wordOf(PRODUCT_CONFLICTS, value) ?? []),
  };
}

function wordOf<Word extends string>(words: Readonly<Record<Word, number>>, value: number): Word | undefined {
  for (const word in words) if (words[word] === value) return word;
  return undefined;
}
