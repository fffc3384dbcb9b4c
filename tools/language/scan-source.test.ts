import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scanSource } from './scan-source.ts';

const texts = (source: string, kind: string) =>
  scanSource(source)
    .filter((piece) => piece.kind === kind)
    .map((piece) => piece.text);

describe('scanSource', () => {
  it('separates comments, strings and names', () => {
    const source = "/* a */ const x = 'b c'; // d\n";
    expect(texts(source, 'comment')).toEqual([' a ', ' d']);
    expect(texts(source, 'string')).toEqual(['b c']);
    expect(texts(source, 'name')).toEqual(['const', 'x']);
  });

  it('reads the code in the holes of nested template literals', () => {
    const source = 'const a = `one ${b({ c: `two ${d}` })} three`; // end';
    expect(texts(source, 'string')).toEqual(['one ', 'two ', ' three']);
    expect(texts(source, 'name')).toEqual(['const', 'a', 'b', 'c', 'd']);
    expect(texts(source, 'comment')).toEqual([' end']);
  });

  it('takes a quote or a comment inside a regular expression for neither', () => {
    const source = "const a = x.replace(/['\"//]+[/]/g, '') / 2; // end";
    expect(texts(source, 'string')).toEqual([]);
    expect(texts(source, 'comment')).toEqual([' end']);
  });

  it('takes a division for a division', () => {
    const source = "const a = total / 2; const b = (x) / 3; // it's done";
    expect(texts(source, 'comment')).toEqual([" it's done"]);
    expect(texts(source, 'string')).toEqual([]);
  });

  it('ends on any text, with pieces in order and inside the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab/*`${}\'"\\[]\n (=') }), (text) => {
        let last = 0;
        for (const { offset, text: piece } of scanSource(text)) {
          expect(text.startsWith(piece, offset)).toBe(true);
          expect(offset).toBeGreaterThanOrEqual(last);
          last = offset + piece.length;
        }
      }),
    );
  });
});
