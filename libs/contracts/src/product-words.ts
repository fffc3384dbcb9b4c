import { Availability, type Product, type ProductConflict, ProductSource } from './gen/tidemark/page/v1/product.ts';

/** Availabilities by their names in schema.org: https://schema.org/ItemAvailability */
export const AVAILABILITIES = Object.values(Availability);

/** Sources of a product by their words in the specification. */
export const PRODUCT_SOURCES = Object.values(ProductSource);

/** A product in the words of the specification, null where a value is unknown. */
export interface ProductValues {
  readonly price: number | null;
  readonly priceHigh: number | null;
  readonly regularPrice: number | null;
  readonly currency: string | null;
  readonly availability: Availability | null;
  readonly inStock: boolean | null;
  readonly sku: string | null;
  readonly gtin: string | null;
  readonly brand: string | null;
  readonly source: ProductSource;
  readonly conflict: ProductConflict[];
}

/** Converts a product to the words of the specification; null for a page without one. */
export function toProductValues(product: Product | undefined): ProductValues | null {
  if (product === undefined) return null;
  return {
    price: product.price ?? null,
    priceHigh: product.priceHigh ?? null,
    regularPrice: product.regularPrice ?? null,
    currency: product.currency ?? null,
    availability: product.availability ?? null,
    inStock: product.inStock ?? null,
    sku: product.sku ?? null,
    gtin: product.gtin ?? null,
    brand: product.brand ?? null,
    source: product.source,
    conflict: [...product.conflict],
  };
}
