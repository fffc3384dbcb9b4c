import { describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { holdsComparison, mannerOf } from './compared.ts';
import { readingKey } from './page-task.ts';

const options = (more: Partial<CaptureOptions> = {}) => toCaptureOptions(captureOptions({ cutBlocks: true, ...more }));
const manner = (more: Partial<CaptureOptions> = {}): string => mannerOf(options(more));

describe('the manner of a reading', () => {
  it('is another wherever the site may show another page', () => {
    const manners = [
      manner(),
      manner({ device: 'mobile' }),
      manner({ country: 'DE' }),
      manner({ userAgent: 'x' }),
      manner({ loginId: 'login_1' }),
      manner({ headers: { a: '1' } }),
      manner({ cookies: { a: '1' } }),
      manner({ renderJs: 'always' }),
      manner({ renderJs: 'never' }),
      manner({ waitFor: { selector: '', ms: 500, networkIdle: false } }),
    ];
    expect(new Set(manners).size).toBe(manners.length);
  });

  it('is the same whatever is read of the page, and in whichever order headers are given', () => {
    expect(manner({ formats: ['links'], includeSelectors: ['main'], minWords: 9, maxTier: 'http' })).toBe(manner());
    expect(manner({ headers: { a: '1', b: '2' } })).toBe(manner({ headers: { b: '2', a: '1' } }));
  });
});

describe('an earlier reading', () => {
  const hash = Buffer.alloc(16);
  const cut = { contentHash: hash, comparedHash: hash, blocksVersion: 3 };

  it('holds what a page is compared by where it was cut, by the rules there are now', () => {
    expect(holdsComparison(cut, options(), 3)).toBe(true);
    expect(holdsComparison(cut, options(), 4)).toBe(false);
    expect(holdsComparison({}, options(), 3)).toBe(false);
    expect(holdsComparison({}, options({ cutBlocks: undefined }), 3)).toBe(true);
  });

  it('in which other blocks were set aside is read another way', () => {
    const key = (selectors?: string[], cutBlocks = true) =>
      readingKey(options({ cutBlocks, volatileSelectors: selectors && { selectors } }));
    expect(key(['.a', '.b'])).toBe(key(['.b', '.a']));
    expect(key(['.a'])).not.toBe(key(['.b']));
    expect(key([])).toBe(key());
    expect(key(['.a'], false)).toBe(key());
  });
});
