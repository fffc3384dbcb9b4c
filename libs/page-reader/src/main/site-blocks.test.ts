import { describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { type PageReading, readPage } from '../page/read-page.ts';
import { comparisonHashes } from '../response/comparison-hashes.ts';

const DELIVERY = 'Orders that are placed before noon leave our store on the same day, by van or by boat.';
const FINE_PRINT = 'All prices include tax, and every lantern can be returned within thirty days of delivery.';
const subject = (name: string): string =>
  `<h1>${name}</h1><p>${name} hangs at the stern and burns for nine hours. Its glass is blown by hand, and no wind puts it out.</p>
  <p>${name} weighs as much as a loaf of bread, and it fits into the locker of a small boat.</p>`;
const page = (name: string): string =>
  `<html><head><title>${name}</title></head><body><main>${subject(name)}<p>${DELIVERY}</p><p>${FINE_PRINT}</p></main></body></html>`;

const read = (html: string, repeated?: Uint8Array): PageReading =>
  readPage({
    html,
    url: 'http://127.0.0.1:8080/a',
    content: USUAL_CONTENT,
    outputs: new Set(['text', 'markdown']),
    cut: { volatileSelectors: [] },
    ...(repeated === undefined ? {} : { site: { repeated } }),
  });
const NONE = new Uint8Array();
/** The keys of the blocks that two pages share. */
function sharedBy(one: PageReading, other: PageReading): Uint8Array {
  const keysOf = ({ blockKeys = NONE }: PageReading): string[] =>
    Buffer.from(blockKeys).toString('hex').match(/.{8}/g) ?? [];
  const others = new Set(keysOf(other));
  return Buffer.from(
    keysOf(one)
      .filter((key) => others.has(key))
      .join(''),
    'hex',
  );
}
const repeated = sharedBy(read(page('The lamp'), NONE), read(page('The lantern'), NONE));

describe('blocks that repeat over the pages of a site', () => {
  it('are left out of the text and the markdown of a page of a run', () => {
    const { text, markdown } = read(page('The torch'), repeated);
    for (const output of [text, markdown]) {
      expect(output).toContain('burns for nine hours');
      expect(output).not.toContain('before noon');
      expect(output).not.toContain('include tax');
    }
  });

  it('stay in a page that is read by itself', () => {
    const { text, blockKeys } = read(page('The torch'));
    expect(text).toContain('before noon');
    expect(blockKeys).toBeUndefined();
  });

  it('change neither the blocks and hashes that pages are compared by nor the evidence of the verdict', () => {
    const [whole, part] = [read(page('The torch'), NONE), read(page('The torch'), repeated)];
    expect(part.words).toBeLessThan(whole.words);
    expect(comparisonHashes(part)).toEqual(comparisonHashes(whole));
    expect(PageBlocks.toJSON(part.blocks ?? PageBlocks.create())).toEqual(
      PageBlocks.toJSON(whole.blocks ?? PageBlocks.create()),
    );
    expect(part.evidence).toEqual(whole.evidence);
    expect(part.blockKeys).toEqual(whole.blockKeys);
  });

  it('stay where they are most of a page: it is a variant of another page', () => {
    const html = `<main><h1>Terms</h1><p>Valid for the torch.</p><p>${DELIVERY}</p><p>${FINE_PRINT}</p></main>`;
    expect(read(html, repeated).text).toContain('before noon');
  });

  it('do not include headings and labels, which sections of equal pages have', () => {
    const recipe = (name: string): string =>
      `<main><h1>${name}</h1><h2>What you need for one boat of four people</h2><p>Ingredients</p><p>${name} takes three eggs and a cup of flour, and it is done in an hour.</p></main>`;
    expect(sharedBy(read(recipe('The cake'), NONE), read(recipe('The bread'), NONE))).toHaveLength(0);
  });
});
