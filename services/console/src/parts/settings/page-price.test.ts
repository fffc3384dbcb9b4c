import { describe, expect, it } from '@jest/globals';
import { pagePrice, raisedPrices } from './page-price.ts';

const LADDER = [
  { tier: 'http', exit: false, credits: 1 },
  { tier: 'http', exit: true, credits: 2 },
  { tier: 'browser', exit: false, credits: 5 },
  { tier: 'browser', exit: true, credits: 10 },
];
const price = (config: Record<string, unknown>, hasExits = false) => pagePrice(LADDER, config, hasExits);

describe('the price of a page', () => {
  it('is that of a plain request up to that of a browser by default', () => {
    expect(price({})).toEqual({ min: 1, max: 5 });
    expect(price({}, true)).toEqual({ min: 1, max: 10 });
  });

  it('is that of a browser for a screenshot, browser steps, a selector to wait for, and where a browser is required', () => {
    for (const config of [
      { screenshot: 'full' },
      { actions: [{ type: 'click', selector: '#more' }] },
      { wait_for: '.ready' },
      { render_js: 'always' },
    ])
      expect(price(config)).toEqual({ min: 5, max: 5 });
    expect(price({ wait_for: 500, screenshot: 'none', actions: [] })).toEqual({ min: 1, max: 5 });
  });

  it('follows exits, limits and forbidden browsers, and is unknown where no way is left', () => {
    expect(price({ use_proxy: 'always' }, true)).toEqual({ min: 2, max: 10 });
    expect(price({ country: 'DE', render_js: 'always' }, true)).toEqual({ min: 10, max: 10 });
    expect(price({ max_tier: 'http' })).toEqual({ min: 1, max: 1 });
    expect(price({ max_credits_per_page: 4 })).toEqual({ min: 1, max: 1 });
    expect(price({ country: 'DE' })).toBeUndefined();
  });

  it('names each setting that raises it', () => {
    const raised = raisedPrices(LADDER, { screenshot: 'viewport', render_js: 'auto', use_proxy: 'always' }, true);
    expect([...raised.keys()]).toEqual(['use_proxy', 'screenshot']);
    expect(raised.get('screenshot')?.min).toBe(5);
  });
});
