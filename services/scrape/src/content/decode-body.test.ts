import { describe, expect, it } from '@jest/globals';
import { decodeBody } from './decode-body.ts';

const bytes = (text: string, encoding: BufferEncoding = 'latin1'): Uint8Array => Buffer.from(text, encoding);

describe('decoding a body', () => {
  it('a byte order mark beats every declaration', () => {
    const body = Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes('<p>é</p>', 'utf8')]);
    expect(decodeBody(body, 'text/html; charset=windows-1251')).toEqual({ html: '<p>é</p>', charset: 'utf-8' });
    expect(decodeBody(Buffer.from('\ufeff<p>ü', 'utf16le'), undefined)).toEqual({ html: '<p>ü', charset: 'utf-16le' });
  });

  it('the charset of the transport beats the one of the document', () => {
    const body = Buffer.concat([bytes('<meta charset=iso-8859-7>'), Uint8Array.of(0xcf, 0xf0)]);
    expect(decodeBody(body, 'text/html; charset="windows-1251"').charset).toBe('windows-1251');
  });

  it('a meta declaration is found in either spelling, and not inside a comment', () => {
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

  it('valid UTF-8 with letters beyond ASCII is UTF-8, whatever a stale declaration says', () => {
    expect(decodeBody(bytes('<meta charset=iso-8859-1><p>žluťoučký', 'utf8'), undefined).html).toContain('žluťoučký');
  });

  it('undeclared bytes that are not UTF-8 are read as windows-1252, or by the language the page names', () => {
    expect(decodeBody(Uint8Array.of(0x93, 0x68, 0x69, 0x94), undefined).html).toBe('“hi”');
    const japanese = Buffer.concat([bytes('<html lang="ja"><p>'), Uint8Array.of(0x93, 0xfa, 0x96, 0x7b)]);
    expect(decodeBody(japanese, undefined).html).toContain('日本');
  });

  it('never throws: an unknown charset and broken bytes still give text', () => {
    expect(decodeBody(Uint8Array.of(0x61, 0xff, 0xfe), 'text/html; charset=klingon').html).toContain('a');
    expect(decodeBody(new Uint8Array(0), undefined).html).toBe('');
  });
});
