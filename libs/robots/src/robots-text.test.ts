import { expect, it } from '@jest/globals';
import { MAX_ROBOTS_BYTES, robotsText } from './robots-text.ts';

it('robotsText decodes UTF-8, or by the byte order mark', () => {
  expect(robotsText(Buffer.from('\ufeffAllow: /ü', 'utf16le'))).toBe('Allow: /ü');
  expect(robotsText(Buffer.from('\ufeffAllow: /ü', 'utf16le').swap16())).toBe('Allow: /ü');
  expect(robotsText(Buffer.from('Allow: /ü'))).toBe('Allow: /ü');
});

it('robotsText replaces bytes that are no UTF-8', () => {
  expect(robotsText(Buffer.from([0x2f, 0xff, 0x61]))).toBe('/\ufffda');
});

it('robotsText reads 500 KiB and drops the line that is cut', () => {
  const lines = 'Disallow: /a/long/way\n'.repeat(40_000);
  const text = robotsText(Buffer.from(lines));
  expect(text.length).toBeLessThanOrEqual(MAX_ROBOTS_BYTES);
  expect(text.endsWith('/a/long/way')).toBe(true);
});
