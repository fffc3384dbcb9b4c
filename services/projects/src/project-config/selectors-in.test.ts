import { expect, it } from '@jest/globals';
import { selectorsIn } from './selectors-in.ts';

it('selectorsIn returns every selector of a config with its place', () => {
  const config = {
    include_selectors: ['main'],
    exclude_selectors: ['nav', '.ad'],
    volatile_selectors: ['.date'],
    fields: { price: { selector: '.price' }, title: { selector: '//h1' } },
    max_pages: 5,
  };
  expect(selectorsIn(config)).toEqual([
    { selector: 'main', loc: ['include_selectors', 0] },
    { selector: 'nav', loc: ['exclude_selectors', 0] },
    { selector: '.ad', loc: ['exclude_selectors', 1] },
    { selector: '.date', loc: ['volatile_selectors', 0] },
    { selector: '.price', loc: ['fields', 'price', 'selector'] },
    { selector: '//h1', loc: ['fields', 'title', 'selector'] },
  ]);
});

it('selectorsIn returns nothing for removed settings', () => {
  expect(selectorsIn({ include_selectors: null, fields: null, exclude_selectors: [] })).toEqual([]);
});
