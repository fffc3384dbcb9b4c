import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { booleanIn, dateIn, numberIn } from './field-values.ts';

describe('numberIn', () => {
  it('reads numbers as each country writes them', () => {
    const cases: [string, number | null][] = [
      ['1.234,56 €', 1234.56],
      ['$1,299.00', 1299],
      ['1 299,50 kr', 1299.5],
      ['1\u00a0299,50', 1299.5],
      ["CHF 1'299.–", 1299],
      ['12,345,678', 12_345_678],
      ['1.234.567', 1_234_567],
      ['3,5', 3.5],
      ['0.125', 0.125],
      ['1,299', 1299],
      ['-4.5 °C', -4.5],
      ['Rated 4.7 of 5 (1,024 reviews)', 4.7],
      ['.99', 0.99],
      ['sold out', null],
      ['', null],
    ];
    for (const [text, value] of cases) expect([text, numberIn(text)]).toEqual([text, value]);
  });

  it('returns a finite number or null for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = numberIn(text);
        expect(value === null || Number.isFinite(value)).toBe(true);
      }),
    );
  });
});

describe('dateIn', () => {
  it('returns ISO 8601 with no more precision than the text', () => {
    const cases: [string, string | null, string?][] = [
      ['2024-05-06', '2024-05-06'],
      ['2024-05-06T07:08:09Z', '2024-05-06T07:08:09.000Z'],
      ['2024-05-06 07:08:09+0200', '2024-05-06T05:08:09.000Z'],
      ['2024-05-06T07:08', '2024-05-06T07:08:00'],
      ['Published May 6, 2024', '2024-05-06'],
      ['6 May 2024', '2024-05-06'],
      ['6. März 2024', '2024-03-06'],
      ['le 14 juillet 2024', '2024-07-14'],
      ['6 de mayo de 2024', '2024-05-06'],
      ['06.05.2024', '2024-05-06'],
      ['3/4/2024', '2024-03-04'],
      ['3/4/2024', '2024-04-03', 'en-gb'],
      ['25/12/2024', '2024-12-25'],
      ['2024年5月6日', '2024-05-06'],
      ['1714979289', '2024-05-06T07:08:09.000Z'],
      ['2024-02-31', null],
      ['tomorrow', null],
    ];
    for (const [text, value, language] of cases) expect([text, dateIn(text, language)]).toEqual([text, value]);
  });

  it('returns null or a valid date for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}$/)), (text) => {
        const value = dateIn(text, 'en');
        expect(value === null || !Number.isNaN(Date.parse(value))).toBe(true);
      }),
    );
  });
});

describe('booleanIn', () => {
  it('returns true for any text that is not a negation', () => {
    for (const text of ['yes', 'In stock', 'true', '1', 'ja']) expect(booleanIn(text)).toBe(true);
    for (const text of ['', 'no', 'False', '0', 'Sold out', ' nein ']) expect(booleanIn(text)).toBe(false);
  });
});
