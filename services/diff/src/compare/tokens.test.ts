import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { countWords, tokensOf } from './tokens.ts';

const textsOf = (text: string): string[] => tokensOf(text).map((token) => token.text);

describe('tokens', () => {
  it.each([
    ["Don't pay 1,234.50 €.", ["Don't", 'pay', '1,234.50', '€', '.']],
    ['v1.20-rc', ['v1.20', '-', 'rc']],
    ['日本語の文章です', ['日本語', 'の', '文章', 'です']],
    ['ฉันรักภาษาไทย', ['ฉัน', 'รัก', 'ภาษา', 'ไทย']],
    ['naïve café', ['naïve', 'café']],
  ])('of %j', (text, tokens) => {
    expect(textsOf(text)).toEqual(tokens);
  });

  it('joined with their spaces are the text, whatever it is', () => {
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

  it('of long runs without spaces are cut in bounded pieces: a megabyte of them takes no time to speak of', () => {
    const cpuMs = countCpuMs();
    expect(tokensOf('語'.repeat(100_000)).length).toBeGreaterThan(390);
    expect(tokensOf('a'.repeat(1_000_000)).length).toBe(500);
    expect(countWords('語'.repeat(300_000))).toBe(150_000);
    expect(cpuMs()).toBeLessThan(3_000);
  });
});
