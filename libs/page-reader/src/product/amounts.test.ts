import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { amountsIn, declaredAmount } from './amounts.ts';

const at = (url = 'https://shop.example/', language?: string) => ({ url, language });
const read = (text: string, url?: string, language?: string) =>
  amountsIn(text, at(url, language))
    .filter(({ hasCurrency }) => hasCurrency)
    .map(({ amount, currency }) => [amount, currency]);

describe('amountsIn', () => {
  it.each([
    ['€1.234,56', 1234.56, 'EUR'],
    ['1.234,56 €', 1234.56, 'EUR'],
    ['1 299,50 €', 1299.5, 'EUR'],
    ['1\u202f299,50\u00a0€', 1299.5, 'EUR'],
    ['EUR 99.-', 99, 'EUR'],
    ['99,– €', 99, 'EUR'],
    ['12,5 €', 12.5, 'EUR'],
    ['£1,299', 1299, 'GBP'],
    ['£36.50', 36.5, 'GBP'],
    ["CHF 1'299.–", 1299, 'CHF'],
    ['₹1,23,456.00', 123_456, 'INR'],
    ['¥12,800', 12_800, undefined],
    ['12,800円', 12_800, 'JPY'],
    ['30,000원', 30_000, 'KRW'],
    ['44 890 тг.', 44_890, 'KZT'],
    ['1 490 руб.', 1490, 'RUB'],
    ['249 ₽', 249, 'RUB'],
    ['79,90 zł', 79.9, 'PLN'],
    ['1 299 Kč', 1299, 'CZK'],
    ['R$ 1.099,90', 1099.9, 'BRL'],
    ['US $1.99', 1.99, 'USD'],
    ['C$229.99', 229.99, 'CAD'],
    ['AU$45.00', 45, 'AUD'],
    ['USD 20', 20, 'USD'],
    ['20 SEK', 20, 'SEK'],
    ['₺1.249,99', 1249.99, 'TRY'],
    ['٢٥٠ د.إ', 250, 'AED'],
    ['฿1,290', 1290, 'THB'],
    ['1.290.000₫', 1_290_000, 'VND'],
    ['KWD 12.500', 12.5, 'KWD'],
    ['$24.990', 24_990, undefined],
  ])('reads %s', (text, amount, currency) => {
    expect(read(text)).toEqual([[amount, currency]]);
  });

  it.each([
    ['$1,299.00', 'https://shop.com.au/', undefined, 'AUD'],
    ['$24.990', 'https://tienda.cl/', undefined, 'CLP'],
    ['$1,299.00', 'https://shop.com/', 'en-US', 'USD'],
    ['499 kr', 'https://butik.example/', 'sv', 'SEK'],
    ['499 kr.', 'https://butik.dk/', undefined, 'DKK'],
    ['12 900 Ft', 'https://bolt.hu/', undefined, 'HUF'],
    ['R 199.00', 'https://shop.co.za/', undefined, 'ZAR'],
  ])('determines the currency of %s on %s', (text, url, language, currency) => {
    expect(read(text, url, language)).toEqual([[expect.any(Number), currency]]);
  });

  it.each(['save 20 %', '16 le matin', 'all 14 items', '10 km away', '20 ft long', 'call 555 0100', '19 cm', 'v2.5.1'])(
    'finds no price in %s',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it('reads several amounts in order', () => {
    expect(read('Was £55.00 Now £48.99').map(([amount]) => amount)).toEqual([55, 48.99]);
    expect(read('10 € – 20 €').map(([amount]) => amount)).toEqual([10, 20]);
  });

  it('returns amounts that are exact as numbers, for any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[€$ \d.,'-]{0,60}$/), (text) => {
        for (const { amount } of amountsIn(text, at())) {
          expect(amount).toBeGreaterThanOrEqual(0);
          expect(String(amount).replace('.', '').length).toBeLessThanOrEqual(15);
        }
      }),
    );
  });
});

describe('declaredAmount', () => {
  it.each([
    ['149.00', 'EUR', 149],
    ['1234.5', undefined, 1234.5],
    ['12.500', 'KWD', 12.5],
    ['24.990', 'CLP', 24_990],
    ['1.299,00', 'EUR', 1299],
    ['€ 1,299.00', 'EUR', 1299],
    [99.9, 'EUR', 99.9],
    ['0', 'EUR', 0],
    ['', 'EUR', undefined],
    ['on request', 'EUR', undefined],
    [-5, 'EUR', undefined],
    [Number.NaN, 'EUR', undefined],
    ['9'.repeat(50), 'EUR', undefined],
    ['9'.repeat(1_000_000), 'EUR', undefined],
    [1e30, 'EUR', undefined],
    [{ value: 5 }, 'EUR', undefined],
  ])('reads %j in %s', (value, currency, amount) => {
    expect(declaredAmount(value, currency)).toBe(amount);
  });
});
