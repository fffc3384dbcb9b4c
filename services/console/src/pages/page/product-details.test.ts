import { describe, expect, it } from '@jest/globals';
import { productDetails } from './product-details.ts';

const product: Parameters<typeof productDetails>[0] = {
  price: 1299.5,
  priceHigh: null,
  regularPrice: null,
  currency: 'EUR',
  availability: 'InStock',
  inStock: true,
  sku: null,
  gtin: null,
  brand: 'Acme',
  source: 'json_ld',
  conflict: [],
};
const spaced = (details: ReturnType<typeof productDetails>) =>
  details.map(([name, value]) => `${name}: ${value.replaceAll('\u00a0', ' ')}`);

describe('the details of a product', () => {
  it('contain the known values with the currency of the price', () => {
    expect(spaced(productDetails(product))).toEqual([
      'Price: EUR 1,299.50',
      'Availability: InStock',
      'Brand: Acme',
      'Source: JSON-LD',
    ]);
  });

  it('contain a range of prices, and where data and page differ', () => {
    const details = productDetails({ ...product, priceHigh: 1500, conflict: ['price', 'availability'] });
    expect(spaced(details)).toContain('Price: EUR 1,299.50 to EUR 1,500.00');
    expect(spaced(details)).toContain('Data and page differ in: price, availability');
  });

  it('contain a price without a currency as a number', () => {
    expect(spaced(productDetails({ ...product, currency: null }))[0]).toBe('Price: 1,299.5');
  });
});
