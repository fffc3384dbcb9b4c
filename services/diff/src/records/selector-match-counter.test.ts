import { describe, expect, it } from '@jest/globals';
import type { Settings } from '@tidemark/project-config';
import { readingOf } from '../../test/fixtures/site-pages.ts';
import { findBreaks, type SelectorStats } from '../selectors/find-breaks.ts';
import { SelectorMatchCounter } from './selector-match-counter.ts';

const CONFIG: Settings = { fields: { price: { selector: '.price', type: 'string', many: false } } };

/** Returns the statistics of a run over a shop, of which one page may have a price. */
function statsOf(hasPrice: boolean, baseline: readonly SelectorStats[] = []): SelectorStats[] {
  const counter = new SelectorMatchCounter(CONFIG, baseline);
  for (const name of ['about', 'lamp', 'terms', 'help']) {
    const reading = readingOf('run', `http://a.example/shop/${name}`, { blocks: ['a page of this shop'] });
    counter.add(reading, { fields: hasPrice && name === 'lamp' ? ['price'] : [], include: [] });
  }
  return counter.stats();
}

describe('SelectorMatchCounter', () => {
  it('finds the break of a selector on the one page of its folder that it matched on', () => {
    const before = statsOf(true);
    expect(findBreaks(before, statsOf(false, before)).breaks).toMatchObject([
      { setting: 'fields.price', selector: '.price', template: 'a.example/shop/lamp' },
    ]);
    expect(findBreaks(before, statsOf(true, before)).breaks).toEqual([]);
  });

  it('finds none where the selector never matched', () => {
    const before = statsOf(false);
    expect(findBreaks(before, statsOf(false, before)).breaks).toEqual([]);
  });
});
