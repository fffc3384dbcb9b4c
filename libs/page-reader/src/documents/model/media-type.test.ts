import { describe, expect, it } from '@jest/globals';
import { documentKindOf, isReadable } from './media-type.ts';

const text = Buffer.from('<p>low water at noon</p>');
const binary = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]);

describe('isReadable', () => {
  it.each([
    'text/html; charset=utf-8',
    'TEXT/plain',
    'application/xhtml+xml',
    'application/json',
    'application/rss+xml',
    'application/vnd.api+json',
    'text/csv',
  ])('accepts type %s', (type) => expect(isReadable(type, text)).toBe(true));

  it.each(['application/pdf', 'image/png', 'video/mp4', 'application/zip', 'font/woff2', 'application/vnd.ms-excel'])(
    'refuses type %s',
    (type) => expect(isReadable(type, text)).toBe(false),
  );

  it.each([undefined, '', 'application/octet-stream'])(
    'decides by the first bytes if the type is unspecified (%s)',
    (type) => {
      expect(isReadable(type, text)).toBe(true);
      expect(isReadable(type, binary)).toBe(false);
      expect(isReadable(type, Buffer.from('%PDF-1.4 text enough'))).toBe(false);
      expect(isReadable(type, Buffer.from('\ufefflow water', 'utf16le'))).toBe(true);
    },
  );
});

describe('documentKindOf', () => {
  const kind = (type: string | undefined, body: string, url = 'https://example.com/') =>
    documentKindOf(type, Buffer.from(body, 'latin1'), url);

  it.each([
    ['text/html', '%PDF-1.7', 'pdf'],
    ['text/plain', '\x89PNG\r\n', 'image'],
    ['application/octet-stream', 'PK\x03\x04 xl/workbook.xml', 'xlsx'],
    ['text/html', '<?xml version="1.0"?><!-- a --><!-- b --><rss>', 'xml'],
  ])('trusts the bytes before the Content-Type: %s, %j', (type, body, expected) => {
    expect(kind(type, body)).toBe(expected);
  });

  it("uses the URL's extension if the Content-Type is only plain text", () => {
    expect(kind('text/plain', 'a,b', 'https://example.com/a.csv?x=1')).toBe('csv');
    expect(kind(undefined, '# A', 'https://example.com/README.md')).toBe('markdown');
    expect(kind('text/html', 'a,b', 'https://example.com/a.csv')).toBeUndefined();
  });

  it('returns undefined for pages and plain text', () => {
    expect(kind('text/html', '<!doctype html>')).toBeUndefined();
    expect(kind('application/xml', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">')).toBeUndefined();
    expect(kind('text/plain', 'words')).toBeUndefined();
  });

  it('takes linear time on text with many comment starts', () => {
    expect(kind('text/html', '<!---->'.repeat(200))).toBeUndefined();
  });
});
