import type { StoredPage } from '@tidemark/sdk';
import { amount } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { product: texts } = words.pages.page;

type Product = NonNullable<StoredPage['product']>;

/** Returns what is known of a product, by name. */
export function productDetails(product: Product): (readonly [name: string, value: string])[] {
  const { price, regularPrice, currency, availability, sku, gtin, brand, source, conflict } = product;
  const values: readonly (readonly [string, string | null])[] = [
    [texts.price, price === null ? null : priceText(product, price)],
    [texts.regularPrice, regularPrice === null ? null : amount(regularPrice, currency)],
    [texts.availability, availability],
    [texts.brand, brand],
    [texts.sku, sku],
    [texts.gtin, gtin],
    [texts.source, texts.sources[source]],
    [texts.conflict, conflict.length === 0 ? null : conflict.map((name) => texts.conflicts[name]).join(', ')],
  ];
  return values.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

function priceText({ priceHigh, currency }: Product, price: number): string {
  const low = amount(price, currency);
  return priceHigh === null ? low : texts.from(low, amount(priceHigh, currency));
}
