import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { countWords, tokensOf } from './tokens.ts';

const textsOf = (text: string): string[] => tokensOf(text).map((token) => token.text);

describe('tokensOf', () => {
  it.each([
    ["Don't pay 1,234.50 €.", ["Don't", 'pay', '1,234.50', '€', '.']],
    ['v1.20-rc', ['v1.20', '-', 'rc']],
    ['日本語の文章です', ['日本語', 'の', '文章', 'です']],
    ['ฉันรักภาษาไทย', ['ฉัน', 'รัก', 'ภาษา', 'ไทย']],
    ['naïve café', ['naïve', 'café']],
  ])('splits %j', (text, tokens) => {
    expect(textsOf(text)).toEqual(tokens);
  });

  it('returns tokens that join to the text, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(
          tokensOf(text)
            .map((token) => token.space + token.text)
            .join(''),
        ).toBe(text);
      }),
    );
  });

  it('splits long runs without spaces into bounded pieces in linear time', () => {
    const cpuMs = countCpuMs();
    expect(tokensOf('語'.repeat(100_000)).length).toBeGreaterThan(390);
    expect(tokensOf('a'.repeat(1_000_000)).length).toBe(500);
    expect(countWords('語'.repeat(300_000))).toBe(150_000);
    expect(cpuMs()).toBeLessThan(3_000);
  });
});
