import { describe, expect, it } from '@jest/globals';
import { validBrand, validGtin, validSku } from './identifiers.ts';
import { urlIdentifier } from './url-identifier.ts';

describe('validGtin', () => {
  it('returns the digits of codes with a valid check digit, without separators', () => {
    expect(validGtin('4006381333931')).toBe('4006381333931');
    expect(validGtin('978-0-306-40615-7')).toBe('9780306406157');
    expect(validGtin('036000291452')).toBe('036000291452');
    expect(validGtin('96385074')).toBe('96385074');
    expect(validGtin('10614141000415')).toBe('10614141000415');
  });

  it.each(['4006381333930', '0000000000000', '12345', 'ABC', '', '9'.repeat(1_000), undefined])(
    'refuses %s',
    (value) => {
      expect(validGtin(value)).toBeUndefined();
    },
  );
});

describe('validSku', () => {
  it('accepts short identifiers and refuses words for none, URLs and sentences', () => {
    expect(validSku(' AB-12/3 ')).toBe('AB-12/3');
    const refused = ['null', 'N/A', '-', '0', '', 'https://a.example/1', 'x'.repeat(65), 'a b c d e f g', undefined];
    for (const value of refused) expect([value, validSku(value)]).toEqual([value, undefined]);
  });
});

describe('validBrand', () => {
  it('accepts names and refuses words for none and URLs', () => {
    expect(validBrand(' Big\n Co ')).toBe('Big Co');
    for (const value of ['unknown', 'No brand', 'https://a.example/', '', undefined])
      expect([value, validBrand(value)]).toEqual([value, undefined]);
  });
});

describe('urlIdentifier', () => {
  it('returns the last part of a path that is a number and nothing else', () => {
    expect(urlIdentifier('https://a.example/item/1021493409')).toBe('1021493409');
    expect(urlIdentifier('https://a.example/dp/B004SNMXRS/')).toBe('B004SNMXRS');
    expect(urlIdentifier('https://a.example/p/418295.html?x=1')).toBe('418295');
  });

  it.each([
    'https://a.example/',
    'https://a.example/blue-lamp-2',
    'https://a.example/2024',
    'https://a.example/CONTACT',
    'no URL',
  ])('finds none in %s', (url) => {
    expect(urlIdentifier(url)).toBeUndefined();
  });
});
