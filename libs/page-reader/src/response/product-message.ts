import type { Product as ProductMessage } from '@tidemark/contracts/page/v1/product';
import type { Product } from '../product/product.ts';

/** Converts the product of a page to its message. */
export function toProductMessage(product: Product | undefined): ProductMessage | undefined {
  if (product === undefined) return undefined;
  const { price, priceHigh, regularPrice, currency, availability, inStock, sku, gtin, brand, source, conflict } =
    product;
  return {
    price,
    priceHigh,
    regularPrice,
    currency,
    availability: availability,
    inStock,
    sku: wellFormed(sku),
    gtin,
    brand: wellFormed(brand),
    source,
    conflict: [...conflict],
  };
}

/** Texts of pages can contain half a character, which a message can not. */
const wellFormed = (text: string | undefined): string | undefined => text?.toWellFormed();
