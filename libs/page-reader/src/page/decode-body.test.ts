import { describe, expect, it } from '@jest/globals';
import { decodeBody } from './decode-body.ts';

const bytes = (text: string, encoding: BufferEncoding = 'latin1'): Uint8Array => Buffer.from(text, encoding);

describe('decodeBody', () => {
  it('prefers a byte order mark to every declaration', () => {
    const body = Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes('<p>é</p>', 'utf8')]);
    expect(decodeBody(body, 'text/html; charset=windows-1251')).toEqual({ html: '<p>é</p>', charset: 'utf-8' });
    expect(decodeBody(Buffer.from('\ufeff<p>ü', 'utf16le'), undefined)).toEqual({ html: '<p>ü', charset: 'utf-16le' });
  });

  it('prefers the charset of the header to the one of the document', () => {
    const body = Buffer.concat([bytes('<meta charset=iso-8859-7>'), Uint8Array.of(0xcf, 0xf0)]);
    expect(decodeBody(body, 'text/html; charset="windows-1251"').charset).toBe('windows-1251');
  });

  it('finds a meta declaration in either form, and not inside a comment', () => {
    const word = Uint8Array.of(0xcf, 0xf0, 0xe8);
    for (const meta of [
      '<meta charset="windows-1251">',
      '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">',
    ]) {
      expect(
        decodeBody(Buffer.concat([bytes(`<!-- <meta charset=koi8-r> -->${meta}`), word]), undefined).html,
      ).toContain('При');
    }
  });

  it('reads valid UTF-8 with non-ASCII letters as UTF-8, whatever is declared', () => {
    expect(decodeBody(bytes('<meta charset=iso-8859-1><p>žluťoučký', 'utf8'), undefined).html).toContain('žluťoučký');
  });

  it('reads undeclared bytes that are not UTF-8 as windows-1252, or by the language of the page', () => {
    expect(decodeBody(Uint8Array.of(0x93, 0x68, 0x69, 0x94), undefined).html).toBe('“hi”');
    const japanese = Buffer.concat([bytes('<html lang="ja"><p>'), Uint8Array.of(0x93, 0xfa, 0x96, 0x7b)]);
    expect(decodeBody(japanese, undefined).html).toContain('日本');
  });

  it('recognises UTF-16 without a byte order mark by its zero bytes, whatever is declared', () => {
    const text = '<!doctype html><meta charset="windows-1251"><title>Überfahrt</title><p>žluťoučký</p>';
    const wide = Buffer.from(text, 'utf16le');
    expect(decodeBody(wide, 'text/html; charset=utf-8')).toEqual({ html: text, charset: 'utf-16le' });
    expect(decodeBody(Buffer.from(wide).swap16(), undefined)).toEqual({ html: text, charset: 'utf-16be' });
    expect(decodeBody(bytes('<p>plain'), 'text/html; charset=utf-16')).toEqual({ html: '<p>plain', charset: 'utf-8' });
    expect(decodeBody(bytes('<meta charset=utf-16><p>plain'), undefined).charset).toBe('utf-8');
  });

  it('reads x-user-defined as windows-1252, in header and meta', () => {
    const body = Buffer.concat([bytes('<meta charset=x-user-defined><p>'), Uint8Array.of(0xe9)]);
    for (const header of [undefined, 'text/html; charset=x-user-defined'])
      expect(decodeBody(body, header)).toMatchObject({ html: expect.stringContaining('é'), charset: 'windows-1252' });
  });

  it('ignores an unknown declaration and uses the next one', () => {
    const body = Buffer.concat([bytes('<meta charset=klingon><meta charset=windows-1251>'), Uint8Array.of(0xcf)]);
    expect(decodeBody(body, 'text/html; charset=romulan').charset).toBe('windows-1251');
  });

  it('ignores a declaration beyond the start of the document', () => {
    const body = Buffer.concat([bytes(`${' '.repeat(4_000)}<meta charset=windows-1251>`), Uint8Array.of(0xcf)]);
    expect(decodeBody(body, undefined).charset).toBe('windows-1252');
  });

  it.each([
    ['windows-1251', 'eef1f2eee2e0f2e8f0e5ed'],
    ['koi8-r', 'cfd3d4cfd7c1d4c9d2c5ce'],
    ['shift_jis', '82b182f182c982bf82cd'],
    ['euc-jp', 'a4b3a4f3a4cba4c1a4cf'],
    ['euc-kr', 'bec8b3e7c7cfbcbcbfe4'],
    ['gb18030', 'c4e3bac3cac0bde7d6d0b9fa'],
  ])('recognises undeclared %s by its most common characters', (charset, hex) => {
    const body = Buffer.from(hex.repeat(8), 'hex');
    expect(decodeBody(body, undefined).charset).toBe(charset);
  });

  it('never throws: an unknown charset and broken bytes still yield text', () => {
    expect(decodeBody(Uint8Array.of(0x61, 0xff, 0xfe), 'text/html; charset=klingon').html).toContain('a');
    expect(decodeBody(new Uint8Array(0), undefined).html).toBe('');
  });
});
