import { describe, expect, it } from '@jest/globals';
import type { CaptureOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { contentVariantKeyOf, holdsComparison } from './compared.ts';
import { captureKey } from './page-task.ts';

const options = (more: Partial<CaptureOptions> = {}) => toCaptureOptions(captureOptions({ cutBlocks: true, ...more }));
const variantKey = (more: Partial<CaptureOptions> = {}): string => contentVariantKeyOf(options(more));

describe('contentVariantKeyOf', () => {
  it('differs for every option that may change which page a site shows', () => {
    const keys = [
      variantKey(),
      variantKey({ device: 'mobile' }),
      variantKey({ country: 'DE' }),
      variantKey({ userAgent: 'x' }),
      variantKey({ loginId: 'login_1' }),
      variantKey({ headers: { a: '1' } }),
      variantKey({ cookies: { a: '1' } }),
      variantKey({ renderJs: 'always' }),
      variantKey({ renderJs: 'never' }),
      variantKey({ waitFor: { selector: '', ms: 500, networkIdle: false } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('ignores extraction options and the order of headers', () => {
    expect(variantKey({ formats: ['links'], includeSelectors: ['main'], minWords: 9, maxTier: 'http' })).toBe(
      variantKey(),
    );
    expect(variantKey({ headers: { a: '1', b: '2' } })).toBe(variantKey({ headers: { b: '2', a: '1' } }));
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
      captureKey(options({ cutBlocks, volatileSelectors: selectors && { selectors } }));
    expect(key(['.a', '.b'])).toBe(key(['.b', '.a']));
    expect(key(['.a'])).not.toBe(key(['.b']));
    expect(key([])).toBe(key());
    expect(key(['.a'], false)).toBe(key());
  });
});
