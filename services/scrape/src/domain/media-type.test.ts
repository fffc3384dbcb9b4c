import { describe, expect, it } from '@jest/globals';
import { isReadable } from './media-type.ts';

const text = Buffer.from('<p>low water at noon</p>');
const binary = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]);

describe('an answer', () => {
  it.each([
    'text/html; charset=utf-8',
    'TEXT/plain',
    'application/xhtml+xml',
    'application/json',
    'application/rss+xml',
    'application/vnd.api+json',
    'text/csv',
  ])('of type %s is read as a page', (type) => expect(isReadable(type, text)).toBe(true));

  it.each(['application/pdf', 'image/png', 'video/mp4', 'application/zip', 'font/woff2', 'application/vnd.ms-excel'])(
    'of type %s is not',
    (type) => expect(isReadable(type, text)).toBe(false),
  );

  it.each([undefined, '', 'application/octet-stream'])('of no told type (%s) is judged by its first bytes', (type) => {
    expect(isReadable(type, text)).toBe(true);
    expect(isReadable(type, binary)).toBe(false);
    expect(isReadable(type, Buffer.from('%PDF-1.4 text enough'))).toBe(false);
    expect(isReadable(type, Buffer.from('\ufefflow water', 'utf16le'))).toBe(true);
  });
});
