import { describe, expect, it } from '@jest/globals';
import { PageBodies } from '@tidemark/contracts/page/v1/page';
import { encodeBodies } from './bounded-bodies.ts';

const bodiesOf = (bodies: Partial<PageBodies>): PageBodies => PageBodies.fromPartial({ headJson: '{}', ...bodies });

describe('encodeBodies', () => {
  it('omits the largest bodies of a page that exceeds the limit, with a warning for each', () => {
    const bodies = bodiesOf({ rawHtml: 'r'.repeat(900), cleanHtml: 'c'.repeat(700), markdown: 'm'.repeat(300) });
    const { bytes, warnings } = encodeBodies(bodies, 1_100);
    expect(PageBodies.decode(bytes)).toEqual({ ...bodies, rawHtml: undefined });
    expect(warnings).toEqual(['too large: rawHtml']);
    expect(bytes.length).toBeLessThanOrEqual(1_100);
  });

  it('keeps every body of an ordinary page', () => {
    const bodies = bodiesOf({ rawHtml: 'r', cleanHtml: 'c', markdown: 'm', linksJson: '[]' });
    const { bytes, warnings } = encodeBodies(bodies);
    expect([PageBodies.decode(bytes), warnings]).toEqual([bodies, []]);
  });

  it('rejects a page whose other data exceeds the limit', () => {
    expect(() => encodeBodies(bodiesOf({ fieldsJson: 'f'.repeat(2_000) }), 1_000)).toThrow('larger than 1000 bytes');
  });
});
