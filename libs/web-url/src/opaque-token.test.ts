import { describe, expect, it } from '@jest/globals';
import { isOpaqueToken, withoutOpaqueTokens } from './opaque-token.ts';

describe('isOpaqueToken', () => {
  it.each([
    '550e8400-e29b-41d4-a716-446655440000',
    '9f8e7d6c5b4a39281706',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N',
    'Zk3nQ8vXb2LwR7tYp1Ms9Q',
    'mK3%2Fz8Pq%2B1xW9vT0bR5uY2%3D%3D',
  ])('recognises %s as random', (value) => {
    expect(isOpaqueToken(value)).toBe(true);
  });

  it.each([
    'terms-and-conditions-2024-final',
    'price-list-summer.pdf',
    '20240131120000000',
    'internationalizationguidelines',
    'JavaScriptFrameworkComparison',
    'report_2024_q3_final_version2',
    'iphone15promax256gb',
    'abc123',
    'com.example.application.settings',
  ])('does not take %s for random', (value) => {
    expect(isOpaqueToken(value)).toBe(false);
  });
});

it('withoutOpaqueTokens gives two forms of a URL that differ only in random parts one form', () => {
  expect(withoutOpaqueTokens('https://a.example/r/9f8e7d6c5b4a39281706/x?k=Zk3nQ8vXb2LwR7tYp1Ms9Q&page=2')).toBe(
    'https://a.example/r/{token}/x?k={token}&page=2',
  );
  expect(withoutOpaqueTokens('https://a.example/media/9f8e7d6c5b4a39281706.pdf')).toBe(
    'https://a.example/media/{token}.pdf',
  );
  expect(withoutOpaqueTokens('https://a.example/docs/terms-2024')).toBe('https://a.example/docs/terms-2024');
});
